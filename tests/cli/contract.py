#!/usr/bin/env python3
"""contract.py TENURE_CLI SOURCE_ROOT [SHARED]: what scripts rely on (cli.md), asked of the program.

TAP.  Parts that need the shared files are skipped where they are not there.
"""
import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
import xml.dom.minidom

from tap import (Skip, ask, broken, buffers, cli, drawn, need_shared, path, plan_file,
                 root, run, run_tests, samples, shared, snapshot, test, work)

# ---- info ------------------------------------------------------------------------------------

INFO_KEYS = """format kind producer buffers ops events axis live_peak_bytes live_peak_at
reserved_peak_bytes arena_bytes resident_bytes unsized_tensors devices oom warnings""".split()
FIGURES = "events buffers live_peak_bytes live_peak_at reserved_peak_bytes before_recording_bytes".split()


@test("info has every key, for a log and for plans")
def _():
    for file, kind in ((snapshot, "log"), (buffers, "plan"), (broken, "plan")):
        info = ask("info", file)
        missing = [key for key in INFO_KEYS if key not in info]
        assert not missing, f"{file}: no {missing}"
        assert info["kind"] == kind
        assert set(info["axis"]) >= {"unit", "start", "end"}
        assert info["axis"]["unit"] in ("step", "event", "us")


def same_figures(file, expected, partial=()):
    info = ask("info", file, *partial)
    devices = {device["device"]: device for device in info["devices"]}
    for row in expected:
        device = devices[row["device"]]
        for key in FIGURES:
            assert device[key] == row[key], f"{file}: {key} is {device[key]}, expected {row[key]}"
        ooms = [oom for oom in info["oom"] if oom["device"] == row["device"]]
        wanted = [dict(oom, device=row["device"]) for oom in row["oom"]]
        assert ooms == wanted, f"{file}: oom is {ooms}, expected {wanted}"
    assert set(devices) == {row["device"] for row in expected}, f"{file}: devices {set(devices)}"


@test("info of the sample gives its figures")
def _():
    with open(os.path.join(root, "tests", "fixtures", "transformer-oom.expected.json")) as file:
        same_figures(snapshot, json.load(file)["transformer-oom.pickle"])


@test("info of every snapshot of the oracle gives its figures")
def _():
    with open(need_shared("oracle", "pytorch.json")) as file:
        oracle = json.load(file)
    folders = [os.path.join(shared, "samples", *parts) for parts in
               (("pytorch",), ("pytorch", "edge"), ("ascend",))]
    for name, expected in oracle.items():
        found = [os.path.join(folder, name) for folder in folders
                 if os.path.exists(os.path.join(folder, name))]
        assert found, f"{name} is nowhere"
        same_figures(found[0], expected)


@test("info reads standard input")
def _():
    with open(buffers, "rb") as file:
        assert ask("info", "-", stdin=file.read())["buffers"] == 52


@test("info for a person names the figures in units")
def _():
    text = run("info", snapshot).stdout.decode()
    assert "3.53 GiB" in text and "27.0 MiB" in text
    assert re.search(r"3[,.]?792[,.]?666[,.]?624", run("info", snapshot, "--bytes").stdout.decode())


# ---- plan and check ----------------------------------------------------------------------------

PLAN_KEYS = """strategy tried buffers lower_bound_bytes arena_bytes optimal no_reuse_bytes
resident_bytes workspace_bytes upper_estimate_bytes plan_seconds""".split()


@test("plan has every key")
def _():
    plan = ask("plan", buffers)
    missing = [key for key in PLAN_KEYS if key not in plan]
    assert not missing, f"no {missing}"
    assert plan["lower_bound_bytes"] == 823296 and plan["no_reuse_bytes"] == 4193344
    assert plan["arena_bytes"] >= 823296
    assert all(set(tried) >= {"strategy", "arena_bytes", "plan_seconds"} for tried in plan["tried"])


@test("plan says whether it fits")
def _():
    file = path("tight.csv")
    with open(file, "w") as out:
        out.write("id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n")
    assert ask("plan", file, "--capacity", "12")["fits"] is True
    assert ask("plan", file, "--capacity", "11", status=1)["fits"] is False
    # two memories of 10 B each: as text and as JSON the sum is what cannot fit
    file = plan_file("spaces.json", [{"start": 0, "end": 2, "bytes": 10, "space": i} for i in range(2)], 2,
                     spaces=[{"name": "A"}, {"name": "B"}])
    for capacity, fits in ((19, False), (10, False), (20, True)):
        answer = ask("plan", file, "--capacity", str(capacity), status=0 if fits else 1)
        assert (answer["fits"], answer["infeasible_proved"]) == (fits, not fits), answer
        text = run("plan", file, "--capacity", str(capacity)).stdout
        assert (b"proved that no plan does" in text) == (not fits), text


@test("every strategy's plan passes the check, as JSON and as CSV")
def _():
    names = [row if isinstance(row, str) else row.get("strategy", row.get("name"))
             for row in (lambda got: got.get("strategies", got) if isinstance(got, dict) else got)(
                 ask("strategies"))]
    assert len(names) >= 4
    for name in names:
        for kind in ("json", "csv"):
            file = path("plan." + kind)
            arena = ask("plan", buffers, "--strategy", name, "--time-limit", "2", "-o", file)["arena_bytes"]
            checked = ask("check", file)
            assert checked["errors"] == 0, f"{name}: {checked['findings'][:2]}"
            assert ask("info", file)["arena_bytes"] == arena, name


@test("a written CSV has MiniMalloc's columns")
def _():
    file = path("columns.csv")
    ask("plan", buffers, "--strategy", "greedy-size", "-o", file)
    with open(file, newline="") as opened:
        rows = list(csv.DictReader(opened))
    assert list(rows[0]) == ["id", "lower", "upper", "size", "alignment", "offset"]
    assert len(rows) == 52 and all(int(row["offset"]) % 64 == 0 for row in rows)


