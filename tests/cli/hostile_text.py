#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_text.py TENURE_CLI SOURCE_ROOT: text of logs, and records with sizes and addresses, that are bad
for whoever goes through all he has for each line.  TAP; a slow suite.
"""
from hostile_help import *
from tap import *

MANY = 200000
EACH = 8192  # bytes of a report's own tables, and of its device's


def text(name, lines):
    full = path(name)
    with open(full, "w") as out:
        out.writelines(lines)
    return full


@test("lines of 60,000 digits before an event of the kernel trace")
def _():
    line = "1" * 60000 + "[MEM]Alloc memory at stream 0, address %#x, size 64\n"
    try_all(text("digits.log", (line % (64 * i) for i in range(100))), INFO)


@test("200,000 requests that failed, on devices of their own")
def _():
    try_all(text("requests.log", ("Allocator (a) ran out of memory trying to allocate 1B\n" for _ in range(MANY))), INFO, tables=EACH * MANY)


@test("200,000 plans of one buffer")
def _():
    try_all(text("plans.log", ("(id=1): size=1, offset=0, first_used=0 last_used=0\n" for _ in range(MANY))), INFO, tables=EACH * MANY)


@test("200,000 graphs of GE")
def _():
    try_all(text("graphs.log", ("[IMAS]AfterAssignMemory : g%d memoffset[512], memtype[2]\n" % i for i in range(MANY))), INFO, tables=EACH * MANY)


@test("200,000 memory types of GE")
def _():
    line = "[IMAS]Set g name[t] o[0] offset to [0]memtype[%d]realsize[1]life time begin[0]life time end[1]\n"
    try_all(text("types.log", (line % i for i in range(MANY))), INFO)


@test("200,000 devices of llama.cpp")
def _():
    try_all(text("ggml.log", ("x: CUDA%d KV buffer size = 1 MiB\n" % i for i in range(MANY))), INFO, tables=EACH * MANY)


@test("100,000 arenas of ONNX Runtime")
def _():
    try_all(text("arenas.log", ("Extending BFCArena for d%d\n" % i for i in range(MANY // 2))), INFO, tables=EACH * MANY)


@test("100,000 arenas of ONNX Runtime, all of one name, whose sums match none of the last")
def _():
    create = "Creating BFCArena for Cuda\n"
    extend = "Extending BFCArena for Cuda\nExtended allocation by 1 bytes.\nTotal allocated bytes: 9\n"
    try_all(text("sessions.log", [create * (MANY // 2), extend * (MANY // 2)]), INFO, tables=EACH * MANY)


@test("100,000 memory spaces of XLA")
def _():
    allocation = "allocation %d: size 4, color %d, preallocated-temp:\n value: <%d t%d @0> (size=4,offset=0): f32[1]{0}\n"
    try_all(text("m-buffer-assignment.txt", ["BufferAssignment:\n", *(allocation % (i, i, i, i) for i in range(MANY // 2))]),
            INFO, tables=EACH * MANY)


@test("10,000 of docker's longest pieces, of two streams in turn")
def _():
    pieces = ['{"log":"%s","stream":"std%s"}\n' % ("x" * 16384, name) for name in ("out", "err")]
    try_all(text("pieces.log", ["[MEM]Alloc memory at stream 0, address 0x1, size 1\n", "".join(pieces) * 5000]), INFO)


@test("200,000 modules, and 200,000 memories, of Ascend's driver")
def _():
    module = "[f]DEV_MEM Mem stats: module_name=%d, current_alloced_size=1,\n"
    memory = "[_devmm_mem_stats_show 1]MEM%d Cached_size:1Bytes\n"
    try_all(text("modules.log", (module % i for i in range(MANY))), INFO)
    try_all(text("memories.log", (memory % i for i in range(MANY))), INFO, tables=EACH * MANY)


@test("100,000 layout conflicts, and as many Identity nodes that solve none of them")
def _():
    conflict = "[MemConflict][Conflict] type: [A, B], anchor: [x%d_out_0, y%d_in_0],\n"
    nodes = ("after z%d", "between x%d->z", "before long...TopoId_%d")
    insert = "[MemConflict][INSERT][NODE] identity %s\n"
    for k, node in enumerate(nodes):
        lines = [*(conflict % (i, i) for i in range(MANY // 2)), *(insert % (node % i) for i in range(MANY // 2))]
        try_all(text("conflicts-%d.log" % k, lines), INFO)


@test("100,000 feature maps, and an address in each")
def _():
    maps = "[IMAS]InitFeatureMapAndP2PMem graph_%d MallocMemory type[F] memaddr[0x1000] mem_size[64]Bytes\n"
    at = "[IMAS]graph_%d type[F] name[a] output[0] offset[0] size[64] memaddr[0x1000]\n"
    try_all(text("maps.log", [*(maps % i for i in range(MANY // 2)), *(at % i for i in range(MANY // 2))]), INFO)


@test("ops of GE with long names that can't be refreshed, again and again")
def _():
    op = "[x]1 Zero: Op[%s] not support zero copy\n"
    word = "UNSUPPORTED_ADDRESS_REFRESH_OPERATOR_"
    conflict = "[MemConflict][Conflict] type: [%s, B], anchor: [%s_out_0, y_in_0],\n"
    lines = [conflict % (word, "%d" % i) for i in range(900)]
    lines += [conflict % (word * 850, "n" * 30000)] * 100
    lines += [op % ("n" * 10000 + "%d" % i) for i in range(900)]
    try_all(text("ops.log", lines), INFO)


@test("ten million pieces of a progress bar")
def _():
    try_all(text("bar.log", ["[MEM]Alloc memory at stream 0, address 0x1, size 1\n", "a\r" * (50 * MANY)]), INFO)


@test("200,000 addresses and sizes that differ in their upper half only")
def _():
    try_all(log("upper.tenure-log", ('{"t": %d, "event": "alloc", "address": "%#x", "bytes": 1}\n' % (i, i << 32)
                                     for i in range(MANY))), INFO)
    timeline = ",".join("[%d, 2, %d, 0]" % (i, i << 32) for i in range(1, MANY))
    try_all(text("upper.raw.json", "[" + timeline + "]"), INFO)
    row = ('{"ph":"i","name":"[memory]","pid":1,"tid":2,"ts":%d,"args":{"Device Type":1,"Device Id":0,"Bytes":%d,'
           '"Total Allocated":9000,"Total Reserved":20000}}')
    try_all(text("upper.json", "[" + ",".join(row % (i, i << 32) for i in range(1, MANY // 2)) + "]"), INFO)


@test("messages of PyTorch that only begin, wrapped in their first words and with the longest lines behind")
def _():
    begin = "[rank3]: torch.OutOfMemoryError: CUDA out of memory. Tried to\nallocate 1.00 GiB. GPU 0 has a total\n\n"
    try_all(text("begun.log", (begin for _ in range(MANY))), INFO, tables=EACH * MANY)
    idle = "[rank3]: Tried to allocate 1.00 GiB. GPU 0 has " + "Process 5 has" * 1200 + "\n" + "x\n" * 7
    try_all(text("idle.log", (idle for _ in range(2000))), INFO)
    try_all(text("words.log", ("T", "ried to\n" * 10 * MANY, "T\nried to\n" * 5 * MANY, "T" * 10000000)), INFO)
    try_all(text("one-line.log", ("Tried to allocate 1.00 GiB. Process 1 has 1.00 GiB memory in use. " * 5 * MANY,)), INFO)


sys.exit(run_tests())
