#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_readers.py TENURE_CLI SOURCE_ROOT: files of formats with references by name and number, well
formed and bad for readers that look at all pairs, or at all paths.  As hostile.py; TAP; a slow suite.
"""
import os

from hostile_help import *
from tap import *

INFO, CHECK = ("info", "--json"), ("check", "--json")


def write(name, pieces):
    full = path(name)
    with open(full, "w") as out:
        out.writelines(pieces)
    return full


def try_devices(full, n):
    """A device's own tables are some 4 KiB, however short its log."""
    code, seconds, memory = measure(["info", full, "--json"])
    print(f"# info  {os.path.basename(full):22} exit {code}, {seconds:5.2f} s, {memory >> 20} MiB")
    assert code in (0, 1) and seconds < SECONDS and memory < n * 8192


# ---- GE's dumps ------------------------------------------------------------------------------

def ge_op(number, name, kind, inputs=(), outputs=1, attributes=(), stream=0, offset=0):
    yield 'op {\nname: "%s"\ntype: "%s"\nid: %d\nstream_id: %d\n' % (name, kind, number, stream)
    yield from ('input: "%s"\n' % i for i in inputs)
    for _ in range(outputs):
        yield 'output_desc {\nsize: 512\n}\noutput_i: %d\n' % offset
    yield from ('attr {\nkey: "%s"\nvalue {\n%s\n}\n}\n' % a for a in attributes)
    yield '}\n'


def ge(name, ops):
    def pieces():
        yield 'graph {\nname: "g"\n'
        for op in ops:
            yield from op
        yield '}\n'
    return write(name, pieces())


def joins_of_joins(levels, k):
    for i in range(levels):
        yield ge_op(2 * i, "j%d" % i, "J", ["x%d:%d" % (i, o) for o in range(k)],
                    attributes=[("_no_padding_continuous_input", "b: true")], stream=i % 2)
        yield ge_op(2 * i + 1, "x%d" % i, "X", ["j%d:0" % (i + 1)] if i + 1 < levels else [], outputs=k,
                    attributes=[("_no_padding_continuous_output", "b: true")])


@test("GE: what lies in what lies in others, 32 deep and four wide")
def _():
    try_all(ge("joins.txt", joins_of_joins(32, 4)), INFO, CHECK)


def join_read_by_all(parts, readers):
    yield ge_op(0, "x", "X", outputs=parts)
    yield ge_op(1, "j", "J", ["x:%d" % k for k in range(parts)],
                attributes=[("_no_padding_continuous_input", "b: true")])
    for i in range(readers):
        yield ge_op(2 + i, "r%d" % i, "R", ["j:0"], outputs=0, stream=1 + i)


@test("GE: a concatenation of 50,000, read on 50,000 streams")
def _():
    try_all(ge("streams.txt", join_read_by_all(50000, 50000)), INFO)


@test("GE: 10,000 ops that each name the last of 65,536 outputs")
def _():
    def pieces():
        yield 'producer_name: "GE"\ngraph {\nname: "g"\n'
        for i in range(10000):
            yield ('node {\nname: "n%d"\nop_type: "ge:N"\nattribute {\nname: "id"\ni: %d\n}\n'
                   'attribute {\nname: "output_desc_size:65535"\nints: 1\n}\n}\n' % (i, i))
        yield '}\n'
    try_all(write("beyond.pbtxt", pieces()), INFO, CHECK)


@test("GE: 150,000 inputs at one place that nobody has later")
def _():
    def ops():
        for i in range(150000):
            yield ge_op(i, "d%d" % i, "Data")
        yield ge_op(150000, "all", "R", ("d%d:0" % i for i in range(150000)), outputs=0)
        yield ge_op(150001, "end", "R", outputs=0)
    try_all(ge("inputs.txt", ops()), INFO)


@test("GE: 250,000 types of memory")
def _():
    n = 250000
    types = " ".join("i: %d" % (1000 + i) for i in range(n))
    outputs = " ".join("i: 0" for _ in range(n))
    sizes = " ".join("i: 512" for _ in range(n))
    try_all(ge("types.txt", [ge_op(0, "x", "X", outputs=0, attributes=[
        ("workspace", "list { %s }" % outputs), ("workspace_bytes", "list { %s }" % sizes),
        ("_workspace_type", "list { %s }" % types)])]), INFO)


@test("GE: 400,000 outputs, and 700,000 others set to 0")
def _():
    cleaned = " ".join("i:-7" for _ in range(700000))
    try_all(ge("cleaned.txt", [ge_op(0, "x", "X", outputs=400000, attributes=[
        ("atomic_output_index", "list { %s }" % cleaned)])]), INFO)


@test("GE: references of 1,000 outputs to 1,700,000 inputs")
def _():
    def ops():
        yield ge_op(0, "x", "X")
        yield ge_op(1, "r", "R", ("x" for _ in range(1700000)), outputs=1000, offset=7,
                    attributes=[("reference", "b: true")])
    try_all(ge("references.txt", ops()), INFO)


# ---- others -----------------------------------------------------------------------------------

@test("msMemScope: 60,000 processes on one device")
def _():
    def pieces():
        yield "ID,Event,Event Type,Name,Timestamp(ns),Process Id,Thread Id,Device Id,Ptr,Attr\n"
        for i in range(60000):
            yield '%d,MALLOC,PTA,N/A,%d,%d,1,0,0x1000,"{size:64}"\n' % (i, i, i)
    try_devices(write("memscope_dump_1.csv", pieces()), 60000)


def plan(name, spaces, buffers):
    def pieces():
        yield '{"format": "tenure-plan", "version": 1, "axis": {"end": 2}, "spaces": ['
        yield ",".join('{"name": "%s"}' % s for s in spaces)
        yield '], "buffers": ['
        yield ",".join('{"id": "%s", "start": 0, "end": 2, "bytes": 64%s}' % b for b in buffers)
        yield ']}'
    return write(name, pieces())


@test("a plan of 100,000 spaces, whose buffers name the last")
def _():
    try_all(plan("spaces.json", map(str, range(100000)),
                 ((i, ', "space": "99999"') for i in range(100000))), INFO)


@test("a plan whose ids all fall together under 33 * h + c")
def _():
    def ids():
        for i in range(1 << 17):
            yield "".join("Ez" if i >> bit & 1 else "FY" for bit in range(17)), ""
    try_all(plan("ids.json", [""], ids()), INFO)


@test("npu_module_mem: 100,000 devices of one row")
def _():
    def pieces():
        yield "Device_id,Component,Timestamp(us),Total Reserved(KB)\n"
        for i in range(100000):
            yield "%d,SLOG,%d,%d\n" % (i, i, 4 + i)
    try_devices(write("npu_module_mem.csv", pieces()), 100000)


sys.exit(run_tests())
