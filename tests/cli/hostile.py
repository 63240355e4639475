#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile.py TENURE_CLI SOURCE_ROOT: files that are well formed and bad for whoever looks at all
pairs.  Each command answers within 10 seconds of processor time, and within a stated multiple of the
file's size of memory.  TAP; a slow suite.
"""
import random

from hostile_help import *
from tap import *


@test("a million equal starts")
def _():
    try_all(rows("equal-starts.csv", ((0, 1 + i, 64) for i in range(MILLION))), INFO, CHECK, DRAW, PLAN)


@test("a million nested lives")
def _():
    try_all(rows("nested.csv", ((i, 2 * MILLION - i, 64) for i in range(MILLION))), INFO, CHECK, DRAW, PLAN)


@test("a million lives of one tick, of 4,096 sizes")
def _():
    try_all(rows("one-tick.csv", ((0, 1, 1 + i % 4096) for i in range(MILLION))), INFO, CHECK, DRAW, PLAN)


def random_lives(n, most):
    chance = random.Random(3)
    for _ in range(n):
        start = chance.randrange(n)
        yield start, start + 1 + chance.randrange(most), 64 * (1 + chance.randrange(4096))


@test("20,000 random lives, most alive at once: every strategy")
def _():
    names = ("greedy-size", "greedy-area", "greedy-start", "greedy-conflicts", "first-fit", "best-fit", "colour", "slots", "ge")
    try_all(rows("random.csv", random_lives(20000, 20000)), INFO, CHECK, DRAW, *(("plan", "--strategy", name) for name in names))


@test("a million random lives, most alive at once: a plan in about its time limit")
def _():
    try_all(rows("random-million.csv", random_lives(MILLION, MILLION)), INFO, CHECK,
            ("plan", "--strategy", "first-fit"), ("plan", "--time-limit", "1"), most=3 * SECONDS)


@test("a million buffers, of which the last alone has a batch")
def _():
    name = path("batch.json")
    with open(name, "w") as f:
        f.write('{"format": "tenure-plan", "version": 1, "axis": {"end": %d}, "buffers": [' % (MILLION + 1))
        f.writelines('{"id": %d, "start": %d, "end": %d, "bytes": 64, "offset": 0},' % (i, i, i + 1) for i in range(MILLION))
        f.write('{"id": %d, "start": 0, "end": 1, "bytes": 64, "offset": 64, "batch_label": "last"}]}' % MILLION)
    try_all(name, INFO, CHECK, DRAW)


@test("one address used half a million times")
def _():
    try_all(log("one-address.tenure-log",
                (alloc(2 * i, 4096) + '{"t": %d, "event": "free", "address": "0x1000"}\n' % (2 * i + 1)
                 for i in range(MILLION // 2))), INFO, CHECK, DRAW, PLAN, REPLAY)


@test("a million blocks that are never freed, and a request that fails")
def _():
    oom = ['{"t": %d, "event": "oom", "bytes": 3145728, "device_free_bytes": 2097152}\n' % MILLION]
    try_all(log("never-freed.tenure-log", [*(alloc(i, 65536 + 64 * i) for i in range(MILLION)), *oom]),
            INFO, CHECK, DRAW, PLAN, REPLAY)


@test("half a million holes of one size")
def _():
    oom = ['{"t": %d, "event": "oom", "bytes": 3145728, "device_free_bytes": 0}\n' % MILLION]
    segment = ['{"t": 0, "event": "segment_alloc", "address": "0x10000", "bytes": %d}\n' % (64 * MILLION)]
    blocks = (alloc(i, 65536 + 128 * i) for i in range(MILLION // 2))
    try_all(log("holes.tenure-log", [*segment, *blocks, *oom]), INFO, CHECK, DRAW, PLAN, REPLAY)


@test("65,536 devices")
def _():
    full = log("devices.tenure-log", (alloc(i, 4096, ', "device": %d' % i) for i in range(65536)))
    size = os.path.getsize(full)
    for command in (CHECK, DRAW):
        code, seconds, memory = measure([command[0], full, *command[1:]])
        print(f"# {command[0]:5} {os.path.basename(full):22} exit {code}, {seconds:5.2f} s, {memory >> 20} MiB")
        # A device's own tables are some 9 KiB, however short its log.
        assert code in (0, 1) and seconds < SECONDS and memory < 65536 * 16384


@test("a million streams")
def _():
    try_all(log("streams.tenure-log", (alloc(i, 4096 + 64 * i, ', "stream": %d' % i) for i in range(MILLION))),
            INFO, CHECK, DRAW, PLAN, REPLAY, most=6 * SECONDS)


@test("a stack of 100,000 frames")
def _():
    frames = json.dumps(["f%d (a.c:1)" % i for i in range(100000)])
    try_all(log("deep.tenure-log", (alloc(i, 4096 + 64 * i, ', "stack": ' + frames) for i in range(20))),
            INFO, CHECK, DRAW, ("draw", "--view", "flame", "-o", path("flame.png")))


@test("a line of 300 MB before a report")
def _():
    full = path("line.log")
    with open(full, "w") as out:
        for _ in range(300):
            out.write("x" * 1000000)
        out.write("\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total "
                  "capacity of 1.00 GiB of which 10.00 MiB is free.\n")
    try_all(full, INFO, CHECK)


sys.exit(run_tests())
