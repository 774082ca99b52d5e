#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Writes recorded steps as a dml profile, the format of doc/profile-format.rst."""

import json
import re
from collections import Counter


def text(name):
    """A YAML scalar that every reader takes for this string."""
    plain = re.fullmatch(r"[A-Za-z][\w./+()#-]*", name, re.ASCII) and name.lower() not in (
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf")
    return name if plain else json.dumps(name, ensure_ascii=False)


def write_profile(output, head, tensors, steps, device, memory=None):
    """The format is described in doc/profile-format.rst."""
    first = steps[0]
    counts, names = Counter(), []
    for layer in first.layers:
        counts[layer] += 1
        names.append(layer + (f"({counts[layer]})" if counts[layer] > 1 else ""))
    parts = Counter(key for key, _ in first.pieces)

    def name_of(piece):
        key, part = piece
        name = f"accumulate/{key}" if isinstance(key, str) else f"backward/{names[key]}"
        return name + (f"#{part}" if parts[key] > 1 else "")

    def op(kind, name, where, deps=(), samples=(), **held):
        line = f"  - {{name: {text(name)}, kind: {kind}, {where}"
        line += f", deps: [{', '.join(map(text, deps))}]" if deps else ""
        line += "".join(f", {key}_bytes: {size}" for key, size in held.items() if size)
        # the clock's resolution is not better than 1 ns
        numbers = (f"{s:.9f}".rstrip("0").rstrip(".") for s in samples)
        output.write(line + (f", samples: [{', '.join(numbers)}]" if samples else "") + "}\n")

    output.write(f"schema: dml-profile/{3 if memory else 1}\n")
    if memory:
        output.write(f"input_bytes: {memory.input}\n")
        output.write(f"resident_bytes: {memory.resident}\n" if memory.resident else "")
    for key, value in head.items():
        if not isinstance(value, dict):
            output.write(f"{key}: {text(value) if isinstance(value, str) else value}\n")
            continue
        output.write(f"{key}:\n")
        for inner, v in value.items():
            output.write(f"  {inner}: {text(v) if isinstance(v, str) else v}\n")
    output.write(f"devices:\n  - {{name: {text(device)}, slots: 1}}\ntensors:\n")
    for name, size in tensors.items():
        output.write(f"  - {{name: {text(name)}, bytes: {size}}}\n")
    output.write("ops:\n")
    on_device = f"device: {text(device)}"
    for name in tensors:
        op("pull", f"pull/{name}", f"tensor: {text(name)}")
    for i, name in enumerate(names):
        deps = [f"forward/{names[d]}" for d in first.inputs[i]]
        deps += [f"pull/{p}" for p in first.pulls[i]]
        held = {"activation": memory.activation[i], "output": memory.output[i],
                "workspace": memory.workspace[i]} if memory else {}
        op("forward", f"forward/{name}", on_device, deps, [s.forward[i] for s in steps], **held)
    for piece in first.pieces:  # in the order in which they ran
        deps = [name_of(p) for p in first.pieces if p in first.waits[piece]]
        deps = deps or [f"forward/{names[first.loss_layer]}"]
        held = {"workspace": memory.piece_workspace[piece]} if memory else {}
        if memory and isinstance(piece[0], int):  # it needs what its layer keeps
            forward = f"forward/{names[piece[0]]}"
            deps += [forward] if forward not in deps else []
        op("backward", name_of(piece), on_device, deps, [s.pieces[piece] for s in steps], **held)
    ready = [key for key, _ in first.pieces if isinstance(key, str)]
    for name in ready:
        op("push", f"push/{name}", f"tensor: {text(name)}", [f"accumulate/{name}"])
    for name in ready:
        op("update", f"update/{name}", f"tensor: {text(name)}", [f"push/{name}"],
           [s.update[name] for s in steps])
