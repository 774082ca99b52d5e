#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# What the program shows and asks on a terminal.
# usage: dml-terminal-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

# A minimal chroot has no terminals: /dev/ptmx or /dev/pts is missing.
if ! reason=$(python3 -c 'import pty; pty.openpty()' 2>&1); then
    echo "skipped: this system has no pseudo-terminal: ${reason##*$'\n'}"
    exit 77
fi

# 3 variants, of which one has 2 numbers of workers; 2 replications: 8 runs of the packet engine
cat >>tiny.yaml <<END
sweep:
  - {network.rate: 1Gbps}
  - {network.rate: 100Mbps, job.workers: 2}
  - {network.rate: 10Mbps, job.workers: 2}
END

# A line for each run and one for all, as many as it has room for; then they are gone.
python3 - "$PROGRAM" <<'END'
import fcntl, os, pty, re, signal, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    # the terminal has its size before anything is written
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack("HHHH", 5, 60, 0, 0))
    # no run ends before the signal
    os.environ["DML_STOP_AT"] = "0"
    os.environ["LD_PRELOAD"] = os.path.dirname(sys.argv[1]) + "/test/preload/dml-stop-at-run.so"
    os.environ["ASAN_OPTIONS"] = "verify_asan_link_order=0:" + os.environ.get("ASAN_OPTIONS", "")
    os.execv(sys.argv[1], [sys.argv[1], "run", "tiny.yaml", "--engine=packet", "--out", "board", "--jobs",
                           "5", "--set", "job.steps=200"])
text, sent = "", False
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    text += data.decode()
    if not sent and text.count("5 running") >= 2:
        os.kill(pid, signal.SIGINT)
        sent = True
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 1, text
# three lines of five runs, two of which have room, and all; 59 characters wide
frames = re.findall(r"\r((?:\x1b\[3A)?)([^\x1b\r]*\x1b\[K(?:\r\n[^\x1b\r]*\x1b\[K)*)\x1b\[J", text)
assert len(frames) >= 2, text
for up, frame in frames:
    lines = frame.replace("\x1b[K", "").split("\r\n")
    assert len(lines) == 4 and lines[2] == "... and 3 more", lines
    assert all(len(line) <= 59 for line in lines), lines
    assert re.fullmatch(r"packet W=\d.* \[[#-]{12}\] +\d+ %.*", lines[0]), lines
    assert re.fullmatch(r"\d+ %.*; 0 of 8 runs done, 5 running", lines[3]), lines
assert text.split("\r\x1b[3A\x1b[J")[-1].startswith("dml: interrupted"), text[-300:]
END

# import asks before it replaces a file: no, an empty line and the end of the input leave it alone.
"$PROGRAM" run "$DATA/tiny.yaml" --engine=packet --out trace --set output.timeline=1 \
    --set job.workers=1 --set replications=1 --set output.plots=false >out.txt
trace=$(echo trace/timelines/*)
echo mine >profile.yaml
cat >answer.py <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[2], sys.argv[2:])
text, sent = "", False
while True:
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    text += data.decode()
    if not sent and text.endswith("[y/N] "):
        os.write(fd, sys.argv[1].encode())
        sent = True
print(text)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
END
for answer in $'n\n' $'\n' $'\x04'; do
    code=0
    python3 answer.py "$answer" "$PROGRAM" import auto "$trace" --batch-size 4 -o profile.yaml >out.txt || code=$?
    [[ $code == 2 ]] || fail "exit code $code after '$answer': $(cat out.txt)"
    grep -qF 'profile.yaml is there already; replace it? [y/N]' out.txt || fail "$(cat out.txt)"
    [[ $(<profile.yaml) == mine ]] || fail "replaced after '$answer'"
done
python3 answer.py $'y\n' "$PROGRAM" import auto "$trace" --batch-size 4 -o profile.yaml >out.txt || fail "$(cat out.txt)"
grep -q '^model: ' profile.yaml || fail "no profile after yes"

echo "terminal: progress, questions"
