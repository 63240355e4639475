#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_keyboard.py TENURE SAMPLE: the window without a mouse: Tab goes round and is seen, panes are moved,
tables are sorted and their columns chosen, boxes are walked."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

SHADOW = 5  # pixels around the window's widget, where no window manager is


def press(*keys):
    for key in keys:
        xdo("key", key)
        time.sleep(0.25)


def picture(rect):
    """The screen around a widget; nothing without ImageMagick."""
    if not shutil.which("import"):
        return b""
    x, y, width, height = rect
    area = "%dx%d+%d+%d" % (width + 12, height + 12, max(x + SHADOW - 6, 0), max(y + SHADOW - 6, 0))
    return subprocess.run(["import", "-window", "root", "-crop", area, "ppm:-"], stdout=subprocess.PIPE).stdout


def go_round(window, most=60):
    """Tab until the first widget has the focus again: the widgets, and those whose focus is not seen."""
    stops, unseen = [], []
    for k in range(most):
        now = focused(window)
        if not now or (stops and (now["type"], now["rect"][:2], now["words"]) ==
                       (stops[0]["type"], stops[0]["rect"][:2], stops[0]["words"])):
            break
        stops.append(now)
        with_focus = picture(now["rect"])
        xdo("key", "Tab")
        time.sleep(0.3)
        if with_focus and picture(now["rect"]) == with_focus:
            unseen.append(now)
    return stops, unseen


def names(stops):
    return [stop["words"] or stop["type"] for stop in stops]


def titles(window):
    everything = widgets(window)
    heads = sorted(w["rect"] for w in everything if w["type"] == "GtkColumnViewTitle")
    return [w["text"] for head in heads for w in everything if "text" in w and is_within(w["rect"], head)]


def rows(window):
    """All rows as the table copies them: without its titles."""
    xdo("key", "ctrl+shift+c")
    s = wait_for(lambda s: s.get("clipboard", "").startswith("Buffer"), 4)
    time.sleep(0.3)
    return state().get("clipboard", "").split("\n")[1:]


window, s = open_sample()
point_aside()
stops, unseen = go_round(window)
order = names(stops)
check(stops and stops[0]["type"] == "TnMaps", "a file opens with the focus in its maps", order)
header = ["Open", "Back", "Forward", "Maps", "Live set", "Stacks", "OOM", "Plan", "Report", "Search"]
check([name for name in order if name in header] == header, "Tab goes through the header from left to right", order)
drawer = ["Buffers", "Alive", "Events", "Findings", "Bookmarks"]
check([name for name in order[order.index("Buffers"):] if name in drawer] == drawer, "and through the tables' names", order)
check(len([stop for stop in stops if stop["type"] == "GtkListItemWidget"]) == 1,
      "it passes a table of 1,719 rows in one step, and comes round", order)
check(order.index("Group, Sort") < order.index("model.py:108 TinyLM.forward") < order.index("Buffers") <
      order.index("Open"), "maps, table, side pane, tables' names, header", order)
check(not unseen, "the focus is seen on each", [(stop["type"], stop["words"]) for stop in unseen])
before = focused(window)
press("Tab", "Tab", "shift+Tab", "shift+Tab")
check(focused(window) and focused(window)["type"] == "TnMaps", "Shift + Tab goes back", focused(window))

# F8 takes the handle of a pane, arrows move it.
wide = [w for w in widgets(window) if w["type"] == "TnMaps"][0]["rect"]
press("F8", "Left", "Left", "Left", "Left", "Return")
narrow = [w for w in widgets(window) if w["type"] == "TnMaps"][0]["rect"]
check(narrow[2:] != wide[2:], "F8 and arrows move a pane's edge", (wide, narrow))
press("Escape", "1")

# The table: one Tab past the three buttons on the maps.
press("Tab", "Tab", "Tab", "Tab", "Down")
time.sleep(0.4)
check(focused(window)["type"] == "GtkListItemWidget", "the table has the focus", focused(window))
had = titles(window)
press("shift+F10", "o")
time.sleep(0.5)
press("Down", "Down", "Return")
time.sleep(0.6)
now = titles(window)
check("Size" in had and "Size" not in now, "its menu takes a column away", (had, now))
press("shift+F10", "o")
time.sleep(0.5)
press("Down", "Down", "Return")
time.sleep(0.6)
check(titles(window) == had, "and brings it back where it was", titles(window))
for what, first, last in (("up", "512 B", "192.0 MiB"), ("and the second time down", "192.0 MiB", "512 B")):
    press("shift+F10", "t")
    time.sleep(0.5)
    press("Down", "Down", "Return")
    time.sleep(0.8)
    copied = [row for row in rows(window) if row]
    check(first in copied[0] and last in copied[-1], "Sort By sorts " + what, (copied[0], copied[-1]))
    check(focused(window) and "train.py:53" in focused(window)["words"], "the selected row has the focus", focused(window))

# The boxes of the live set and of the stacks.
press("Escape", "2")
time.sleep(1.0)
check(focused(window)["type"] == "GtkDrawingArea", "2 shows the live set, with the focus in it", focused(window))
press("Right", "Right", "Down", "Return")
s = wait_for(lambda s: s.get("selected", -1) >= 0, 4)
chosen = s.get("selected", -1)
check(chosen >= 0, "arrows and Return select a box", s)
press("Right", "Return")
s = wait_for(lambda s: s.get("selected", -1) not in (-1, chosen), 4)
check(s.get("selected", -1) not in (-1, chosen), "and the one beside it", s)
press("3")
time.sleep(1.0)
area = focused(window)
plain = picture(area["rect"])
press("Down", "Down")
check(area["type"] == "GtkDrawingArea" and (not plain or picture(area["rect"]) != plain), "arrows outline a frame of the stacks", area)
window.kill()
window.wait()
finish()
