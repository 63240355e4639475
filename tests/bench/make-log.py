#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""make-log.py EVENTS ALIVE OUT: a tenure-log of so many events with about ALIVE buffers alive."""
import random, sys

n, alive, out = int(sys.argv[1]), int(sys.argv[2]) * 2, sys.argv[3]
random.seed(1)
held = [0] * alive
with open(out, "w") as f:
    f.write('{"format": "tenure-log", "version": 1, "device_bytes": %d}\n' % (alive * 2 ** 17 + 2 ** 33))
    lines = []
    for k in range(n):
        i = random.randrange(alive)
        at = 2 ** 32 + i * 2 ** 17
        if held[i]:
            lines.append('{"t": %d, "event": "free", "address": %d}\n' % (k, at))
            held[i] = 0
        else:
            held[i] = 512 * random.randrange(1, 256)
            lines.append('{"t": %d, "event": "alloc", "address": %d, "bytes": %d, "name": "t%d"}\n'
                         % (k, at, held[i], i % 97))
        if len(lines) > 50000:
            f.write("".join(lines))
            lines = []
    f.write("".join(lines))
