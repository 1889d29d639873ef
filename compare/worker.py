#!/usr/bin/env python3
"""CPython's side of the comparison.

    python3 worker.py make DIR     writes the inputs
    python3 worker.py run DIR      answers lines of "ROW NANOSECONDS" with nanoseconds of one call,
                                   by the CPU time of the thread and by the clock

Only what Python's own pickle module does is timed; values are made, and collected, outside.
"""

import gc
import io
import os
import pickle
import platform
import struct
import sys
import time

SIZES = (100, 1_000, 100_000)


def text(x):
    """A double as its shortest decimal text: 0, 0.5, 1, ..."""
    return repr(x).removesuffix(".0")


def lists(n):
    doubles = [x * 0.5 for x in range(n)]
    return {
        "doubles": doubles,
        "integers": list(range(n)),
        "booleans": [x % 2 == 0 for x in range(n)],
        "strings": [text(x) for x in doubles],
    }


def records(n):
    return [
        {"id": x, "name": f"user {x}", "score": x * 0.25, "active": x % 3 == 0, "tags": ["a" + str(x % 7), "b" + str(x % 5)]}
        for x in range(n)
    ]


def deep(n):
    value = []
    for _ in range(n):
        value = [value]
    return value


def values():
    for n in SIZES:
        for kind, value in lists(n).items():
            yield f"{kind}_{n}", value
    yield "records_10000", records(10_000)
    yield "dict_100000", {f"key {x}": x for x in range(100_000)}
    shared = ["shared"]
    yield "references_100000", [shared for _ in range(100_000)]
    yield "depth_10000", deep(10_000)
    yield "bytes_64MiB", bytes(64 << 20)
    yield "arrays_100", arrays()


def dumps(value, protocol=4):
    # a list 10,000 deep is written by the C pickler all the same, if Python lets it recurse
    sys.setrecursionlimit(1_000_000)
    return pickle.dumps(value, protocol)


class Array:
    """An array of numpy: the call that makes it, and a state of version, shape, dtype, order and bytes."""

    def __init__(self, count, data):
        self.count, self.data = count, data

    def __reduce__(self):
        return reconstruct, (Array, (0,), b"b"), (1, (self.count,), DTYPE, False, self.data)

    def __setstate__(self, state):
        _, (self.count,), _, _, self.data = state


def reconstruct(kind, shape, code):
    return kind.__new__(kind)


class Dtype:
    def __init__(self, *args):
        self.args = args

    def __reduce__(self):
        return Dtype, self.args, (3, "<", None, None, None, -1, -1, 0)

    def __setstate__(self, state):
        pass


DTYPE = Dtype("f8", False, True)


def arrays():
    """Arrays of doubles that pickle as numpy's do, without numpy."""
    return [Array(10_000, struct.pack("<10000d", *(x * 0.5 + y for x in range(10_000)))) for y in range(100)]


def make(folder):
    for name, value in values():
        protocols = (2, 4) if name.startswith(("doubles", "integers", "booleans", "strings", "records")) else (4,)
        for protocol in protocols:
            with open(os.path.join(folder, f"{name}.p{protocol}"), "wb") as file:
                file.write(dumps(value, protocol))


def rows(folder):
    """What is timed: a function of no arguments by the name of its row."""

    def data(name):
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    def load(name):
        bytes_ = data(name)
        loads = pickle.loads
        return lambda: loads(bytes_)

    def load_stream(name):
        bytes_ = data(name)
        return lambda: pickle.load(io.BytesIO(bytes_))

    def dump(name, fast=False):
        value = pickle.loads(data(name + ".p4"))

        def run():
            out = io.BytesIO()
            pickler = pickle.Pickler(out, 4)
            pickler.fast = fast
            pickler.dump(value)

        def plain():
            pickle.dumps(value, 4)

        return run if fast else plain

    kinds = {"load": load, "stream": load_stream, "dump": dump, "dump-fast": lambda name: dump(name, True)}

    def row(name):
        what, _, of = name.partition(" ")
        return kinds[what](of)

    return row


def main():
    command, folder = sys.argv[1:]
    sys.setrecursionlimit(1_000_000)
    if command == "make":
        make(folder)
        return
    row = rows(folder)
    known = {}
    print(platform.python_implementation(), platform.python_version(), platform.python_compiler(), flush=True)
    for line in sys.stdin:
        name, _, budget = line.rstrip("\n").rpartition(" ")
        if name not in known:
            known.clear()
            call = row(name)
            call()
            start = time.perf_counter_ns()
            call()
            once = max(1, time.perf_counter_ns() - start)
            known[name] = call, once
        call, once = known[name]
        count = max(1, int(budget) // once)
        gc.collect()
        gc.disable()
        times = range(count)
        cpu, clock = time.thread_time_ns(), time.perf_counter_ns()
        for _ in times:
            call()
        cpu, clock = time.thread_time_ns() - cpu, time.perf_counter_ns() - clock
        gc.enable()
        print(cpu / count, clock / count, flush=True)


if __name__ == "__main__":
    main()