@test("plans of all shared benchmarks pass the check")
def _():
    for folder in ("minimalloc", "real"):
        here = need_shared("benchmarks", folder)
        for name in sorted(os.listdir(here)):
            file = path("benchmark.json")
            ask("plan", os.path.join(here, name), "--strategy", "greedy-size", "-o", file)
            assert ask("check", file)["errors"] == 0, name


@test("check of the broken plan names buffers, range, ticks and op")
def _():
    checked = ask("check", broken, status=1)
    assert checked["errors"] == 2
    by_code = {finding["code"]: finding for finding in checked["findings"]}
    overlap, misaligned = by_code["overlap"], by_code["misaligned"]
    for finding in checked["findings"]:
        assert set(finding) >= set("code severity message hint buffers at bytes saving_bytes".split())
    assert overlap["buffers"] == ["relu1/out", "conv3/out"] and overlap["severity"] == "error"
    for word in ("0x1c000", "0x20000", "15", "21", "conv3"):
        assert word in overlap["message"], word
    assert overlap["at"] == 15 and overlap["bytes"] == 16384
    assert misaligned["buffers"] == ["fc/workspace"] and "64" in misaligned["message"]


@test("check's exit status follows --fail-on and --budget")
def _():
    assert run("check", broken, "--fail-on", "never").returncode == 0
    assert run("check", broken, "--fail-on", "warning").returncode == 1
    assert run("check", buffers).returncode == 0
    assert run("check", buffers, "--budget", "1GiB").returncode == 0
    assert run("check", buffers, "--budget", "1KiB").returncode == 1


@test("what was alive at a failure, by call site and by module, is one sum")
def _():
    for alive in (ask("info", snapshot)["alive_at_oom"], ask("check", snapshot, status=1)["alive_at_oom"]):
        assert [row["at"] for row in alive] == [4282]
        sums = [sum(row["bytes"] for row in alive[0][part]["rows"]) + alive[0][part]["rest_bytes"]
                for part in ("by_call_site", "by_module")]
        assert sums == [alive[0]["alive_bytes"]] * 2, sums
        assert alive[0]["by_module"]["rows"][0]["name"] == "CausalSelfAttention (model.py:78)"
    text = run("check", snapshot).stdout.decode()
    assert "Alive at the failure" in text and "By module" in text
    assert ask("info", buffers)["alive_at_oom"] == []


# ---- replay ------------------------------------------------------------------------------------

REPLAY_KEYS = """allocator settings reserved_peak_bytes allocated_peak_bytes
recorded_reserved_peak_bytes fragmentation_ratio ooms""".split()


@test("replay as recorded gives what was recorded, its failure too")
def _():
    replayed = ask("replay", snapshot, status=1)
    missing = [key for key in REPLAY_KEYS if key not in replayed]
    assert not missing, missing
    assert replayed["reserved_peak_bytes"] == replayed["recorded_reserved_peak_bytes"] == 3959422976
    assert replayed["equal_ratio"] > 0.99
    assert [(oom["at"], oom["requested_bytes"]) for oom in replayed["ooms"]] == [(4282, 27 << 20)]


@test("replay with other settings and allocators")
def _():
    grown = ask("replay", snapshot, "--set", "expandable_segments=True", "--smallest")
    assert grown["ooms"] == [] and grown["reserved_peak_bytes"] < 3959422976
    assert grown["smallest_device_memory_bytes"] <= grown["reserved_peak_bytes"] + (2 << 20)
    for name in ("caching", "bfc", "scalable", "buddy", "first-fit", "best-fit", "static"):
        replayed = ask("replay", snapshot, "--allocator", name, "--device-memory", "64GiB")
        assert replayed["allocator"] == name and replayed["ooms"] == []
        assert replayed["reserved_peak_bytes"] >= 3792666624, name
    assert ask("replay", snapshot, "--device-memory", "1GiB", status=1)["ooms"]
    refused = ask("replay", snapshot, "--allocator", "static", "--device-memory", "1GiB", status=1)
    assert refused["ooms"][0]["device_free_bytes"] is None
    planned = ask("replay", snapshot, "--allocator", "static", "--device-memory", "64GiB", "--smallest")
    assert planned["smallest_device_memory_bytes"] == planned["reserved_peak_bytes"]
    assert planned["smallest_is_proved"] == (planned["reserved_peak_bytes"] == planned["proved_bound_bytes"])


@test("replay --smallest names a device that passes, typed as it stands")
def _():
    for seed in range(12):
        log, sizes = path("smallest.log"), random.Random(seed)
        with open(log, "w") as file:
            print('{"format":"tenure-log","version":1}', file=file)
            for i in range(3):
                print(json.dumps({"event": "alloc", "address": (i + 1) << 40,
                                  "bytes": sizes.randint(1, 10 ** sizes.randint(3, 10))}), file=file)
        told = run("replay", log, "--allocator", "first-fit", "--smallest").stdout.decode()
        for size in re.search(r"Smallest device memory ([^(\n]*)(?:\((.*)\))?", told).groups():
            if size:
                size = size.strip().replace(" ", "").replace(",", "")
                assert ask("replay", log, "--allocator", "first-fit", "--device-memory", size)["ooms"] == []


@test("replay --suggest says what would have passed")
def _():
    replayed = ask("replay", snapshot, "--suggest", status=1)
    assert replayed["verdict"].startswith("With expandable_segments=True")
    best = replayed["suggestions"][0]
    assert best["passes"] and best["settings"] == "expandable_segments=True"
    assert best["smallest_device_memory_bytes"] <= best["reserved_peak_bytes"]
    plan = [row for row in replayed["suggestions"] if row["allocator"] == "static"][0]
    assert plan["settings"] == "all lives known" and plan["proved_bound_bytes"] > 0
    assert not plan["passes"] or plan["smallest_device_memory_bytes"] == plan["reserved_peak_bytes"]


