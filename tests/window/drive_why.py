#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Why it failed, in the real window: settings of the what-if panel taken back, the live set's groups,
a wrong expression, a cursor that stays, devices chosen in a row.
"""
from driving import *

FAILS = "Fails at event 4,282: 27.0 MiB"


def verdict(start):
    return wait_for(lambda s: s.get("what_if", "").startswith(start)).get("what_if", "")


window = start(sample)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
time.sleep(0.5)

# What if: a change can be taken back, and made again.
xdo("key", "4")
time.sleep(1.0)
xdo("key", "alt+i")
check(verdict(FAILS).startswith(FAILS), "a replay fails as recorded")
time.sleep(1.5)
click(130, 425)
check(verdict("Passes").startswith("Passes"), "a suggestion passes")
time.sleep(1.2)
xdo("key", "ctrl+z")
check(verdict(FAILS).startswith(FAILS), "Ctrl + Z takes the settings back")
xdo("key", "ctrl+shift+z")
check(verdict("Passes").startswith("Passes"), "Ctrl + Shift + Z makes them again")
xdo("key", "ctrl+z")
verdict(FAILS)
# Other colours are of the same requests: settings and answer stay.
xdo("key", "ctrl+shift+z")
verdict("Passes")
show_maps()
click(955, 473)
time.sleep(0.8)
click(872, 367)  # bars by their start
time.sleep(1.5)
xdo("key", "4")
time.sleep(1.5)
check(state().get("what_if", "").startswith("Passes"), "other groups of bars keep the answer", state())
xdo("key", "ctrl+z", "ctrl+z")
verdict(FAILS)
# Digits typed in a row are one change.
time.sleep(1.2)
click(255, 153)
xdo("key", "ctrl+a")
xdo("type", "--delay", "200", "3000")
check(verdict("Fails at event 2,467").startswith("Fails at event 2,467"), "a smaller device fails earlier")
click(950, 75)
time.sleep(0.3)
xdo("key", "ctrl+z")
check(verdict(FAILS).startswith(FAILS), "one Ctrl + Z takes back a number typed digit by digit")
# The same with the keyboard still in the entry, which has no history of its own.
xdo("key", "alt+i")
time.sleep(1.2)
click(255, 153)
xdo("key", "ctrl+a")
xdo("type", "--delay", "200", "3000")
check(verdict("Fails at event 2,467").startswith("Fails at event 2,467"), "typed again")
time.sleep(1.2)
xdo("key", "ctrl+z")
check(verdict(FAILS).startswith(FAILS), "Ctrl + Z in the entry takes it back whole")
xdo("key", "alt+i")

show_maps()

# A wrong expression dims nothing.
search("/train/")
s = wait_for(lambda s: s.get("search"))
check(s.get("search") is True, "an expression dims the rest", s)
xdo("key", "ctrl+a")
xdo("type", "--delay", "20", "/[a/")
s = wait_for(lambda s: not s.get("search"))
check(s.get("search") is False, "a wrong one dims nothing", s)
xdo("key", "Escape")
time.sleep(0.5)

# The maps move below a pointer that rests: the cursor that P set stays.
xdo("mousemove", 500, 300)
time.sleep(0.3)
xdo("key", "p")
s = wait_for(lambda s: s.get("cursor") == 4272)
xdo("key", "F9")
time.sleep(0.8)
xdo("key", "ctrl+f")
time.sleep(0.8)
xdo("key", "Escape")
time.sleep(0.8)
check(state().get("cursor") == 4272, "the cursor stays when panes come and go", state())
xdo("key", "F9")
window.kill()
window.wait()

# Each device has a what-if of its own: what was changed for another is not taken back here.
path = os.path.join(work, "gpus.tenure-log")
with open(path, "w") as out:
    out.write('{"format": "tenure-log", "version": 1}\n')
    for device, n in ((0, 4), (1, 8)):
        for k in range(n):
            place = ((device + 1) << 36) + (k << 24)
            for event in ("segment_alloc", "alloc"):
                out.write('{"t": %d, "event": "%s", "address": %d, "bytes": 2097152, "device": %d}\n'
                          % (k, event, place, device))
        out.write('{"t": 90, "event": "oom", "bytes": 3145728, "device_free_bytes": 1048576, "device": %d}\n' % device)


def left(mib):
    want = "%d.0 MiB left" % mib
    return want in wait_for(lambda s: want in s.get("what_if", ""), 5).get("what_if", "")


window = start(path)
wait_for(lambda s: s.get("device") == 1 and s["lanes"][2] > 100, 30)
xdo("key", "4")
time.sleep(1.0)
xdo("key", "alt+i")
check(left(17), "GPU 1 has 17 MiB", state().get("what_if"))
click(255, 153)
xdo("key", "ctrl+a")
xdo("type", "5")
check(left(5), "what if it had 5", state().get("what_if"))
press("Device")
x, _, width, _ = state()["buttons"]["Device"]
click(x + width // 2, 80)
wait_for(lambda s: s.get("device") == 0, 5)
time.sleep(1.0)
click(255, 187)
check(left(9), "GPU 0 has 9", state().get("what_if"))
click(255, 187)
time.sleep(1.0)
xdo("key", "ctrl+z", "ctrl+z", "ctrl+z")
time.sleep(1.5)
check(left(9), "and keeps them when more is taken back than was changed for it", state().get("what_if"))
window.kill()
window.wait()

# Devices chosen one after the other: the last one counts.
path = os.path.join(work, "two.tenure-log")
with open(path, "w") as out:
    out.write('{"format": "tenure-log", "version": 1}\n')
    for i in range(60000):
        for device in (0, 1, 2):
            out.write('{"t": %d, "event": "alloc", "address": %d, "bytes": %d, "device": %d, "stream": 0}\n'
                      % (i, 4096 + 1024 * (i % 64) + (i << 20), 512 + device, device))
            if i >= 64:
                out.write('{"t": %d, "event": "free", "address": %d, "device": %d}\n'
                          % (i, 4096 + 1024 * ((i - 64) % 64) + ((i - 64) << 20), device))
window = start(path)
s = wait_for(lambda s: s.get("axis_end", 0) > 100000, 30)
first = s.get("device")
time.sleep(1.0)
for y in (114, 148):
    press("Device")
    left, _, width, _ = state()["buttons"]["Device"]
    click(left + width // 2, y)
    time.sleep(0.5)
s = wait_for(lambda s: s.get("device") == 2, 20)
time.sleep(1.5)
check(first == 0 and state().get("device") == 2, "of two devices chosen in a row the last is shown", state())
window.kill()
finish()
