#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_meanwhile.py TENURE SAMPLE: a tab that is read again or closed while its table is copied, and a drag that
goes on while another study comes.  Freed memory is written over, so that a use of it shows.
"""
from driving import *

rows = os.path.join(work, "rows.csv")
with open(rows, "w") as out:
    out.write("id,lower,upper,size,offset\n")
    for i in range(150000):
        out.write("name%d,%d,%d,%d,%d\n" % (i, i, i + 9, 64 + i % 1000, i % 10 * 2048))
os.environ["MALLOC_PERTURB_"] = "165"


def copy_all():
    click(300, 703)
    wait_for(lambda s: s.get("selected", -1) >= 0, 5)
    xdo("key", "ctrl+shift+c")
    time.sleep(0.1)


def is_drawn(s):
    return s.get("axis_end", 0) > 150000 and s["lanes"][2] > 100


def survives(seconds=2.0):
    end = time.time() + seconds
    while time.time() < end and window.poll() is None:
        time.sleep(0.1)
    return window.poll() is None


window = start(rows)
s = wait_for(is_drawn, 40)

# Undo takes back the groups of bars in the middle of a drag, which goes on in the study that comes.
press("Group, Sort")
xdo("key", "k")
s = wait_for(lambda s: s.get("group") == "kind", 10)
point_aside()
for _ in range(4):
    xdo("key", "plus")
s = wait_for(lambda s: s["t1"] - s["t0"] < 40000)
click(*middle(s["lanes"]))
x, y = middle(s["offsets"])
xdo("mousemove", x, y)
xdo("mousedown", 2)
xdo("mousemove", x + 20, y)
xdo("key", "ctrl+z")
wait_for(lambda s: s.get("group") == "none", 5)
time.sleep(1.5)
for k in range(30, 130, 10):
    xdo("mousemove", x + k, y)
    time.sleep(0.05)
xdo("mouseup", 2)
is_there = survives()
moved = state()
check(is_there, "a drag goes on after its study was taken back", window.poll())
shift = (s["t1"] - s["t0"]) * 120 / s["offsets"][2]
check(abs(s["t0"] - moved["t0"] - shift) < 0.1 * shift and moved.get("group") == "none",
      "and moves the one that is shown", (s["t0"], moved["t0"], shift, moved.get("group")))
if not is_there:
    window = start(rows)
    wait_for(is_drawn, 40)

copy_all()
os.remove(state_file)
xdo("key", "F5")
s = wait_for(is_drawn, 20)
check(is_drawn(s) and survives(), "read again while all rows are copied", window.poll())
if window.poll() is not None:
    window = start(rows)
    wait_for(is_drawn, 40)
copy_all()
xdo("key", "ctrl+w")
check(survives(), "closed while all rows are copied", window.poll())
window.kill()
window.wait()
finish()