# ---- draw and convert --------------------------------------------------------------------------

@test("draw writes PNG, SVG and PDF of every view")
def _():
    magic = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for view in ("lifetimes", "offsets", "live", "report", "oom"):
        for kind, start in magic.items():
            file = path(f"{view}.{kind}")
            drawn = ask("draw", snapshot, "--view", view, "--size", "800x500", "-o", file)
            assert set(drawn) >= set("written view width height buffers_drawn buffers_merged".split())
            assert drawn["view"] == view and drawn["width"] == 800 and drawn["height"] == 500
            with open(file, "rb") as opened:
                content = opened.read()
            assert content.startswith(start), file
            if kind == "svg":
                xml.dom.minidom.parseString(content)


@test("draw --range shows these ticks only: cut where the file ends, refused behind it")
def _():
    lives = path("thousand.csv", "id,lower,upper,size\na,0,1000,64\nb,900,950,64\n")
    pictures = []
    for given in ("900:1000", "900:1200", "900:inf"):
        out = path("range.svg")
        assert run("draw", lives, "--view", "lifetimes", "--range", given, "-o", out).returncode == 0
        with open(out, "rb") as file:
            pictures.append(file.read())
    assert pictures[0] == pictures[1] == pictures[2] and b">920<" in pictures[0]
    done = run("draw", lives, "--range", "1000:2000", "-o", path("behind.svg"))
    assert done.returncode == 2 and b"below 1000" in done.stderr, done.stderr
    assert not os.path.exists(path("behind.svg"))


@test("draw counts as merged what takes less than a pixel of the plot, in pictures, pages and diffs")
def _():
    lives = path("merge.csv", "id,lower,upper,size\nall,0,10000,64\n"
                 + "".join(f"s{i},{10 * i},{10 * i + 7},64\n" for i in range(1000)))
    # 7 ticks are 0.86 of a pixel beside a panel and in a page, 1.06 without a panel and 1.7 at two for one.
    for given, drawn, merged in ((("-o", path("m.png")), 1001, 1000),
                                 (("--scale", "2", "-o", path("m.png")), 1001, 0),
                                 (("--view", "lifetimes", "-o", path("m.png")), 1001, 0),
                                 (("-o", path("m.html")), 1001, 1000),
                                 (("--diff", lives, "-o", path("m.png")), 2002, 2000),
                                 (("--diff", lives, "--scale", "2", "-o", path("m.png")), 2002, 0)):
        answer = ask("draw", lives, *given)
        assert (answer["buffers_drawn"], answer["buffers_merged"]) == (drawn, merged), (given, answer)
    page = run("draw", lives, "-o", path("m.html"))
    assert b"x900" not in page.stdout and b"1001 buffers" in page.stdout, page.stdout
    assert run("draw", lives, "--size", "800x600", "-o", path("m.html")).returncode == 2


@test("an axis in microseconds is named as everywhere else")
def _():
    plan = plan_file("us.json", [{"start": 0, "end": 10, "bytes": 64}], 10, axis={"unit": "us"})
    assert ">µs<" in drawn(plan, "--view", "live")


@test("draw --time clock: the axis is the recording's clock, where it has one")
def _():
    times = (10.0, 10.5, 10.5, 11.0, 14.0)  # seconds
    events = ("alloc", "free", "alloc", "mark", "free")
    log = path("clock.tenure-log", '{"format": "tenure-log", "version": 1}\n' + "".join(
        '{"t": %g, "event": "%s", "address": "0x1000", "bytes": 1048576, "text": "x"}\n' % row
        for row in zip(times, events)))
    assert ask("info", log)["axis"] == {"unit": "event", "start": 0, "end": 4, "clock_seconds": 4.000001}
    texts = {}
    for unit in ("ticks", "clock"):
        out = path(f"time-{unit}.svg")
        ask("draw", log, "--view", "lifetimes", "--time", unit, "-o", out)
        with open(out, encoding="utf-8") as opened:
            texts[unit] = re.findall(r"<text[^>]*>([^<]*)<", opened.read())
    assert "event" in texts["ticks"] and "by the clock" not in texts["ticks"], texts
    assert "by the clock" in texts["clock"] and {"1.0 s", "2.0 s", "3.0 s"} <= set(texts["clock"]), texts
    assert "clock_seconds" not in ask("info", buffers)["axis"]
    none = run("draw", buffers, "--time", "clock", "-o", path("none.png"))
    assert none.returncode == 2 and b"records no times" in none.stderr, none
    for more in (("--time", "hours"), ("--time", "clock", "--diff", log)):
        assert run("draw", log, *more, "-o", path("none.png")).returncode == 2, more


@test("text of an SVG stays text")
def _():
    file = path("text.svg")
    ask("draw", snapshot, "--view", "report", "-o", file)
    with open(file) as opened:
        assert "<text" in opened.read()


@test("convert goes there and back")
def _():
    first, second, third = path("a.json"), path("b.csv"), path("c.json")
    assert ask("convert", buffers, "-o", first)["buffers"] == 52
    ask("convert", first, "-o", second)
    ask("convert", second, "-o", third)
    with open(buffers) as a, open(second) as b:
        assert a.read() == b.read()
    for file in (first, third):
        assert ask("info", file)["live_peak_bytes"] == 823296


# ---- usage ---------------------------------------------------------------------------------------

