#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_analysis.py TENURE_CLI SOURCE_ROOT: logs of an allocator that are well formed and bad for a
replay, or for what is found in them.  Each command answers within a few seconds of processor time.
TAP; a slow suite."""
import pickle
import sys

from hostile_help import *
from tap import *

FEW = 3.0  # seconds; each takes below 1 here, and more than twice as many where one step looks at all


def line(t, event, address=None, size=None, more=""):
    text = '{"t": %d, "event": "%s"' % (t, event)
    if address is not None:
        text += ', "address": "%#x"' % address
    if size is not None:
        text += ', "bytes": %d' % size
    return text + more + "}\n"


def failure(t, size=3 << 20):
    return line(t, "oom", None, size, ', "device_free_bytes": 0')


def expandable(n, emptied):
    yield line(0, "segment_alloc", 2 << 20, 512 * n)
    yield from (line(i, "alloc", (2 << 20) + 512 * i, 512) for i in range(n))
    yield from (line(n + i, "free", (2 << 20) + 512 * i) for i in range(0, n, 2))
    for i in range(emptied):
        yield line(2 * n + i, "segment_alloc", 1 << 40, 2 << 20)
        yield line(2 * n + i, "segment_free", 1 << 40, 2 << 20)
        yield line(2 * n + i, "alloc", (2 << 40) + 512 * i, 512)


@test("a growing segment of 100,000 blocks with holes between them, and ten emptied caches")
def _():
    try_all(log("expandable.tenure-log", expandable(100000, 10)),
            ("replay", "--set", "expandable_segments=True", "--json"), most=FEW)


def small_holes(n):
    yield from (line(i, "alloc", 512 * (i + 1), 64) for i in range(2 * n))
    yield from (line(2 * n + i, "free", 512 * (2 * i + 1)) for i in range(n))
    yield from (line(3 * n + i, "alloc", 512 * (2 * n + 4 * i + 1), 1024) for i in range(n))


@test("80,000 holes, and as many requests that fit into none: all models")
def _():
    names = ("first-fit", "best-fit", "buddy", "bfc", "scalable", "caching")
    try_all(log("small-holes.tenure-log", small_holes(80000)),
            *(("replay", "--allocator", name, "--json") for name in names), most=FEW)


@test("100,000 segments, each of a stream of its own, and a request that fails")
def _():
    lines = [line(i, "segment_alloc", (i + 1) << 21, 2 << 20, ', "stream": %d' % i) for i in range(100000)]
    try_all(log("streams.tenure-log", [*lines, line(100000, "alloc", 1 << 21, 512), failure(100001)]),
            CHECK, most=FEW)


@test("a snapshot of 100,000 segments in no order, and a request that fails")
def _():
    rows = [{"device": 0, "address": (1 + i * 7919 % 100000) << 21, "total_size": 2 << 20, "stream": 0,
             "segment_type": "small", "blocks": []} for i in range(100000)]
    trace = [{"action": "alloc", "addr": 1 << 21, "size": 512, "stream": 0},
             {"action": "oom", "device_free": 0, "size": 3 << 20, "stream": 0}]
    full = path("segments.pickle")
    with open(full, "wb") as out:
        pickle.dump({"segments": rows, "device_traces": [trace]}, out, protocol=4)
    try_all(full, CHECK, most=FEW)


@test("130,000 segments in falling order, given back in rising order")
def _():
    n = 130000
    lines = [line(i, "segment_alloc", (n - i) << 21, 2 << 20) for i in range(n)]
    lines += [line(n + i, "segment_free", (i + 1) << 21, 2 << 20) for i in range(n)]
    try_all(log("falling.tenure-log", [*lines, failure(2 * n)]), CHECK, most=FEW)


@test("10,000 requests that fail, over 100,000 blocks with holes between them")
def _():
    lines = [line(0, "segment_alloc", 65536, 12800000)]
    lines += [alloc(i + 1, 65536 + 128 * i) for i in range(100000)]
    try_all(log("failures.tenure-log", [*lines, *(failure(200000 + i, 65536) for i in range(10000))]), INFO, CHECK)


@test("150,000 streams, of which one is finalised")
def _():
    lines = [alloc(i, 512 * (i + 1), ', "stream": %d' % i) for i in range(150000)]
    try_all(log("finalize.tenure-log", [*lines, line(150000, "finalize", None, None, ', "stream": 0')]),
            CHECK, most=FEW)


@test("30,000 devices, and 200,000 requests that fail on the first")
def _():
    lines = (line(i, "alloc", 4096, 64, ', "device": %d' % (i + 1)) for i in range(30000))
    full = log("marks.tenure-log", [*(failure(0) for _ in range(200000)), *lines])
    code, seconds, memory = measure(["info", full, "--json"])
    print(f"# info  marks.tenure-log exit {code}, {seconds:5.2f} s, {memory >> 20} MiB")
    assert code == 0 and seconds < FEW and memory < 30000 * 16384 + 30 * os.path.getsize(full)
    os.remove(full)


sys.exit(run_tests())
