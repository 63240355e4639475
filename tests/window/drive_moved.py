#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_moved.py TENURE SAMPLE: a tab that is dragged into another window, or to where none takes it, is followed by
the window that has it; so are many files beside each other, once the window where they were opened is closed."""
from driving_bus import *

os.environ.update(TENURE_WINDOW_SIZE="900x560", G_DEBUG="fatal-criticals")
a, b, c = (os.path.join(work, name + ".pickle") for name in "abc")
for path in (a, b, c):
    shutil.copy(sample, path)


def is_drawn(s):
    return s.get("axis_end") == 4587 and s["lanes"][2] > 100


def add_window(path):
    """Below the first one's tabs; without a path it has none."""
    before, end = [w for w, _ in titles()], time.time() + 20
    call(window, PLACE, "org.gtk.Actions.Activate", "new-window", "[]", "{}")
    while time.time() < end and len(titles()) == len(before):
        time.sleep(0.1)
    time.sleep(1.0)
    added = [w for w, _ in titles() if w not in before][-1]
    xdo("windowmove", added, 0, 230)
    xdo("windowfocus", added)
    time.sleep(0.5)
    if path:
        open_file(window, path)
        wait_titles(lambda names: "c.pickle" in names)
        time.sleep(1.0)
    return added


def drag_tab(to_x, to_y):
    """The first window's first tab of two."""
    xdo("mousemove", 200, 68)
    time.sleep(0.5)
    xdo("mousedown", 1)
    for k in range(1, 31):
        xdo("mousemove", 200 + (to_x - 200) * k // 30, 68 + (to_y - 68) * k // 30)
        time.sleep(0.04)
    time.sleep(0.5)
    xdo("mousemove", to_x + 4, to_y + 2)
    time.sleep(0.5)
    xdo("mouseup", 1)
    time.sleep(1.0)


def is_enabled(number, action):
    said = gdbus(find_name(window.pid), "%s/window/%d" % (PLACE, number), "org.gtk.Actions.Describe", action)
    return bool(said) and said.startswith("((true")


def wait_enabled(number, action, wanted, seconds=10):
    end = time.time() + seconds
    while time.time() < end and is_enabled(number, action) != wanted:
        time.sleep(0.1)
    return is_enabled(number, action) == wanted


# ---- a file -----------------------------------------------------------------------------------------
window = start(a)
wait_for(is_drawn, 60)
open_file(window, b)
check(wait_titles(lambda names: names == ["b.pickle"]) == ["b.pickle"], "two tabs", titles())
second = add_window(c)
drag_tab(500, 500)
found = wait_titles(lambda names: "a.pickle" in names)
check(found == ["a.pickle", "b.pickle"], "a tab is dragged into the other window", found)
xdo("windowfocus", second)
time.sleep(0.5)
xdo("key", "p")
time.sleep(1.0)
s = wait_for(is_drawn, 10)
check(wait_enabled(2, "life-start", False), "nothing is selected")
x, y = at(s["lanes"], s, 1300, 7)
click(x, y + 230)
check(wait_enabled(2, "life-start", True), "a buffer is, and the window knows of it")
xdo("key", "Escape")
check(wait_enabled(2, "life-start", False), "and that it no longer is")
activate(window, 2, "life-start")
time.sleep(1.0)
check(window.poll() is None, "nothing has no start", window.poll())
activate(window, 1, "close")
wait_titles(lambda names: "b.pickle" not in names)
activate(window, 1, "close")
check(wait_titles(lambda names: names == ["a.pickle"]) == ["a.pickle"], "the first window is closed", titles())

# ---- and to where no window takes it -----------------------------------------------------------------------
xdo("windowmove", second, 0, 0)
add_window(None)
drag_tab(500, 500)
found = wait_titles(lambda names: len(names) == 2)
check(found == ["a.pickle", "c.pickle"] and window.poll() is None, "a tab makes a window of its own",
      (found, window.poll()))
window.kill()
window.wait()

# ---- many files beside each other -------------------------------------------------------------------
window = start("--diff", a, b, c)
s = wait_for(lambda s: s.get("overview") and s.get("files") == 3, 60)
open_file(window, b)
wait_titles(lambda names: names == ["b.pickle"])
add_window(c)
drag_tab(500, 500)
found = wait_titles(lambda names: "3 files" in names)
check(found == ["3 files", "b.pickle"], "so does a tab of many files", found)
for _ in range(2):
    activate(window, 1, "close")
    time.sleep(1.5)
check(names() == ["3 files"], "the window where it was made is closed", titles())
s = state()
for cell in ("cell0", "cell1"):
    x, y = middle(s[cell])
    click(x, y + 230)
    time.sleep(0.5)
s = wait_for(lambda s: s.get("b", -1) >= 0, 10)
check((s.get("a"), s.get("b")) == (0, 1), "two are picked", s)
click(838, 350)
s = wait_for(lambda s: s.get("diff"), 20)
check(s.get("diff") and window.poll() is None, "and compared where they are", (s, window.poll()))
window.kill()
finish()
