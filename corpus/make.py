#!/usr/bin/env python3
"""Makes corpus/cases: small pickles, and beside them what CPython 3.11 says of each.

    python3 corpus/make.py            writes corpus/cases anew
    python3 corpus/make.py --check    makes them in a temporary directory and compares

The line format of expected.jsonl is in README.md, beside this file.
"""

import argparse
import filecmp
import json
import os
import platform
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import record  # noqa: E402
from groups import outcome  # noqa: E402
from groups.builtins import make_builtins  # noqa: E402
from groups.case import CASES  # noqa: E402
from groups.classes import make_classes  # noqa: E402
from groups.hostile import make_hostile  # noqa: E402
from groups.odd import make_odd  # noqa: E402
from groups.opcodes import make_opcodes  # noqa: E402
from groups.outcome import expect  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
GROUPS = ("opcodes", "builtins", "classes", "odd", "hostile")


def make(root):
    make_opcodes()
    make_builtins()
    make_classes()
    make_odd()
    make_hostile()
    counts = dict.fromkeys(GROUPS, 0)
    lines = {group: [] for group in GROUPS}
    for group in GROUPS:
        os.makedirs(os.path.join(root, group))
    for one in sorted(CASES, key=lambda one: (one.group, one.name)):
        counts[one.group] += 1
        with open(os.path.join(root, one.group, one.name + ".pkl"), "wb") as file:
            file.write(one.data)
        lines[one.group].append(json.dumps(expect(one)) + "\n")
    for group in GROUPS:
        with open(os.path.join(root, group, "expected.jsonl"), "w", encoding="ascii", newline="\n") as file:
            file.writelines(lines[group])
    return counts


def differences(a, b):
    """The paths, relative to both, that are not the same in two directories."""
    found = []
    names = {}
    for root in (a, b):
        names[root] = {
            os.path.relpath(os.path.join(folder, name), root)
            for folder, _, files in os.walk(root)
            for name in files
        }
    for name in sorted(names[a] | names[b]):
        if name not in names[a] or name not in names[b]:
            found.append(f"only in one: {name}")
        elif not filecmp.cmp(os.path.join(a, name), os.path.join(b, name), shallow=False):
            found.append(f"differs: {name}")
    return found


def main():
    parser = argparse.ArgumentParser(description="makes corpus/cases")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--verbose", action="store_true", help="show where a load and the recorder part")
    options = parser.parse_args()
    outcome.VERBOSE = options.verbose
    if platform.python_implementation() != "CPython" or sys.version_info[:2] != (3, 11):
        sys.exit(f"make.py: this needs CPython 3.11, and runs under {platform.python_implementation()} {platform.python_version()}")
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets of str depends on the seed.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    sys.set_int_max_str_digits(record.DIGITS)
    cases = os.path.join(HERE, "cases")
    with tempfile.TemporaryDirectory(dir=None) as temporary:
        fresh = os.path.join(temporary, "cases")
        counts = make(fresh)
        if options.check:
            found = differences(cases, fresh)
            for line in found:
                print(line)
            if found:
                sys.exit(f"corpus/cases is not what make.py makes: {len(found)} files")
        else:
            shutil.rmtree(cases, ignore_errors=True)
            shutil.copytree(fresh, cases)
    print(f"CPython {platform.python_version()}:", ", ".join(f"{g} {n}" for g, n in counts.items()), "=", sum(counts.values()))


if __name__ == "__main__":
    main()
