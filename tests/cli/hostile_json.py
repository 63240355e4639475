#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_json.py TENURE_CLI SOURCE_ROOT: what hostile.py does, for profilers' and graphs' JSON and for
PyTorch's pickles.  TAP; a slow suite.
"""
import struct

from hostile_help import *
from tap import *

VMA = '{"General":{"API":"Vulkan"},"MemoryInfo":{},'


def joined(name, head, items, tail):
    with open(path(name), "w") as out:
        out.write(head)
        out.write(",".join(items))
        out.write(tail)
    return path(name)


@test("a VMA dump whose totals nest a million deep")
def _():
    try_all(joined("stats.json", VMA + '"Total":' + '{"Stats":' * MILLION, [], ""), INFO)


@test("a VMA pool that is named a hundred thousand times")
def _():
    part = '"Name":"a","Blocks":{"0":{"TotalBytes":1,"Suballocations":[{"Offset":0,"Size":1,"Type":"x"}]}}'
    try_all(joined("names.json", VMA + '"DefaultPools":{"Type 0":{', [part] * 100000, "}}}"), INFO, CHECK)


@test("a VMA pool whose name has a million letters, and a type whose name has")
def _():
    parts = ['{"Offset":%d,"Size":1,"Type":"x"}' % i for i in range(100000)]
    try_all(joined("name.json", VMA + '"DefaultPools":{"Type 0":{"Name":"' + "x" * MILLION +
                   '","Blocks":{"0":{"TotalBytes":100000,"Suballocations":[', parts, "]}}}}}"), INFO)
    pools = ['{"Name":"%d"}' % i for i in range(200000)]
    try_all(joined("type.json", VMA + '"CustomPools":{"' + "x" * MILLION + '":[', pools, "]}}"), INFO)


def memory(ts, kind, device, address=4096):
    return ('{"ph":"i","name":"[memory]","pid":1,"tid":1,"ts":%d,"args":{"Device Type":%d,"Device Id":%d,"Addr":%d,'
            '"Bytes":8}}' % (ts, kind, device, address))


def step(i):
    return ('{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%d","pid":1,"tid":1,"ts":%d,"dur":1}' % (i, i))


@test("50,000 steps on each of 50,000 devices")
def _():
    events = [step(i) for i in range(50000)]
    events += [memory(100000 + i, 2 + i // 4097, i % 4097 - 1) for i in range(50000)]
    try_all(joined("steps.json", '{"traceEvents":[', events, "]}"), INFO, CHECK)


@test("120,000 rows without an address, each of a device of its own")
def _():
    events = [memory(i, 2 + i // 4097, i % 4097 - 1, 0) for i in range(120000)]
    try_all(joined("lives.json", '{"traceEvents":[', events, "]}"), INFO, CHECK)


@test("braces in texts where devices belong")
def _():
    texts = ['"{", ":["'] * 400000
    try_all(joined("braces.json", '{"schemaVersion":1,"deviceProperties":[', texts, '],"traceEvents":[%s]}' % memory(1, 1, 0)), INFO)


@test("an op with 400,000 inputs and as many views of them")
def _():
    n = 400000
    tensors = ",".join('{"id":%d,"bytes":1}' % i for i in range(n + 1))
    views = ["[%d,%d]" % (n, i) for i in range(n - 1, -1, -1)]
    try_all(joined("views.json", '{"format":"tenure-graph","version":1,"tensors":[%s],"ops":[{"inputs":[%s],'
                   '"outputs":[%d],"views":[' % (tensors, ",".join(map(str, range(n))), n), views, "]}]}"), INFO)


@test("65,536 devices of one event")
def _():
    full = log("devices.tenure-log", (alloc(i, 4096, ', "device": %d' % i) for i in range(65536)))
    code, seconds, used = measure(["check", full, "--json"])
    print(f"# exit {code}, {seconds:5.2f} s, {used >> 20} MiB")
    assert code in (0, 1) and seconds < SECONDS and used < 65536 * 4096


# ---- pickles -----------------------------------------------------------------------------------------------------------

def text(s):
    return b"X" + struct.pack("<I", len(s)) + s.encode() + b"\x94"


def get(slot):
    return b"j" + struct.pack("<I", slot)


def pickled(name, body):
    with open(path(name), "wb") as out:
        out.write(b"\x80\x04}(" + body + b"u.")
    return path(name)


LONG = text("step 1" + "x" * MILLION)  # slot 0


@test("a pickle that names a text of a million letters 200,000 times among its settings")
def _():
    body = LONG + b"N" + text("device_traces") + b"](](ee" + text("allocator_settings") + b"}("
    try_all(pickled("settings.pickle", body + b"h\0h\0" * 200000 + b"u"), INFO)


@test("a pickle of 20,000 annotations with one name of a million letters")
def _():
    # Slots: the long name, "name", "stage", "START", "END", "device".
    head = LONG + b"N" + text("name") + b"N" + text("stage") + b"N" + text("START") + b"N" + text("END") + b"N"
    trace = text("device_traces") + b"](](}(" + text("action") + text("alloc") + text("addr") + b"K\1" + text("size") + b"K\1uee"
    pair = b"}(h\1h\0h\2h\3u" + b"}(h\1h\0h\2h\4u"
    try_all(pickled("annotations.pickle", head + trace + text("external_annotations") + b"](" + pair * 20000 + b"e"), INFO)


@test("300 stacks of a pickle that grow by a frame for each of 1,024 events")
def _():
    n, lists = 1024, 300
    body = bytearray(text("frames") + b"N" + text("name") + b"N" + text("device_traces") + b"](](")
    # Slot 2 + 1: the list that holds all frames; then each frame's name and dict.
    body += b"}(h\0]\x94("
    slot, frames = 4, []
    for i in range(n + lists):
        body += b"}\x94(h\1" + text("f%d" % i) + b"u"
        frames.append(slot)
        slot += 2
    body += b"eu"
    for k in range(lists):
        body += b"}h\0]\x94" + get(frames[n + k]) + b"as"
        for i in range(n):
            body += b"h\0" + get(slot) + get(frames[i]) + b"as"
        slot += 1
    try_all(pickled("growing.pickle", body + b"ee"), INFO)


sys.exit(run_tests())
