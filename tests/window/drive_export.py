#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_export.py TENURE SAMPLE CLI: what is shown, the chosen range and all of it as PNG, SVG and PDF: the
bytes that `tenure-cli draw` writes; a comparison as a picture."""
import os, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

cli = sys.argv[3]


def choose_row(row):
    """Takes this row of the drop-down that has the focus, counted from the first."""
    xdo("key", "space")
    time.sleep(0.6)
    for _ in range(row):
        xdo("key", "Down")
    xdo("key", "Return")
    time.sleep(0.5)


def export(name, picture=0, part=0, kind=0, scale=0, has_what=True, has_part=True):
    """The dialog by keys: Cancel, Save, then the fields; each figure is a row, 0: as it is.  A moment has no part."""
    out = os.path.join(work, name)
    xdo("key", "ctrl+shift+s")
    time.sleep(2.0)
    xdo("key", "Tab")  # Save…
    for rows in ([picture] if has_what else []) + ([part] if has_part else []) + [kind]:
        xdo("key", "Tab")
        if rows:
            choose_row(rows)
    for _ in range(3 if scale else 0):
        xdo("key", "Tab")
    if scale:
        choose_row(scale)
    for _ in range((3 if scale else 0) + 1 + has_what + has_part):
        xdo("key", "shift+Tab")
    time.sleep(0.3)
    xdo("key", "Return")
    return out if name_file(out) else None


def drawn(name, *options, file=sample):
    out = os.path.join(work, name)
    subprocess.run([cli, "draw", file, "-o", out] + list(options), check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return out


def read(path):
    with open(path, "rb") as f:
        return f.read()


def same(a, b):
    return a and read(a) == read(b)


window, s = open_sample()
point_aside()
got = export("whole.png", picture=1)
check(same(got, drawn("cli.png", "--view", "offsets", "--scale", "2")),
      "the offset map as it is shown at first is draw's, byte for byte", got)

x, y = at(s["lanes"], s, 1000, s["lanes"][3] - 10)
drag(x, y, at(s["lanes"], s, 2000, 0)[0])
s = wait_for(lambda s: s["range"][1] > 0)
point_aside()
span = "%d:%d" % (s["range"][0], s["range_end"])  # ticks that it covers in part belong to it
got = export("range.svg", picture=2, kind=1)
check(same(got, drawn("cli.svg", "--view", "lifetimes", "--scale", "2", "--range", span)),
      "the chosen range as SVG is draw --range %s" % span, got)
got = export("all.pdf", picture=3, part=2, kind=2)
check(same(got, drawn("cli.pdf", "--view", "live", "--scale", "2")), "all of the curve as PDF", got)

# What is shown: the range, zoomed to; at the third scale.
xdo("key", "f")
s = wait_for(lambda s: s["t1"] - s["t0"] < 1100)
xdo("key", "Escape")
wait_for(lambda s: s["range"] == [0, 0])
span = "%.17g:%.17g" % (s["t0"], s["t1"])
got = export("zoomed.png", picture=1, scale=2)
check(same(got, drawn("cli3.png", "--view", "offsets", "--scale", "3", "--range", span)) if s["t0"] == int(s["t0"])
      else got and read(got)[:4] == b"\x89PNG" and read(got)[16:24] == bytes([0, 0, 0x12, 0xc0, 0, 0, 0x0a, 0x8c]),
      "what is shown, three times as large: 4800 x 2700", got)

# The live set in the groups that are chosen, stacks as wide as is chosen.
xdo("key", "2")
time.sleep(1.0)
got = export("alive.svg", kind=1, has_part=False)
check(same(got, drawn("cli-alive.svg", "--view", "live-set", "--scale", "2")), "the live set as it is coloured", got)
xdo("key", "alt+g")
choose_row(5)
time.sleep(1.0)
got = export("grouped.svg", kind=1, has_part=False)
check(got and b"stream 0" in read(got) and b"stream 0" not in read(os.path.join(work, "alive.svg")),
      "the live set by pool and stream", got)
xdo("key", "3")
time.sleep(1.0)
got = export("stacks.svg", kind=1, has_part=False)
check(same(got, drawn("cli-stacks.svg", "--view", "flame", "--scale", "2")), "the stacks as they are at first", got)
xdo("key", "alt+f")
time.sleep(0.3)
press_text(layout(window), "Bytes alive")
time.sleep(0.5)
xdo("key", "Down")
xdo("key", "Return")
time.sleep(1.0)
got = export("wide.svg", kind=1, has_part=False)
check(got and b"_call_impl" in read(got) and b"_call_impl" not in read(os.path.join(work, "stacks.svg")),
      "with the frames of the framework", got)
check(got and "bytes × time held" in read(got).decode(), "as wide as bytes and life", got)
end(window)

# The failed request that was stepped to.
log = os.path.join(work, "oom.tenure-log")
with open(log, "w") as f:
    f.write("""{"format": "tenure-log", "version": 1, "device_bytes": 4096}
{"t": 1.0, "event": "segment_alloc", "address": "0x10000", "bytes": 4096}
{"t": 1.1, "event": "alloc", "address": "0x10000", "bytes": 512, "name": "a"}
{"t": 1.2, "event": "alloc", "address": "0x10200", "bytes": 1024, "name": "b"}
{"t": 1.3, "event": "free", "address": "0x10000"}
{"t": 1.4, "event": "oom", "bytes": 9000, "device_free_bytes": 0}
{"t": 1.5, "event": "oom", "bytes": 6000, "device_free_bytes": 0}
""")
window = start(log)
wait_for(lambda s: s.get("axis_end", 0) > 0 and s["lanes"][2] > 100, 30)
xdo("key", "4")
time.sleep(1.5)
got = export("first.svg", kind=1, has_part=False)
check(same(got, drawn("cli-first.svg", "--view", "oom", "--scale", "2", file=log)), "the first failed request", got)
press("Next")
time.sleep(1.0)
got = export("second.svg", kind=1, has_part=False)
check(got and b"5.9 KiB" in read(got) and b"8.8 KiB" not in read(got), "and the second, at the same event", got)
end(window)

# A graph's orders and its budget, once they are there.
graph = os.path.join(os.path.dirname(sample), "branches-graph.json")
window = start(graph)
wait_for(lambda s: s.get("axis_end") == 24 and s["lanes"][2] > 100, 30)
xdo("key", "6")
wait_for(lambda s: s.get("budget_curve") == 24, 60)
time.sleep(0.5)
got = export("budget.svg", kind=1, has_part=False)
check(same(got, drawn("cli-budget.svg", "--view", "budget", "--budget", "%d" % state()["budget"], "--scale", "2",
                      file=graph)), "a budget's picture is draw's", got)
xdo("key", "5")
wait_for(lambda s: s.get("orders") == 9, 60)
time.sleep(0.5)
got = export("orders.svg", kind=1, has_part=False)
text, want = (read(p).decode().split("</text>") if p else []
              for p in (got, drawn("cli-orders.svg", "--view", "orders", "--scale", "2", file=graph)))
check(len(text) == len(want) and "1.35 GiB" in "".join(text) and text[0] == want[0], "so is that of the orders",
      (len(text), len(want), text[:1], want[:1]))
end(window)

# Two files: the page of the comparison.
window = subprocess.Popen([tenure, "--diff", sample, os.path.join(os.path.dirname(sample), "allocator.tenure-log")],
                          env=dict(os.environ, TENURE_STATE_FILE=state_file), stderr=subprocess.DEVNULL)
time.sleep(1.0)
wait_for(lambda s: s.get("pairs") is not None and s.get("drawn"), 30)
time.sleep(2.0)
got = export("both.svg", kind=1, has_what=False)
text = read(got).decode() if got else ""
check("transformer-oom.pickle" in text and "allocator.tenure-log" in text and "<text" in text,
      "a comparison as SVG names both files", got)
check(window.poll() is None, "the window is still there")
window.kill()
finish()
