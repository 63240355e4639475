#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_said.py TENURE SAMPLE CLI: which tabs there are for each device, what is said where there are no buffers or more
than is shown, units of the time axis, an address that is none, keys that hide tables, what a plan leaves.
"""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
from layouts import *
from onnx_bytes import choice_model

cli, here = sys.argv[3], os.path.dirname(sample)
PATIENCE = 60


def put(name, text):
    path = os.path.join(work, name)
    with open(path, "w") as file:
        file.write(text)
    return path


def log(name, rows):
    head = {"format": "tenure-log", "version": 1}
    return put(name, "".join(json.dumps(row) + "\n" for row in [head] + rows))


def event(t, what, device, k, **more):
    return dict({"t": t, "event": what, "device": device}, **more, **({"address": hex(0x1000 * (k + 1))} if k >= 0 else {}))


def begin(path):
    """The window, once it can be asked for its layout."""
    window = start(path)
    wait_for(lambda s: "axis_end" in s, PATIENCE)
    return window


# ---- the second device has findings, and is shown first; the first has none.
rows = [r for k in range(3) for r in (event(3 * k + 1, "alloc", 0, k, bytes=512), event(3 * k + 2, "free", 0, k))]
rows += [event(20 + k, "alloc", 1, k, bytes=512) for k in range(3)]
rows += [event(30, "oom", 1, -1, bytes=51200, device_free=12)]
window = begin(log("two.tenure-log", rows))
now = wait_layout(window, has("GPU 1"), PATIENCE)
check(texts(now).count("Findings") == 2, "findings have a tab, and stand beside the maps", texts(now))
for key, n, what in (("Up", 0, "a device without findings has no tab of them"), ("Down", 2, "it comes back with them")):
    press("Device")
    time.sleep(1.5)
    xdo("key", key)
    time.sleep(0.3)
    xdo("key", key)  # the first may only bring the focus into the list
    time.sleep(0.3)
    xdo("key", "Return")
    point_aside()
    time.sleep(1.0)
    now = wait_layout(window, lambda w: texts(w).count("Findings") == n, PATIENCE)
    check(texts(now).count("Findings") == n, what, texts(now))
end(window)

# ---- a failure, and nothing else.
window = begin(log("none.tenure-log", [event(30, "oom", 0, -1, bytes=51200, device_free=12)]))
now = wait_layout(window, has("1 event"), PATIENCE)
check(has("no buffers · 1 event")(now) and not has("peak 0 B")(now), "without buffers there is no peak", texts(now))
end(window)

# ---- more reports than are shown.
report = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
          "of which 1.25 GiB is free. Process 1234 has 77.89 GiB memory in use. Of the allocated memory 70.00 GiB is "
          "allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated.\n")
window = begin(put("many.log", "".join(report.replace("70.00", "70.%02d" % k) for k in range(40))))
now = wait_layout(window, has("40 reports"), PATIENCE)
check("and 8 more" in texts(now), "reports that are not shown are counted", (len(texts(now)), texts(now)[-6:]))
end(window)

# ---- microseconds are no word; an address is read to its end.
converted = os.path.join(work, "plan.json")
subprocess.run([cli, "convert", os.path.join(here, "small-plan.csv"), "-o", converted], stdout=subprocess.DEVNULL, check=True)
with open(converted) as file:
    plan = json.load(file)
plan["axis"]["unit"] = "us"
window = begin(put("us.json", json.dumps(plan)))
now = wait_layout(window, has("Offsets"), PATIENCE)
check("us" in texts(now) and "Us" not in texts(now), "the unit is a symbol", texts(now))
wait_for(lambda s: s.get("lanes", [0, 0, 0])[2] > 100, PATIENCE)
show_maps()
xdo("key", "g")
wait_layout(window, lambda w: len(w) == 2, PATIENCE)
xdo("type", "--delay", "30", "0xzz")
xdo("key", "Return")
now = wait_layout(window, has("Neither a tick"), PATIENCE)
check(has("Neither a tick")(now), "0xzz is no address", texts(now))

# ---- what a plan leaves: Escape closes it.
point_aside()
xdo("key", "ctrl+p")
wait_layout(window, has("What It Leaves…"), PATIENCE)
time.sleep(1.0)
xdo("key", "alt+w")
now = wait_layout(window, lambda w: len(w) == 2 and has("Needed at once")(w), PATIENCE)
check(has("Needed at once")(now), "what the plan leaves is told", texts(now))
xdo("key", "Escape")
now = wait_layout(window, lambda w: len(w) == 1, PATIENCE)
check(len(now) == 1, "Escape closes it", len(now))
end(window)

# ---- a row of what a plan leaves is the buffer that it names.
window = begin(put("wasteful.csv", "id,lower,upper,size,offset\nearly,0,2,640,0\nlate,2,4,640,640\n"))
xdo("key", "ctrl+p")
wait_layout(window, has("What It Leaves…"), PATIENCE)
time.sleep(1.0)
xdo("key", "alt+w")
now = wait_layout(window, lambda w: len(w) == 2 and "late" in texts(w[1:]), PATIENCE)
press_text(now, "late")
xdo("key", "Return")
s = wait_for(lambda s: s.get("selected", -1) >= 0, PATIENCE)
check(s.get("description", "").startswith("late,"), "a row that is activated is selected", (s.get("description"), texts(now[1:])))
end(window)

# ---- what runs inside an op, and is not counted.
with open(os.path.join(work, "if.onnx"), "wb") as file:
    file.write(choice_model())
window = begin(os.path.join(work, "if.onnx"))
now = wait_layout(window, has("bodies-not-counted"), PATIENCE)
is_said = has("What runs inside 1 op is not part of the live peak")
check(is_said(now), "what runs inside an op is a finding", texts(now))
hints = [w["tip"] for at in now for w in at["widgets"] if "counts it" in w.get("tip", "")]
check(hints and "--" not in hints[0], "its hint names no option of the command line", hints)
xdo("key", "ctrl+p")
wait_layout(window, has("What It Leaves…"), PATIENCE)
time.sleep(1.0)
xdo("key", "alt+p")
now = wait_layout(window, has("(optimal, proved)"), PATIENCE)
check(has("(optimal, proved)")(now) and is_said(now), "it is one of a plan, too", texts(now))
xdo("key", "Escape")
wait_layout(window, lacks("What It Leaves…"), PATIENCE)
page = os.path.join(work, "if.html")
check(save_report(page), "a report of it is written")
with open(page) as file:
    found = file.read().split("<h2>Findings</h2>")
check(len(found) == 2 and "What runs inside 1 op is not part of the live peak" in found[1], "and says it", len(found))
end(window)

# ---- one press hides what Ctrl + E has brought; in Orders it is not hidden unseen.
window = begin(os.path.join(here, "branches-graph.json"))
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, PATIENCE)
for keys, condition in (("ctrl+F9", lacks("Kind")), ("ctrl+e", has("Add Edit")), ("ctrl+F9", lacks("Add Edit"))):
    xdo("key", keys)
    now = wait_layout(window, condition, PATIENCE)
check(lacks("Add Edit")(now), "the table that edits brought is hidden by one press", texts(now))
xdo("key", "5")
wait_layout(window, lacks("Group, Sort"), PATIENCE)
xdo("key", "F9")
time.sleep(1.0)
xdo("key", "1")
now = wait_layout(window, has("Group, Sort"), PATIENCE)
check(has("Figures")(now), "F9 in Orders hides nothing elsewhere", texts(now))
end(window)
finish()
