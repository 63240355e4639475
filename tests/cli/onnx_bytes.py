# SPDX-License-Identifier: MIT
"""Protobuf by hand, for models that no library would write."""


def varint(n):
    return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + varint(n >> 7)


def message(number, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(number << 3 | 2) + varint(len(data)) + data


def node(kind, inputs, output, *attributes):
    return message(1, b"".join([message(1, i) for i in inputs] + [message(2, output), message(4, kind)] + list(attributes)))


def branch(name, result):
    inside = node("Relu", ["x"], result + "0") + node("Neg", [result + "0"], result) + message(2, name)
    return message(5, message(1, name) + message(6, inside + message(12, message(1, result))) + varint(20 << 3) + varint(5))


def choice_model():
    """One If, whose branches need twice what is alive beside it."""
    x, cond, y = (message(number, message(1, name) + message(2, message(1, varint(8) + varint(kind) + message(2, dims))))
                  for number, name, kind, dims in ((11, "x", 1, message(1, varint(8) + varint(64))), (11, "cond", 9, ""),
                                                   (12, "y", 1, "")))
    choice = node("If", ["cond"], "y", branch("then_branch", "a"), branch("else_branch", "b"))
    return varint(8) + varint(8) + message(7, choice + message(2, "g") + x + cond + y) + message(8, varint(16) + varint(13))
