#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_start.py TENURE SAMPLE CLI: the start page and its recent files, the main menu with
the windows it opens, and the file chooser."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

cli = sys.argv[3]
HINT = "drop it here"


def start_empty():
    """The start page; asked for its layout before the window is there the program would end."""
    window = start()
    subprocess.run(["xdotool", "search", "--sync", "--onlyvisible", "--name", "^Tenure$"],
                   stdout=subprocess.DEVNULL, check=True)
    return window


# ---- the start page, the menu, keys, the chooser ---------------------------------------------------
window = start_empty()
now = wait_layout(window, has(HINT))
buttons = texts(now)
check(has(HINT)(now) and "Open…" in buttons and "Open the Sample" in buttons and len(now) == 1,
      "the start page has Open, the sample and a hint to drop files", buttons)
check(now[0]["size"] == [1280 - 2 * SHADOW, 800 - 2 * SHADOW], "the window's shadow is as this script reckons", now[0])

xdo("key", "F10")
now = wait_layout(window, has("About Tenure"))
order = [t for t in texts(now) if t in ("Preferences", "Keyboard Shortcuts", "Help", "About Tenure")]
check(order == ["Preferences", "Keyboard Shortcuts", "Help", "About Tenure"],
      "F10 opens the menu with Preferences, Keyboard Shortcuts, Help and About", texts(now))
xdo("key", "Escape")
wait_layout(window, lacks("About Tenure"))
for key, words in (("F1", "Move in the maps"), ("ctrl+question", "Move in the maps"), ("ctrl+comma", "Palette")):
    xdo("key", key)
    now = wait_layout(window, has(words))
    check(len(now) == 2 and has(words)(now), "%s opens its window" % key, [w["title"] for w in now])
    xdo("key", "Escape")
    wait_layout(window, lambda w: len(w) == 1)

xdo("key", "ctrl+o")
now = wait_layout(window, has("All supported"))
drop = [w for w in now[-1]["widgets"] if w["type"] == "GtkDropDown"]
check(now[-1]["title"] == "Open" and drop, "Ctrl + O opens the chooser, at first with all that is supported", now[-1]["title"])
for _ in range(5):  # the dialog may still be laid out: the list moves
    x, y = middle([w for w in layout(window)[-1]["widgets"] if w["type"] == "GtkDropDown"][0]["rect"])
    click(x + SHADOW, y + SHADOW)
    now = wait_layout(window, has("torch.profiler trace"), 3)
    if has("torch.profiler trace")(now):
        break
listed = set(texts(now))
xdo("key", "End")  # a list makes only the rows that are seen
listed.update(texts(wait_layout(window, has("All files"))))
done = subprocess.run([cli, "formats"], stdout=subprocess.PIPE, text=True, check=True)
formats = [line.split(None, 1)[1].strip() for line in done.stdout.splitlines()]
check(len(formats) >= 20 and set(formats) | {"All supported", "All files"} <= listed,
      "it has a filter for each of the %d formats, and for all files" % len(formats), [f for f in formats if f not in listed])
xdo("key", "Escape")
wait_layout(window, lacks("All files"))
xdo("key", "Escape")
now = wait_layout(window, lambda w: len(w) == 1)
check(len(now) == 1, "Escape closes it", [w["title"] for w in now])
end(window)

# ---- recent files ----------------------------------------------------------------------------------
recent = os.path.join(os.environ["XDG_DATA_HOME"], "recently-used.xbel")
for name in ("here.pickle", "gone.pickle"):
    shutil.copy(sample, os.path.join(work, name))
    window = start(os.path.join(work, name))
    wait_for(lambda s: s.get("axis_end") == 4587, 30)
    stop = time.time() + 10
    while time.time() < stop and not (os.path.exists(recent) and name in open(recent).read()):
        time.sleep(0.1)
    end(window)
window = start_empty()
now = wait_layout(window, has("gone.pickle"))
names = [t for t in texts(now) if t.endswith(".pickle")]
check(names == ["gone.pickle", "here.pickle"] and texts(now).count(work) == 2,
      "the start page has the recent files, the last first, with their folder", texts(now))
os.remove(os.path.join(work, "gone.pickle"))
press_text(now, "gone.pickle")
now = wait_layout(window, toasts)
check(toasts(now) and "“gone.pickle” is no longer there" in texts(now) and len(now) == 1 and has(HINT)(now),
      "one that is missing is a toast, and the page stays", texts(now))
press_text(now, "here.pickle")
s = wait_for(lambda s: s.get("axis_end") == 4587 and s["lanes"][2] > 100, 30)
check(s.get("axis_end") == 4587, "one that is there opens", s)

end(window)
finish()
