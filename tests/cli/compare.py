#!/usr/bin/env python3
"""compare.py TENURE_CLI SOURCE_ROOT [SHARED]: diff, check --baseline, many files, reports.

TAP.  Parts that need the shared files are skipped where they are not there.
"""
import hashlib
import json
import re
import sys
import xml.dom.minidom

from tap import ask, broken, buffers, need_shared, path, run, run_tests, samples, snapshot, test

# ---- diff ------------------------------------------------------------------------------------

DIFF_KEYS = """a b arena_delta_bytes live_peak_delta_bytes matched only_a only_b causes
changed""".split()
HEAD = "id,lower,upper,size,alignment,offset\n"
PLAN = ("a,0,2,100,4,0", "b,1,4,60,4,100", "c,2,6,80,4,0", "d,4,8,40,4,80", "e,6,9,20,4,0")


def plan(name, **other):
    rows = [other.get(row[0], row) for row in PLAN]
    return path(name, HEAD + "\n".join(row for row in rows if row) + "\n")


def sums_up(diff):
    """The causes sum to the delta that they are the causes of, to the byte."""
    of = diff["causes_of"] + "_delta_bytes"
    assert sum(cause["bytes"] for cause in diff["causes"]) == diff[of], diff["causes"]
    live = sum(cause["bytes"] for cause in diff["causes"] if cause["of_live_peak"])
    assert live == diff["live_peak_delta_bytes"]
    assert diff["b"]["live_peak_bytes"] - diff["a"]["live_peak_bytes"] == live
    for side in (diff["a"], diff["b"]):
        parts = [side[key + "_bytes"] for key in ("live_peak", "alignment", "fragmentation", "spaces")]
        assert side["arena_bytes"] is None or sum(parts) == side["arena_bytes"], side
    if diff["arena_delta_bytes"] is not None:
        assert diff["b"]["arena_bytes"] - diff["a"]["arena_bytes"] == diff["arena_delta_bytes"]
    return diff


@test("diff has every key, and says 0 where the two are the same")
def _():
    diff = sums_up(ask("diff", buffers, buffers))
    assert not [key for key in DIFF_KEYS if key not in diff]
    assert diff["matched"] == 52 and diff["only_a"] == diff["only_b"] == 0
    assert diff["changed"] == [] and diff["causes"] == [] and diff["same"] is True


@test("diff --match sets pairs by hand, and the causes still add up")
def _():
    a, b = plan("p.csv"), plan("q.csv", c="c2,2,6,90,4,0")
    by_itself = sums_up(ask("diff", a, b, status=1))
    assert by_itself["only_a"] == by_itself["only_b"] == 1
    for words in (("c=c2",), ("#2=#2",), ("c=", "c=c2")):
        options = [option for word in words for option in ("--match", word)]
        diff = sums_up(ask("diff", a, b, *options, status=1))
        assert diff["only_a"] == diff["only_b"] == 0 and diff["matched_by"]["person"] == 1
        (changed,) = diff["changed"]
        assert changed["kinds"] == ["grew", "renamed"] and changed["match"] == "person"
    alone = sums_up(ask("diff", a, b, "--match", "a=", "--match", "=a", status=1))
    assert [row["name"] for row in alone["gone"]].count("a") == 1
    for word in ("c", "=", "no-such=a", "#99=a"):
        assert run("diff", a, b, "--match", word).returncode == 2, word


@test("diff reports what was planted and nothing else")
def _():
    for other, kinds, delta in (
            ({"b": "b,1,4,72,4,100"}, ["grew"], 12), ({"b": "b,1,4,50,4,100"}, ["shrank"], -10),
            ({"b": "b,1,4,60,64,100"}, ["realigned"], 0), ({"d": "d,4,9,40,4,80"}, ["longer"], 0),
            ({"d": "d,4,7,40,4,80"}, ["shorter"], 0), ({"e": "e,6,9,20,4,8"}, ["moved"], 0)):
        diff = sums_up(ask("diff", plan("p.csv"), plan("q.csv", **other), status=1))
        assert [row["kinds"] for row in diff["changed"]] == [kinds], (other, diff["changed"])
        assert diff["changed"][0]["name"] == list(other)[0]
        assert diff["live_peak_delta_bytes"] == delta
        assert diff["only_a"] == diff["only_b"] == 0
    diff = sums_up(ask("diff", plan("p.csv"), plan("q.csv", c=""), status=1))
    assert diff["changed"] == [] and [row["name"] for row in diff["gone"]] == ["c"]