@test("wrong usage is exit status 2, with a word on standard error")
def _():
    for arguments in ((), ("no-such-command",), ("info",), ("info", "--no-such-option", buffers),
                      ("plan", buffers, "--strategy", "no-such"), ("plan", buffers, "--capacity", "-3"),
                      ("plan", buffers, "--align", "x"), ("draw", buffers),
                      ("draw", buffers, "-o", path("x.gif")), ("convert", buffers),
                      ("draw", buffers, "--view", "no-such", "-o", path("x.png")),
                      ("draw", buffers, "--size", "0x0", "-o", path("x.png")),
                      ("replay", buffers), ("replay", snapshot, "--set", "colour=red"),
                      ("replay", snapshot, "--allocator", "no-such"),
                      ("check", broken, "--fail-on", "sometimes"), ("info", buffers, "--format", "no-such")):
        done = run(*arguments)
        assert done.returncode == 2, f"{arguments}: exit status {done.returncode}"
        assert done.stderr and not done.stdout, arguments


@test("an unwritable place leaves nothing behind, and the old file as it was")
def _():
    assert run("convert", buffers, "-o", path("no/such/folder/x.json")).returncode != 0
    old = path("old.json")
    with open(old, "w") as out:
        out.write("old")
    bad = path("bad.csv")
    with open(bad, "w") as out:
        out.write("id,lower,upper,size\n1,0,2,x\n")
    assert run("convert", bad, "-o", old).returncode == 3
    with open(old) as opened:
        assert opened.read() == "old"
    assert [name for name in os.listdir(work.name) if name.startswith("old.json")] == ["old.json"]


@test("a full disk leaves nothing behind, and the old file as it was")
def _():
    if os.geteuid() != 0:
        raise Skip("only root can mount a small disk")
    disk = path("disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tenure-test", disk],
                      capture_output=True).returncode != 0:
        raise Skip("no small disk can be mounted here")
    try:
        old = os.path.join(disk, "picture.png")
        with open(old, "w") as out:
            out.write("old")
        for command in (("draw", snapshot, "-o", old), ("convert", snapshot, "-o", os.path.join(disk, "x.json"))):
            done = run(*command)
            assert done.returncode == 3, f"{command[0]}: exit status {done.returncode}"
            assert b"can't be written" in done.stderr, done.stderr
        with open(old) as opened:
            assert opened.read() == "old"
        assert os.listdir(disk) == ["picture.png"], os.listdir(disk)
    finally:
        subprocess.run(["umount", disk], check=True)


@test("standard output that can't be written is exit status 3")
def _():
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    for command in (("info", buffers), ("info", buffers, "--json"), ("formats",), ("convert", buffers, "-o", "-")):
        with open("/dev/full", "w") as full:
            done = subprocess.run([cli, *command], stdout=full, stderr=subprocess.PIPE, timeout=100)
        assert done.returncode == 3, f"{command}: exit status {done.returncode}"
        assert b"standard output" in done.stderr, command


@test("-o keeps links and devices as they are")
def _():
    target, link, null = path("target.json"), path("link.json"), path("null.json")
    with open(target, "w") as out:
        out.write("old")
    os.symlink(target, link)
    os.symlink("/dev/null", null)
    ask("convert", buffers, "-o", link)
    assert os.path.islink(link) and ask("info", target)["buffers"] == 52
    ask("convert", buffers, "-o", null)
    assert os.path.islink(null) and not os.path.isfile("/dev/null")


@test("-o - writes the document to standard output, and not beside --json")
def _():
    done = run("convert", buffers, "-o", "-")
    assert done.returncode == 0 and json.loads(done.stdout)["format"] == "tenure-plan"
    assert run("convert", buffers, "-o", "-", "--json").returncode == 2


@test("options that make no sense are exit status 2, and nothing is written")
def _():
    for arguments in (("draw", "--scale", "nan"), ("draw", "--scale", "-1"), ("draw", "--scale", "5"),
                      ("draw", "--size", "16000x16000", "--scale", "4"), ("draw", "--range", "5:1"),
                      ("draw", "--range", "nan:1"), ("draw", "--select", "no-such-name"),
                      ("plan", "--time-limit", "-1"), ("plan", "--time-limit", "nan"),
                      ("plan", "--capacity", "0"), ("plan", "--align", "-1"), ("plan", "--seed", "x"),
                      ("plan", "--strategy", "first-fit", "--ge", "range")):
        out = path("senseless.png" if arguments[0] == "draw" else "senseless.json")
        done = run(arguments[0], buffers, *arguments[1:], "-o", out)
        assert done.returncode == 2, f"{arguments}: exit status {done.returncode}"
        assert done.stderr and not done.stdout and not os.path.exists(out), arguments
    for arguments in (("info", ""), ("info", buffers, "--device", "7"), ("info", buffers, "--device", "x"),
                      ("info", buffers, "--preset", "no-such"), ("info", buffers, "--group-by", "no-such"),
                      ("info", buffers, "--bind", "x"), ("info", buffers, "--value", "=5"),
                      ("check", buffers, "--budget", "0"), ("check", buffers, "--budget", "-5"),
                      ("plan", buffers, "-o", path("plan.txt")), ("convert", buffers, "-o", path("plan"))):
        done = run(*arguments)
        assert done.returncode == 2, f"{arguments}: exit status {done.returncode}"
        assert done.stderr and not done.stdout, arguments


@test("draw takes no option that the picture would not follow")
def _():
    graph = os.path.join(samples, "tree-graph.json")
    for arguments in ((buffers, "--diff", broken, "--view", "live"), (buffers, "--diff", broken, "--range", "1:5"),
                      (buffers, "--diff", broken, "--select", "no-such"), (buffers, broken, "--view", "offsets"),
                      (buffers, broken, "--range", "1:5"), (buffers, broken, "--select", "no-such"),
                      (buffers, broken, "--strategy", "ge"), (snapshot, "--strategy", "ge"),
                      (graph, "--view", "orders", "--range", "1:2"), (graph, "--view", "budget", "--strategy", "ge"),
                      (buffers, "--layout", "delta"), (graph, "--budget", "300"), (buffers, "--bytes"),
                      (buffers, "--diff", broken, "--bytes"), (buffers, broken, "--bytes"),
                      (buffers, "--diff", broken, "--group-by", "kind"), (buffers, broken, "--group-by", "kind"),
                      (graph, "--view", "orders", "--group-by", "kind"), (buffers, "--view", "live", "--group-by", "kind")):
        out = path("not-followed.png")
        done = run("draw", *arguments, "-o", out)
        assert done.returncode == 2, f"{arguments}: exit status {done.returncode}"
        assert done.stderr and not done.stdout and not os.path.exists(out), arguments
    for arguments in ((buffers, "--diff", broken, "--view", "report", "--strategy", "ge", "--layout", "delta"),
                      (graph, "--view", "orders", "--bytes"), (buffers, "--strategy", "ge", "--range", "1:5")):
        done = run("draw", *arguments, "-o", path("followed.png"))
        assert done.returncode == 0, (arguments, done.stderr)


