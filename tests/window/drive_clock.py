#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_clock.py TENURE SAMPLE: the time axis by the clock: the maps follow, what is shown, cursor, range
and selection stay on their events; a file without times says why it has no clock."""
from driving import *

# 41 events: those up to 20 a millisecond apart, then one second each.  A is alive for half of the events
# in 2 % of the time at most, B at one event that lasts a second.
log = os.path.join(work, "two-speeds.tenure-log")
lines = ['{"format": "tenure-log", "version": 1}']


def add(t, event, address, size=1048576):
    lines.append('{"t": %.6f, "event": "%s", "address": "%s", "bytes": %d, "name": "%s"}'
                 % (t, event, address, size, "b%s" % address))


add(1000.0, "alloc", "0x100000", 2097152)
for k in range(19):
    add(1000.001 + k / 1000.0, "alloc" if k % 2 == 0 else "free", "0x900000")
add(1000.020, "free", "0x100000")
for k in range(20):
    add(1001.02 + k, "alloc" if k % 2 == 0 else "free", "0xa00000")
with open(log, "w") as f:
    f.write("\n".join(lines) + "\n")

window = start(log)
s = wait_for(lambda s: s.get("axis_end") == 41 and s["lanes"][2] > 100, 30)
check(s.get("clock") is False and (s["t0"], s["t1"]) == (0, 41), "the axis counts events at first", s)
select("b0x100000")
before = state()
x, y = at(before["lanes"], before, 30.5, 40)
xdo("mousemove", x, y)
s = wait_for(lambda s: s["cursor"] == 30, 5)
check(s["cursor"] == 30, "event 30 lies at three quarters", s["cursor"])
point_aside()
xdo("key", "t")
s = wait_for(lambda s: s.get("clock"))
check(s["clock"] is True and (s["t0"], s["t1"]) == (0, 41) and s["selected"] == before["selected"],
      "T: by the clock, the same events and selection", s)

# 20.02 s in all, and the last event its microsecond: at a quarter of the axis about 5 s have passed: the
# clock's second 1.02 is event 21, so 5.005 s lie in event 24 (4.02 to 5.02).
left, top, width, height = s["lanes"]
xdo("mousemove", left + width // 4, top + 40)
s = wait_for(lambda s: s["cursor"] == 24, 5)
check(s["cursor"] == 24, "a quarter of the axis is event 24", s["cursor"])
time.sleep(0.3)
drag(left + width // 4, top + height - 20, left + width // 2)
s = wait_for(lambda s: s["range"][1] > 0)
check(s["range"] == [24, 29], "a drag from a quarter to the half: events 24 to 29", s["range"])
xdo("key", "t")
s = wait_for(lambda s: not s["clock"])
check(s["range"] == [24, 29], "in events the range is the same", s["range"])
xdo("key", "t")
xdo("key", "Escape")
xdo("key", "Escape")
xdo("mousemove", left + width // 4, top + 40)
time.sleep(0.3)
for _ in range(4):
    xdo("key", "w")
wait_for(lambda s: s["t1"] - s["t0"] < 10, 6)
time.sleep(0.8)  # until the last W has come
s = state()
check(s["t0"] < 24.3 < s["t1"] and s["clock"], "W zooms about the cursor by the clock", s)
shown = s["t0"], s["t1"]
xdo("key", "t")
s = wait_for(lambda s: not s["clock"])
check((s["t0"], s["t1"]) == shown, "the part shown stays on its events", (s["t0"], s["t1"], shown))

# The table says which lives are long in one and short in the other.
xdo("key", "0")
point_aside()
press("Buffers")
click(300, 703)
time.sleep(0.5)
xdo("key", "ctrl+shift+c")
text = wait_for(lambda s: "By Clock" in s.get("clipboard", "")).get("clipboard", "")
rows = {line.split("\t")[0]: line.split("\t") for line in text.strip().split("\n")}
check(rows["b0x100000"][4:7] == ["20", "20.00 ms", "ticks"], "20 events, 20 ms: long in ticks", rows["b0x100000"])
check(sum(r[6] == "" for n, r in rows.items() if n == "b0x900000") == 1, "short ones are marked in neither", text)
slow = [line.split("\t") for line in text.split("\n") if line.startswith("b0xa00000")]
check(len(slow) == 10 and all(r[4] == "1" and r[5] == "1.000 s" and r[6] == "" for r in slow),
      "an event of a second is 2.4 % of the events and 5 % of the time: in neither", slow)
window.kill()
window.wait()

# A plan counts steps: no clock, and the button says why.
window = start(os.path.join(os.path.dirname(sample), "small-plan.csv"))
s = wait_for(lambda s: s.get("axis_end", 4587) < 4587 and "Steps" in s.get("buttons", {}), 30)
xdo("key", "t")
time.sleep(0.6)
s = state()
check(s.get("clock") is False and "Steps" in s["buttons"] and "By Clock" not in s.get("buttons", {}),
      "without times T changes nothing", s.get("clock"))
check(window.poll() is None, "the window is still there")
window.kill()
finish()