@test("a tolerance lets small differences pass, as a size or a share of A")
def _():
    a, b = plan("p.csv"), plan("q.csv", b="b,1,4,72,4,100")
    for tolerance, status in (("11B", 1), ("12B", 0), ("7%", 1), ("8%", 0), ("x", 2), ("-1", 2)):
        assert run("diff", a, b, "--tolerance", tolerance).returncode == status, tolerance
    assert run("diff", a).returncode == 2
    assert run("diff", a, path("missing.csv")).returncode == 3
    assert run("diff", a, b, "--b-strategy", "no-such").returncode == 2


@test("the same table under two planners")
def _():
    diff = sums_up(ask("diff", buffers, buffers, "--a-strategy", "greedy-start", "--b-strategy",
                       "best", "--time-limit", "2", status=1))
    assert diff["a"]["strategy"] == "greedy-start" and diff["live_peak_delta_bytes"] == 0
    assert {cause["cause"] for cause in diff["causes"]} <= {"alignment", "fragmentation"}
    assert all(row["kinds"] == ["moved"] for row in diff["changed"])


@test("the text has figures, causes and changes")
def _():
    text = run("diff", plan("p.csv"), plan("q.csv", b="b,1,4,72,4,100")).stdout.decode()
    for wanted in ("Live peak", "+12 B", "bigger, 1 buffer", "Why the arena is another", "grew"):
        assert wanted in text, wanted


@test("bf16 against fp32: matched by call stack, causes that sum up")
def _():
    a = need_shared("samples", "pytorch", "silmont_forward_bf16_128.pickle")
    diff = sums_up(ask("diff", a, a.replace("bf16", "fp32"), status=1))
    assert diff["matched_by"]["stack"] > 600
    assert diff["matched"] == diff["b"]["buffers"] - diff["only_b"]
    assert diff["arena_delta_bytes"] is None and diff["causes_of"] == "live_peak"


@test("a model at two batch sizes: four times the batch, bigger is all there is")
def _():
    model = need_shared("samples", "onnx", "ort-mobilenet_qdq_maui.onnx")
    diff = sums_up(ask("diff", model, model, "--a-bind", "batch=1", "--b-bind", "batch=4", status=1))
    assert diff["ops"]["only_a"] == diff["ops"]["only_b"] == 0
    assert diff["only_a"] == diff["only_b"] == 0
    assert [cause["cause"] for cause in diff["causes"]] == ["bigger"]
    for row in diff["changed"]:
        assert set(row["kinds"]) <= {"grew", "moved"}, row


@test("greedy-size against exact on a MiniMalloc instance")
def _():
    table = need_shared("benchmarks", "minimalloc", "A.1048576.csv")
    diff = sums_up(ask("diff", table, table, "--a-strategy", "greedy-size", "--b-strategy", "exact",
                       "--time-limit", "20", status=1))
    assert diff["arena_delta_bytes"] < 0 and diff["matched_by"]["id"] == diff["a"]["buffers"]
    assert [cause["cause"] for cause in diff["causes"]] == ["fragmentation"]


# ---- check --baseline --------------------------------------------------------------------------

@test("check --baseline fails only for what is worse")
def _():
    old, new = plan("p.csv"), plan("q.csv", b="b,1,4,72,4,100")
    assert run("check", old, "--baseline", old).returncode == 0
    checked = ask("check", new, "--baseline", old, status=1)
    assert {f["code"] for f in checked["findings"]} >= {"worse-than-baseline"}
    assert checked["baseline"]["live_peak_delta_bytes"] == 12
    assert run("check", new, "--baseline", old, "--tolerance", "12").returncode == 0
    assert run("check", old, "--baseline", new).returncode == 0
    assert run("check", broken).returncode == 1
    assert run("check", broken, "--baseline", broken).returncode == 0
    assert run("check", old, "--baseline", path("missing.csv")).returncode == 3


# ---- many files --------------------------------------------------------------------------------

@test("info and check of many files: one line each, in the order of the arguments")
def _():
    files = [buffers, path("missing.csv"), snapshot, broken, buffers]
    done = run("info", "--json", "--jobs", "3", *files)
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == 3 and [line["file"] for line in lines] == files
    assert "can't be opened" in lines[1]["error"] and lines[1]["exit_status"] == 3
    alone = ask("info", snapshot)
    assert lines[2] == alone
    done = run("check", "--json", *files[2:])
    lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert done.returncode == 1 and [line["file"] for line in lines] == files[2:]
    assert run("info", *files).returncode == 2


# ---- pictures ----------------------------------------------------------------------------------

def content(file):
    with open(file, "rb") as opened:
        return opened.read()


