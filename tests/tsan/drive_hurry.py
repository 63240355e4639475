#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_hurry.py TENURE SAMPLE: a window whose workers are never waited for: stopped while it reads, other views,
searches, plans and sheets asked for while the last ones are made.  For the thread sanitizer: window.sh."""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "window"))
from driving import *


def plan(name, n, shift):
    path = os.path.join(work, name)
    with open(path, "w") as f:
        f.write("id,lower,upper,size\n")
        for i in range(n):
            f.write("b%d,%d,%d,%d\n" % (i, i // 4, i // 4 + 3 + i % 17, 4096 * (1 + (i + shift) % 9)))
    return path


def hurry(keys, pause=0.15):
    for key in keys.split():
        xdo("key", key)
        time.sleep(pause)


def end(window, what):
    check(window.poll() is None, what)
    window.terminate()
    window.wait()


a, b = plan("a.csv", 40000, 0), plan("b.csv", 40000, 1)

# Stopped, closed and ended while the file is read beside GTK's start.
for seconds, key in ((0.6, "ctrl+q"), (1.2, "ctrl+w"), (2.0, "Escape"), (3.0, "ctrl+r"), (4.5, "ctrl+w")):
    window = start(a)
    time.sleep(seconds)
    xdo("key", key)
    time.sleep(1)
    window.terminate()
    window.wait()

window = start(a)
s = wait_for(lambda s: s.get("shown") == 40000 and s.get("lanes", [0, 0, 0])[2] > 100, 60)
check(s.get("shown") == 40000, "a plan of 40,000 buffers opens", s)
for i in range(60):
    xdo("mousemove", 300 + 9 * i, 250 + 7 * i % 180)
    xdo("click", 4 if i % 5 < 3 else 5)
    if i % 13 == 0:
        click(400 + 5 * i, 300)
hurry("2 1 w w 3 1 s d 2 a 1 Home ctrl+z p f 1 plus plus minus t 0 m")
search("size>8000 b1")
hurry("Escape ctrl+p alt+p Escape w w d 1 ctrl+z")
hurry("ctrl+s", 1.5)
hurry("Escape ctrl+r", 0.5)
time.sleep(1)
hurry("m ctrl+r 2 1", 0.5)
end(window, "it stands")

window = start("--diff", a, b)
s = wait_for(lambda s: s.get("pairs", 0) > 0, 90)
check(s.get("pairs", 0) >= 40000, "a comparison of 40,000 pairs", s)
time.sleep(2)
for x in (66, 418, 504, 580, 660, 760, 856):  # heads of the list, which sort it, and chips above them, which filter it
    click(x, 606)
    click(330 if x < 600 else 440, 575)
hurry("2 3 1 space space 2 b 1 w w s 3")
search("b12")
hurry("Escape 1 2")
search("/7$/")
hurry("1 Escape 3 ctrl+s", 0.4)
time.sleep(2)
hurry("Escape 1 F9 F9")
end(window, "it stands, too")
finish()
