#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_text.py TENURE SAMPLE: with text at 150 % the window fits 1024 × 600 in all its views; a text that has to be
shortened there is whole in a tooltip, and what is shown of how much is never shortened."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

graph, other = (os.path.join(os.path.dirname(sample), name) for name in ("branches-graph.json", "tree-graph.json"))
os.environ.update(TENURE_TEXT_DPI="144", TENURE_WINDOW_SIZE="1024x600")


def unexplained(at):
    """Texts that are shortened, and no tooltip over them has them whole.  The header of a dialog is libadwaita's."""
    tips = [w for w in at["widgets"] if "tip" in w]
    return [w["text"] for w in at["widgets"] if w.get("is_cut") and "text" in w and
            (w["rect"][1] > 46 or at["widgets"][0]["type"] == "TnWindow") and
            not any(is_within(w["rect"][:2] + [1, 1], t["rect"]) and w["text"] in t["tip"] for t in tips)]


def look(what):
    windows = layout(window)
    check(all(at["least"][0] <= 1024 and at["least"][1] <= 600 for at in windows), what + ": fits 1024 × 600",
          [(at["title"], at["least"]) for at in windows])
    check(not any(unexplained(at) for at in windows), what + ": nothing is cut that could not be read",
          [unexplained(at) for at in windows])
    return windows


def show(key, text):
    """A view by its key, once it says so."""
    point_aside()
    xdo("key", key)
    wait_layout(window, has(text))


def count_is_whole(windows):
    return [w for w in windows[0]["widgets"] if w.get("text", "").startswith("All ") and not w.get("is_cut")]


window, s = open_sample()
for key, what, text in (("1", "maps", "Group, Sort"), ("2", "live set", "Alive at event"), ("3", "stacks", "Call stacks"),
                        ("4", "OOM", "27.0 MiB")):
    show(key, text)
    check(count_is_whole(look(what)), what + ": how much is shown is whole", [w for w in widgets(window) if w.get("is_cut")])
show("ctrl+comma", "Palette")
look("preferences")
end(window)
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24, 30)
for key, what, text in (("5", "orders", "The best order"), ("6", "budget", "Within"), ("1", "maps of a graph", "Group, Sort"),
                        ("ctrl+e", "edits", "Edits")):
    show(key, text)
    look(what)
end(window)
window = start("--diff", graph, other)
wait_for(lambda s: s.get("diff"), 30)
look("comparison")
end(window)
finish()
