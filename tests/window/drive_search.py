#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""drive_search.py TENURE SAMPLE: the search and the filters of the real window.  48 of the 1,719
buffers of the sample are larger than 100 MiB (counted in the list that tenure-cli prints)."""
from driving import *

window, s = open_sample()
n_all = s.get("shown")
check(n_all and n_all > 1000, "all buffers are shown at first", s)
check(s.get("count", "").startswith("All {:,} buffers".format(n_all)), "and it says so", s)

search("size>100MiB")
s = wait_for(lambda s: s.get("search") and s["shown"] < 100)
large = s["shown"]
check(large == 48 and "%d of " % large in s["count"], "the count is shown", s)

# Return and Shift + Return go round the hits.
seen = []
for _ in range(large):
    xdo("key", "Return")
    s = wait_for(lambda s: s.get("selected", -1) >= 0 and s["selected"] not in seen, 2)
    seen.append(s["selected"])
check(len(set(seen)) == large, "Return visits each hit once", seen)
xdo("key", "Return")
s = wait_for(lambda s: s.get("selected") == seen[0], 3)
check(s.get("selected") == seen[0], "and goes round", (seen, s))
xdo("key", "shift+Return")
s = wait_for(lambda s: s.get("selected") == seen[-1], 3)
check(s.get("selected") == seen[-1], "Shift + Return goes back", (seen, s))

# Ctrl + Return keeps it as a filter; another one is and-ed to it.
xdo("key", "ctrl+Return")
s = wait_for(lambda s: s.get("filters") == 1)
check(s.get("filters") == 1 and s["shown"] == large, "Ctrl + Return makes it a filter", s)
xdo("key", "ctrl+a")
xdo("type", "--delay", "15", "life>1000")
s = wait_for(lambda s: s["shown"] < large)
both = s["shown"]
check(0 < both < large, "a search is and-ed to the filter", s)
xdo("key", "Escape")
s = wait_for(lambda s: s["shown"] == large)
check(s["filters"] == 1 and s["shown"] == large, "Escape ends the search, not the filter", s)

# Several words in one text are and-ed too.
search("life>1000 size > 100 MiB")
s = wait_for(lambda s: s["shown"] == both)
check(s["shown"] == both and not s.get("search_error"), "two words: both must fit", (s["shown"], both))
xdo("key", "Escape")
s = wait_for(lambda s: s["shown"] == large)

# A bad expression says so and dims nothing beyond the filters.
search("/a(/")
s = wait_for(lambda s: s.get("search_error"))
check(s.get("search_error") and s["shown"] == large, "a bad expression says so and hides nothing", s)
xdo("key", "ctrl+a")
xdo("type", "--delay", "15", "size>many")
s = wait_for(lambda s: "no number" in s.get("search_error", ""))
check("no number" in s.get("search_error", ""), "and a size that is none", s)
xdo("key", "Escape")
s = wait_for(lambda s: not s.get("search_error"))

# Undo takes the filter away and brings it back.
for _ in range(12):
    if state().get("filters") == 0:
        break
    xdo("key", "ctrl+z")
    time.sleep(0.3)
s = wait_for(lambda s: s.get("filters") == 0)
check(s.get("filters") == 0, "Ctrl + Z takes the filter back", s)
for _ in range(12):
    if state().get("filters") == 1 and not state().get("search_error"):
        break
    xdo("key", "ctrl+shift+z")
    time.sleep(0.3)
s = wait_for(lambda s: s.get("filters") == 1)
check(s.get("filters") == 1, "Ctrl + Shift + Z puts it again", s)
xdo("key", "Escape")
time.sleep(0.3)
s = state()

# n and N go through what the filters leave, while nothing is typed.
point_aside()
xdo("key", "Escape")
wait_for(lambda s: s.get("selected") == -1, 2)
xdo("key", "n")
s = wait_for(lambda s: s.get("selected", -1) >= 0, 3)
first = s.get("selected")
check(first in seen, "n goes to a hit", (seen, s))
xdo("key", "n")
s = wait_for(lambda s: s.get("selected") != first, 3)
xdo("key", "shift+n")
s = wait_for(lambda s: s.get("selected") == first, 3)
check(s.get("selected") == first, "N goes back", s)

# A reload keeps filters, selection and the part that is shown.
xdo("key", "w")
zoomed = wait_for(lambda s: s["t1"] - s["t0"] < 4000, 3)
xdo("key", "ctrl+r")
time.sleep(2.0)
s = wait_for(lambda s: s.get("filters") == 1 and s["shown"] == large and s["t1"] - s["t0"] < 4000, 8)
check(s.get("filters") == 1 and s["shown"] == large, "a reload keeps the filters", s)
check(abs(s["t0"] - zoomed["t0"]) < 1 and abs(s["t1"] - zoomed["t1"]) < 1, "and the part shown", (zoomed, s))
check(s.get("selected") == zoomed.get("selected") >= 0, "and the selection", (zoomed, s))
xdo("key", "0")
wait_for(lambda s: s["t1"] - s["t0"] > 4000, 3)

# An address finds what lived there; a range of all of them finds all that have one.
search("0x0-0x7fffffffffffffff")
s = wait_for(lambda s: not s.get("search_error") and s["shown"] == large)
check(s["shown"] == large, "the range of all addresses hides nothing", s)
xdo("key", "Escape")
search("!size>100MiB")
s = wait_for(lambda s: s["shown"] == 0)
check(s["shown"] == 0, "a term turned round excludes", s)
xdo("key", "Escape")
check(window.poll() is None, "the window is still there")
window.kill()
finish()
