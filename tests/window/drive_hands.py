#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_hands.py TENURE SAMPLE: what hands do over the maps besides clicking: wheels with Shift and Ctrl,
dragging to pan, the minimap, and the keys that move, centre and step from buffer to buffer."""
from driving import *

END = 4587


def width(s):
    return s["t1"] - s["t0"]


def middle_tick(s):
    return (s["t0"] + s["t1"]) / 2


def place(s):
    """The view's part of the file, to see whether something moved it."""
    return [s[name] for name in ("t0", "t1", "p0", "p1", "lane_top", "lane_height")]


def wheel(button, clicks, *modifiers):
    for key in modifiers:
        xdo("keydown", key)
    for _ in range(clicks):
        xdo("click", button)
        time.sleep(0.05)
    for key in reversed(modifiers):
        xdo("keyup", key)


def haul(x, y, to_x, to_y, *modifiers):
    """Drags in steps, with keys held."""
    for key in modifiers:
        xdo("keydown", key)
    xdo("mousemove", x, y)
    time.sleep(0.1)
    xdo("mousedown", 1)
    for k in range(1, 9):
        xdo("mousemove", int(x + (to_x - x) * k / 8), int(y + (to_y - y) * k / 8))
        time.sleep(0.03)
    xdo("mouseup", 1)
    for key in reversed(modifiers):
        xdo("keyup", key)


def press_and_wait(key, condition):
    xdo("key", key)
    return wait_for(condition, 8)


def whole():
    return press_and_wait("0", lambda s: width(s) == END)


def zoom_to(tick):
    """A part of about 900 events around a tick, which rests under no pointer."""
    whole()
    s = state()
    xdo("mousemove", *at(s["offsets"], s, tick, 100))
    wait_for(lambda s: abs(s["cursor"] - tick) < 8)
    wheel(4, 7, "ctrl")
    s = wait_for(lambda s: 900 < width(s) < 1000)
    point_aside()
    return s


window, s = open_sample()
left, top, plot_width, plot_height = s["offsets"]

# Ctrl + Shift + wheel: rows only, about the pointer.
x, y = left + 300, top + plot_height // 3
xdo("mousemove", x, y)
wait_for(lambda s: s["cursor"] > 0)


def byte_at(s):
    return s["p1"] - (y - top) / plot_height * (s["p1"] - s["p0"])


before = s
wheel(4, 4, "ctrl", "shift")
tall = (before["p1"] - before["p0"]) / 1.25 ** 4
s = wait_for(lambda s: s["p1"] - s["p0"] < tall * 1.01)
check(abs((s["p1"] - s["p0"]) / tall - 1) < 0.001, "Ctrl + Shift + wheel zooms the places", (before, s))
check([s["t0"], s["t1"], s["lane_height"]] == [before["t0"], before["t1"], before["lane_height"]], "and nothing else", s)
check(abs(byte_at(s) - byte_at(before)) <= (s["p1"] - s["p0"]) / plot_height, "about the pointer, within a pixel",
      (byte_at(before), byte_at(s)))
