#!/usr/bin/env python3
"""Prints the canonical form of the value that a pickle holds.

    python3 corpus/record.py [--encoding E] [--persid VALUE] [--buffers HEX,HEX] < FILE
    python3 corpus/record.py --vectors A.jsonl B.jsonl -o OUT.jsonl

CPython's C unpickler does the reading, but every class and function it asks for is a
recorder: an object that notes what is done to it. Nothing is imported and nothing that
the pickle names is run, so the classes need not exist. The grammar of the canonical form
is in README.md, beside this file.
"""

import argparse
import copyreg
import io
import itertools
import json
import os
import pickle
import platform
import struct
import sys

from guard import describe, guarded

DIGITS = 4300  # CPython's limit for decimal text; longer ints are printed in hex
TOO_LONG = 10**DIGITS


# ---------------------------------------------------------------- recorders


class Record:
    """What is known of one recorder: how it came to be, and what was done to it."""

    __slots__ = ("how", "name", "callable", "args", "kwargs", "actions", "seq")

    def __init__(self, how, name=None, callable=None, args=(), kwargs=None, seq=0):
        self.how = how  # "global", "pid", "call" or "new"
        self.name = name
        self.callable = callable
        self.args = args
        self.kwargs = kwargs
        self.actions = []  # (sequence number, kind, payload)
        self.seq = seq


class Session:
    """One load. It numbers the steps, so that calls find their place among other actions."""

    current = None

    def __init__(self, as_types):
        self.as_types = as_types
        self.clock = itertools.count(1)
        self.globals = {}
        self.calls = []  # every recorder that `call` made, in order

    def make(self, record):
        if self.as_types:
            return Recorder("recorder", (Base,), {"record": record})
        thing = Instance()
        thing.record = record
        return thing

    def global_(self, module, name):
        key = (module, name)
        found = self.globals.get(key)
        if found is None:
            record = Record("global", name=key)
            found = self.globals[key] = Recorder("recorder", (Base,), {"record": record})
        return found

    def made(self, how, callable, args, kwargs):
        record = Record(how, callable=callable, args=args, kwargs=kwargs, seq=next(self.clock))
        thing = self.make(record)
        if how == "call":
            self.calls.append(thing)
        return thing


class NeedTypes(Exception):
    """The pickle uses the result of a call as a class: load again with results that are types."""


def act(thing, kind, payload):
    session = Session.current
    type_record(thing).actions.append((next(session.clock), kind, payload))


def type_record(thing):
    if type(thing) is Recorder:
        return type.__getattribute__(thing, "record")
    return thing.record


def call(thing, args, kwargs):
    record = type_record(thing)
    if record.how == "global" and not kwargs:
        value = builtin_of(record.name, args)
        if value is not None:
            return value
    return Session.current.made("call", thing, args, kwargs)


def builtin_of(name, args):
    """The value of the calls by which CPython's own pickler spells builtin types, else None."""
    module, attribute = name
    if module == "_codecs":
        if attribute == "encode" and kinds(args) == (str, str) and args[1] == "latin1":
            return args[0].encode("latin-1")
    elif module in ("builtins", "__builtin__"):
        if attribute == "set" and kinds(args) == (list,):
            return set(args[0])
        if attribute == "frozenset" and kinds(args) == (list,):
            return frozenset(args[0])
        if attribute == "bytes" and not args:
            return b""
        # how CPython 3.0 to 3.2 wrote bytes before protocol 3
        if attribute == "bytes" and kinds(args) == (list,) and all(type(n) is int and 0 <= n < 256 for n in args[0]):
            return bytes(args[0])
        if attribute == "bytearray":
            if not args:
                return bytearray()
            if kinds(args) == (bytes,):
                return bytearray(args[0])
            if kinds(args) == (str, str) and args[1] == "latin-1":
                return bytearray(args[0].encode("latin-1"))
    return None


def kinds(args):
    return tuple(type(a) for a in args)


class Recorder(type):
    """The class of globals. They are types, because NEWOBJ takes nothing else.

    What C looks up on an object (`extend`, `add`, `__setstate__`) is found here for a
    class, since Base has none of these names.
    """

    def __call__(cls, /, *args, **kwargs):
        return call(cls, args, kwargs)

    def __setstate__(cls, state, /):
        act(cls, "build", state)

    def extend(cls, items, /):
        act(cls, "extend", list(items))

    def add(cls, item, /):
        act(cls, "add", [item])

    def __setitem__(cls, key, value, /):
        act(cls, "set", [(key, value)])


class Base(metaclass=Recorder):
    record = None

    def __new__(cls, /, *args, **kwargs):
        return Session.current.made("new", cls, args, kwargs)


