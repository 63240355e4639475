#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_diff.py TENURE SAMPLE: a comparison as a person works with it: the list, chips, causes, pairs
set by hand, undo, blinking.  Two plans are planted so that every answer is known.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from driving import *

HEAD = "id,lower,upper,size,alignment,offset\n"


def plan(name, *rows):
    full = os.path.join(work, name)
    with open(full, "w") as out:
        out.write(HEAD + "\n".join(rows) + "\n")
    return full


# b grew by 12 MiB, c became c2 (another name, size and life), d is the same but moved, e is gone, f new.
A = plan("a.csv", "a,0,2,104857600,4,0", "b,1,4,62914560,4,136314880", "c,2,6,125829120,4,0",
         "d,4,8,41943040,4,125829120", "e,6,9,20971520,4,0")
B = plan("b.csv", "a,0,2,104857600,4,0", "b,1,4,75497472,4,136314880", "c2,2,6,136314880,4,0",
         "d,4,8,41943040,4,136314880", "f,7,9,10485760,4,0")

window = start("--diff", A, B)
s = wait_for(lambda s: s.get("pairs", 0) > 0, 30)
check((s.get("matched"), s.get("only_a"), s.get("only_b")) == (3, 2, 2), "what is alike is matched", s)
check(s.get("rows") == 7 and s.get("live_delta") == 23068672, "the list has all, the sum is right", s)


# b stands in both maps; a click in A's selects the pair.
def point(state, name, tick, share):
    """A point of a map: ticks from left, share of the height from below."""
    x, y, width, height = state[name]
    return (int(x + (tick - state["t0"]) / (state["t1"] - state["t0"]) * width),
            int(y + height * (1 - share)))


def is_settled(s):
    """The causes have their place, so the maps have theirs, and these are drawn."""
    return s.get("drawn") and s.get("cause2", [0, 0, 0, 0])[2] > 1


s = wait_for(is_settled, 30)
check(is_settled(s) and s["map_a"][2] > 500, "the maps stand", s)
click(*point(s, "map_a", 1.5, 0.8))
s = wait_for(lambda s: s.get("selected", -1) >= 0)
check(s.get("label") == "b" and s.get("match") == "name", "a click in A's map selects the pair", s)
pair = s.get("selected")
xdo("key", "Escape")
s = wait_for(lambda s: s.get("selected") == -1)
click(*point(s, "map_b", 1.5, 0.8))
s = wait_for(lambda s: s.get("selected", -1) >= 0)
check(s.get("selected") == pair, "a click in B's map selects the same pair", s)

# Layouts, blinking.
xdo("key", "2")
s = wait_for(lambda s: s.get("layout") == 1)
check(s.get("layout") == 1, "2 is the overlay", s)
xdo("key", "3")
s = wait_for(lambda s: s.get("layout") == 2)
check(s.get("layout") == 2, "3 is the difference map", s)
xdo("key", "1")
s = wait_for(lambda s: s.get("layout") == 0)
xdo("keydown", "b")
s = wait_for(lambda s: s.get("layout") == 4)
check(s.get("layout") == 4, "B shows B alone while it is held", s)
xdo("keyup", "b")
s = wait_for(lambda s: s.get("layout") == 0)
check(s.get("layout") == 0, "and both again after", s)
xdo("key", "space")
s = wait_for(lambda s: s.get("layout") == 3)
xdo("keydown", "b")
t = wait_for(lambda s: s.get("layout") == 4)
xdo("keyup", "b")
u = wait_for(lambda s: s.get("layout") == 3)
check((s.get("layout"), t.get("layout"), u.get("layout")) == (3, 4, 3), "Space shows A, B held the other", u)
xdo("key", "Escape")
s = wait_for(lambda s: s.get("layout") == 0)
check(s.get("layout") == 0, "Escape shows both again", s)