wheel(5, 4, "ctrl", "shift")
s = wait_for(lambda s: s["p1"] - s["p0"] == before["p1"] - before["p0"])
check(place(s) == place(before), "and back", (before, s))
xdo("mousemove", x, s["lanes"][1] + s["lanes"][3] // 2)
wheel(4, 2, "ctrl", "shift")
s = wait_for(lambda s: s["lane_height"] > before["lane_height"])
s = wait_for(lambda s: abs(s["lane_height"] - before["lane_height"] * 1.25 ** 2) < 0.01)
check(abs(s["lane_height"] - before["lane_height"] * 1.25 ** 2) < 0.01 and
      [s["p0"], s["p1"], s["t0"], s["t1"]] == [before["p0"], before["p1"], 0, END],
      "over the bars it makes lanes higher", (before, s))
wheel(5, 2, "ctrl", "shift")
s = wait_for(lambda s: abs(s["lane_height"] - before["lane_height"]) < 0.01)
# The wheel alone scrolls the lanes there.
wheel(5, 2)
s = wait_for(lambda s: s["lane_top"] == before["lane_top"] + 6)
check(s["lane_top"] == before["lane_top"] + 6 and [s["t0"], s["t1"]] == [0, END], "the wheel alone scrolls the lanes", s)
wheel(4, 2)
wait_for(lambda s: s["lane_top"] == before["lane_top"])

# Shift + wheel, and a wheel that goes sideways as two fingers do: a twelfth of the view each.
s = zoom_to(2000)
xdo("mousemove", x, y)
wait_for(lambda n: n["cursor"] != s["cursor"])
for name, button, modifiers in (("Shift + wheel", 5, ["shift"]), ("a sideways wheel", 7, [])):
    was = state()
    wheel(button, 3, *modifiers)
    want = was["t0"] + 3 * width(was) / 12
    s = wait_for(lambda s: abs(s["t0"] - want) < 0.01)
    check(abs(s["t0"] - want) < 0.01 and abs(width(s) - width(was)) < 0.01 and place(s)[2:] == place(was)[2:],
          "%s pans, and only that" % name, (was, s))
    wheel({5: 4, 7: 6}[button], 3, *modifiers)
    s = wait_for(lambda s: abs(s["t0"] - was["t0"]) < 0.01)
    check(abs(s["t0"] - was["t0"]) < 0.01, "and back", (was, s))

# Shift + drag pans: the tick under the hand stays there, and so does the byte.
wheel(4, 4, "ctrl", "shift")
was = wait_for(lambda s: s["p1"] - s["p0"] < tall * 1.01)
haul(x, y, x + 100, y + 40, "shift")
want = was["t0"] - 100 / plot_width * width(was)
s = wait_for(lambda s: abs(s["t0"] - want) < 0.01)
check(abs(s["t0"] - want) < 0.01 and abs(width(s) - width(was)) < 0.01, "Shift + drag pans the time", (want, was, s))
want = was["p0"] + 40 / plot_height * (was["p1"] - was["p0"])
pixel = (was["p1"] - was["p0"]) / plot_height
check(abs(s["p0"] - want) < pixel and s["range"] == [0, 0], "and the places, and chooses no range", (want, was, s))
was, lanes_y = s, s["lanes"][1] + s["lanes"][3] - 20
haul(x, lanes_y, x - 60, lanes_y - 50, "shift")
s = wait_for(lambda s: abs(s["lane_top"] - was["lane_top"] - 50 / was["lane_height"]) < 0.01)
check(abs(s["lane_top"] - was["lane_top"] - 50 / was["lane_height"]) < 0.01 and
      abs(s["t0"] - was["t0"] - 60 / plot_width * width(was)) < 0.01, "over the bars the time and the lanes", (was, s))

# The minimap: a press brings the view's middle there, dragging takes it along.
s = zoom_to(2000)
live = s["live"]
whole_view = {"t0": 0, "t1": END}
(from_x, live_y), (to_x, _) = at(live, whole_view, 3500, live[3] // 2), at(live, whole_view, 1500, 0)
haul(from_x, live_y, to_x, live_y)
s = wait_for(lambda n: abs(middle_tick(n) - 1500) <= END / live[2])
check(abs(middle_tick(s) - 1500) <= END / live[2] and abs(width(s) - 962) < 1, "the minimap is dragged: the view follows", s)
xdo("mousemove", from_x, live_y)
xdo("click", 1)
s = wait_for(lambda n: abs(middle_tick(n) - 3500) <= END / live[2])
check(abs(middle_tick(s) - 3500) <= END / live[2], "and a click brings it there", s)
haul(from_x, live_y, live[0] - 40, live_y)
s = wait_for(lambda n: n["t0"] == 0)
check(s["t0"] == 0 and abs(width(s) - 962) < 1, "it stops at the start", s)

# Keys that move.
s = zoom_to(2000)
for key, part in (("Right", 0.1), ("Left", -0.1)):
    was = state()
    want = was["t0"] + part * width(was)
    s = press_and_wait(key, lambda s: abs(s["t0"] - want) < 0.01)
    check(abs(s["t0"] - want) < 0.01 and abs(width(s) - width(was)) < 0.01, "%s pans by a tenth" % key, (was, s))
s = press_and_wait("End", lambda s: s["t1"] == END)
check(s["t1"] == END and abs(width(s) - 962) < 1, "End goes to the end", s)
s = press_and_wait("Home", lambda s: s["t0"] == 0)
check(s["t0"] == 0 and abs(width(s) - 962) < 1, "Home goes to the start", s)
lane = s["lane_top"]
s = press_and_wait("Down", lambda s: s["lane_top"] == lane + 3)
check(s["lane_top"] == lane + 3, "Down goes three lanes down", s)
s = press_and_wait("Up", lambda s: s["lane_top"] == lane)
check(s["lane_top"] == lane, "Up goes up again", s)
for key, factor in (("plus", 1 / 1.5), ("minus", 1.5), ("KP_Add", 1 / 1.5), ("KP_Subtract", 1.5)):
    was = width(state())
    s = press_and_wait(key, lambda s: abs(width(s) / was - factor) < 0.01)
    check(abs(width(s) / was - factor) < 0.01, "%s zooms" % key, (was, s))

# F centres the selection, again fits it with a quarter of its life on each side.
whole()
s = click_largest(state())
check(s.get("selected", -1) >= 0, "the largest bar, events 435 to 2,089, is chosen", s)
zoom_to(2000)
xdo("mousemove", x, top + 10)
wheel(4, 4, "ctrl", "shift")
was = wait_for(lambda s: s["p1"] - s["p0"] < tall * 1.01)
point_aside()
s = press_and_wait("f", lambda s: abs(middle_tick(s) - 1262) < 1)
check(abs(middle_tick(s) - 1262) < 1 and abs(width(s) - width(was)) < 0.01 and
      abs((s["p1"] - s["p0"]) / tall - 1) < 0.001, "F centres it and zooms nothing", (was, s))
xdo("mousemove", *middle(s["offsets"]))
n = wait_for(lambda n: n["hovered"] == s["selected"], 5)
check(n["hovered"] == s["selected"], "it is in the middle of the map", n)
point_aside()
s = press_and_wait("f", lambda s: width(s) > 2000)
check(abs(middle_tick(s) - 1262) < 1 and abs(width(s) - 1654 * 1.5) < 1, "F again fits it", s)
# What lies too near to an end to be centred is fitted all the same.
whole()
xdo("mousemove", *at(state()["offsets"], state(), 1000, 100))
wait_for(lambda s: 990 < s["cursor"] < 1010)
wheel(4, 2, "ctrl")
wait_for(lambda s: 2900 < width(s) < 2950)
point_aside()
s = press_and_wait("f", lambda s: s["t0"] == 0)
check(s["t0"] == 0 and 2900 < width(s) < 2950, "F goes as far as the start lets it", s)
s = press_and_wait("f", lambda s: width(s) < 2900)
check(abs(width(s) - 1654 * 1.5) < 1, "F again fits it there, too", s)
window.kill()
window.wait()

# Steps from buffer to buffer, in a log whose lives and places are known.
BASE = 0x7f0000000000
log = os.path.join(work, "steps.tlog")
with open(log, "w") as f:
    f.write('{"format": "tenure-log", "version": 1, "device_bytes": 1073741824}\n')
    events = [("alloc", "first", 0, 4096), ("alloc", "aside", 1 << 20, 4096), ("free", "first"),
              ("alloc", "low", 0, 2048), ("alloc", "high", 2048, 2048), ("free", "low"), ("free", "high"),
              ("alloc", "last", 0, 4096), ("free", "last"), ("alloc", "again", 0, 4096),
              ("free", "again"), ("free", "aside")]
    offsets = {}
    for t, (what, name, *rest) in enumerate(events):
        offsets[name] = rest[0] if rest else offsets[name]
        more = ', "bytes": %d, "name": "%s"' % (rest[1], name) if rest else ""
        f.write('{"t": %d, "event": "%s", "address": %d%s}\n' % (t, what, BASE + offsets[name], more))
window = start(log)
s = wait_for(lambda s: s.get("lanes", [0] * 3)[2] > 100, 30)


def step(key, name):
    s = press_and_wait(key, lambda s: s["description"].startswith(name + ","))
    return s if s["description"].startswith(name + ",") else None


def chosen(name):
    select(name)
    point_aside()
    xdo("key", "1")
    return wait_for(lambda s: s["description"].startswith(name + ",") and not s["search"])


for name, key, other in (("first", "bracketright", "low"), ("low", "bracketright", "last"),
                         ("last", "bracketleft", "high"), ("high", "bracketleft", "first")):
    chosen(name)
    check(step(key, other), "%s: the %s user of the place of “%s” is “%s”" % (
        "]" if key == "bracketright" else "[", "next" if key == "bracketright" else "last", name, other), state())
# Large ones are given their lanes first: these three have the first to themselves.
s = chosen("first")
lane = s["lane"]
seen = []
for key, name in (("period", "last"), ("period", "again"), ("comma", "last"), ("comma", "first")):
    seen.append(step(key, name))
check(all(s and s["lane"] == lane for s in seen), ". and , step through those of a lane, in the order of time", (seen, state()))
xdo("key", "comma")
time.sleep(0.5)
check(state()["description"].startswith("first,"), "before the first is none", state())
window.kill()
window.wait()
finish()
