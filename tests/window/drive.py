#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive.py TENURE SAMPLE: drives the real window under Xvfb with xdotool, as a person would, and
reads what it shows from TENURE_STATE_FILE.  Prints TAP.
"""
from driving import *

window, s = open_sample()
check(s.get("axis_end") == 4587, "the sample opens", s)
check(s.get("selected") == -1, "nothing is selected at first", s)

# The largest bar stands in the first lane: 192 MiB, events 435 to 2,089.
s = click_largest(s)
bar = s.get("selected")
check("192.0 MiB, events 435 to 2,089" in s.get("description", ""), "a click on a bar selects it", s)
s = wait_for(lambda s: s.get("table") == bar)
check(s.get("table") == bar, "the table follows", s)
check(s.get("details") == bar, "the side pane follows", s)

xdo("key", "Escape")
s = wait_for(lambda s: s.get("selected") == -1)
check(s.get("selected") == -1, "Escape selects nothing", s)

# The same buffer in the map: find it by walking up the column.
found = -1
for part in range(4, 60):
    x, y = at(s["offsets"], s, 1300, s["offsets"][3] * part / 100.0)
    xdo("mousemove", x, y)
    time.sleep(0.06)
    if wait_for(lambda n: n.get("hovered") == bar, 0.15).get("hovered") == bar:
        # The state may be of the place before: it counts where it stays so.
        time.sleep(0.4)
        if state().get("hovered") == bar:
            found = part
            break
check(found >= 0, "the map has it under the pointer", s)
xdo("click", 1)
s = wait_for(lambda s: s.get("selected") == bar)
check(s.get("selected") == bar and s.get("details") == bar, "a click in the map selects it", s)

# Ctrl + wheel: the tick under the pointer stays within a pixel.
x, y = at(s["offsets"], s, 2000, 60)
left, _, width, _ = s["offsets"]
before = s["t0"] + (x - left) / width * (s["t1"] - s["t0"])
xdo("mousemove", x, y)
time.sleep(0.2)
xdo("keydown", "ctrl")
for _ in range(4):
    xdo("click", 4)
    time.sleep(0.1)
xdo("keyup", "ctrl")
s = wait_for(lambda s: s["t1"] - s["t0"] < 2500)
after = s["t0"] + (x - left) / width * (s["t1"] - s["t0"])
check(s["t1"] - s["t0"] < 2500, "Ctrl + wheel zooms", s)
check(abs(after - before) <= (s["t1"] - s["t0"]) / width, "about the pointer", (before, after, s))

zoomed = (s["t0"], s["t1"])
xdo("key", "alt+Left")
s = wait_for(lambda s: s["t1"] - s["t0"] > 4000)
check(s["t0"] == 0 and s["t1"] == 4587, "Alt + Left goes back", s)
xdo("key", "alt+Right")
s = wait_for(lambda s: s["t1"] - s["t0"] < 2500)
check(abs(s["t0"] - zoomed[0]) < 1, "Alt + Right goes forward", (zoomed, s))
xdo("key", "0")
s = wait_for(lambda s: s["t1"] - s["t0"] > 4000)
check(s["t1"] == 4587, "0 shows the whole", s)

# Keys by place, peak and OOM.
point_aside()
time.sleep(0.2)
xdo("key", "w")
s = wait_for(lambda s: s["t1"] - s["t0"] < 4000)
check(s["t1"] - s["t0"] < 4000, "W zooms", s)
xdo("key", "0")
wait_for(lambda s: s["t1"] - s["t0"] > 4000)
xdo("key", "p")
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272, "P goes to the peak", s)
xdo("key", "o")
s = wait_for(lambda s: s.get("cursor") == 4282)
check(s.get("cursor") == 4282, "O goes to the request that failed", s)
x, y = at(s["offsets"], s, 1000, 80)
xdo("mousemove", x, y)
wait_for(lambda s: 990 < s.get("cursor", 0) < 1010)
xdo("key", "p")
time.sleep(0.7)
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272, "also while the pointer rests on the map", s)

# A drag over the maps chooses a range.
x, y = at(s["offsets"], s, 1000, 80)
x2, _ = at(s["offsets"], s, 2000, 80)
drag(x, y, x2)
s = wait_for(lambda s: 900 < s["range"][1] - s["range"][0] < 1100)
check(990 < s["range"][0] < 1010 and 1990 < s["range"][1] < 2010, "a drag chooses a range", s)
# Its right edge is dragged on, and F shows the range.
x3, _ = at(s["offsets"], s, 2500, 80)
drag(x2, y, x3)
s = wait_for(lambda s: 2490 < s["range"][1] < 2510)
check(990 < s["range"][0] < 1010 and 2490 < s["range"][1] < 2510, "an edge of it can be dragged", s)
xdo("key", "Escape")
wait_for(lambda s: s["range"] == [0, 0])
check(state()["range"] == [0, 0], "Escape drops it", state())
drag(x, y, x2)
wait_for(lambda s: 900 < s["range"][1] - s["range"][0] < 1100)
xdo("key", "f")
s = wait_for(lambda s: 900 < s["t1"] - s["t0"] < 1100)
check(990 < s["t0"] < 1010 and 1990 < s["t1"] < 2010, "F zooms to it", s)
xdo("key", "h")
wait_for(lambda s: s["t1"] - s["t0"] > 4000)

# What if: the recorded settings fail as recorded, the first suggestion passes.
xdo("key", "4")
time.sleep(1.0)
xdo("key", "alt+i")
s = wait_for(lambda s: s.get("what_if", "").startswith("Fails at event 4,282: 27.0 MiB"))
check(s.get("what_if", "").startswith("Fails at event 4,282: 27.0 MiB"), "a replay fails as recorded", s)
time.sleep(1.5)
click(130, 425)
s = wait_for(lambda s: s.get("what_if", "").startswith("Passes"))
check(s.get("what_if") == "Passes: the 27.0 MiB that failed at event 4,282 are served.",
      "a click on a suggestion replays it", s)
click(80, 338)
s = wait_for(lambda s: s.get("what_if", "").startswith("Fails at event 4,282"))
check(s.get("what_if", "").startswith("Fails at event 4,282"), "As Recorded takes it back", s)
# Each digit may start a replay: the last one counts.
click(255, 153)
xdo("key", "ctrl+a")
xdo("type", "--delay", "200", "3000")
s = wait_for(lambda s: s.get("what_if", "").startswith("Fails at event 2,467"))
time.sleep(0.5)
check(state().get("what_if") == "Fails at event 2,467: 192.0 MiB requested, 36.0 MiB left on the "
      "device, 156.0 MiB short.", "a smaller device fails earlier, as the command line says", s)
click(950, 75)
show_maps()

# Searching.
search("size>100MiB")
time.sleep(1.0)
s = wait_for(lambda s: s.get("search"))
check(s.get("search") is True, "a search dims the rest", s)
xdo("key", "Return")
s = wait_for(lambda s: s.get("selected", -1) >= 0)
check("192.0 MiB" in s.get("description", ""), "Return goes to a hit", s)
# The letters that are keys elsewhere (/, o, f, h, g, p, digits) are text in an entry.
cursor = s.get("cursor")
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", "/TinyLM.forw/")
time.sleep(1.0)
xdo("key", "Return")
s = wait_for(lambda s: "6.0 MiB" in s.get("description", ""), 5)
check("TinyLM.forward, 6.0 MiB" in s.get("description", ""), "what is typed is searched for", s)
check(s.get("cursor") == cursor, "and moves nothing", s)
xdo("key", "Escape")
s = wait_for(lambda s: not s.get("search"))
check(s.get("search") is False, "Escape ends it", s)
xdo("key", "ctrl+z")
s = wait_for(lambda s: s.get("search"))
check(s.get("search") is True, "Ctrl + Z brings it back", s)
xdo("key", "Escape")
s = wait_for(lambda s: not s.get("search"))
point_aside()
time.sleep(0.3)
xdo("key", "g")
time.sleep(0.8)
xdo("type", "--delay", "20", "4,000")
xdo("key", "Return")
s = wait_for(lambda s: s.get("cursor") == 4000)
check(s.get("cursor") == 4000, "G goes to a tick as it is written", s)
time.sleep(0.5)
xdo("key", "p")
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272, "and its dialog is gone", s)
time.sleep(0.5)
check(window.poll() is None, "the window is still there")
xdo("key", "ctrl+q")
try:
    check(window.wait(10) == 0, "Ctrl + Q quits")
except subprocess.TimeoutExpired:
    check(False, "Ctrl + Q quits")
    window.kill()

# A file that is gone when it is read again leaves its tab.
gone = os.path.join(work, "gone.pickle")
shutil.copy(sample, gone)
window = start(gone)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
time.sleep(1.0)
os.remove(gone)
xdo("key", "ctrl+r")
time.sleep(1.5)
xdo("key", "Escape")
time.sleep(0.5)
xdo("mousemove", 640, 400)
xdo("key", "p")
s = wait_for(lambda s: s.get("cursor") == 4272)
check(s.get("cursor") == 4272, "reloading a file that is gone leaves the tab", s)
window.kill()
window.wait()

# A file that can't be read leaves the window as it was, and says why.
bad = os.path.join(work, "bad.pickle")
with open(sample, "rb") as f, open(bad, "wb") as out:
    out.write(f.read(50000))
window = start(bad)
time.sleep(2.5)
check(window.poll() is None, "a truncated file does not end the program")
check(not os.path.exists(state_file), "and opens nothing by itself")
xdo("key", "alt+o")
s = wait_for(lambda s: s.get("axis_end", 0) > 0, 10)
check(0 < s.get("axis_end", 0) < 4587, "what could be read is offered and opens", s)
window.kill()
finish()