@test("plan --against says what a plan leaves on the table, by cause and by buffer, to the byte")
def _():
    lives = path("lives.csv")
    with open(lives, "w") as file:
        file.write("id,lower,upper,size\na,0,2,4096\nb,2,4,3072\nc,2,4,2560\n")
    left = ask("plan", lives, "--against", "ge")
    assert (left["arena_bytes"], left["best_arena_bytes"], left["left_bytes"]) == (6656, 5632, 1024)
    assert left["optimal"] is True and left["verdict"].count("proved")
    assert sum(cause["bytes"] for cause in left["causes"]) == 6656
    assert sum(cause["best_bytes"] for cause in left["causes"]) == 5632
    (row,) = left["buffers"]
    assert (row["name"], row["idle_bytes"], row["best_idle_bytes"], row["cause"]) == ("a", 1024, 0, "misfit")
    tight = path("tight.csv", "id,lower,upper,size\n" + "".join("b%d,%s\n" % row for row in enumerate((
        "7,10,192", "19,27,704", "18,20,448", "0,8,192", "17,21,128", "15,23,320", "20,23,128", "20,23,448", "12,13,704",
        "2,5,448", "1,6,64", "8,16,448", "12,19,320", "18,26,128"))))
    left = ask("plan", tight, "--against", "best", "--strategy", "first-fit")  # which is no match for it
    assert left["best_arena_bytes"] == left["arena_bytes"] < ask("plan", tight, "--strategy", "first-fit")["arena_bytes"]
    assert left["best"] == left["plan"] != "first-fit", left["best"]
    assert run("plan", lives, "--against", "no-such").returncode == 2
    assert run("plan", lives, "--against", "ge", "-o", path("x.json")).returncode == 2
    assert run("plan", lives, "--against", "recorded").returncode == 1


@test("--device chooses whose figures stand at the top")
def _():
    events = "[{\"action\": \"alloc\", \"addr\": 512, \"size\": %d}]"
    text = "{\"segments\": [], \"device_traces\": [%s, [], %s]}" % (events % 100, events % 5000)
    info = ask("info", "-", "--device", "2", stdin=text.encode())
    assert info["device"] == 2 and info["live_peak_bytes"] == 5120
    assert [device["device"] for device in info["devices"]] == [0, 2]
    assert ask("info", "-", "--device", "0", stdin=text.encode())["live_peak_bytes"] == 512
    empty = ask("info", "-", "--device", "1", stdin=text.encode())
    assert (empty["device"], empty["live_peak_bytes"], empty["buffers"]) == (1, 0, 0)
    assert [device["device"] for device in empty["devices"]] == [0, 1, 2]
    assert run("info", "-", "--device", "3", stdin=text.encode()).returncode == 2


def run_in_c(*arguments):
    return subprocess.run([cli, *arguments], capture_output=True, timeout=60, cwd=work.name,
                          env=dict(os.environ, LC_ALL="C"))


@test("-- ends the options, whatever the files are called")
def _():
    shutil.copyfile(buffers, path("-dash.csv"))
    for arguments in (["info", "--json", "--", "-dash.csv"], ["info", "--json", "--", "-dash.csv", buffers],
                      ["check", "--json", "--", "-dash.csv"], ["diff", "--json", "--", "-dash.csv", "-dash.csv"]):
        assert run_in_c(*arguments).returncode == 0, arguments
    assert run_in_c("info", "--").returncode == 2
    assert b"'--json' is one argument too many" in run_in_c("convert", "--", "-dash.csv", "--json").stderr


@test("text in UTF-8 is text in any locale, and a file is named by its bytes")
def _():
    page = path("note.html")
    assert run_in_c("draw", buffers, "-o", page, "--notes", "Größe").returncode == 0
    with open(page, encoding="utf-8") as opened:
        assert "Größe" in opened.read()
    assert "--select é:".encode() in run_in_c("draw", buffers, "-o", page, "--select", "é").stderr
    wrong = run_in_c("draw", buffers, "-o", page, "--notes", b"Gr\xf6\xdfe")
    assert wrong.returncode == 2 and b"--notes: expected text in UTF-8" in wrong.stderr
    chain = os.path.join(samples, "tree-graph.json")
    order = os.path.join(os.fsencode(work.name), b"\xf6.json")
    assert run_in_c("schedule", chain, "--method", "greedy", "-o", order).returncode == 0
    assert run_in_c("plan", chain, "--order", order).returncode == 0
    assert run_in_c("diff", chain, chain, "--a-order", order, "--b-order", order).returncode == 0


@test("a plan keeps the file's alignment and --align, whatever their common multiple is")
def _():
    file = path("aligned.csv")
    with open(file, "w") as out:
        out.write("id,lower,upper,size,alignment\na,0,3,100,64\nb,1,4,100,8\nc,2,5,100,64\n")
    for strategy in ask("strategies")["strategies"]:
        plan = path("aligned.json")
        ask("plan", file, "--align", "3", "--strategy", strategy["name"], "--time-limit", "1", "-o", plan)
        with open(plan) as opened:
            offsets = {row["name"]: row["offset"] for row in json.load(opened)["buffers"]}
        assert offsets["a"] % 192 == 0 and offsets["c"] % 192 == 0 and offsets["b"] % 24 == 0, strategy


