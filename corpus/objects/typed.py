"""Plain values that another program describes, as Python would have them after reading them from
somewhere: equal keys and names are one object, and nothing else is shared but what Python itself
has as one object.

A description is JSON: null, a bool, or a list of a word and what it describes:

    ["int", "12"] ["float", "<8 bytes, big-endian, hexadecimal>"] ["str", "text"] ["name", "text"]
    ["bytes", "00ff"] ["bytearray", "00ff"] ["complex", <float>, <float>]
    ["list", ...] ["tuple", ...] ["set", ...] ["frozenset", ...] ["dict", [key, value], ...]
    ["class", "name"] ["object", "name", [attribute, value], ...] ["call", "name", ...]
    ["new", "name", ...] ["member", "name", <value>]

Classes are those of zoo.
"""

import json
import pickle
import struct

from groups.zoo import zoo


class Values:
    """The values of one description."""

    def __init__(self):
        self.names = {}

    def name(self, text):
        return self.names.setdefault(text, text)

    def key(self, what):
        if isinstance(what, list) and what[0] == "str":
            return self.name(what[1])
        key = self.value(what)
        if isinstance(key, bytes):
            return self.names.setdefault(key, key)
        return key

    def pairs(self, pairs):
        return {self.key(key): self.value(value) for key, value in pairs}

    def value(self, what):
        if what is None or isinstance(what, bool):
            return what
        kind, *parts = what
        return getattr(self, "make_" + kind)(*parts)

    def values(self, parts):
        return [self.value(part) for part in parts]

    def make_int(self, digits):
        return int(digits)

    def make_float(self, digits):
        return struct.unpack(">d", bytes.fromhex(digits))[0]

    def make_str(self, text):
        return text

    def make_name(self, text):
        return self.name(text)

    def make_bytes(self, digits):
        return bytes.fromhex(digits)

    def make_bytearray(self, digits):
        return bytearray.fromhex(digits)

    def make_complex(self, real, imag):
        return complex(self.value(real), self.value(imag))

    def make_list(self, *parts):
        return self.values(parts)

    def make_tuple(self, *parts):
        return tuple(self.values(parts))

    def make_set(self, *parts):
        return set(self.values(parts))

    def make_frozenset(self, *parts):
        return frozenset(self.values(parts))

    def make_dict(self, *pairs):
        return self.pairs(pairs)

    def make_class(self, name):
        return getattr(zoo, name)

    def make_object(self, name, *pairs):
        made = object.__new__(getattr(zoo, name))
        made.__dict__.update(self.pairs(pairs))
        return made

    def make_call(self, name, *parts):
        return zoo.Reduce(lambda _: (getattr(zoo, name), tuple(self.values(parts))))

    def make_new(self, name, *parts):
        return getattr(zoo, name)(*self.values(parts))

    def make_member(self, name, value):
        return getattr(zoo, name)(self.value(value))


def typed(questions, answers):
    """A line of hexadecimal pickles, one for each protocol, for each description."""
    for line in questions:
        value = Values().value(json.loads(line))
        pickles = [pickle.dumps(value, protocol).hex() for protocol in range(6)]
        answers.write((" ".join(pickles) + "\n").encode("ascii"))
        answers.flush()
