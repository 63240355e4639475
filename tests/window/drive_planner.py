#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_planner.py TENURE SAMPLE: a plan is made to its end while another tab is in front, and no longer once its own
is closed."""
from driving_bus import *
import random

os.environ["G_DEBUG"] = "fatal-criticals"
a, b = (os.path.join(work, name) for name in ("a.csv", "b.csv"))
random.seed(3)
with open(a, "w") as f:  # what the first look gives is 15 % above the bound
    f.write("id,lower,upper,size\n")
    for i in range(400):
        begin = random.randrange(200)
        f.write("n%d,%d,%d,%d\n" % (i, begin, begin + random.randrange(1, 60), 64 * random.randrange(1, 2000)))
with open(b, "w") as f:
    f.write("id,lower,upper,size\nc,0,3,64\n")


def plan_and(*keys):
    """Before the first picture of a better one is due."""
    point_aside()
    xdo("key", "ctrl+p")
    time.sleep(1.5)
    click(865, 212)  # Plan: Return waits a little before it does something
    xdo("key", "--delay", "5", "Escape", *keys)


def seconds_used():
    with open("/proc/%d/stat" % window.pid) as f:
        return sum(int(x) for x in f.read().rsplit(")", 1)[1].split()[11:13]) / os.sysconf("SC_CLK_TCK")


window = start(a)
first = wait_for(lambda s: s.get("axis_end", 0) > 200 and s["lanes"][2] > 100, 60)
open_file(window, b)
wait_titles(lambda names: names == ["b.csv"])
wait_for(lambda s: s.get("axis_end") == 3, 20)
time.sleep(1)
xdo("key", "ctrl+Tab")
check(wait_titles(lambda names: names == ["a.csv"]) == ["a.csv"], "two tabs", titles())
time.sleep(1)
plan_and("ctrl+Tab")
check(wait_titles(lambda names: names == ["b.csv"]) == ["b.csv"], "another tab is in front of a plan", titles())
time.sleep(9)
os.remove(state_file)
xdo("key", "ctrl+Tab")
wait_titles(lambda names: names == ["a.csv"])
time.sleep(1)
xdo("key", "p")
s = wait_for(lambda s: s.get("axis_end", 0) > 200, 20)
check(0 < s.get("arena_bytes", 0) < 0.95 * first["arena_bytes"], "which is there when its own is",
      (first["arena_bytes"], s.get("arena_bytes")))
xdo("key", "ctrl+p")
time.sleep(1.5)
xdo("key", "Escape")
time.sleep(0.5)
plan_and("ctrl+w")
check(wait_titles(lambda names: names == ["b.csv"]) == ["b.csv"], "a tab is closed while it is planned", titles())
time.sleep(1)
begin = seconds_used()
time.sleep(2)
check(seconds_used() - begin < 0.5 and window.poll() is None, "and nothing goes on", (seconds_used() - begin, window.poll()))
window.kill()
finish()
