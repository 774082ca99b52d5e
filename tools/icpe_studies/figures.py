#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Pictures of what ran when: lanes with boxes, drawn by gnuplot."""

from dataclasses import dataclass

from validation_report.plots import COLOURS, block, draw

LANE = 0.38  # half of its height
LANE_PIXELS = 24
HEAD_PIXELS = 74  # title and numbers of a panel
LABEL_PIXELS = 30  # of the axis
TEXT_SHARE = 0.055  # of the width: narrower boxes have no text


@dataclass(frozen=True)
class Box:
    """Something that takes time."""

    start: float  # s
    end: float  # s
    colour: int = 0
    text: str = ""


def panel(name, lanes, width):
    """(blocks, commands) of a panel: `lanes` are (label, boxes), the first one at the top."""
    blocks, plots, labels = "", [], ""
    for c in range(len(COLOURS)):
        rows = [(box.start, y, box.start, box.end, y - LANE, y + LANE)
                for y, (_, boxes) in enumerate(reversed(lanes)) for box in boxes if box.colour == c]
        if rows:
            blocks += block(f"{name}{c}", rows)
            plots.append(f"${name}{c} using 1:2:3:4:5:6 with boxxyerror fs solid 0.7 noborder lc "
                         f"rgb '{COLOURS[c]}' notitle")
    for y, (_, boxes) in enumerate(reversed(lanes)):
        for box in boxes:
            if box.text and box.end - box.start > TEXT_SHARE * width:
                labels += (f"set label '{box.text}' at {(box.start + box.end) / 2:.6g},{y} center "
                           "font ',10'\n")
    names = ", ".join(f"'{label}' {y}" for y, (label, _) in enumerate(reversed(lanes)))
    return blocks, (f"{labels}set ytics ({names})\nset yrange [-0.6:{len(lanes) - 0.4}]\n"
                    f"set xrange [0:{width:.6g}]\nplot {', '.join(plots)}\nunset label\n")


def draw_lanes(path, panels, width=None):
    """`panels` are (title, lanes); all have the same time axis, up to `width` s."""
    width = width or 1.02 * max(box.end for _, lanes in panels for _, boxes in lanes for box in boxes)
    heights = [HEAD_PIXELS + LANE_PIXELS * len(lanes) for _, lanes in panels]
    heights[-1] += LABEL_PIXELS
    blocks, commands, total, top = "", "", sum(heights), 1.0
    for p, (title, lanes) in enumerate(panels):
        more, plot = panel(f"p{p}x", lanes, width)
        blocks += more
        share = heights[p] / total
        top -= share
        last = p == len(panels) - 1
        commands += (f"set size 1,{share:.4f}\nset origin 0,{max(0, top):.4f}\nset title '{title}'\n"
                     + ("set xlabel 'time (s)'\nset bmargin 3.5\n" if last
                        else "unset xlabel\nset bmargin 2\n") + plot)
    return draw(path, 800, total, f"unset grid\nset lmargin 12\nset tmargin 2.4\n{blocks}"
                f"set multiplot\n{commands}unset multiplot\n")
