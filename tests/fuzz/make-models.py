#!/usr/bin/env python3
"""Writes the small models of corpus/onnx, corpus/tflite and corpus/executorch: no library needed.

Run it from anywhere; it overwrites what is there with the same bytes.
"""
import collections
import pathlib
import struct

HERE = pathlib.Path(__file__).parent / "corpus"


# ---- flatbuffers: parents before children, so that offsets run forward -----------------------

class Table:
    def __init__(self, **slots):
        self.slots = {int(name[1:]): value for name, value in slots.items()}


class Vector:
    def __init__(self, form, values):
        self.form, self.values = form, values


SIZES = {"b": 1, "B": 1, "i": 4, "I": 4, "q": 8, "Q": 8}


def flatbuffer(root, identifier):
    out = bytearray(struct.pack("<I4s", 0, identifier))
    todo, done = collections.deque([(0, root)]), {}  # a table or list that stands in several places is written once

    def align(n):
        while len(out) % n:
            out.append(0)

    def refer(at, child):
        todo.append((at, child))

    def write_table(table):
        fields = sorted(table.slots.items(), key=lambda item: -SIZES.get(item[1][0], 4))
        offsets, end = {}, 4
        for slot, (form, _) in fields:
            size = SIZES.get(form, 4)
            end += -end % size
            offsets[slot] = end
            end += size
        count = max(table.slots, default=-1) + 1
        align(8)
        # The table, 4 after a multiple of 8 or not, follows its vtable.
        vtable = len(out)
        out.extend(struct.pack("<HH", 4 + 2 * count, end))
        for slot in range(count):
            out.extend(struct.pack("<H", offsets.get(slot, 0)))
        align(8)
        at = len(out)
        out.extend(struct.pack("<i", at - vtable))
        out.extend(bytes(end - 4))
        for slot, (form, value) in fields:
            if form in SIZES:
                struct.pack_into("<" + form, out, at + offsets[slot], value)
            else:
                refer(at + offsets[slot], value)
        return at

    def write_vector(vector):
        width = SIZES.get(vector.form, 4)
        align(8)
        if width == 8:
            out.extend(bytes(4))
        at = len(out)
        out.extend(struct.pack("<I", len(vector.values)))
        for value in vector.values:
            if vector.form in SIZES:
                out.extend(struct.pack("<" + vector.form, value))
            else:
                refer(len(out), value)
                out.extend(bytes(4))
        return at

    def write_text(text):
        align(4)
        at = len(out)
        out.extend(struct.pack("<I", len(text)) + text.encode() + b"\0")
        return at

    while todo:
        place, child = todo.popleft()
        if id(child) in done:
            at = done[id(child)]
        elif isinstance(child, Table):
            at = done[id(child)] = write_table(child)
        elif isinstance(child, Vector):
            at = done[id(child)] = write_vector(child)
        else:
            at = write_text(child)
        struct.pack_into("<I", out, place, at - place)
    return bytes(out)


def ref(child):
    return ("ref", child)


def ints(*values):
    return ref(Vector("i", values))


def tflite():
    """x [1,4,4,2] → CONV_2D (w [3,3,3,2]) → a [1,2,2,3] → RESHAPE → v [12] → ADD (v + v) → y,
    with a plan for x, w, a, v, y."""
    def tensor(name, shape, buffer):
        return Table(s0=ints(*shape), s1=("b", 0), s2=("I", buffer), s3=ref(name))
    tensors = [tensor("x", (1, 4, 4, 2), 0), tensor("w", (3, 3, 3, 2), 1),
               tensor("a", (1, 2, 2, 3), 0), tensor("v", (12,), 0), tensor("y", (12,), 0)]
    conv_options = Table(s0=("b", 1), s1=("i", 1), s2=("i", 1))
    ops = [Table(s0=("I", 0), s1=ints(0, 1, -1), s2=ints(2), s3=("B", 1), s4=ref(conv_options)),
           Table(s0=("I", 1), s1=ints(2), s2=ints(3)), Table(s0=("I", 2), s1=ints(3, 3), s2=ints(4))]
    graph = Table(s0=ref(Vector("ref", tensors)), s1=ints(0), s2=ints(4),
                  s3=ref(Vector("ref", ops)), s4=ref("main"))
    plan = struct.pack("<8i", 0, 1, 5, 0, -1, 128, 128, 192)
    buffers = [Table(), Table(s0=ref(Vector("B", bytes(54 * 4)))), Table(s0=ref(Vector("B", plan)))]
    codes = [Table(s0=("b", 3)), Table(s0=("b", 22)), Table(s0=("b", 0), s3=("i", 0))]
    model = Table(s0=("I", 3), s1=ref(Vector("ref", codes)), s2=ref(Vector("ref", [graph])),
                  s3=ref("Tenure's own"), s4=ref(Vector("ref", buffers)),
                  s6=ref(Vector("ref", [Table(s0=ref("OfflineMemoryAllocation"), s1=("I", 2))])))
    return flatbuffer(model, b"TFL3")


