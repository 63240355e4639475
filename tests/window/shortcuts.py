#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shortcuts.py SOURCE: the shortcuts window lists every accelerator that the code registers."""
import os, re, sys

window = os.path.join(sys.argv[1], "app", "window")
with open(os.path.join(window, "application.c")) as f:
    table = re.search(r"accelerators\[\] = \{(.*?)\n\};", f.read(), re.S).group(1)
registered = set(re.findall(r'"((?:<\w+>)*\w+)"(?=[,}])', re.sub(r'\{"[a-z]+\.[^"]*"', "{", table)))
with open(os.path.join(window, "shortcuts.ui")) as f:
    ui = f.read()
listed = set()
for keys in re.findall(r'name="accelerator">([^<]*)<', ui):
    listed |= set(keys.replace("&lt;", "<").replace("&gt;", ">").split())


def same(keys):
    return {k.lower() for k in keys}


missing = same(registered) - same(listed)
print("ok 1 - %d accelerators are registered" % len(registered) if len(registered) > 25 else "not ok 1 - found")
print("%s 2 - each is in the shortcuts window" % ("not ok" if missing else "ok"))
if missing:
    print("# missing: %s" % ", ".join(sorted(missing)))
print("1..2")
