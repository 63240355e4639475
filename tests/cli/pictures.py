#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""pictures.py TENURE_CLI SOURCE_ROOT: what a picture says in words is true, stands once, has its room
and leaves nothing out unsaid.  Looked for in the <text> of SVGs.  TAP."""
import html
import re
import sys

from onnx_bytes import choice_model
from tap import *

TEXT = re.compile('<text x="([-\\d.]+)" y="([-\\d.]+)" font-size="([\\d.]+)".*?>(.*?)</text>')


def texts(file, *options):
    """(x, y, words) of each text, in the order of drawing."""
    return [(float(x), float(y), html.unescape(words)) for x, y, _, words in TEXT.findall(drawn(file, *options))]


def words(file, *options):
    return [text for _, _, text in texts(file, *options)]


OOM_MESSAGE = ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 MiB. GPU 0 has a total capacity of "
               "11.17 GiB of which 24.81 MiB is free. Process 1 has 11.14 GiB memory in use. Of the allocated memory "
               "%d.85 GiB is allocated by PyTorch, and 10.15 MiB is reserved by PyTorch but unallocated.\n")


@test("a file of totals has no live peak")
def _():
    message = path("message.txt", OOM_MESSAGE % 10)
    for options in ((), ("--sheet", "2"), ("--view", "oom")):
        said = " ".join(words(message, *options)).lower()
        assert "live peak" not in said and "0 b alive" not in said and "10.85 gib" in said, (options, said)
    assert any(text.endswith(" · 1 report") for text in words(message))
    assert "Live peak" in words(buffers)


def rows(file, title):
    """The rows of a report's table, by its title."""
    table = re.search(f"<h2>{re.escape(title)}</h2>\\s*<table.*?</table>", drawn(file, ending="html"), re.S)
    return [[html.unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<td.*?</td>", row, re.S)]
            for row in re.findall("<tr>.*?</tr>", table[0], re.S)[1:]]


@test("the report of a file of totals has each of its figures: rows, their sum and what is not added")
def _():
    trt = path("trt.log", "[11/08/2022-15:28:06] [I] [TRT] Total Host Persistent Memory: 105936\n"
                          "[11/08/2022-15:28:06] [I] [TRT] Total Scratch Memory: 25165824\n")
    for file in (trt, path("message.txt", OOM_MESSAGE % 10)):
        (account,) = ask("info", file)["accounts"]
        total = ["= " + account["total"]] if account["total_bytes"] is not None else []
        wanted = [row["what"] for row in account["rows"]] + total + [row["what"] for row in account["details"]]
        shown = rows(file, account["title"])
        assert len(wanted) > 1 and [row[0] for row in shown] == wanted, (shown, wanted)
    assert rows(trt, "TensorRT memory") == [["host, persistent", "103.5 KiB", ""], ["device, scratch", "24.0 MiB", ""]]
    assert shown[len(account["rows"])][1] == "11.17 GiB", shown


@test("what spaces need at different moments is no fragmentation")
def _():
    def figures(name, space):
        plan = plan_file(name, [{"name": "a", "start": 0, "end": 2, "bytes": 1000, "offset": 0, "space": 0},
                                {"name": "b", "start": 2, "end": 4, "bytes": 900, "offset": 16, "space": space}], 4,
                         spaces=[{"name": "HBM"}, {"name": "L2"}])
        return {row[0]: row[2:] for row in rows(plan, "Key figures")}

    two, one = figures("two.tenure-plan", 1), figures("one.tenure-plan", 0)
    assert two["Above the live peak"] == ["900 B", "spaces at their peaks at different moments"], two
    assert two["Above the peaks of the spaces"] == ["16 B", "padding and fragmentation"], two
    assert one["Above the live peak"] == ["0 B", "padding and fragmentation"], one


@test("what the reports of a file do not show of it they count")
def _():
    messages = path("messages.txt", "".join(OOM_MESSAGE % i for i in range(3, 11)))
    n = len(ask("check", messages, status=1)["findings"])
    for height in (300, 450, 600, 900):
        said = words(messages, "--size", f"1000x{height}")
        shown = sum(1 for text in said if text.startswith("A request for "))
        left = [int(re.search(r"\d+", text)[0]) for text in said
                if re.fullmatch(r"and \d+ more|\d+ findings?", text)]
        assert shown + sum(left) == n, (height, n, shown, left)


@test("what runs inside an op, and is not counted, is a finding of a report, whatever plans it")
def _():
    model = path("if.onnx")
    with open(model, "wb") as out:
        out.write(choice_model())
    said = "What runs inside 1 op is not part of the live peak"
    for options in ((), ("--strategy", "best")):
        assert said in " ".join(words(model, *options)), options
        found = drawn(model, *options, ending="html").split("<h2>Findings</h2>")
        assert len(found) == 2 and said in found[1], options
        assert found[1].lower().count(said.lower()) == 1, options  # and not among what was left out
    assert said not in " ".join(words(model, "--preset", "onnxruntime"))


def plan(rows):
    return "id,lower,upper,size,offset\n" + "".join("%d,%d,%d,%d,%d\n" % row for row in rows)


@test("no bar of what is alive is wider than its panel, and no line stands below it")
def _():
    sizes = [2000 << i for i in range(8) for _ in range(128 >> i)]  # each power of two has as much
    rows = [(i, 0, 10, size, sum(sizes[:i])) for i, size in enumerate(sizes)]
    many = path("sizes.csv", plan(rows))
    for size in ("1000x400", "1000x260", "800x200", "800x600"):
        width, height = map(int, size.split("x"))
        svg = drawn(many, "--size", size, "--group-by", "size")
        for x, across in re.findall('<path [^>]*d="M ([\\d.]+) [\\d.]+ L ([\\d.]+) ', svg):
            assert float(across) <= width + 0.5, (size, x, across)
        below = [text for x, y, text in texts(many, "--size", size, "--group-by", "size")
                 if x > width - 300 and height - 44 < y < height - 40]
        assert not below, (size, below)


@test("no text stands twice in one place, and a sheet of an SVG has nothing of the next")
def _():
    for sheet in range(1, 5):
        found = texts(snapshot, "--sheet", str(sheet), "--notes", "One line.\nAnother.")
        assert len(found) == len(set(found)), (sheet, sorted(text for text in found if found.count(text) > 1)[:3])
    # Of the rows that find no room at its end, none: the last one of the sheet stands on the next only.
    one, other = (words(snapshot, "--sheet", sheet, "--size", "800x500") for sheet in ("5", "6"))
    assert not [text for text in one if " – " in text and text in other], (one[-6:], other[:6])


@test("notes are all there, on sheets and in lines that have room")
def _():
    said = [f"word{i}" for i in range(1500)]
    notes = path("notes.txt", " ".join(said[:1000]) + "\n\n" + "\n".join(said[1000:]))
    found, sheet = [], 2
    while run("draw", buffers, "--sheet", str(sheet), "--notes", "@" + notes, "--size", "800x500", "-o",
              path("sheet.svg")).returncode == 0:
        with open(path("sheet.svg"), encoding="utf-8") as svg:
            lines = TEXT.findall(svg.read())
        assert all(0 < float(y) <= 500 for _, y, _, _ in lines), sheet
        found += [word for _, _, _, text in lines for word in text.split() if word.startswith("word")]
        sheet += 1
    assert found == said, (len(found), sheet)


@test("the first sheet says how many lines of the notes it leaves out")
def _():
    lines = "\n".join(f"note {i}" for i in range(20))
    for size, most in (("1600x900", 6), ("800x500", 6), ("640x300", 4)):
        said = words(snapshot, "--notes", lines, "--size", size)
        shown = [text for text in said if re.fullmatch(r"note \d+", text)]
        assert shown and len(shown) < most and f"… and {20 - len(shown)} more lines" in said, (size, shown)
    said = words(snapshot, "--notes", "one\ntwo")
    assert "two" in said and not [text for text in said if "more line" in text]


@test("titles of a small picture do not lie over each other")
def _():
    for size in ("320x200", "400x240", "800x300", "1600x200", "640x420"):
        for notes in ((), ("--notes", "a\nb\nc\nd\ne\nf\ng")):
            found = texts(snapshot, "--size", size, *notes)
            rows = sorted(y for x, y, text in found if re.match("Live ·|Offsets ·|Lifetimes ·|Notes$|transf.*SHA", text))
            assert all(b - a >= 15 for a, b in zip(rows, rows[1:])), (size, rows)


def failing_log(n):
    lines = ['{"t": %d, "event": "alloc", "address": "%#x", "bytes": 65536}\n' % (i, (1 << 30) + (i << 16))
             for i in range(4)]
    lines += ['{"t": %d, "event": "oom", "bytes": 3145728, "device_free_bytes": 0}\n' % (10 + i) for i in range(n)]
    return path(f"failures{n}.tenure-log", '{"format": "tenure-log", "version": 1}\n' + "".join(lines))


@test("the page of a failed request says which of how many it is")
def _():
    said = words(failing_log(6), "--view", "oom")
    assert [text for text in said if "(1 of 6 that failed)" in text], said[:4]
    assert "The first of 6 requests that failed" in words(failing_log(6), "--sheet", "3")
    assert not [text for text in words(failing_log(1), "--view", "oom") if "that failed)" in text]


@test("the page of a failed request has no title without what belongs below it")
def _():
    titles = {"Where the memory was": 60, "Addresses at": 60, "The request beside": 30, "Alive at the failure": 20}
    for size in ("320x200", "500x400", "640x520", "700x330", "700x420", "1000x480"):
        height = int(size.split("x")[1])
        found = texts(snapshot, "--view", "oom", "--size", size)
        for x, y, text in found:
            below = [least for title, least in titles.items() if text.startswith(title)]
            assert y <= height and (not below or y + below[0] <= height), (size, y, text)
        rest = [text for _, _, text in found if text.startswith("No room here for ")]
        assert rest or height <= 330 or [text for _, _, text in found if text.startswith("Alive at")], size


@test("what lies at the excluded end of a range is not of it")
def _():
    (mark,) = ask("info", snapshot)["oom"]
    at = mark["at"]
    for view in ((), ("--view", "offsets"), ("--view", "skyline"), ("--view", "lifetimes")):
        for end, is_there in ((at, False), (at + 1, True)):
            found = texts(snapshot, *view, "--range", f"{at - 8}:{end}")
            flags = [x for x, _, text in found if text.startswith("out of memory: ")]
            assert bool(flags) == is_there, (view, end, flags)
            assert len(flags) < 2, (view, end, flags)
    peak = path("late.csv", plan([(0, 0, 10, 64, 0), (1, 5, 10, 64, 64)]))  # the peak is at 5
    for view in ((), ("--view", "offsets")):
        for end, is_there in ((5, False), (6, True)):
            said = words(peak, *view, "--range", f"0:{end}")
            assert bool([text for text in said if text.startswith("peak ")]) == is_there, (view, end, said)


@test("the title of lives counts those of the range")
def _():
    lives = path("lives.csv", plan([(i, i * 10, i * 10 + 10, 64, 0) for i in range(6)]))
    for span, n in (("0:10", 1), ("10:30", 2), ("15:16", 1), ("9:31", 4), ("50:60", 1)):
        said = words(lives, "--view", "lifetimes", "--range", span)
        assert any(text.startswith(f"Lifetimes · {n} of 6 buffers") for text in said), (span, said[:3])
    assert "Lifetimes · 6 buffers" in words(lives, "--view", "lifetimes")


@test("a flame graph counts the rows that have no room")
def _():
    def title(size):
        return next(text for text in words(snapshot, "--view", "flame", "--size", size) if text.startswith("Call stacks"))
    assert "no room for" not in title("1600x900"), title("1600x900")
    assert re.search(r"no room for \d rows? below", drawn(snapshot, "--view", "flame", "--size", "1600x200")), title("1600x200")


@test("groups of a treemap are named where their name is seen")
def _():
    sizes = [1024 << i for i in range(14) for _ in range(1 << (13 - i))]  # each power of two has as much
    rows = [(i, 0, 10, size, i) for i, size in enumerate(sizes)]
    svg = drawn(path("many.csv", plan(rows)), "--view", "live-set", "--group-by", "size", "--size", "320x200")
    boxes = [tuple(map(float, at)) for at in
             re.findall('d="M ([\\d.]+) ([\\d.]+) L ([\\d.]+) [\\d.]+ L [\\d.]+ ([\\d.]+) L [\\d.]+ [\\d.]+ Z', svg)]
    labels = [(float(x), float(y)) for x, y, _, text in TEXT.findall(svg) if float(y) > 65]
    assert len(labels) >= 9, labels
    for x, y in labels:  # each stands on the box that it is of, four pixels from its side
        on = [left for left, top, right, bottom in boxes if left <= x + 3 <= right and top <= y - 4 <= bottom]
        assert abs(x - on[-1] - 4) < 1, (x, y, on)


@test("the rows of a report that are not named are counted, and none leaves its panel")
def _():
    report = ["Device_id,Component,Timestamp(us),Total Reserved(KB),Device"] + \
        [f"0,MODULE_WITH_A_LONG_NAME_{i:03d},{i},{(10 + i) * 1024},NPU:0" for i in range(120)]
    file = path("npu_module_mem.csv", "\n".join(report) + "\n")
    for size in ("1600x900", "800x500", "500x400"):
        found = texts(file, "--size", size)
        height = int(size.split("x")[1])
        named = [y for _, y, text in found if "MODULE_WITH" in text or "…" in text and "MiB" in text]
        more = [text for _, _, text in found if re.fullmatch(r"and \d+ more", text)]
        assert max(named) < height - 36 and more, (size, max(named), len(named), more)


@test("a picture of buffers without a panel has a key to its hues and lines")
def _():
    groups = [row["name"] for row in ask("info", snapshot, "--group-by", "call-site")["devices"][0]["alive_at_peak"]["rows"]]
    for view in ("offsets", "lifetimes", "skyline"):
        said = words(snapshot, "--view", view, "--size", "1000x500")
        assert groups[0] in said and groups[6] in said and "out of memory: 27.0 MiB" in said, (view, said[:12])
        assert [text for text in said if text.startswith("peak ")] and [text for text in said if text.endswith(" others")]
    said = words(snapshot, "--size", "700x700")
    assert groups[0] in said and said.count("out of memory: 27.0 MiB") == 1, said
    assert not [text for text in words(snapshot, "--view", "offsets", "--range", "0:100") if text.startswith("peak ")]


def streams_log(n, n_streams):
    """A log of GE's: blocks of one size, a hundred at a time, of so many streams in turn."""
    line = ("[IMAS]Set main_0 name[op%d] optype[MatMul] output[0] offset to [%d] streamid[%d] memtype[2] size[65536] "
            "realsize[65536] noalignsize[65504] life time begin[%d] life time end[%d] child[0:0:0:0:1] isref[0] batch[]\n")
    return path("plog-%d.log" % n_streams, "".join(
        line % (i, i % 100 * 65536, i % n_streams, i // 100 * 2 + 1, i // 100 * 2 + 2) for i in range(n)))


@test("streams and blocks that are not hatched are counted")
def _():
    said = words(streams_log(300, 12), "--view", "offsets")
    assert [text for text in said if text.endswith("hatched: streams 1, 2, 3, 4, 5, 6, 7; 4 more are not")], said[:5]
    said = words(streams_log(6000, 2), "--view", "offsets")
    assert "1500 smaller ones are not hatched" in said, [text for text in said if "hatch" in text]
    assert not [text for text in words(streams_log(300, 2), "--view", "offsets") if " not" in text]


sys.exit(run_tests())
