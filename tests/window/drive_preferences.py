#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_preferences.py TENURE SAMPLE: preferences hold in all windows and are kept, and so are the
panes and the view that was left."""
from driving import *

schemas = os.path.join(os.path.dirname(os.path.dirname(tenure)), "desktop")
os.environ.update(GSETTINGS_BACKEND="keyfile",
                  GSETTINGS_SCHEMA_DIR=os.environ.get("GSETTINGS_SCHEMA_DIR", schemas))


def setting(key):
    done = subprocess.run(["gsettings", "get", "io.github.tenure.Tenure", key],
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip().strip("'")


if not shutil.which("gsettings") or not setting("units"):
    print("1..0 # SKIP the schema is not compiled, or there is no gsettings")
    sys.exit(0)

subprocess.run(["gsettings", "set", "io.github.tenure.Tenure", "units", "si"], check=True)
window, s = open_sample()
check("22.21 GB" in s.get("count", ""), "sizes are written as they were chosen", s)

# Ctrl + comma: the first row is the units; the list's first item is the binary ones.
xdo("mousemove", 640, 400)
xdo("key", "ctrl+comma")
time.sleep(1.2)
for key in ("space", "Up", "Return"):
    xdo("key", key)
    time.sleep(0.6)
xdo("key", "Escape")
s = wait_for(lambda s: "20.69 GiB" in s.get("count", ""), 5)
xdo("mousemove", 600, 300)
s = wait_for(lambda s: "20.69 GiB" in s.get("count", ""), 5)
check("20.69 GiB" in s.get("count", ""), "another choice holds at once", s)
check(setting("units") == "iec", "and is kept", setting("units"))

# The view and the panes: live set, no side pane.
xdo("key", "2")
time.sleep(0.5)
xdo("key", "F9")
time.sleep(0.8)
check(setting("last-view") == "live-set", "the view is kept", setting("last-view"))
check(setting("is-side-pane-shown") == "false", "and the side pane", setting("is-side-pane-shown"))
xdo("key", "1")
time.sleep(0.5)
xdo("key", "ctrl+q")
check(window.wait(10) == 0, "Ctrl + Q quits")
window, s = open_sample()
time.sleep(0.5)
s = state()
check(s["lanes"][2] > 1100, "without the side pane the maps are as wide as the window", s)
xdo("mousemove", 640, 400)
xdo("key", "F9")
time.sleep(0.8)
xdo("mousemove", 500, 350)  # a layout alone writes no state
s = wait_for(lambda s: s["lanes"][2] < 1000, 4)
time.sleep(0.3)
narrow = state()["lanes"][2]
# The side pane is made wider by 100 pixels, and stays so.
edge = 77 + narrow + 8 + 5
xdo("mousemove", edge, 300)
time.sleep(0.3)
xdo("mousedown", 1)
for k in range(1, 11):
    xdo("mousemove", edge - 10 * k, 300)
    time.sleep(0.03)
xdo("mouseup", 1)
xdo("mousemove", 300, 300)
s = wait_for(lambda s: s["lanes"][2] < narrow - 80, 4)
wide = s["lanes"][2]
check(narrow - 120 < wide < narrow - 80, "the side pane is dragged wider", (narrow, s))
xdo("key", "ctrl+q")
window.wait(10)
window = start(sample)
s = wait_for(lambda s: s.get("axis_end") == 4587 and abs(s["lanes"][2] - wide) < 6, 20)
check(abs(s["lanes"][2] - wide) < 6, "and is as wide the next time", (wide, s))
window.kill()
window.wait()

# The window's size, where no test gives it one.
del os.environ["TENURE_WINDOW_SIZE"]


def size_of(window):
    found = subprocess.run(["xdotool", "search", "--onlyvisible", "--pid", str(window.pid), "--name", "pickle"],
                           stdout=subprocess.PIPE, text=True).stdout.split()
    done = subprocess.run(["xdotool", "getwindowgeometry", "--shell"] + found[:1], stdout=subprocess.PIPE, text=True)
    said = dict(line.split("=") for line in done.stdout.split())
    return said.get("WINDOW"), [int(said.get("WIDTH", 0)), int(said.get("HEIGHT", 0))]


def wait_for_size(window, want):
    stop = time.time() + 10
    while time.time() < stop and size_of(window)[1] != want:
        time.sleep(0.1)
    return size_of(window)[1]


window, s = open_sample()
first = size_of(window)
xdo("windowsize", first[0], 1100, 700)
got = wait_for_size(window, [1100, 700])
s = wait_for(lambda s: s["lanes"][2] > 100)
check(first[1] == [1280, 800] and got == [1100, 700], "the window is made smaller", (first, got))
time.sleep(0.5)
xdo("mousemove", 300, 300)
xdo("key", "ctrl+q")
window.wait(10)
window, s = open_sample()
got = wait_for_size(window, [1100, 700])
check(got == [1100, 700], "and has this size the next time", (got, setting("window-width"), setting("window-height")))
window.kill()
finish()
