#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_drop.py TENURE SAMPLE DRAG_SOURCE: files that are dragged from another program's window: one opens, of two
the comparison is offered, more stand beside each other."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

drag_source = sys.argv[3]
graph, other = (os.path.join(os.path.dirname(sample), name) for name in ("branches-graph.json", "tree-graph.json"))


def find(name):
    """The window of this name, once it is shown."""
    done = subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", name], stdout=subprocess.PIPE,
                          text=True, check=True)
    return done.stdout.split()[0]


def drop(*files):
    """Drags the files to the middle of the window, as a hand does."""
    source = subprocess.Popen([drag_source] + list(files), stderr=subprocess.DEVNULL)
    mine = find("^drag-source$")
    xdo("windowmove", mine, 0, 400)
    xdo("windowraise", mine)
    time.sleep(0.5)
    xdo("mousemove", 60, 440)
    time.sleep(0.2)
    xdo("mousedown", 1)
    time.sleep(0.2)
    for k in range(1, 21):
        xdo("mousemove", 60 + 25 * k, 440 + 5 * k)
        time.sleep(0.03)
    time.sleep(0.5)
    xdo("mouseup", 1)
    return source


def end_both(source):
    """The source has done its part."""
    time.sleep(0.3)
    source.kill()
    source.wait()


window = start()
find("^Tenure$")
wait_layout(window, has("drop it here"))
source = drop(sample)
s = wait_for(lambda s: s.get("axis_end") == 4587)
check(s.get("axis_end") == 4587, "a file that is dropped on the start page opens", s)
end_both(source)

source = drop(graph)
s = wait_for(lambda s: s.get("axis_end") == 24)
now = layout(window)
check(s.get("axis_end") == 24 and {os.path.basename(sample), os.path.basename(graph)} <= set(texts(now)),
      "another one in a tab of its own", texts(now)[:20])
end_both(source)

source = drop(graph, other)
now = wait_layout(window, has("Compare the two files?"))
said = texts(now[-1:])
check({"Compare the two files?", "Open Both", "Compare", "Cancel"} <= set(said), "two: the comparison is offered", said)
end_both(source)
xdo("key", "alt+m")
s = wait_for(lambda s: s.get("diff"))
check(s.get("diff"), "and made", s)

source = drop(sample, graph, other)
now = wait_layout(window, has("beside each other"))
check(has("beside each other")(now), "three stand beside each other", texts(now)[:20])
end_both(source)
end(window)
finish()
