#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""faults.py TENURE_CLI SOURCE_ROOT: a full disk, folders and files that may not be written or read, a
file replaced while it is read.  What is written is there whole or not at all.  TAP.
"""
import resource
import shutil
import time

from tap import *

NOBODY = 65534
OLD = b"the old file"
EXPORTS = {
    "draw.png": ("draw", snapshot), "draw.svg": ("draw", snapshot), "draw.pdf": ("draw", snapshot),
    "draw.html": ("draw", snapshot), "convert.json": ("convert", snapshot), "convert.csv": ("convert", snapshot),
    "plan.json": ("plan", snapshot, "--strategy", "first-fit"), "plan.csv": ("plan", snapshot, "--strategy", "first-fit"),
}
# Mounts a disk of $2 KiB at $1, puts an old file there, runs the rest; says what is there afterwards.
ON_SMALL_DISK = """mount -t tmpfs -o size=$2k none "$1" && cd "$1" && printf 'the old file' > "$3" || exit 99
shift 2; target=$1; shift; "$@" -o "$target" >&2; status=$?; ls -A | tr '\\n' ' '; cat "$target"; exit $status"""


def on_small_disk(kib, name, *command):
    folder = path("disk-" + name)
    os.makedirs(folder, exist_ok=True)
    return subprocess.run(["unshare", "-rm", "sh", "-c", ON_SMALL_DISK, "sh", folder, str(kib), name, cli, *command],
                          capture_output=True, timeout=200)


@test("a full disk: an error that says so, the old file whole, nothing beside it")
def _():
    for name, command in EXPORTS.items():
        done = on_small_disk(8, name, *command)
        if done.returncode == 99 or b"unshare" in done.stderr:
            raise Skip("no disk can be mounted here")
        assert done.returncode == 3, f"{name}: exit status {done.returncode}: {done.stderr[-200:]}"
        assert b"No space left" in done.stderr, f"{name}: {done.stderr[-200:]}"
        assert done.stdout == name.encode() + b" " + OLD, f"{name}: {done.stdout[:100]}"


@test("a full disk behind standard output")
def _():
    for command in (("info", snapshot, "--json"), ("check", buffers), ("plan", buffers, "--strategy", "first-fit"),
                    ("convert", snapshot, "-o", "-"), ("formats",), ("--version",), ("--help",)):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([cli, *command], stdout=full, stderr=subprocess.PIPE, timeout=100)
        assert done.returncode == 3, f"{command}: exit status {done.returncode}"
        assert b"can't be written" in done.stderr, f"{command}: {done.stderr[:200]}"


@test("files limited in size: an error, not a signal")
def _():
    for name, command in EXPORTS.items():
        target = path("limited-" + name)
        with open(target, "wb") as out:
            out.write(OLD)
        done = subprocess.run([cli, *command, "-o", target], capture_output=True, timeout=100,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        assert done.returncode == 3, f"{name}: exit status {done.returncode}"
        assert b"File too large" in done.stderr, f"{name}: {done.stderr[:200]}"
        with open(target, "rb") as opened:
            assert opened.read() == OLD
    left = [name for name in os.listdir(work.name) if name.startswith(".") or ".limited" in name]
    assert not left, left


def as_nobody(*arguments, cwd="/"):
    """Runs a copy of the program that anyone may run."""
    os.chmod(work.name, 0o755)
    copy, text = path("cli-of-all"), path("buffers-of-all.csv")
    if not os.path.exists(copy):
        shutil.copy(cli, copy)
        shutil.copy(buffers, text)
        os.chmod(copy, 0o755)
        os.chmod(text, 0o644)
    who = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    return subprocess.run([copy, *arguments], capture_output=True, cwd=cwd, timeout=100, **who)


@test("a folder that may not be written, a file that may not be read")
def _():
    folder = path("read-only")
    os.makedirs(folder)
    target = os.path.join(folder, "plan.json")
    with open(target, "wb") as out:
        out.write(OLD)
    os.chmod(target, 0o444)
    os.chmod(folder, 0o555)
    done = as_nobody("convert", path("buffers-of-all.csv"), "-o", target)
    os.chmod(folder, 0o755)
    assert done.returncode == 3 and b"Permission denied" in done.stderr, (done.returncode, done.stderr)
    with open(target, "rb") as opened:
        assert opened.read() == OLD
    assert os.listdir(folder) == ["plan.json"]
    secret = path("secret.csv", "id,lower,upper,size\n0,1,2,3\n")
    os.chmod(secret, 0)
    done = as_nobody("info", secret)
    assert done.returncode == 3 and b"Permission denied" in done.stderr, (done.returncode, done.stderr)


@test("a file that is replaced while it is read is the old one or the new one")
def _():
    target, other = path("replaced.csv"), path("other.csv", "id,lower,upper,size\n0,1,2,3\n")
    for k in range(20):
        with open(target, "w") as out:
            out.write("id,lower,upper,size\n")
            out.writelines("%d,%d,%d,64\n" % (i, i, i + 9) for i in range(200000))
        running = subprocess.Popen([cli, "info", target, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(k * 0.005)
        shutil.copy(other, target + ".new")
        os.replace(target + ".new", target)
        text, problem = running.communicate(timeout=100)
        assert running.returncode == 0, (running.returncode, problem)
        assert json.loads(text)["buffers"] in (1, 200000), text[:200]


@test("homes and settings that are files, a temporary folder that is none")
def _():
    file = path("a-file", "not a folder")
    env = dict(os.environ, TMPDIR=file, HOME=file, **{"XDG_%s" % name: file for name in
               ("CONFIG_HOME", "CACHE_HOME", "DATA_HOME", "STATE_HOME", "RUNTIME_DIR", "DATA_DIRS", "CONFIG_DIRS")})
    for name, command in EXPORTS.items():
        target = path("homeless-" + name)
        done = subprocess.run([cli, *command, "-o", target], env=env, capture_output=True, timeout=100)
        assert done.returncode == 0, f"{name}: {done.returncode}: {done.stderr[-200:]}"
        assert os.path.getsize(target) > 100


if __name__ == "__main__":
    sys.exit(run_tests())
