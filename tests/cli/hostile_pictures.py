#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_pictures.py TENURE_CLI SOURCE_ROOT: names that are bad for whoever shapes text, and stacks
and failures for whoever walks lists.  Each command answers within a few seconds of processor time.
TAP; a slow suite."""
import pickle
import sys

from hostile_help import *
from tap import *

FEW = 5.0  # seconds


def snapshot_of(name, stacks):
    """A snapshot with a block for each stack; equal objects are written once."""
    trace = [{"action": "alloc", "addr": (1 << 40) + (i << 12), "size": 4096, "stream": 0, "frames": frames}
             for i, frames in enumerate(stacks)]
    full = path(name)
    with open(full, "wb") as out:
        pickle.dump({"segments": [], "device_traces": [trace]}, out)
    return full


def draw(view, ending="svg"):
    return "draw", "--view", view, "-o", path("hostile." + ending)


def frame(name, line=1):
    return {"name": name, "filename": "train.py", "line": line}


@test("one name of 300,000 characters for 400 buffers")
def _():
    shared_frames = [frame("n" * 300000)]
    try_all(snapshot_of("long.pickle", [shared_frames] * 400), draw("lifetimes"), draw("offsets"), draw("flame"),
            draw("report"), draw("report", "html"), draw("lifetimes", "png"), most=FEW)


@test("a name with wide ends and a million characters of no width between them")
def _():
    shared_frames = [frame("W" * 300 + "\u200b" * 1000000 + "W" * 300)]
    try_all(snapshot_of("zero-width.pickle", [shared_frames] * 40), draw("lifetimes"), draw("flame"), draw("report"),
            most=FEW)


@test("100,000 call stacks with distinct outermost frames")
def _():
    try_all(snapshot_of("outermost.pickle", [[frame("f", i)] for i in range(100000)]), draw("flame"), most=FEW)


@test("100,000 requests that fail")
def _():
    lines = [alloc(i, 65536 + 64 * i) for i in range(1000)]
    lines += ['{"t": %d, "event": "oom", "bytes": 3145728, "device_free_bytes": 0}\n' % (1000 + i) for i in range(100000)]
    full = log("failures.tenure-log", lines)
    info = ask("info", full)
    assert len(info["alive_at_oom"]) == 128 and info["alive_at_oom_left_out"] == 100000 - 128
    try_all(full, INFO, CHECK, draw("oom", "png"), most=FEW)


@test("150,000 buffers alive at once, most at one place")
def _():
    full = path("one-place.txt")
    with open(full, "w") as out:
        out.write('graph {\nname: "g"\n')
        out.writelines('op {\nname: "d%d"\ntype: "Data"\nid: %d\nstream_id: 0\noutput_desc {\nsize: 512\n}\n'
                       'output_i: 0\n}\n' % (i, i) for i in range(150000))
        out.write("}\n")
    try_all(full, draw("offsets", "png"), most=FEW)


@test("20,000 buffers over one of 50,000 gaps")
def _():
    full = path("gaps.csv")
    with open(full, "w") as out:
        out.write("id,lower,upper,size,offset,gaps\n")
        out.write("big,0,100010,1000000,0,%s\n" % " ".join("%d-%d" % (i, i + 1) for i in range(1, 100000, 2)))
        out.writelines("s%d,0,100010,20,%d,\n" % (i, 40 * i) for i in range(20000))
    try_all(full, draw("offsets", "png"), most=FEW)


sys.exit(run_tests())
