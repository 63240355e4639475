#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_tables.py TENURE SAMPLE: tables are sorted, filtered, copied, and their columns chosen."""
from driving import *

window, s = open_sample()
time.sleep(0.8)
HEADER, ROW = 679, 703


def click_table(x, y, button=1):
    click(x, y, button)
    time.sleep(0.5)


def copied(condition, seconds=8):
    return wait_for(lambda s: condition(s.get("clipboard", "")), seconds).get("clipboard", "")


# A row: nine cells, as they stand.  This life is 36 % of the events and 35 % of the seconds.
click_table(200, ROW)
s = wait_for(lambda s: s.get("selected", -1) >= 0)
check("192.0 MiB, events 435 to 2,089" in s.get("description", ""), "the largest stands first", s)
xdo("key", "ctrl+c")
text = copied(lambda c: "192.0 MiB" in c)
check(text.startswith("model.py:108 TinyLM.forward\t192.0 MiB\t435\t2,089\t1,654\t41.14 ms\t\t0x")
      and text.endswith("\tallocation\n") and text.count("\t") == 8, "Ctrl + C copies the row", text)

# By start, then only the large ones: the order stays.
click_table(395, HEADER)
xdo("key", "ctrl+f")
time.sleep(0.4)
xdo("type", "--delay", "15", "size>10MiB")
s = wait_for(lambda s: s.get("shown") == 358)
time.sleep(0.3)
click_table(200, ROW)
xdo("key", "ctrl+shift+c")
text = copied(lambda c: c.startswith("Buffer\t"))
rows = [line.split("\t") for line in text.strip().split("\n")]
starts = [int(row[2].replace(",", "")) for row in rows[1:]]
check(len(starts) == 358, "Ctrl + Shift + C copies all rows of the filter", text[:300])
sizes = [float(row[1].split()[0]) for row in rows[1:]]
check(starts == sorted(starts) and sizes != sorted(sizes, reverse=True), "sorting survives filtering", starts)
xdo("key", "Escape")
s = wait_for(lambda s: s.get("shown") == 1719)
time.sleep(1.0)
click_table(395, HEADER)
time.sleep(0.5)
xdo("key", "Escape")
click_table(200, ROW)
xdo("key", "ctrl+shift+c")
text = copied(lambda c: c.count("\n") == 1720)
starts = [int(line.split("\t")[2].replace(",", "")) for line in text.strip().split("\n")[1:]]
check(len(starts) == 1719 and starts == sorted(starts, reverse=True),
      "all rows, and once more the other way round", starts[:20])

# The columns: the menu of a title.
click_table(290, HEADER, 3)
time.sleep(1.0)
click_table(338, 479)
time.sleep(0.6)
click_table(200, ROW)
xdo("key", "ctrl+c")
text = copied(lambda c: 0 < c.count("\t") < 8 and c.count("\n") == 1)
check(text.count("\t") == 7, "a column that is hidden is not copied", text)

# What is alive at the moment, as a table.
point_aside()
xdo("key", "Escape")
xdo("key", "p")
wait_for(lambda s: s.get("cursor") == 4272)
press("Alive")
time.sleep(0.5)
click_table(200, ROW)
s = wait_for(lambda s: s.get("selected", -1) >= 0, 4)
xdo("key", "ctrl+shift+c")
text = copied(lambda c: c.count("\n") == 455)
check(text.count("\n") == 455, "454 buffers are alive at the peak", text.count("\n"))
bytes_ = sum(float(line.split("\t")[1].split()[0]) * {"B": 1, "KiB": 2**10, "MiB": 2**20}[
    line.split("\t")[1].split()[1]] for line in text.strip().split("\n")[1:])
check(abs(bytes_ / 2**30 - 3.53) < 0.02, "3.53 GiB together", bytes_)
check(window.poll() is None, "the window is still there")
window.kill()
finish()
