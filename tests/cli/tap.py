"""What the command line's tests share: running the program, files to work on, TAP.

Each test file is called with TENURE_CLI SOURCE_ROOT [SHARED].
"""
import json
import os
import subprocess
import sys
import tempfile

cli, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
shared = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else ""
samples = os.path.join(root, "data", "samples")
snapshot, buffers, broken = (os.path.join(samples, name) for name in
                             ("transformer-oom.pickle", "small-plan.csv", "broken-plan.json"))
work = tempfile.TemporaryDirectory()
tests = []


def run(*arguments, stdin=None):
    return subprocess.run([cli, *arguments], input=stdin, capture_output=True, timeout=200)


def ask(*arguments, status=0, stdin=None):
    """The JSON object that a command prints, and nothing else there."""
    done = run(*arguments, "--json", stdin=stdin)
    assert done.returncode == status, f"{arguments}: exit status {done.returncode}: {done.stderr[:300]}"
    return json.loads(done.stdout)


def path(name, text=None):
    """A name in the work folder; with `text`, a file of it."""
    full = os.path.join(work.name, name)
    if text is not None:
        with open(full, "w", encoding="utf-8") as out:
            out.write(text)
    return full


def plan_file(name, rows, end, axis=(), **more):
    """A plan of these buffers, numbered as they stand; more keys of its axis and of the file."""
    return path(name, json.dumps({"format": "tenure-plan", "version": 1, "axis": {"unit": "step", "end": end, **dict(axis)},
                                  "buffers": [{"id": i, **row} for i, row in enumerate(rows)], **more}))


def read_json(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def drawn(*arguments, ending="svg"):
    """The text of a picture or a report: what `draw` makes of the arguments."""
    out = path("drawn." + ending)
    done = run("draw", *arguments, "-o", out)
    assert done.returncode == 0, f"{arguments}: exit status {done.returncode}: {done.stderr[-300:]}"
    with open(out, encoding="utf-8") as file:
        return file.read()


def test(name):
    def add(function):
        tests.append((name, function))
        return function
    return add


class Skip(Exception):
    pass


def need_shared(*parts):
    wanted = os.path.join(shared, *parts)
    if not shared or not os.path.exists(wanted):
        raise Skip("no shared files")
    return wanted


def run_tests():
    """All of them in order; whether one failed."""
    print(f"1..{len(tests)}")
    failed = False
    for i, (name, function) in enumerate(tests, 1):
        try:
            function()
            print(f"ok {i} - {name}")
        except Skip as why:
            print(f"ok {i} - {name} # SKIP {why}")
        except Exception as problem:  # an assertion, a key that is missing, no JSON, a time-out
            failed = True
            print(f"not ok {i} - {name}")
            for line in (f"{type(problem).__name__}: {problem}").splitlines():
                print(f"# {line[:400]}")
        sys.stdout.flush()
    return failed
