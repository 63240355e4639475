#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts.py TENURE_CLI SOURCE_ROOT: the scripts beside the program: ./run without a display, and what the Debian
package says of its version.  TAP.
"""
import os
import shutil
import subprocess
import sys

from tap import broken, buffers, cli, path, root, run_tests, test


def house():
    """A copy of ./run in a folder where all is installed and built."""
    here = path("house")
    os.makedirs(os.path.join(here, ".ci"))
    os.makedirs(os.path.join(here, "build", "app", "cli"))
    with open(os.path.join(here, ".ci", "packages.sh"), "w") as out:
        out.write("need_to_build() { :; }\ninstall_missing() { :; }\nbuild() { :; }\n")
    os.symlink(cli, os.path.join(here, "build", "app", "cli", "tenure-cli"))
    shutil.copy(os.path.join(root, "run"), here)
    return here


@test("./run writes a report of each file, whatever they are called")
def _():
    here = house()
    for folder in ("a", "b"):
        os.mkdir(path(folder))
        shutil.copyfile(buffers, path(os.path.join(folder, "the plan.csv")))
    files = [path(os.path.join(folder, "the plan.csv")) for folder in ("a", "b")]
    files += [shutil.copyfile(broken, path("a/the plan.json")), shutil.copyfile(broken, path("a/the plan-2.json"))]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run([os.path.join(here, "run"), *files], env=environment, capture_output=True, timeout=100)
    assert done.returncode == 0, done.stderr
    names = ["the plan", "the plan-2", "the plan-2-2", "the plan-3"]
    made = sorted(os.listdir(os.path.join(here, "out")))
    assert made == sorted(n + e for n in names for e in (".png", ".svg")), made
    for name in files:
        assert f"Report of {name}:" in done.stdout.decode()


@test("the Debian package tells of its own version")
def _():
    here = path("deb")
    os.makedirs(os.path.join(here, "app", "desktop"))
    script = shutil.copy(os.path.join(root, "app", "desktop", "make-deb.sh"), os.path.join(here, "app", "desktop"))
    with open(os.path.join(here, "meson.build"), "w") as out:
        out.write("project('tenure', 'c',\n  version: '1.2.0',\n)\n")
    with open(os.path.join(here, "CHANGELOG.md"), "w") as out:
        out.write("# Changes\n\n## Unreleased\n\n- Not yet.\n\n## 1.2.0 (2026-01-01)\n\nMuch is new.\n\n## 1.1.0\n\nOld.\n")
    done = subprocess.run(["sh", script, "--changes"], capture_output=True, timeout=60)
    assert done.stdout == b"  * Much is new.\n", done
    done = subprocess.run(["sh", os.path.join(root, "app", "desktop", "make-deb.sh"), "--changes"], capture_output=True)
    assert done.returncode == 0 and len(done.stdout) > 100, done


sys.exit(run_tests())