# Zooming: both maps have one axis.
xdo("mousemove", *point(s, "map_a", 4.5, 0.5))
xdo("keydown", "ctrl", "click", 4, "click", 4, "keyup", "ctrl")
s = wait_for(lambda s: s["t1"] - s["t0"] < 8.9)
check(s["t1"] - s["t0"] < 8.9, "the wheel zooms at the pointer", s)
check(abs(s.get("cursor", -1) - 4) <= 1, "the pointer is a moment of both", s)
xdo("key", "0")
s = wait_for(lambda s: s["t1"] - s["t0"] == 9)
check(s["t1"] - s["t0"] == 9, "0 shows all", s)

# Chips and causes filter list and pictures; the causes stay.  Chips: only A, both, only B, then kinds.
click(*middle(s["chip1"]))
s = wait_for(lambda s: s.get("shown") == 4)
check((s.get("sides"), s.get("rows")) == (5, 4), "without what both have, four are left", s)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("shown") == 7)
check((s.get("sides"), s.get("rows")) == (7, 7), "undo shows all again", s)
click(*middle(s["chip3"]))
s = wait_for(lambda s: s.get("shown") == 1)
check((s.get("changes"), s.get("rows")) == (1, 1), "grew: one", s)
click(*middle(s["chip3"]))
s = wait_for(lambda s: s.get("shown") == 7)
# At the peak (both at tick 2): c2 is new, c gone, b bigger.
click(*middle(s["cause2"]))
s = wait_for(lambda s: s.get("cause") == 2)
check((s.get("rows"), s.get("shown")) == (1, 1), "the cause 'bigger' shows its buffer alone", s)
click(*middle(s["cause0"]))
s = wait_for(lambda s: s.get("cause") == 0)
check(s.get("rows") == 1, "another cause takes its place", s)
click(*middle(s["cause0"]))
s = wait_for(lambda s: s.get("cause") == -1)
check(s.get("rows") == 7, "pressed again, it shows all", s)

# The list's first row is the largest part of the difference: c2 (130 MiB) is new.
x, y, width, height = s["table"]
click(x + 200, y + 34)
s = wait_for(lambda s: s.get("label") == "c2")
check(s.get("label") == "c2", "a row selects its buffer in the pictures", s)

xdo("key", "ctrl+c")
s = wait_for(lambda s: "c2" in s.get("clipboard", ""))
check(s.get("clipboard") == "+\tc2\t130.0 MiB\t+130.0 MiB\t+4\t?\t+130.0 MiB\t?\tnew\n".replace("?", "???"),
      "Ctrl+C copies the row, tab-separated", s)

# A pair set by hand: c of A is c2 of B; Return takes the first that the search finds.
click(*point(s, "map_a", 3.0, 0.2))
s = wait_for(lambda s: s.get("label") == "c")
check(s.get("label") == "c" and s.get("match") == "none", "c has no partner", s)
xdo("key", "ctrl+m")
time.sleep(1.0)
xdo("type", "c2")
time.sleep(0.6)
xdo("key", "Return")
s = wait_for(lambda s: s.get("by_hand") == 1)
check((s.get("by_hand"), s.get("matched"), s.get("only_a"), s.get("only_b")) == (1, 4, 1, 1),
      "Match With: c is c2", s)
check(s.get("match") == "person" and s.get("live_delta") == 23068672, "it stays selected; the sum stays", s)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("by_hand") == 0)
check((s.get("matched"), s.get("only_a"), s.get("only_b")) == (3, 2, 2), "undo takes it back", s)
xdo("key", "ctrl+shift+z")
s = wait_for(lambda s: s.get("by_hand") == 1)
check(s.get("matched") == 4, "redo sets it again", s)
xdo("key", "ctrl+shift+m")
s = wait_for(lambda s: s.get("matched") == 3)
check((s.get("matched"), s.get("only_a"), s.get("only_b")) == (3, 2, 2), "Unmatch parts them", s)

# The report of what is compared, with a preview and notes; written in the background.
out = os.path.join(work, "both.pdf")
check(save_report(out) and open(out, "rb").read(5) == b"%PDF-", "the report of both is saved as PDF")
check(window.poll() is None, "and the program goes on")

window.terminate()
window.wait()
finish()
