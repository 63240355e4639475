#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_export.py TENURE SAMPLE CLI: what is shown, the chosen range and all of it as PNG, SVG and PDF: the
bytes that `tenure-cli draw` writes; a comparison as a picture."""
from driving import *

cli = sys.argv[3]


def choose_row(row):
    """Takes this row of the drop-down that has the focus, counted from the first."""
    xdo("key", "space")
    time.sleep(0.6)
    for _ in range(row):
        xdo("key", "Down")
    xdo("key", "Return")
    time.sleep(0.5)


def export(name, picture=0, part=0, kind=0, scale=0, has_what=True):
    """The dialog by keys: Cancel, Save, then the fields; each figure is a row, 0: as it is."""
    out = os.path.join(work, name)
    xdo("key", "ctrl+shift+s")
    time.sleep(2.0)
    xdo("key", "Tab")  # Save…
    for rows in ([picture] if has_what else []) + [part, kind]:
        xdo("key", "Tab")
        if rows:
            choose_row(rows)
    for _ in range(3 if scale else 0):
        xdo("key", "Tab")
    if scale:
        choose_row(scale)
    for _ in range((3 if scale else 0) + (3 if has_what else 2)):
        xdo("key", "shift+Tab")
    time.sleep(0.3)
    xdo("key", "Return")
    return out if name_file(out) else None


def drawn(name, *options):
    out = os.path.join(work, name)
    subprocess.run([cli, "draw", sample, "-o", out] + list(options), check=True,
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
window.kill()
window.wait()

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
