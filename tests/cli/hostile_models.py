#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_models.py TENURE_CLI SOURCE_ROOT: flatbuffers, pickles and databases that are well formed, and of
which a few bytes stand for millions.  TAP; a slow suite.
"""
import importlib.util
import sqlite3
import struct

from hostile_help import *
from tap import *

spec = importlib.util.spec_from_file_location("models", os.path.join(root, "tests", "fuzz", "make-models.py"))
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)
Table, Vector, ref, ints = models.Table, models.Vector, models.ref, models.ints

MANY = 250000


def flat(name, table, identifier):
    full = path(name)
    with open(full, "wb") as out:
        out.write(models.flatbuffer(table, identifier))
    return full


def program(name, values, instructions):
    """A method of ExecuTorch's: values by number, instructions, one operator."""
    chain = Table(s2=ref(Vector("ref", instructions)))
    plan = Table(s0=ref("forward"), s2=ref(Vector("ref", values)), s5=ref(Vector("ref", [chain])),
                 s6=ref(Vector("ref", [Table(s0=ref("aten::cat"))])), s8=ref(Vector("q", [0, 64])))
    return flat(name, Table(s0=("I", 0), s1=ref(Vector("ref", [plan]))), b"ET12")


def tensor_value():
    return Table(s0=("B", 5), s1=ref(Table(s0=("b", 6), s2=ints(4))))


def list_value(*items):
    return Table(s0=("B", 10), s1=ref(Table(s0=ints(*items))))


def call(*arguments):
    return Table(s0=("B", 1), s1=ref(Table(s0=("i", 0), s1=ints(*arguments))))


@test("250,000 instructions that are one, of a list of 250,000")
def _():
    values = [list_value(*([1] * MANY)), tensor_value()]
    try_all(program("instructions.pte", values, [call(0)] * MANY), INFO)
    values = [list_value(*range(1, 2001)), *[tensor_value()] * 2000]
    try_all(program("inputs.pte", values, [call(0)] * MANY), INFO)


@test("an instruction that names a list 250,000 times")
def _():
    values = [list_value(*([1] * MANY)), tensor_value()]
    try_all(program("arguments.pte", values, [call(*([0] * MANY))]), INFO)


def tflite(name, tensors, ops, code=None, metadata=(), inputs=(0,)):
    graph = Table(s0=ref(Vector("ref", tensors)), s1=ints(*inputs), s2=ints(), s3=ref(Vector("ref", ops)), s4=ref("main"))
    words = struct.pack("<3i", 0, 1, len(tensors)) + bytes(4 * len(tensors)) if metadata else b""
    model = Table(s0=("I", 3), s1=ref(Vector("ref", [code or Table(s0=("b", 0))])), s2=ref(Vector("ref", [graph])),
                  s4=ref(Vector("ref", [Table(), Table(s0=ref(Vector("B", words)))])), s6=ref(Vector("ref", list(metadata))))
    return flat(name, model, b"TFL3")


def tensor(name="x"):
    return Table(s0=ints(1), s1=("b", 0), s2=("I", 0), s3=ref(name))


@test("250,000 tensors that are one, with a name of 2 MB")
def _():
    try_all(tflite("name.tflite", [tensor("n" * 2000000)] * MANY, []), INFO)


@test("250,000 operators that are one, with a name of 2 MB")
def _():
    op = Table(s0=("I", 0), s1=ints(0), s2=ints())
    code = Table(s0=("b", 32), s1=ref("n" * 2000000), s3=("i", 32))
    try_all(tflite("code.tflite", [tensor()], [op] * MANY, code), INFO, (*INFO, "--bind", "x[0]=2"))


@test("250,000 plans that are one, of 250,000 tensors")
def _():
    entry = Table(s0=ref("OfflineMemoryAllocation"), s1=("I", 1))
    try_all(tflite("plans.tflite", [tensor()] * MANY, [], metadata=[entry] * MANY), INFO)


# ---- pickles -------------------------------------------------------------------------------------------

def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def put(slot):
    return b"r" + struct.pack("<I", slot)


def get(slot):
    return b"j" + struct.pack("<I", slot)