@test("a picture of a failed request speaks of what the device had then, not of what it had at a later one")
def _():
    mib = 1 << 20
    rows = ({"event": "segment_alloc", "address": "0x10000000", "bytes": 64 * mib},
            {"event": "alloc", "address": "0x10000000", "bytes": 64 * mib},
            {"event": "oom", "bytes": 30 * mib, "device_free_bytes": 35 * mib},
            {"event": "segment_alloc", "address": "0x20000000", "bytes": 60 * mib},
            {"event": "alloc", "address": "0x20000000", "bytes": 60 * mib},
            {"event": "oom", "bytes": 400 * mib, "device_free_bytes": 5 * mib})
    log = path("failed-twice.log", "\n".join([json.dumps({"format": "tenure-log", "version": 1})] + [
        json.dumps(dict(row, t=i / 1000)) for i, row in enumerate(rows)]))
    picture = path("failed-twice.svg")
    assert run("draw", log, "--view", "oom", "-o", picture).returncode == 0
    with open(picture) as opened:
        text = opened.read()
    assert "of the 99.0 MiB that the device had" in text and "99.0 MiB for the allocator" in text
    assert "129.0 MiB" not in text


@test("the search for an order and that for the offsets share one time limit")
def _():
    rand = random.Random(2)
    n = 300
    ops = [{"id": i, "name": f"o{i}", "outputs": [i],
            "inputs": sorted({rand.randrange(max(0, i - 40), i) for _ in range(2)}) if i else []}
           for i in range(n)]
    graph = path("long-search.json", json.dumps({
        "format": "tenure-graph", "version": 1, "name": "g", "ops": ops, "outputs": [n - 1],
        "tensors": [{"id": i, "name": f"t{i}", "bytes": rand.randint(1, 10 ** 6)} for i in range(n)]}))
    for command in (("plan", graph, "--order", "best", "--strategy", "best"),
                    ("diff", graph, graph, "--a-order", "best", "--a-strategy", "best")):
        begun = time.monotonic()
        done = run(*command, "--time-limit", "1.5")
        assert done.returncode in (0, 1), done.stderr
        assert time.monotonic() - begun < 2.5, (command[0], time.monotonic() - begun)


@test("integers beyond 2^53 are decimal strings, sizes that are unknown null")
def _():
    info = ask("info", "-", stdin=b"id,lower,upper,size\na,0,1,9223372036854775807\n")
    assert info["live_peak_bytes"] == "9223372036854775807"
    assert info["arena_bytes"] is None and info["reserved_peak_bytes"] is None


@test("a step that is no power of two, and dimensions where there are none, are warned of")
def _():
    done = run("plan", buffers, "--align", "3")
    assert done.returncode == 0 and b"--align 3: not a power of two" in done.stderr, done.stderr
    assert b"power of two" not in run("plan", buffers, "--align", "64").stderr
    graph = os.path.join(samples, "tree-graph.json")
    for option in ("--bind", "--value"):
        warnings = ask("info", graph, option, "batch=8")["warnings"]
        assert [w["code"] for w in warnings] == ["binding-unused"] and "tenure-graph" in warnings[0]["message"]
    assert ask("info", graph)["warnings"] == []
    for wrong in (("--sweep", "-3"), ("--sweep", "1001"), ("--least-idle", "-1")):
        done = run("spill", graph, "--budget", "1GiB", *wrong)
        assert done.returncode == 2 and wrong[0].encode() in done.stderr and not done.stdout, wrong


@test("--why-not and --neighbours say which buffer a part of a name is, and do not choose among several")
def _():
    rows = (("conv1", 0, 4, 64, 0), ("conv10", 2, 6, 32, 64), ("pool", 4, 8, 64, 0), ("twin", 6, 8, 16, 64),
            ("twin", 6, 8, 32, 96))
    keys = ("name", "start", "end", "bytes", "offset")
    file = plan_file("names.json", [dict(zip(keys, row)) for row in rows], 8)
    exact = run("check", file, "--why-not", "conv1,pool")
    assert exact.returncode == 0 and b"taken" not in exact.stderr, exact.stderr
    part = run("check", file, "--why-not", "conv10,poo")
    assert part.returncode == 0 and b"--why-not poo: pool is taken" in part.stderr, part.stderr
    for option, value in (("--neighbours", "conv"), ("--why-not", "conv,pool")):
        several = run("check", file, option, value)
        assert several.returncode == 2 and b"conv1, conv10" in several.stderr, several.stderr
    twins = run("check", file, "--neighbours", "twin")
    assert twins.returncode == 0 and b"the largest of 2 buffers named twin" in twins.stderr, twins.stderr
    assert run("check", file, "--neighbours", "x").returncode == 2


@test("replay refuses a dump of one moment: there are no requests in it")
def _():
    for name in ("tf_bfc_oom_2017.log", "tf_bfc_oom_2025_tail.log"):
        done = run("replay", need_shared("samples", "logs", name))
        assert done.returncode == 2 and b"a dump of one moment" in done.stderr and not done.stdout, done


@test("convert keeps what lies inside an accelerator's scratch")
def _():
    model = need_shared("samples", "tflite", "tflm-person_detect_vela.tflite")
    graph = path("vela.json")
    ask("convert", model, "-o", graph)
    a, b = ask("info", model), ask("info", graph)
    for key in ("buffers", "live_peak_bytes", "resident_bytes"):
        assert a[key] == b[key], (key, a[key], b[key])


