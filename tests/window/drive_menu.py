#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_menu.py TENURE SAMPLE: the context menu is one and the same in every view, by the mouse and
by the keyboard, and its items act on the selected buffer."""
from driving import *

window, s = open_sample()


def menu_item(key):
    """Opens the menu of the selection by the keyboard and takes an item by its mnemonic."""
    xdo("key", "shift+F10")
    time.sleep(0.5)
    xdo("key", key)
    time.sleep(0.4)


# The largest bar: 192 MiB, events 435 to 2,089.  A right click selects it and opens the menu.
s = click_largest(s, 3)
bar = s.get("selected")
check("192.0 MiB, events 435 to 2,089" in s.get("description", ""), "a right click selects", s)
time.sleep(0.4)
xdo("key", "n")
s = wait_for(lambda s: s.get("clipboard"), 4)
check(s.get("clipboard") == "model.py:108 TinyLM.forward", "Copy Name", s)
point_aside()
menu_item("a")
s = wait_for(lambda s: s.get("clipboard", "").startswith("0x7"), 4)
check(s.get("clipboard", "").startswith("0x7"), "Shift + F10 opens the same menu: Copy Address", s)
xdo("key", "Menu")
time.sleep(0.5)
xdo("key", "r")
s = wait_for(lambda s: "192.0 MiB" in s.get("clipboard", ""), 4)
check("\t192.0 MiB\t435\t2,089\t1,654\t" in s.get("clipboard", ""), "and the Menu key: Copy Row", s)
menu_item("e")
s = wait_for(lambda s: s.get("cursor") == 2089, 4)
check(s.get("cursor") == 2089, "Go to End of Life", s)
menu_item("s")
s = wait_for(lambda s: s.get("cursor") == 435, 4)
check(s.get("cursor") == 435, "Go to Start of Life", s)
menu_item("i")
s = wait_for(lambda s: s.get("filters") == 1, 4)
check(s.get("filters") == 1 and 0 < s["shown"] < 100, "Only This Call Site", s)
menu_item("l")
s = wait_for(lambda s: s.get("filters") == 0, 4)
check(s.get("filters") == 0 and s["shown"] == 1719, "Clear Filters", s)
menu_item("p")
s = wait_for(lambda s: s.get("filters") == 1, 4)
check(s.get("filters") == 1 and 1 < s["shown"] < 1719, "Only What Uses Its Place", s)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("filters") == 0, 4)
check(s.get("filters") == 0, "which can be undone", s)
menu_item("x")
s = wait_for(lambda s: s.get("selected") != bar, 4)
check(s.get("selected") != bar and s.get("selected", -1) >= 0, "Next User of the Place", s)
menu_item("v")
s = wait_for(lambda s: s.get("selected") == bar, 4)
check(s.get("selected") == bar, "Previous User of the Place", s)

# In the live set and the stacks: a right click on the box that is under the pointer.
for key, name in (("2", "live set"), ("3", "stacks")):
    xdo("key", "Escape")
    xdo("key", key)
    time.sleep(0.8)
    click(130, 310, 3)
    time.sleep(0.5)
    xdo("key", "Escape")
    s = wait_for(lambda s: s.get("selected", -1) >= 0 or name == "stacks", 4)
    check(window.poll() is None and (name == "stacks" or s.get("selected", -1) >= 0),
          "a right click in the " + name, s)
xdo("key", "1")
time.sleep(0.5)

# In the table.
click(100, 722, 3)
time.sleep(0.5)
xdo("key", "r")
s = wait_for(lambda s: s.get("table", -1) >= 0 and s["table"] == s["selected"], 4)
check(s.get("table", -1) >= 0 and s["table"] == s["selected"], "a right click on a row selects it", s)
check(window.poll() is None, "the window is still there")
window.kill()
window.wait()

# Two spaces of a plan have the same offsets, and no place in common.
plan = os.path.join(work, "spaces.json")
with open(plan, "w") as f:
    json.dump({"format": "tenure-plan", "version": 1, "axis": {"unit": "step", "end": 4},
               "spaces": [{"name": "HBM"}, {"name": "HBM 2"}],
               "buffers": [{"id": i, "name": name, "start": 2 * (i % 2), "end": 2 * (i % 2) + 2, "bytes": 1024, "offset": 0,
                            "space": i // 2} for i, name in enumerate("abcd")]}, f)
window = start(plan)
wait_for(lambda s: s.get("axis_end") == 4 and s["lanes"][2] > 100, 30)
select("a")
menu_item("p")
s = wait_for(lambda s: s.get("filters") == 1, 4)
check(s.get("filters") == 1 and s["shown"] == 2, "Only What Uses Its Place: of its own space", s)
check(window.poll() is None, "the window is still there")
window.kill()
finish()
