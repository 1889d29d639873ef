"""The stream of objects: each with its pickles by all protocols."""

import json
import pickle
import struct
import sys

from groups.outcome import BUILTIN
from objects import chance
from objects.frames import large
from objects.fresh import raw, text
from objects.shapes import shapes
from objects.sizes import sized

PROTOCOLS = range(6)


class Lossy:
    """A value of which one protocol writes what cannot be seen in the pickle of another."""

    def __init__(self, value):
        self.value = value


def pickled(value, protocol):
    try:
        return pickle.dumps(value, protocol)
    except Exception:  # this protocol cannot write it
        return None


def survey(value):
    """(only builtin types inside, single bytes beside a character of Latin-1 that is not the one object decoding gives)

    Protocols 0 to 2 write bytes as text that they decode, and that text may be one of the value's own, or only equal to it.
    Literals, `str(5)` and `"A".lower()` are other objects than decoding gives.
    """
    builtin = True
    apart = single = False
    todo, seen = [value], set()
    while todo:
        thing = todo.pop()
        kind = type(thing)
        if kind is str:
            apart = apart or len(thing) == 1 and thing < "\u0100" and thing is not chr(ord(thing))
        elif kind in (bytes, bytearray):
            single = single or len(thing) == 1
        elif kind in (list, tuple, dict, set, frozenset):
            if id(thing) not in seen:
                seen.add(id(thing))
                todo.extend(thing)
                if kind is dict:
                    todo.extend(thing.values())
        elif kind not in BUILTIN:
            builtin = False
    return builtin, apart and single


def write(out, named):
    """Writes each (name, value) as a record."""
    assert pickle.dumps is not pickle._dumps, "the C pickler is the oracle"
    sys.setrecursionlimit(4000)
    for name, value in named:
        lossy = isinstance(value, Lossy)
        if lossy:
            value = value.value
        builtin, apart = survey(value)
        header = {"name": name, "builtin": builtin}
        if lossy or builtin and apart:
            header["lossy"] = True
        pickles = [pickled(value, protocol) for protocol in PROTOCOLS]
        header["sizes"] = [-1 if data is None else len(data) for data in pickles]
        text = json.dumps(header, ensure_ascii=False).encode("utf-8")
        out.write(struct.pack("<I", len(text)) + text + b"".join(data for data in pickles if data is not None))


def fixed():
    yield from sized()
    yield from shapes()
    yield from large()
    yield from lossy()


def lossy():
    # The pickler's own 'latin1' and 'builtins' are interned, as literals are.
    yield "lossy/latin1", Lossy([b"ab", "latin1", b"cd"])
    yield "lossy/builtins", Lossy(["builtins", bytearray(b"ab"), "builtins"])
    yield "lossy/single", Lossy(["A".lower(), text("a"), raw(b"a"), str(5), raw(b"5"), bytearray(b"5")])
    # Protocol 0 knows one NaN.
    bits = [0x7FF8000000000001, 0xFFF8000000000000, 0x7FF0000000000001, 0x7FFFFFFFFFFFFFFF]
    yield "lossy/nan", Lossy([struct.unpack("<d", struct.pack("<Q", b))[0] for b in bits])


def generated(seed, first, count):
    for i in range(first, first + count):
        yield f"random/{seed}/{i}", chance.make(seed, i)
