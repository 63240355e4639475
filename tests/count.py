#!/usr/bin/env python3
"""count.py [--failed N] LOG...: counts the cases in meson's JSON logs.

A TAP test counts by its single cases, another one as a whole.  Prints what failed, then the line
`N passed, N failed[, N skipped]`; exits with 1 where anything failed or nothing ran.
"""
import argparse
import json
import re
import sys

CASE = re.compile(r"^(not )?ok\b[^#]*(#\s*(SKIP|TODO)\b.*)?", re.IGNORECASE)


def cases(test):
    """(passed, failed, skipped, names of the failed) of one test."""
    passed = failed = skipped = 0
    names = []
    for line in test.get("stdout", "").splitlines():
        match = CASE.match(line)
        if not match:
            continue
        if match.group(2):
            skipped += 1
        elif match.group(1):
            failed += 1
            names.append(line.strip())
        else:
            passed += 1
    result = test["result"]
    is_good = result in ("OK", "EXPECTEDFAIL", "SKIP")
    if passed + failed + skipped == 0:
        passed, skipped = int(result in ("OK", "EXPECTEDFAIL")), int(result == "SKIP")
        failed = int(not is_good)
    elif not is_good and failed == 0:  # it crashed, or ran out of time, between two cases
        failed = 1
    return passed, failed, skipped, names or ([result.lower()] if failed else [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--failed", type=int, default=0)
    parser.add_argument("logs", nargs="*")
    options = parser.parse_args()
    passed, failed, skipped = 0, options.failed, 0
    for log in options.logs:
        try:
            lines = open(log, encoding="utf-8", errors="replace").read().splitlines()
        except OSError as error:
            print(f"no log of a test run: {error}")
            failed += 1
            continue
        for line in lines:
            test = json.loads(line)
            p, f, s, names = cases(test)
            passed, failed, skipped = passed + p, failed + f, skipped + s
            for name in names:
                print(f"failed: {log}: {test['name']}: {name}")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
