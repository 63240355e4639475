#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_words.py TENURE SAMPLE: in a language with words longer by 40 %, from left to right and from right
to left, the window says everything in it, fits a small screen and cuts none of its words."""
import os, shutil, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
for tool in ("xgettext", "msgfmt"):
    if not shutil.which(tool):
        print("1..0 # SKIP %s is not installed" % tool)
        sys.exit(0)
from layouts import *
import pseudo

source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
other = os.path.join(os.path.dirname(sample), "tree-graph.json")
pseudo.write(source, work)
os.environ.update(TENURE_LOCALE_DIR=work, LANGUAGE="xx", LC_ALL="C.UTF-8", TENURE_WINDOW_SIZE="1024x600")


def is_ours(text):
    """A text of the window: in the language that nobody speaks."""
    return any(ord(letter) in pseudo.ACCENTS.values() for letter in text)


def cut(windows):
    return [w["text"] for at in windows for w in at["widgets"] if w.get("is_cut") and is_ours(w.get("text", ""))]


def too_large(windows):
    return [at for at in windows if at["least"][0] > 1024 + 2 * SHADOW or at["least"][1] > 600 + 2 * SHADOW]


def look(window, what):
    windows = layout(window)
    texts = [w["text"] for at in windows for w in at["widgets"] if "text" in w]
    check(len([text for text in texts if is_ours(text)]) > 8, what + ": speaks it", texts[:40])
    check(not cut(windows), what + ": cuts no word", cut(windows))
    check(not too_large(windows), what + ": fits 1024 × 600", [(at["title"], at["least"]) for at in windows])
    return windows


def show(key, seconds=1.2):
    point_aside()
    xdo("key", key)
    time.sleep(seconds)


for direction in ("ltr", "rtl"):
    os.environ["TENURE_TEXT_DIRECTION"] = direction
    window, s = open_sample()
    for key, what in (("1", "maps"), ("2", "live set"), ("3", "stacks"), ("4", "OOM")):
        show(key)
        look(window, "%s, %s" % (direction, what))
    s = wait_for(lambda s: True)
    check(s["t0"] < s["t1"] and s["live"][0] > (250 if direction == "rtl" else 0),
          direction + ": the side pane is on its side, time runs to the right", s.get("live"))
    for key, what in (("ctrl+comma", "preferences"), ("F1", "shortcuts"), ("ctrl+s", "report"), ("F10", "menu")):
        show(key, 2.0)
        look(window, "%s, %s" % (direction, what))
        xdo("key", "Escape")
        time.sleep(0.5)
    window.kill()
    window.wait()
    window = start(graph)
    wait_for(lambda s: s.get("axis_end") == 24, 30)
    for key, what in (("5", "orders"), ("6", "budget")):
        show(key, 3.0)
        look(window, "%s, %s" % (direction, what))
    show("1")
    show("ctrl+e")
    look(window, direction + ", edits")
    window.kill()
    window.wait()
    window = start("--diff", graph, other)
    wait_for(lambda s: s.get("diff"), 30)
    time.sleep(1)
    look(window, direction + ", comparison")
    window.kill()
    window.wait()
finish()