class Instance:
    """What calls make, as long as nobody uses the result as a class: lighter than a type."""

    __slots__ = ("record",)

    def __call__(self, /, *args, **kwargs):
        if not args:
            # REDUCE with () and OBJ without arguments look the same here, but not for a type.
            raise NeedTypes
        return call(self, args, kwargs)

    def __setstate__(self, state, /):
        act(self, "build", state)

    def extend(self, items, /):
        act(self, "extend", list(items))

    def add(self, item, /):
        act(self, "add", [item])

    def __setitem__(self, key, value, /):
        act(self, "set", [(key, value)])


# ---------------------------------------------------------------- loading


class Whole:
    """A file that shows all it has at the first peek.

    With it the C unpickler reads as `pickle.loads` does, from one buffer; with an
    ordinary file it drops the rest of a frame when an argument straddles its end.
    """

    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0

    def peek(self, _size=0, /):
        return self.data[self.at :]

    def read(self, size=-1, /):
        end = len(self.data) if size < 0 else min(len(self.data), self.at + size)
        part = self.data[self.at : end]
        self.at = end
        return part

    def readinto(self, buffer, /):
        part = self.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)

    def readline(self, /):
        end = self.data.find(b"\n", self.at) + 1 or len(self.data)
        part = self.data[self.at : end]
        self.at = end
        return part


class RecordingUnpickler(pickle.Unpickler):
    def __init__(self, file, session, persistent, **options):
        self.session = session
        self.persistent = persistent
        super().__init__(file, fix_imports=False, **options)

    def find_class(self, module, name, /):
        return self.session.global_(module, name)

    def persistent_load(self, pid, /):
        if self.persistent is not None:
            return self.persistent(pid)
        return self.session.make(Record("pid", args=(pid,)))


def load(data, encoding="ASCII", persistent=None, buffers=None, extensions=None):
    """Reads the first pickle of `data`. Returns (root, its session, bytes used)."""
    assert pickle.Unpickler is not pickle._Unpickler, "the C unpickler is the oracle"
    for as_types in (False, True):
        session = Session(as_types)
        before, Session.current = Session.current, session
        registered = register(extensions)
        file = Whole(data)
        try:
            unpickler = RecordingUnpickler(
                file, session, persistent, encoding=encoding, buffers=buffers and list(buffers)
            )
            return unpickler.load(), session, file.at
        except NeedTypes:
            pass
        except pickle.UnpicklingError as error:
            if as_types or "class argument must be a type, not Instance" not in str(error):
                raise
        finally:
            Session.current = before
            for entry in registered:
                copyreg.remove_extension(*entry)
    raise AssertionError("unreachable")


def register(extensions):
    """Extension codes {code: (module, name)} for one load; CPython keeps them in one global table."""
    entries = [(module, name, int(code)) for code, (module, name) in (extensions or {}).items()]
    for entry in entries:
        copyreg.add_extension(*entry)
    return entries


def canonical_rest(data, at, encoding="ASCII"):
    """The canonical forms of the pickles that follow at `at`, each with a memo of its own."""
    forms = []
    while at < len(data):
        try:
            root, session, used = load(data[at:], encoding)
        except Exception:  # not a pickle any more
            break
        attach_setters(root, session)
        forms.append(render(root))
        at += used
    return forms


def canonical_shared(data, encoding="ASCII"):
    """The canonical forms of pickles written one after the other by one pickler, with one memo."""
    session = Session(as_types=True)
    before, Session.current = Session.current, session
    try:
        file = Whole(data)
        unpickler = RecordingUnpickler(file, session, None, encoding=encoding)
        roots = []
        while file.at < len(file.data):
            roots.append(unpickler.load())
            attach_setters(roots[-1], session)
        return [render(root) for root in roots]
    finally:
        Session.current = before


# ---------------------------------------------------------------- setter calls


def children(thing):
    kind = type(thing)
    if kind in (list, tuple, set, frozenset):
        yield from thing
    elif kind is dict:
        for key, value in thing.items():
            yield key
            yield value
    elif kind is Instance or kind is Recorder:
        record = type_record(thing)
        if record.how in ("call", "new"):
            yield record.callable
        yield from record.args
        if record.kwargs:
            yield from record.kwargs.values()
        for _, action, payload in record.actions:
            yield from action_children(action, payload)


def action_children(action, payload):
    if action == "build":
        yield payload
    elif action == "call":
        yield payload[0]
        yield from payload[1]
    elif action == "set":
        for key, value in payload:
            yield key
            yield value
    else:
        yield from payload


def reach(start, seen):
    """Adds the identities of everything that can be reached from `start`."""
    todo = list(start)
    while todo:
        thing = todo.pop()
        kind = type(thing)
        if kind in LEAVES or id(thing) in seen:
            continue
        seen.add(id(thing))
        todo.extend(children(thing))


