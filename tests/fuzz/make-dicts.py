#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes TARGET.dict for each fuzz target: the words that its readers look for, out of their sources, and
the marks of the format that are no words.  Run it from anywhere; the same sources give the same files."""
import pathlib
import re

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
NUMBERS = ["-1", "0", "9223372036854775807", "9223372036854775808", "18446744073709551615", "1e308", "nan"]
JSON = ["{", "}", "[", "]", ":", ",", "null", "true", "false", "\"\"", "\\u0000", "\\ud800", "[[", "{\"", *NUMBERS]
OPCODES = [bytes([c]) for c in b"(.0122NJKMGhjqr])}aeustdlX\x85\x86\x87\x88\x89\x8a\x8c\x8d\x8f\x90\x94\x95"]
TAGS = [bytes([n << 3 | kind]) for n in range(1, 16) for kind in (0, 2)] + [b"\xff" * 9 + b"\x01", b"\x80\x01"]
FLAT = [b"TFL3", b"ET12", b"\x04\0\0\0", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\x04\0", b"\x06\0\x08\0"]
CSV = [",", ";", "\n", "\r\n", "\"", "\"\"", *NUMBERS]
TEXT = ["\n", " ", ":", "=", "0x", "MiB", "GiB", "KiB", "B", *NUMBERS]

TARGETS = {
    "ascend-csv": (["data/readers/ascend-*.c"], CSV),
    "bisect": (["app/cli/bisect.c"], JSON),
    "budget": (["data/readers/graph-json*.c"], JSON),
    "container": (["data/readers/csv.c", "data/readers/tenure-log.c"], [b"\x1f\x8b\x08", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", *TEXT]),
    "csv": (["data/readers/csv*.c"], CSV),
    "diff": (["data/readers/csv.c", "data/readers/tenure-log.c", "data/readers/graph-json*.c"], ["====", *JSON]),
    "edits": (["data/graph-edit-json.c"], JSON + ["\"#1\"", "\"a\"", "\"x\"", "\"out\""]),
    "executorch": (["data/readers/executorch.c"], FLAT),
    "executorch-trace": (["data/readers/executorch-trace.c"], JSON),
    "external": (["data/readers/onnx-model.c", "data/shape/layout.c"], TAGS + ["location", "offset", "length", "../", "/", "d/", "m", "l"]),
    "filter": (["app/window/filter.c"], ["!", "/", ">", "<", ">=", "<=", "0x", "-0x", "(", "|", "[a-z]", "*", *NUMBERS]),
    "ge-graph": (["data/readers/ge-*.c", "data/readers/text-proto.c"], ["{", "}", ":", "\\\"", "\\\\", "\n", *NUMBERS]),
    "kineto": (["data/readers/kineto*.c", "data/readers/json-stream.c"], JSON),
    "link": (["data/link-file.c"], JSON + CSV),
    "memory-timeline": (["data/readers/memory-timeline.c"], JSON),
    "memscope-csv": (["data/readers/memscope*.c"], CSV + ["{", "}", "addr:", "size:"]),
    "notes": (["app/window/notes-json.c"], JSON),
    "onnx": (["data/readers/onnx*.c", "data/shape/*.c"], TAGS),
    "order": (["app/cli/order.c"], JSON),
    "pytorch": (["data/readers/snapshot*.c", "data/readers/pickle*.c"], OPCODES),
    "pytorch-html": (["data/readers/pytorch-html.c", "data/readers/snapshot.c"], JSON + ["<script", "</script>"]),
    "pytorch-json": (["data/readers/pytorch-json.c", "data/readers/snapshot.c"], JSON),
    "size": (["data/units.c", "analysis/replay/settings.c"], TEXT),
    "sqlite": (["data/readers/sqlite.c", "data/readers/memscope.c"], ["SQLite format 3\0", "CREATE TABLE ", "INTEGER", "TEXT", "REAL"]),
    "tenure-graph": (["data/readers/graph-json*.c"], JSON),
    "tenure-log": (["data/readers/tenure-log.c"], JSON),
    "tenure-plan": (["data/readers/plan*.c"], JSON),
    "text-log": (["data/readers/text-*.c", "data/tflm.c"], TEXT),
    "tflite": (["data/readers/tflite*.c"], FLAT),
    "vma-json": (["data/readers/vma.c"], JSON),
    "xla": (["data/readers/xla*.c", "data/readers/text-xla.c"], TEXT),
}


def words(sources):
    """String literals short enough to be looked for, formats and messages left out."""
    for pattern in sources:
        for path in sorted(ROOT.glob(pattern)):
            text = re.sub(r"#include.*|/\*.*?\*/", "", path.read_text())
            for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
                if 2 <= len(literal) <= 40 and "%" not in literal and not literal.startswith("found") and literal.count(" ") < 5:
                    yield literal.encode().decode("unicode_escape", "replace")


def escape(value):
    data = value if isinstance(value, bytes) else value.encode("latin-1", "replace")
    return "".join(chr(c) if 32 <= c < 127 and chr(c) not in '"\\' else f"\\x{c:02x}" for c in data)


def main():
    for target, (sources, marks) in TARGETS.items():
        entries = sorted({escape(value) for value in (*words(sources), *marks)} - {""})
        (HERE / f"{target}.dict").write_text("".join(f'"{entry}"\n' for entry in entries))


main()
