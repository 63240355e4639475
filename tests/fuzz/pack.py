#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pack.py CORPUS TARGET [MOST]: puts the files of a folder (a minimised corpus: `libfuzz-TARGET -merge=1 NEW OLD`)
into replayed/TARGET.pack, the smallest first, at most MOST bytes (30000).  driver.c replays it in every test run.
"""
import pathlib
import struct
import sys

folder, target = pathlib.Path(sys.argv[1]), sys.argv[2]
most = int(sys.argv[3]) if len(sys.argv) > 3 else 30000
out = bytearray()
for data in sorted((path.read_bytes() for path in folder.iterdir()), key=lambda data: (len(data), data)):
    if len(out) + 4 + len(data) <= most:
        out += struct.pack("<I", len(data)) + data
place = pathlib.Path(__file__).parent / "replayed" / f"{target}.pack"
place.parent.mkdir(exist_ok=True)
place.write_bytes(out)