def executorch():
    """in (value 0, 16 bytes at 0) → relu → value 2 (at 16) → cat [0, 2] → value 3, output (at 32)."""
    def tensor(n, offset, data=0):
        fields = dict(s0=("b", 6), s2=ints(n), s5=("I", data))
        if offset is not None:
            fields["s6"] = ref(Table(s0=("I", 1), s1=("I", offset), s2=("I", 0)))
        return Table(s0=("B", 5), s1=ref(Table(**fields)))
    values = [tensor(4, 0), tensor(4, None, 1), tensor(4, 16), tensor(8, 32),
              Table(s0=("B", 10), s1=ref(Table(s0=ints(0, 2))))]
    relu = Table(s0=("B", 1), s1=ref(Table(s0=("i", 0), s1=ints(0, 1, 2, 2))))
    cat = Table(s0=("B", 1), s1=ref(Table(s0=("i", 1), s1=ints(4, 3, 3))))
    chain = Table(s2=ref(Vector("ref", [relu, cat])))
    operators = [Table(s0=ref("aten::relu"), s1=ref("out")), Table(s0=ref("aten::cat"), s1=ref("out"))]
    plan = Table(s0=ref("forward"), s2=ref(Vector("ref", values)), s3=ints(0), s4=ints(3),
                 s5=ref(Vector("ref", [chain])), s6=ref(Vector("ref", operators)),
                 s8=ref(Vector("q", [0, 64])))
    return flatbuffer(Table(s0=("I", 0), s1=ref(Vector("ref", [plan]))), b"ET12")


# ---- protobuf --------------------------------------------------------------------------------

def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


def node(kind, inputs, outputs, *attributes, domain=""):
    out = b"".join(message(1, name) for name in inputs)
    out += b"".join(message(2, name) for name in outputs) + message(4, kind)
    out += b"".join(message(5, attribute) for attribute in attributes)
    return message(1, out + (message(7, domain) if domain else b""))


def info(field, name, dtype, dims):
    """`dims` None: the file does not say."""
    shape = b""
    if dims is not None:
        shape = message(2, b"".join(message(1, message(2, d) if isinstance(d, str) else number(1, d))
                                    for d in dims))
    return message(field, message(1, name) + message(2, message(1, number(1, dtype) + shape)))


def tensor(name, dims, dtype, values):
    out = b"".join(number(1, dim) for dim in dims) + number(2, dtype) + message(8, name)
    return out + (message(7, b"".join(varint(v) for v in values)) if dtype == 7 else b"")


def model(graph, *more):
    return number(1, 8) + message(2, "Tenure") + message(7, graph) + message(
        8, message(1, "") + number(2, 13)) + b"".join(more)


def onnx_plain():
    graph = (node("Conv", ["x", "w"], ["c"]) + node("Relu", ["c"], ["r"]) + node("Shape", ["r"], ["s"]) +
             node("Slice", ["s", "zero", "one"], ["n"]) + node("Concat", ["n", "rest"], ["to"],
                                                                message(1, "axis") + number(3, 0) + number(20, 2)) +
             node("Reshape", ["r", "to"], ["y"]))
    graph += message(5, tensor("w", (4, 3, 3, 3), 1, ())) + message(5, tensor("zero", (1,), 7, [0]))
    graph += message(5, tensor("one", (1,), 7, [1])) + message(5, tensor("rest", (1,), 7, [-1]))
    return model(graph + info(11, "x", 1, ("N", 3, 8, 8)) + info(12, "y", 1, None))


def onnx_control():
    def body(kind, result):
        return node(kind, ["x"], [result]) + info(12, result, 1, None)
    branches = [message(1, name) + message(6, body(kind, name)) + number(20, 5)
                for name, kind in (("then_branch", "Transpose"), ("else_branch", "Relu"))]
    loop = node("Identity", ["go"], ["again"]) + node("Add", ["v", "v"], ["w"]) + node("Neg", ["w"], ["e"])
    loop += info(11, "i", 7, ()) + info(11, "go", 9, ()) + info(11, "v", 1, (2, 3))
    loop += info(12, "again", 9, None) + info(12, "w", 1, None) + info(12, "e", 1, None)
    call = node("Twice", ["x"], ["t"], domain="mine")
    graph = node("If", ["cond"], ["b"], *branches) + call + node(
        "Loop", ["trips", "", "t"], ["l", "all"], message(1, "body") + message(6, loop) + number(20, 5))
    graph += message(5, tensor("trips", (), 7, [5]))
    graph += info(11, "x", 1, (2, 3)) + info(11, "cond", 9, ()) + info(12, "b", 1, None) + info(12, "all", 1, None)
    twice = message(1, "Twice") + message(4, "p") + message(5, "q") + message(10, "mine")
    twice += message(7, node("Add", ["p", "p"], ["q"])[2:])
    return model(graph, message(25, twice))


def onnx_external():
    """A shape in a file beside the model: fuzz-external.c makes that."""
    place = b"".join(message(13, message(1, key) + message(2, value))
                     for key, value in (("location", "d/../w"), ("location", "w"), ("offset", "0"), ("length", "8")))
    shape = number(1, 1) + number(2, 7) + message(8, "shape") + place + number(14, 1)
    graph = node("Reshape", ["x", "shape"], ["y"]) + message(5, shape)
    return model(graph + info(11, "x", 1, (12,)) + info(12, "y", 1, None))


def main():
    for path, data in (("external/shape.onnx", onnx_external()), ("tflite/small.tflite", tflite()), ("executorch/small.pte", executorch()),
                       ("onnx/plain.onnx", onnx_plain()), ("onnx/control.onnx", onnx_control())):
        (HERE / path).write_bytes(data)


if __name__ == "__main__":
    main()
