#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_large.py TENURE SAMPLE WINDOW_MANAGER: full screen by F11; a window that was maximised is so the next
time, and its size before is kept."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

schemas = os.path.join(os.path.dirname(os.path.dirname(tenure)), "desktop")
os.environ.update(GSETTINGS_BACKEND="keyfile", GSETTINGS_SCHEMA_DIR=os.environ.get("GSETTINGS_SCHEMA_DIR", schemas))
del os.environ["TENURE_WINDOW_SIZE"]
SCREEN, SMALL = [1280 - 2 * SHADOW, 800 - 2 * SHADOW], [1000 - 2 * SHADOW, 600 - 2 * SHADOW]
GIVEN = [800 - 2 * SHADOW, 500 - 2 * SHADOW]  # by the window manager to what was large from the start

manager = subprocess.Popen([sys.argv[3]], stdout=subprocess.PIPE, text=True)
if manager.stdout.readline() != "ready\n":
    print("1..0 # SKIP the display is managed by another")
    sys.exit(0)


def get(key):
    done = subprocess.run(["gsettings", "get", "io.github.tenure.Tenure", key], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def put(key, value):
    subprocess.run(["gsettings", "set", "io.github.tenure.Tenure", key, value], check=True)


def sized(size):
    return lambda windows: windows[0]["size"] == size


def quit_window():
    xdo("key", "ctrl+q")
    check(window.wait(15) == 0, "Ctrl + Q quits")


if not shutil.which("gsettings") or not get("window-width"):
    print("1..0 # SKIP the schema is not compiled, or there is no gsettings")
    manager.kill()
    sys.exit(0)
put("window-width", "1000")
put("window-height", "600")
window, s = open_sample()
now = wait_layout(window, sized(SMALL))
check(sized(SMALL)(now), "the window has the size that was kept", now[0]["size"])
xdo("key", "F11")
now = wait_layout(window, sized(SCREEN))
check(sized(SCREEN)(now), "F11: full screen", now[0]["size"])
xdo("key", "F11")
now = wait_layout(window, sized(SMALL))
check(sized(SMALL)(now), "F11 again: as before", now[0]["size"])



def press_maximise(now, want):
    """The second button of the window's own three; pressed again where the window was not yet ready for it."""
    for _ in range(3):
        bar = sorted(w["rect"] for w in now[0]["widgets"] if w["type"] == "GtkButton" and w["rect"][1] < 40)
        x, y = middle(bar[-2])
        click(x + SHADOW, y + SHADOW)
        now = wait_layout(window, sized(want), 4)
        if sized(want)(now):
            break
    return now


now = press_maximise(now, SCREEN)
check(sized(SCREEN)(now), "its button maximises it", now[0]["size"])
quit_window()
check([get(k) for k in ("is-maximized", "window-width", "window-height")] == ["true", "1000", "600"],
      "that is kept, and the size before", [get(k) for k in ("is-maximized", "window-width", "window-height")])
window, s = open_sample()
now = wait_layout(window, sized(SCREEN))
check(sized(SCREEN)(now), "the next time it is maximised", now[0]["size"])
now = press_maximise(now, GIVEN)
check(sized(GIVEN)(now), "and its button makes it small again", now[0]["size"])
quit_window()
check(get("is-maximized") == "false", "which is kept, too", get("is-maximized"))
manager.kill()
finish()