def snapshot(name, body):
    full = path(name)
    with open(full, "wb") as out:
        out.write(b"\x80\x02}" + body + b".")
    return full


@test("stacks that grow by a frame for each event")
def _():
    # Slots: 0 an event, 1 its list of frames, 2 a frame, 3 "frames", 4 "name".
    start = text("segments") + b"]s" + text("device_traces") + b"](](}" + put(0) + text("frames") + put(3) + text("name") + put(4) + b"00"
    # The list gets the frame once more; the event, which is a new one each time, gets the list.
    turn = get(1) + get(2) + b"a0" + get(0) + get(3) + get(1) + b"s0"
    lists = (get(0) + get(3) + b"]" + put(1) + b"}" + put(2) + get(4) + text("f%d" % i) + b"sas0" + turn * 1000 for i in range(500))
    try_all(snapshot("turns.pickle", start + b"".join(lists) + b"ees"), INFO)


@test("settings whose key or value is one of 2 MB")
def _():
    long = text("n" * 2000000)
    start = text("segments") + b"]s" + text("allocator_settings") + b"}"
    try_all(snapshot("values.pickle", start + b"(" + text("k") + long + put(0) + b"".join(
        text("%d" % i) + get(0) for i in range(MANY)) + b"us"), INFO)
    try_all(snapshot("keys.pickle", start + b"(" + long + put(0) + b"K\x00" + (get(0) + b"K\x01") * MANY + b"us"), INFO)


@test("250,000 stretches with a name of 2 MB")
def _():
    def annotation(stage):
        return b"}(" + get(0) + get(1) + get(2) + get(stage) + get(5) + b"K\x00u"
    event = b"}(" + text("action") + text("alloc") + text("size") + b"K\x40" + text("addr") + b"K\x40u"
    start = text("segments") + b"]s" + text("device_traces") + b"](](" + event + b"ees" + text("x") + b"(" + b"".join(
        word + put(i) for i, word in enumerate(map(text, ("name", "n" * 2000000, "stage", "START", "END", "device")))) + b"ts"
    try_all(snapshot("names.pickle", start + text("external_annotations") + b"](" + (annotation(3) + annotation(4)) * (MANY // 2) + b"es"), INFO)


# ---- databases -----------------------------------------------------------------------------------------

COLUMNS = ("ID", "Event", "Event Type", "Name", "Timestamp(ns)", "Process Id", "Device Id", "Ptr", "Attr", "Call Stack(Python)",
           "Call Stack(C)")


def dump(name, rows, types):
    full = path(name)
    database = sqlite3.connect(full)
    database.execute("CREATE TABLE memscope_dump (%s)" % ", ".join(f'"{column}" {types.get(column, "")}' for column in COLUMNS))
    made = [column for column in COLUMNS if "GENERATED" not in types.get(column, "")]
    database.executemany("INSERT INTO memscope_dump (%s) VALUES (%s)" % (
        ", ".join(f'"{column}"' for column in made), ", ".join("?" * len(made))), rows)
    database.commit()
    database.close()
    return full


@test("a column that is computed, 200 MB a row")
def _():
    rows = [(i, "MALLOC", "HAL", i, 1, "0", "0x%x" % (4096 * i), "{size:64}", "", "") for i in range(20)]
    try_all(dump("computed.db", rows, {"Name": "GENERATED ALWAYS AS (hex(zeroblob(100000000))||ID)"}), INFO)


@test("250,000 rows with a name of 900 KB that the schema states once")
def _():
    full = path("default.db")
    database = sqlite3.connect(full)
    database.execute("CREATE TABLE memscope_dump (%s)" % ", ".join(f'"{column}"' for column in COLUMNS if column != "Name"))
    database.executemany('INSERT INTO memscope_dump ("ID", "Event", "Event Type") VALUES (?, ?, ?)',
                         ((i, "MALLOC", "HAL") for i in range(MANY)))
    database.execute("ALTER TABLE memscope_dump ADD COLUMN \"Name\" DEFAULT '%s'" % ("n" * 900000))
    database.commit()
    database.close()
    try_all(full, INFO)


sys.exit(run_tests())