@test("a truncated snapshot is read with --partial, with a warning")
def _():
    with open(snapshot, "rb") as file:
        part = file.read(200000)
    assert run("info", "-", stdin=part).returncode == 3
    info = ask("info", "-", "--partial", stdin=part)
    assert 0 < info["events"] < 4587
    assert info["warnings"][0]["code"] == "truncated" and "byte " in info["warnings"][0]["message"]


@test("warnings go to standard error and into the object")
def _():
    done = run("info", snapshot, "--json")
    assert done.stdout.lstrip().startswith(b"{")
    warning = json.loads(done.stdout)["warnings"][0]
    assert set(warning) >= {"code", "count", "message"}
    assert b"before the recording" in run("info", snapshot).stderr


def man_sections(commands):
    """What the man page says of each command, and of all of them."""
    with open(os.path.join(root, "app", "desktop", "tenure-cli.1"), encoding="utf-8") as page:
        man = page.read().replace("\\-", "-")
    own, rest = man.split(".SH COMMANDS")[1].split(".SH OPTIONS OF EVERY COMMAND")
    parts = re.split(rf"^\.TP\n\.BI? ({'|'.join(commands)})\b", own, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2])), rest.split(".SH EXIT")[0]


@test("the man page has every option of every command, where it tells of that command")
def _():
    commands = re.findall(r"^  ([a-z]+)  ", run("--help").stdout.decode(), re.M)
    assert len(commands) >= 12, commands
    sections, common = man_sections(commands)
    sections["draw"] += " ".join(re.findall(r"--[ab]-[a-z-]+", sections["diff"]))  # it refers to these
    for command in commands:
        for short, option in re.findall(r"^  (-., )?(--[a-z][a-z-]*)", run(command, "--help").stdout.decode(), re.M):
            name = f"(?<![a-z-])({option}|{short[:2] or option})(?![a-z])"
            assert re.search(name, sections[command] + common), f"{command} {option}"


def complete(*words):
    """What the completion of the shell offers for the last word."""
    bash = shutil.which("bash")
    if not bash:
        raise Skip("no bash")
    script = ('source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tenure_cli 2>/dev/null; '
              '[ ${#COMPREPLY[@]} -eq 0 ] || printf "%s\\n" "${COMPREPLY[@]}"')
    done = subprocess.run([bash, "-c", script, "bash", os.path.join(root, "app", "desktop", "tenure-cli.bash"),
                           "tenure-cli", *words], capture_output=True, timeout=60, cwd=work.name,
                          env=dict(os.environ, PATH=os.path.dirname(cli) + os.pathsep + os.environ["PATH"]))
    assert done.returncode == 0, done.stderr
    return done.stdout.decode().splitlines()


@test("the shell's completion offers names that are taken, and files as they are called")
def _():
    listed = ask("strategies")
    assert complete("plan", "--strategy", "=") == [row["name"] for row in listed["strategies"]]
    assert complete("schedule", "--method", "") == [row["name"] for row in listed["order_methods"]]
    assert complete("info", "--format", "") == [row["name"] for row in ask("formats")["formats"]]
    assert complete("plan", "--strategy", "=", "l") == [] and complete("info", "--jo") == ["--jobs="]
    assert "check" in complete("")
    for name in ("my file.pickle", "my *.csv", "my other.csv"):
        path(name, "")
    assert sorted(complete("info", "my")) == ["my *.csv", "my file.pickle", "my other.csv"]


@test("info --group-by says who is alive at the peak, and it adds up")
def _():
    for grouping in ("call-site", "module", "kind", "size"):
        device = ask("info", snapshot, "--group-by", grouping)["devices"][0]
        part = device["alive_at_peak"]
        assert part["grouping"] == grouping
        assert sum(row["bytes"] for row in part["rows"]) == device["live_peak_bytes"]
    assert b"Alive at the peak, by module" in run("info", snapshot, "--group-by", "module").stdout


@test("a log is converted to offsets in one arena, not to addresses")
def _():
    for name in ("log.csv", "log.json"):
        out = path(name)
        assert run("convert", snapshot, "-o", out).returncode == 0
        log, plan = ask("info", snapshot), ask("info", out)
        assert plan["live_peak_bytes"] == log["live_peak_bytes"] and plan["buffers"] == log["buffers"]
        assert plan["live_peak_bytes"] <= plan["arena_bytes"] < 2 * log["reserved_peak_bytes"], plan["arena_bytes"]


@test("a report's sheets, one a file, are those of its PDF")
def _():
    seen = set()
    for sheet in range(1, 5):
        out = path(f"sheet{sheet}.svg")
        assert run("draw", snapshot, "--view", "report", "--sheet", str(sheet), "-o", out).returncode == 0
        with open(out, encoding="utf-8") as opened:
            seen.add(opened.read())
    assert len(seen) == 4
    assert sum("The request that failed" in text for text in seen) == 1
    gone = run("draw", snapshot, "--view", "report", "--sheet", "5", "-o", path("sheet5.svg"))
    assert gone.returncode == 3 and b"no sheet 5, only 4" in gone.stderr, gone.stderr[-200:]
    assert not os.path.exists(path("sheet5.svg"))
    assert run("draw", snapshot, "--view", "live", "--sheet", "2", "-o", path("x.svg")).returncode == 2


@test("bisect finds the buffer, whichever it is, and remembers the answers")
def _():
    plan = path("bisect-plan.json")
    assert run("plan", buffers, "--strategy", "greedy-size", "-o", plan).returncode == 0
    first = ask("bisect", plan, "--state", path("none.json"))
    assert first["left"] == first["suspects"] > 8 and len(first["switch_off"]) == first["left"] // 2
    for culprit in (first["switch_off"][0]["buffer"], first["switch_off"][-1]["buffer"]):
        state, steps = path(f"bisect-{culprit}.json"), 0
        now = ask("bisect", plan, "--state", state)
        while "found" not in now:
            is_off = any(row["buffer"] == culprit for row in now["switch_off"])
            now = ask("bisect", plan, "--state", state, "--gone" if is_off else "--there")
            steps += 1
        assert now["found"] == culprit and steps <= 6, now
        assert ask("bisect", plan, "--state", state)["found"] == culprit
    assert run("bisect", snapshot, "--state", state).returncode == 3  # the answers are of another file
    assert run("bisect", plan).returncode == 2
    bad = path("bad-state.json", "[1")
    assert run("bisect", plan, "--state", bad).returncode == 3
    with open(bad) as opened:
        assert opened.read() == "[1"
    assert run("bisect", plan, "--state", "-").returncode == 2


