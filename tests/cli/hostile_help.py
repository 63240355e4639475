# SPDX-License-Identifier: MIT
"""What the hostile_*.py files share: files that are well formed and bad for whoever looks at all pairs
are written, and each command that reads them is measured."""
import os
import resource
import subprocess

from tap import cli, path

# Meson has malloc() write to all it gives; what is bounded is a user's run, which holds the pages it wrote.
USERS = {name: value for name, value in os.environ.items() if name != "MALLOC_PERTURB_"}
SECONDS = 10.0
# Tables and pictures of a million rows: 30 times the text of a short row, and a page of buffers.
BYTES_PER_BYTE, BYTES_AT_LEAST = 30, 200 << 20
MILLION = 1000000


def rows(name, lives):
    full = path(name)
    with open(full, "w") as out:
        out.write("id,lower,upper,size\n")
        out.writelines("%d,%d,%d,%d\n" % (i, *life) for i, life in enumerate(lives))
    return full


def log(name, lines, head=""):
    full = path(name)
    with open(full, "w") as out:
        out.write('{"format": "tenure-log", "version": 1%s}\n' % head)
        out.writelines(lines)
    return full


def alloc(t, address, more=""):
    return '{"t": %d, "event": "alloc", "address": "%#x", "bytes": 64%s}\n' % (t, address, more)


def measure(arguments):
    """Exit status, seconds of processor time, bytes of memory."""
    running = subprocess.Popen([cli, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=USERS,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)))
    _, status, used = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    return running.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def try_all(full, *commands, most=SECONDS, tables=0):
    """`tables`: bytes of the tables that each of what the file holds has, however short its text."""
    size = os.path.getsize(full)
    for command in commands:
        arguments = [command[0], full, *command[1:]]
        code, seconds, memory = measure(arguments)
        allowed = max(BYTES_AT_LEAST, BYTES_PER_BYTE * size, tables)
        print(f"# {command[0]:5} {os.path.basename(full):22} exit {code}, {seconds:5.2f} s, {memory >> 20} MiB")
        assert code in (0, 1, 3), f"{command}: exit status {code}"
        assert seconds < most, f"{command}: {seconds:.1f} s"
        assert memory < allowed, f"{command}: {memory} bytes for a file of {size}"
    os.remove(full)


INFO, CHECK, DRAW = ("info", "--json"), ("check", "--json"), ("draw", "-o", path("x.png"))
PLAN, REPLAY = ("plan", "--strategy", "greedy-size", "--json"), ("replay", "--json")