@test("the same input gives the same bytes: reports and diffs, in every format")
def _():
    other = plan("q.csv", b="b,1,4,72,4,100")
    for arguments in ((snapshot,), (plan("p.csv"), "--diff", other), (buffers, "--dark")):
        for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF"),
                            ("html", b"<!DOCTYPE html>")):
            first, second = path("first." + kind), path("second." + kind)
            drawn = ask("draw", *arguments, "-o", first)
            ask("draw", *arguments, "-o", second)
            assert drawn["width"] == (1200 if kind == "html" else 1600) and content(first).startswith(start), (arguments, kind)
            assert content(first) == content(second), (arguments, kind)


@test("the page holds hash, figures, findings and pictures, and asks for nothing elsewhere")
def _():
    page = path("page.html")
    ask("draw", snapshot, "--view", "report", "-o", page)
    text = content(page).decode()
    assert hashlib.sha256(content(snapshot)).hexdigest() in text
    for wanted in ("Live peak", "Findings", "alive at the peak", "3,792,666,624 B", "<text"):
        assert wanted in text, wanted
    assert not re.search(r'(src|href)="(?!data:|#)', text.replace('xmlns', ''))
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(pictures) == 3 and len(ids) == len(set(ids))
    for picture in pictures:
        xml.dom.minidom.parseString(picture)
    assert run("draw", snapshot, "--view", "live", "-o", page).returncode == 2


@test("a report names its file, hash, options and notes in every format")
def _():
    notes = path("notes.txt", "Holes <again>.\nSecond line: & more\n")
    digest = hashlib.sha256(content(snapshot)).hexdigest()
    for kind in ("svg", "html"):
        report = path("notes." + kind)
        ask("draw", snapshot, "--notes", "@" + notes, "-o", report)
        text = content(report).decode()
        for wanted in (digest, "Tenure ", "tenure-cli draw ", "Second line: &amp; more", "&lt;again&gt;"):
            assert wanted in text, (kind, wanted)
        assert "@" + notes not in text
    for kind in ("png", "pdf", "html", "svg"):
        first, second, plain = (path(name + kind) for name in ("n1.", "n2.", "n3."))
        ask("draw", snapshot, "--notes", "@" + notes, "-o", first)
        ask("draw", snapshot, "--notes", "Holes <again>.\nSecond line: & more", "-o", second)
        ask("draw", snapshot, "-o", plain)
        assert content(first) == content(second) != content(plain), kind
    sheets = len(re.findall(rb"/Type /Page\b", content(path("n1.pdf"))))
    assert sheets >= 3, sheets  # the picture, the request that failed, the tables
    assert run("draw", snapshot, "--notes", "@" + path("no-such"), "-o", path("x.png")).returncode == 3
    assert run("draw", snapshot, "--notes", "x", "--view", "live", "-o", path("x.png")).returncode == 2


@test("the page explains the request that failed, and its account adds up")
def _():
    page = path("oom.html")
    ask("draw", snapshot, "--notes", "x", "-o", page)
    text = content(page).decode()
    assert "The request that failed" in text and "A request for 27.0 MiB failed" in text
    rows = re.findall(r"<tr><td>([^<]*)</td><td class=\"n\">[^<]*</td><td class=\"n\">([\d,]+) B</td>", text)
    account = rows[[row[0] for row in rows].index("live: allocated"):]
    end = [row[0] for row in account].index("sum")
    numbers = [int(row[1].replace(",", "")) for row in account[:end + 1]]
    assert sum(numbers[:-1]) == numbers[-1] and end > 2


@test("a page of two files has both hashes and the causes")
def _():
    page, a, b = path("two.html"), plan("p.csv"), plan("q.csv", b="b,1,4,72,4,100")
    assert ask("draw", a, "--diff", b, "-o", page)["view"] == "diff"
    text = content(page).decode()
    for file in (a, b):
        assert hashlib.sha256(content(file)).hexdigest() in text
    assert "bigger" in text and "+12 B" in text and "sum = B" in text
    assert "<h2>Changes</h2>" in text and "<td>grew</td>" in text


@test("an overview of many files marks the one that is not like the others")
def _():
    files = [plan(f"rank{i}.csv", **({"b": "b,1,4,90,4,100"} if i == 3 else {})) for i in range(6)]
    drawn = ask("draw", *files, "-o", path("many.png"))
    assert drawn["files"] == 6 and drawn["outlier"] == files[3]
    assert ask("draw", *files[:3], "-o", path("many.svg"))["outlier"] is None
    assert run("draw", *files, "--diff", files[0], "-o", path("many.png")).returncode == 2


sys.exit(run_tests())
