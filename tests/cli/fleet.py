#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fleet.py TENURE_CLI SOURCE_ROOT [SAME_PID]: many files in processes of their own, where processes, files and
memory are short.  SAME_PID is tests/cli/same-pid.c, built.  TAP.
"""
import json
import os
import resource
import shutil
import signal
import subprocess
import sys

from tap import Skip, broken, buffers, cli, path, run_tests, snapshot, test

FILES = [snapshot, broken, buffers]


def is_sanitized():
    data = open(cli, "rb").read()
    return b"__asan_init" in data or b"__tsan_init" in data


def copies(n):
    names = [path(f"copy-{i}.csv") for i in range(n)]
    for name in names:
        shutil.copyfile(buffers, name)
    return names


def fleet(*arguments, status=0, before=None, environment=None):
    """What a fleet answers, an object for each file."""
    done = subprocess.run([cli, "info", "--json", *arguments], capture_output=True, timeout=120, preexec_fn=before,
                          env=dict(os.environ, **(environment or {})))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == status, f"exit status {done.returncode}: {done.stderr[:300]} {rows[:1]}"
    return rows


def within(what, n):
    return lambda: resource.setrlimit(what, (n, n))


@test("a process whose number comes round is no other")
def _():
    if len(sys.argv) < 4 or is_sanitized():
        raise Skip("nothing to preload, or a sanitizer is built in")
    names = copies(4)
    rows = fleet("--jobs", "1", *names, environment={"LD_PRELOAD": os.path.abspath(sys.argv[3])})
    assert rows == fleet("--jobs", "2", *names) and [row["file"] for row in rows] == names


@test("few open files make it slower, not wrong")
def _():
    names = copies(30)
    rows = fleet(*names)
    for n in (8, 12, 20, 40):
        assert fleet("--jobs", "16", *names, before=within(resource.RLIMIT_NOFILE, n)) == rows, n

    def with_most_of_them_taken():
        within(resource.RLIMIT_NOFILE, 64)()
        for fd in range(3, 48):
            os.dup2(0, fd)  # as who starts it may leave them open
    done = subprocess.run([cli, "info", "--json", "--jobs", "16", *names], capture_output=True, timeout=120,
                          preexec_fn=with_most_of_them_taken, close_fds=False)
    assert done.returncode == 0 and [json.loads(line) for line in done.stdout.splitlines()] == rows, done.stdout[:300]


@test("who starts it may ignore the end of processes")
def _():
    rows = fleet(*FILES, before=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    assert [row["file"] for row in rows] == FILES


@test("the memory limit is that of all together")
def _():
    if is_sanitized():
        raise Skip("a sanitizer is built in")
    full = path("rows.csv", "id,lower,upper,size\n" + "".join(f"{i},{i},{i + 50},64\n" for i in range(150000)))
    fleet("--memory-limit", "256MiB", "--jobs", "1", full, full)
    rows = fleet("--memory-limit", "256MiB", "--jobs", "16", *[full] * 16, status=3)
    assert {row["error"] for row in rows} == {
        "more memory is needed than 16.0 MiB (--memory-limit, shared by 16); fewer --jobs or a larger "
        "--memory-limit allow more"}, rows[0]
    fleet("--memory-limit", "256MiB", "--jobs", "16", full)


sys.exit(run_tests())
