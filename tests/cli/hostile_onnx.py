#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hostile_onnx.py TENURE_CLI SOURCE_ROOT: models of few bytes that stand for much work: functions called often,
graphs handed to them, names and lists that are long.  README.md: a file of n bytes takes at most 64 MiB and
256 n.  TAP; a slow suite.
"""
import hostile_help
from hostile_help import *
from onnx_bytes import message, varint
from tap import run_tests, sys, test

MANY = 100000


def node(kind, inputs=(), outputs=(), attributes=b"", domain=""):
    return message(1, b"".join(message(1, i) for i in inputs) + b"".join(message(2, o) for o in outputs)
                   + message(4, kind) + attributes + (message(7, domain) if domain else b""))


def function(name, body, head=b""):
    """`body`: nodes as node() makes them."""
    return message(25, message(1, name) + head + body)


def inner(kind, *more, **named):
    """A node of a function, where nodes are field 7."""
    return b"\x3a" + node(kind, *more, **named)[1:]


def graph_attribute(name, graph):
    return message(5, message(1, name) + message(6, graph))


def reference(name):
    return message(5, message(1, name) + message(21, name))


def info(name, dims=()):
    shape = b"".join(message(1, b"\x08" + varint(dim) if isinstance(dim, int) else message(2, dim)) for dim in dims)
    return message(1, name) + message(2, message(1, b"\x08\x01" + message(2, shape)))


def model(name, graph, *functions, opsets=message(8, message(1, "") + b"\x10\x0d")):
    full = path(name)
    with open(full, "wb") as out:
        out.write(b"\x08\x08" + message(7, graph) + b"".join(functions) + opsets)
    return full


def look(full):
    hostile_help.BYTES_AT_LEAST, hostile_help.BYTES_PER_BYTE = 64 << 20, 256 + (64 << 20) / os.path.getsize(full)
    try_all(full, INFO)


@test("a node of 100,000 operands in a function that is called 100,000 times")
def _():
    calls = node("F") * MANY
    for name, kind, operands in (("inputs", "X", b"\x0a\0" * MANY), ("outputs", "X", b"\x12\0" * MANY),
                                 ("attributes", "X", b"\x2a\0" * MANY), ("references", "X", reference("n") * MANY)):
        body = message(7, operands + message(4, kind))
        look(model(name + ".onnx", calls, function("F", body)))
    look(model("own-inputs.onnx", calls, function("F", b"", b"\x22\x01x" * MANY)))


@test("an operator of a name of 1 MB, called 100,000 times")
def _():
    look(model("long-type.onnx", node("F", outputs=[""]) * MANY, function("F", inner("X" * 1000000, outputs=["y"]))))


@test("a graph of 30,000 nodes handed to a function that names it 30,000 times")
def _():
    graph = node("X") * 30000
    body = inner("If", attributes=reference("g")) * 30000
    look(model("handed.onnx", node("F", attributes=graph_attribute("g", graph)), function("F", body)))
    weights, body = message(5, message(8, "w")) * MANY, inner("If", attributes=reference("g")) * MANY
    look(model("handed-weights.onnx", node("F", attributes=graph_attribute("g", weights)), function("F", body)))


@test("a function of 200,000 results that calls itself")
def _():
    body = inner("F") + b"".join(inner("X", outputs=["%x" % i]) for i in range(2 * MANY))
    look(model("itself.onnx", node("F"), function("F", body)))


@test("a call with 200,000 arguments, and as many references to them")
def _():
    arguments = b"".join(message(5, message(1, "%x" % i) + b"\x18\x01") for i in range(2 * MANY))
    references = b"".join(reference("%x" % i) for i in range(2 * MANY))
    look(model("arguments.onnx", node("F", attributes=arguments), function("F", inner("X", attributes=references))))


@test("half a million functions or operator sets, and 250,000 nodes that look for theirs")
def _():
    nodes = node("X", domain="d") * 250000
    look(model("functions.onnx", nodes, b"\xca\x01\0" * 500000))
    look(model("opsets.onnx", nodes, opsets=b"\x42\0" * 500000))


@test("an input of a name of 2 MB, and 200,000 nodes behind it")
def _():
    nodes = b"".join(node("Relu", ["n%d" % (i - 1) if i else "n" * 2000000], ["n%d" % i]) for i in range(2 * MANY))
    look(model("long-name.onnx", nodes + message(11, info("n" * 2000000, ["d" * 1000000]))))


@test("a ring of 800,000 nodes")
def _():
    n = 8 * MANY
    look(model("ring.onnx", b"".join(node("X", ["%x" % i], ["%x" % ((i + 1) % n)]) for i in range(n))))


@test("loops within loops, each with 10,000 values that it carries")
def _():
    # Each loop changes what it carries, so that its body is looked at again.
    grows = node("Concat", ["v", "v"], ["g"], message(5, message(1, "axis") + b"\x18\0")) + node("Identity", ["c"], ["again"])
    ends = message(11, info("i")) + message(11, info("c")) + message(11, info("v", [2]))
    ends += message(11, message(1, "n")) * 10000 + message(12, message(1, "again")) + message(12, message(1, "g"))
    graph = b""
    for _ in range(16):
        graph = node("Loop", ["", "", "x"] + [""] * 10000, ["r"], graph_attribute("body", grows + graph + ends))
    look(model("loops.onnx", graph + message(11, info("x", [2]))))


sys.exit(run_tests())