@test("bisect names nobody before the fault was gone, and says where it is nobody")
def _():
    plan = path("three.csv", "id,lower,upper,size,offset\n" + "".join(f"{n},{i},{i + 1},64,0\n" for i, n in enumerate("abcd")))
    now, asked, state = ask("bisect", plan, "--state", path("three.json")), [], path("three.json")
    while now["switch_off"] and len(asked) < 4:
        asked += [row["name"] for row in now["switch_off"]]
        assert "found" not in now, now
        left = len(asked) == 4
        now = ask("bisect", plan, "--state", state, "--there", status=int(left))
    assert sorted(asked) == list("abcd") and now["left"] == 0 and "found" not in now, (asked, now)
    assert b"It is none of the 4" in run("bisect", plan, "--state", state).stdout
    last = path("last.json")
    ask("bisect", plan, "--state", last)
    for answer in ("--there", "--there", "--gone"):
        now = ask("bisect", plan, "--state", last, answer)
    assert now["found_name"] == "d" and now["answers"] == 3, now
    for end, said in ((state, b"none of the 4"), (last, b"It is d")):  # nothing was asked any more
        with open(end) as opened:
            kept = opened.read()
        for answer in ("--gone", "--there"):
            done = run("bisect", plan, "--state", end, answer)
            assert done.returncode == 2 and b"nothing was asked" in done.stderr and not done.stdout, done
        with open(end) as opened:
            assert opened.read() == kept
        assert said in run("bisect", plan, "--state", end).stdout


@test("bisect clears reuse only where all places are known")
def _():
    head = "id,lower,upper,size,offset\n"
    one = path("one-placed.csv", head + "a,0,2,64,64\nb,2,3,64,\nc,2,3,64,\nz,0,3,0,\n")
    done = run("bisect", one, "--state", path("one-placed.json"))
    assert done.returncode == 3 and b"2 of 4 buffers have no offset" in done.stderr and b"can't" not in done.stderr, done
    some = path("some-placed.csv", head + "a,0,2,64,0\nb,2,3,64,0\nc,2,3,64,\n")
    now = ask("bisect", some, "--state", path("some-placed.json"))
    assert (now["suspects"], now["unplaced"], now["warnings"][0]["code"]) == (2, 1, "not-placed"), now
    for left in (1, 0):
        now = ask("bisect", some, "--state", path("some-placed.json"), "--there", status=not left)
    done = run("bisect", some, "--state", path("some-placed.json"))
    assert b"one of 1 without an offset" in done.stdout and b"Reuse is not the cause" not in done.stdout, done.stdout
    nothing = path("none.csv", head + "z,0,3,0,\n")
    for file in (nothing, plan_file("empty-plan.json", [], 4)):  # no plan gives these an offset
        assert ask("bisect", file, "--state", path("nobody.json"), status=1)["suspects"] == 0


@test("bisect suspects who lies in a gap of another")
def _():
    plan = plan_file("bisect-gap.json", [{"name": "a", "start": 0, "end": 9, "bytes": 10, "offset": 0, "gaps": [[3, 6]]},
                                         {"name": "b", "start": 3, "end": 6, "bytes": 10, "offset": 0}], 12)
    assert ask("bisect", plan, "--state", path("bisect-gap.state"))["suspects"] == 2


@test("bisect takes no answer before its question, nor one about another plan")
def _():
    plan, other, state = path("bisect-1.json"), path("bisect-2.json"), path("bisect-state.json")
    assert run("plan", buffers, "--strategy", "greedy-size", "-o", plan).returncode == 0
    with open(plan) as opened:
        text = opened.read()
    renamed = json.loads(text)
    renamed["buffers"].reverse()  # as many that share, others in each row
    with open(other, "w") as out:
        json.dump(renamed, out)
    early = run("bisect", plan, "--state", state, "--gone")
    assert early.returncode == 2 and b"no half was named yet" in early.stderr and not os.path.exists(state)
    first = ask("bisect", plan, "--state", state)
    assert ask("bisect", other, "--state", path("bisect-o.json"))["suspects"] == first["suspects"]
    with open(state) as opened:
        kept = opened.read()
    wrong = run("bisect", other, "--state", state, "--gone")
    assert wrong.returncode == 3 and b"another plan" in wrong.stderr
    with open(state) as opened:
        assert opened.read() == kept
    later = path("bisect-later.json", json.dumps(dict(json.loads(kept), version=2)))
    assert b"another version" in run("bisect", plan, "--state", later).stderr
    older = json.loads(kept)
    del older["plan"]
    assert ask("bisect", plan, "--state", path("bisect-old.json", json.dumps(older)), "--gone")["answers"] == 1


@test("a replay and check say the same of the request that failed")
def _():
    oom = json.loads(run("replay", snapshot, "--json").stdout)["ooms"][0]
    assert (oom["requested_bytes"], oom["needed_bytes"]) == (27 << 20, 28 << 20), oom
    assert b"17.0 MiB free on the device, 28.0 MiB needed for a new segment" in run("check", snapshot).stdout


@test("formats names the readers")
def _():
    text = json.dumps(ask("formats"))
    for name in ("pytorch", "csv", "tenure-plan", "tenure-graph"):
        assert f'"{name}"' in text, name


sys.exit(run_tests())
