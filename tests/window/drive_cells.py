#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_cells.py TENURE SAMPLE: cells stand below their titles, also while a column's edge is dragged and once
columns were hidden or moved; what they have no room for is told beside the pointer.  With rows that are one widget
each, and with TENURE_PLAIN_CELLS, which shows what a GTK after 4.8 would."""
import os, re, shutil, sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from layouts import *

if not shutil.which("import"):
    print("1..0 # SKIP ImageMagick's import is not installed")
    sys.exit(0)


def picture(x, y, width, height):
    out = subprocess.run(["import", "-window", "root", "-crop", "%dx%d+%d+%d" % (width, height, x + SHADOW, y + SHADOW),
                          "-depth", "8", "ppm:-"], stdout=subprocess.PIPE, check=True).stdout
    head = re.match(rb"P6\s+(\d+)\s+(\d+)\s+255\s", out)
    return out[head.end():], int(head.group(1)), int(head.group(2))


def ink(rect):
    """Where text begins and ends within a rectangle, from its left; None: there is none."""
    data, width, height = picture(*rect)
    columns = [x for x in range(width) if any(data[3 * (y * width + x)] < 128 for y in range(height))]
    return (columns[0], columns[-1]) if columns else None


def titles(window):
    everything = widgets(window)
    heads = [w["rect"] for w in everything if w["type"] == "GtkColumnViewTitle"]
    return {w["text"]: head for head in heads for w in everything if "text" in w and is_within(w["rect"], head)}


def cell_below(head, row=1):
    """The rectangle of a cell, without the row's edges, which the focus may outline."""
    return [head[0], head[1] + head[3] + 20 * (row - 1) + 4, head[2], 14]


def is_at_right(head):
    found = ink(cell_below(head))
    return found is not None and head[2] - 10 <= found[1] <= head[2] - 5


def is_at_left(head):
    found = ink(cell_below(head))
    return found is not None and 5 <= found[0] <= 10


for plain in ("", "1"):
    what = " (a widget for each cell)" if plain else ""
    os.environ.pop("TENURE_PLAIN_CELLS", None)
    if plain:
        os.environ["TENURE_PLAIN_CELLS"] = plain
    window, s = open_sample()
    time.sleep(1.0)
    kinds = {w["type"] for w in widgets(window)}
    check(("TnRowCells" in kinds) == (not plain), "rows are made as asked for" + what, kinds)
    at = titles(window)
    check(is_at_left(at["Buffer"]) and is_at_left(at["Kind"]) and all(is_at_right(at[t]) for t in ("Size", "Start", "End", "Life")),
          "names begin with their titles, figures end with them" + what, {t: ink(cell_below(at[t])) for t in at})
    edge, y = at["Size"][0] + at["Size"][2], at["Size"][1] + 10
    xdo("mousemove", edge + SHADOW - 1, y + SHADOW)
    time.sleep(0.3)
    xdo("mousedown", 1)
    for k in range(1, 9):
        xdo("mousemove", edge + SHADOW - 1 + 5 * k, y + SHADOW)
        time.sleep(0.05)
    time.sleep(0.5)
    held = titles(window)
    check(held["Size"][2] > at["Size"][2] + 20 and is_at_right(held["Size"]) and is_at_right(held["Life"]),
          "they follow while an edge is dragged" + what, (at["Size"], held["Size"], ink(cell_below(held["Size"]))))
    xdo("mouseup", 1)
    time.sleep(0.4)
    window.kill()
    window.wait()

# A column goes and comes while there are rows; few rows are left, and its edge is dragged.
os.environ.pop("TENURE_PLAIN_CELLS", None)
window, s = open_sample()
time.sleep(1.0)
at = titles(window)
x, y, width, height = cell_below(at["Buffer"])
point_aside()
time.sleep(0.5)
third = [0, y + 38, at["Kind"][0] + at["Kind"][2] - 12, 14]  # its row is neither selected nor lit, right of it a bar
before = picture(*third)


def toggle_size():
    xdo("mousemove", x + SHADOW + 40, y + SHADOW + 4)
    xdo("click", 1)
    time.sleep(0.6)
    for key in ("shift+F10", "o", "Down", "Down", "Return"):
        xdo("key", key)
        time.sleep(0.4)


def leave():
    """No row is selected, and none is lit."""
    xdo("key", "Escape")
    point_aside()
    time.sleep(0.8)


toggle_size()
hidden = titles(window)
check("Size" not in hidden and is_at_right(hidden["Start"]), "a column that is hidden takes its cells with it", hidden)
toggle_size()
leave()
again = titles(window)
check(again["Size"] == at["Size"] and picture(*third) == before, "and brings back what was there, once", again)
xdo("key", "ctrl+f")
time.sleep(0.5)
xdo("type", "--delay", "15", "size>150MiB")
few = wait_for(lambda s: 0 < s.get("shown", 0) < 20, 8).get("shown")
time.sleep(1.5)
edge = titles(window)["Size"]
xdo("mousemove", edge[0] + edge[2] + SHADOW - 1, edge[1] + SHADOW + 10)
time.sleep(0.3)
xdo("mousedown", 1)
for k in range(1, 9):
    xdo("mousemove", edge[0] + edge[2] + SHADOW - 1 + 5 * k, edge[1] + SHADOW + 10)
    time.sleep(0.05)
xdo("mouseup", 1)
time.sleep(0.5)
now = titles(window)
check(few and now["Size"][2] > edge[2] + 20 and is_at_right(now["Size"]) and window.poll() is None,
      "few rows are left, and follow its edge", (few, edge, now))
window.kill()
window.wait()

# A column is moved by its title.
window, s = open_sample()
time.sleep(1.0)
at = titles(window)
xdo("mousemove", at["Kind"][0] + SHADOW + 20, at["Kind"][1] + SHADOW + 10)
time.sleep(0.2)
xdo("mousedown", 1)
for x in range(at["Kind"][0], at["Size"][0] + 20, -25):
    xdo("mousemove", x + SHADOW + 20, at["Kind"][1] + SHADOW + 10)
    time.sleep(0.03)
xdo("mouseup", 1)
time.sleep(1.0)
moved = titles(window)
check(moved["Kind"][0] < moved["Life"][0] and is_at_left(moved["Kind"]) and is_at_right(moved["Life"]),
      "a column that is moved takes its cells with it", (at, moved))

window.kill()
window.wait()

# What the name has no room for.
os.environ["TENURE_WINDOW_SIZE"] = "700x600"
window = start(sample)
wait_for(lambda s: s.get("axis_end") == 4587, 30)
time.sleep(1.5)
at = titles(window)


def is_told(cell):
    """Whether something comes beside a pointer that rests there: outside of its row, which is lit, and of scroll bars."""
    def rest(data, width, height):
        return [data[3 * width * y:3 * width * (y + 1)] for y in range(height) if not cell[1] - 8 <= y <= cell[1] + 20]

    point_aside()
    time.sleep(0.8)
    before = rest(*picture(0, 0, 400, 560))
    xdo("mousemove", cell[0] + SHADOW + 30, cell[1] + SHADOW + 4)
    time.sleep(0.1)
    xdo("mousemove", cell[0] + SHADOW + 34, cell[1] + SHADOW + 5)
    time.sleep(1.5)
    return sum(a != b for a, b in zip(rest(*picture(0, 0, 400, 560)), before)) > 12  # lines


check(is_told(cell_below(at["Buffer"])), "a name that is shortened is told beside the pointer", at)
check(not is_told(cell_below(at["Size"])), "and what is whole is not", at)
window.kill()
window.wait()
finish()