LEAVES = (type(None), bool, int, float, str, bytes)


def same(a, b):
    """Whether two arguments are the same: identical, or equal where identity says nothing."""
    todo = [(a, b)]
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if type(a) is not type(b):
            return False
        if type(a) is tuple and len(a) == len(b):
            todo.extend(zip(a, b))
        elif type(a) is float:
            if struct.pack("<d", a) != struct.pack("<d", b):
                return False
        elif type(a) not in (int, str, bytes) or a != b:
            return False
    return True


def attach_setters(root, session):
    """Makes the calls whose result nobody keeps actions on their first argument.

    State setters are written so: the call, then POP. A recursive object is written as its
    call made twice, the second result popped; that repeat is no action.
    """
    if not session.calls:
        return
    seen = set()
    reach([root], seen)
    alike = {}
    for thing in session.calls:
        record = type_record(thing)
        if record.args:
            alike.setdefault((id(record.callable), id(record.args[0])), []).append(thing)
    waiting = [thing for thing in reversed(session.calls)]
    changed = True
    while changed:
        changed = False
        still = []
        for thing in waiting:
            if id(thing) in seen:
                continue
            record = type_record(thing)
            first = record.args[0] if record.args else None
            if type(first) not in (Instance, Recorder) or type_record(first).how == "global":
                continue
            if id(first) not in seen:
                still.append(thing)
                continue
            if is_repeat(thing, alike, seen):
                continue
            actions = type_record(first).actions
            actions.append((record.seq, "call", (record.callable, record.args)))
            actions.sort(key=lambda action: action[0])
            reach([record.callable, *record.args], seen)
            changed = True
        waiting = still


def is_repeat(thing, alike, seen):
    """Whether an earlier call with the same callable and arguments made an object that is kept."""
    record = type_record(thing)
    for other in alike[id(record.callable), id(record.args[0])]:
        earlier = type_record(other)
        if earlier.seq >= record.seq:
            return False
        if id(other) in seen and same(earlier.args, record.args):
            return True
    return False


# ---------------------------------------------------------------- printing

PLAIN = {b: chr(b) for b in range(0x20, 0x7F)}
BYTE_TEXT = [PLAIN[b] if b in PLAIN and b not in b'"\\' else f"\\x{b:02x}" for b in range(256)]


def quoted(raw):
    return '"' + "".join([BYTE_TEXT[b] for b in raw]) + '"'


def text_of(text):
    return quoted(text.encode("utf-8", "surrogatepass"))


def number(n):
    return str(n) if -TOO_LONG < n < TOO_LONG else hex(n)


def real(x):
    return "f:nan" if x != x else "f:" + struct.pack(">d", x).hex()


ATOMS = {
    type(None): lambda x: "None",
    bool: lambda x: "True" if x else "False",
    int: number,
    float: real,
    str: lambda x: "s" + text_of(x),
    bytes: lambda x: "b" + quoted(x),
    bytearray: lambda x: "B" + quoted(x),
}


