#!/usr/bin/env python3
"""CPython 3.11 as the oracle of what is written.

    python3 corpus/oracle.py objects [--fixed] [--random N] [--seed S] [--first I]
    python3 corpus/oracle.py judge < QUESTIONS
    python3 corpus/oracle.py optimize < PICKLES
    python3 corpus/oracle.py typed < DESCRIPTIONS
    python3 corpus/oracle.py version

`objects` writes objects as CPython's C pickler pickles them, by all protocols; `judge` says
whether two pickles load alike; `optimize` gives what pickletools.optimize gives; `typed` pickles
values that another program describes. The formats are in README.md, beside this file, and in
objects/typed.py.
"""

import argparse
import os
import pickletools
import platform
import sys

sys.dont_write_bytecode = True
import record  # noqa: E402
from judge.answers import judge  # noqa: E402
from objects.stream import fixed, generated, write  # noqa: E402
from objects.typed import typed  # noqa: E402


def objects(options):
    if os.environ.get("PYTHONHASHSEED") != "0":
        # The order of sets of str depends on the seed.
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, [sys.executable, *sys.argv])
    out = sys.stdout.buffer
    try:
        if options.fixed:
            write(out, fixed())
        write(out, generated(options.seed, options.first, options.random))
        out.flush()
    except BrokenPipeError:
        # Whoever read has seen enough; the flush at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def optimize(questions, answers):
    for line in questions:
        try:
            answer = pickletools.optimize(bytes.fromhex(line.decode("ascii"))).hex()
        except Exception as error:
            answer = f"! {type(error).__name__}"
        answers.write(answer.encode("ascii") + b"\n")
    answers.flush()


def main():
    parser = argparse.ArgumentParser(description="CPython as the oracle of what is written")
    verbs = parser.add_subparsers(dest="verb", required=True)
    verb = verbs.add_parser("objects", help="write objects and their pickles to stdout")
    verb.add_argument("--fixed", action="store_true", help="the objects made for edges")
    verb.add_argument("--random", type=int, default=0, metavar="N", help="so many random objects")
    verb.add_argument("--seed", type=int, default=0, metavar="S")
    verb.add_argument("--first", type=int, default=0, metavar="I", help="the number of the first random object")
    verbs.add_parser("judge", help="answer the questions on stdin")
    verbs.add_parser("optimize", help="optimize the pickles on stdin")
    verbs.add_parser("typed", help="pickle the values described on stdin")
    verbs.add_parser("version", help="print which Python this is")
    options = parser.parse_args()
    name = f"{platform.python_implementation()} {platform.python_version()}"
    if options.verb == "version":
        print(name)
        return
    if platform.python_implementation() != "CPython" or sys.version_info[:2] != (3, 11):
        sys.exit(f"oracle.py: this needs CPython 3.11, and runs under {name}")
    sys.set_int_max_str_digits(record.DIGITS)
    if options.verb == "objects":
        objects(options)
    elif options.verb == "optimize":
        optimize(sys.stdin.buffer, sys.stdout.buffer)
    elif options.verb == "typed":
        typed(sys.stdin.buffer, sys.stdout.buffer)
    else:
        judge(sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
