#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_overview.py TENURE SAMPLE: many files beside each other, the one that is not like the others,
and two of them compared.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driving import *


def rank(number, size):
    full = os.path.join(work, "rank%d.csv" % number)
    with open(full, "w") as out:
        out.write("id,lower,upper,size\na,0,4,%d\nb,1,3,4096\n" % size)
    return full


files = [rank(i, 9000 if i == 3 else 4096) for i in range(5)]
broken = os.path.join(work, "broken.csv")
with open(broken, "w") as out:
    out.write("id,lower,upper,size\na,5,1,7\n")
window = start("--diff", *files[:4], broken, files[4])
s = wait_for(lambda s: s.get("files") == 5, 30)
check(s.get("files") == 5, "five are read, the broken one is passed over", s)
check(s.get("outlier") == 3, "rank 3 is not like the others", s)


def press(rect, times=1):
    xdo("mousemove", *middle(rect))
    time.sleep(0.2)
    xdo("click", "--repeat", times, "--delay", 60, 1)


press(s["cell0"])
s = wait_for(lambda s: s.get("a") == 0)
time.sleep(0.6)
press(s["cell3"])
s = wait_for(lambda s: s.get("b") == 3)
check((s.get("a"), s.get("b")) == (0, 3), "two clicks pick A and B", s)
time.sleep(0.6)
press(s["cell0"])
s = wait_for(lambda s: s.get("a") == -1)
check((s.get("a"), s.get("b")) == (-1, 3), "a click on one that is picked lets it go", s)
xdo("key", "Left")
xdo("key", "Right", "Right", "space")
s = wait_for(lambda s: s.get("a") == 2)
check((s.get("a"), s.get("b")) == (2, 3), "so do the arrow keys and Space", s)
xdo("key", "alt+c")
s = wait_for(lambda s: s.get("pairs", 0) > 0, 20)
check(s.get("matched") == 2 and s.get("live_delta") == 9000 - 4096, "Compare opens their comparison", s)
check(window.poll() is None, "the program goes on")

window.terminate()
window.wait()
finish()