class Piece:
    """A value yet to be printed, as opposed to text that is ready."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class SetState:
    """A set being printed: every element in a numbering of its own."""

    __slots__ = ("set", "close", "left", "texts", "labels", "out")


def render(root):
    out = []
    labels = {}
    printing = set()  # the sets that are being printed
    todo = [Piece(root)]
    while todo:
        task = todo.pop()
        if type(task) is str:
            out.append(task)
            continue
        if type(task) is SetState:
            if task.texts is None:
                task.texts = []
            else:
                task.texts.append("".join(out))
            if task.left:
                out, labels = [], {}
                todo += [task, Piece(task.left.pop())]
            else:
                out, labels = task.out, task.labels
                out.append(", ".join(sorted(task.texts)) + task.close)
                printing.discard(id(task.set))
            continue
        thing = task.value
        kind = type(thing)
        atom = ATOMS.get(kind)
        if atom is not None:
            out.append(atom(thing))
            continue
        if kind is tuple and not thing:
            out.append("()")
            continue
        if kind is frozenset and not thing:
            out.append("frozenset{}")
            continue
        if id(thing) in printing:
            out.append("#set")
            continue
        recorded = kind is Instance or kind is Recorder
        if recorded:
            record = type_record(thing)
            if record.how == "global" and not record.actions:
                out.append("g" + text_of(".".join(record.name)))
                continue
        label = labels.get(id(thing))
        if label is not None:
            out.append(f"#{label}")
            continue
        labels[id(thing)] = label = len(labels) + 1
        out.append(f"#{label}=")
        if kind is list:
            parts = ["[", *spread(thing), "]"]
        elif kind is tuple:
            parts = ["(", *spread(thing), ")"]
        elif kind is dict:
            parts = ["{", *pairs(thing.items()), "}"]
        elif kind is set or kind is frozenset:
            out.append("set{" if kind is set else "frozenset{")
            state = SetState()
            state.set, state.close, state.texts = thing, "}", None
            state.left, state.labels, state.out = list(thing), labels, out
            printing.add(id(thing))
            todo.append(state)
            continue
        elif recorded:
            parts = recorder_parts(record)
        else:
            raise TypeError(f"no canonical form for {kind.__name__}")
        for part in reversed(parts):
            todo.append(part)
    return "".join(out)


def spread(items):
    parts = []
    for item in items:
        if parts:
            parts.append(", ")
        parts.append(Piece(item))
    return parts


def pairs(items):
    parts = []
    for key, value in items:
        if parts:
            parts.append(", ")
        parts += [Piece(key), ": ", Piece(value)]
    return parts


def recorder_parts(record):
    if record.how == "global":
        head, tail = ["g" + text_of(".".join(record.name)) + "{"], "}"
    elif record.how == "pid":
        head, tail = ["pid(", Piece(record.args[0])], ")"
    else:
        args = ["(", *spread(record.args)]
        if record.kwargs:
            args += [", " if record.args else "", "**{", *pairs(record.kwargs.items()), "}"]
        head, tail = [record.how + "(", Piece(record.callable), ", ", *args, ")"], ")"
    return [*head, *action_parts(record.actions), tail]


def action_parts(actions):
    parts = []
    for kind, group in itertools.groupby(actions, key=lambda action: action[1]):
        payloads = [action[2] for action in group]
        if kind == "build":
            for state in payloads:
                parts += ["; build(", Piece(state), ")"]
        elif kind == "call":
            for callable, args in payloads:
                parts += ["; call(", Piece(callable), ", (", *spread(args), "))"]
        elif kind == "set":
            items = [item for payload in payloads for item in payload]
            parts += ["; set{", *pairs(items), "}"]
        else:
            items = [item for payload in payloads for item in payload]
            parts += [f"; {kind}[", *spread(items), "]"]
    return parts


def canonical(data, encoding="ASCII", persistent=None, buffers=None, extensions=None):
    """The canonical form of the first pickle in `data`; raises where CPython refuses it."""
    root, session, _ = load(data, encoding, persistent, buffers, extensions)
    attach_setters(root, session)
    return render(root)


# ---------------------------------------------------------------- vectors


def vectors(paths, out):
    lines = [{"python": platform.python_version(), "made_by": "corpus/record.py"}]
    for path in paths:
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file if line.strip()]
        for index, row in enumerate(rows):
            known = row["cpython311"]
            encoding = (known.get("encoding") if isinstance(known, dict) else None) or "ASCII"
            buffers = [b"bufferdata1", b"bufferdata2"] if row.get("mode") == "oob" else None
            data = bytes.fromhex(row["pickle_hex"])
            # Address space, not memory: a vector may name a memo slot in the millions.
            text, error = guarded(
                lambda: canonical(data, encoding, buffers=buffers), memory=16 << 30
            )
            lines.append(
                {
                    "file": name,
                    "line": index,
                    "name": row["name"],
                    "encoding": encoding,
                    "canonical": text,
                    "error": error,
                }
            )
    with open(out, "w", encoding="ascii", newline="\n") as file:
        for line in lines:
            file.write(json.dumps(line) + "\n")
    return len(lines) - 1


def main():
    parser = argparse.ArgumentParser(description="prints the canonical form of a pickle")
    parser.add_argument("--encoding", default="ASCII", help="how 8-bit strings are read (or: bytes)")
    parser.add_argument("--persid", metavar="VALUE", help="every persistent id loads as this str")
    parser.add_argument("--buffers", metavar="HEX,HEX", help="out-of-band buffers")
    parser.add_argument("--vectors", nargs="+", metavar="FILE", help="files of vectors to record")
    parser.add_argument("-o", "--output", help="where --vectors writes")
    options = parser.parse_args()
    if sys.version_info[:2] != (3, 11):
        sys.exit(f"record.py: CPython 3.11 is the oracle, this is {platform.python_version()}")
    sys.set_int_max_str_digits(DIGITS)
    if options.vectors:
        if not options.output:
            parser.error("--vectors needs -o")
        print(f"{vectors(options.vectors, options.output)} vectors")
        return
    persistent = None
    if options.persid is not None:
        persistent = lambda _id: options.persid
    buffers = None
    if options.buffers is not None:
        buffers = [bytes.fromhex(part) for part in options.buffers.split(",")]
    try:
        print(canonical(sys.stdin.buffer.read(), options.encoding, persistent, buffers))
    except Exception as error:
        sys.exit(describe(error))


if __name__ == "__main__":
    main()
