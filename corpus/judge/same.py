"""Whether two values are the same, as far as their pickles could tell.

Not by `==`: types are exact, NaN is NaN, 0.0 is not -0.0, dicts have an order, and what can be
changed must be shared alike. Nothing here recurses into the values but the digests of elements
of sets.
"""

import collections
import pickle
import struct
import types

from judge.facets import facets

NAMED = (types.FunctionType, types.ModuleType)
BUFFERS = (memoryview, pickle.PickleBuffer)


def difference(a, b):
    """Where and how `a` and `b` differ; None if they do not."""
    return Comparison().run(a, b)


def real_bits(x):
    return b"nan" if x != x else struct.pack("<d", x)


def steps(path):
    """The end of a path of (what comes before, step), as text."""
    parts = []
    while path is not None and len(parts) < 12:
        path, step = path
        parts.append(step)
    return ("..." if path is not None else "root") + "".join(reversed(parts))


def short(thing):
    text = repr(thing)
    return text if len(text) <= 60 else text[:60] + "..."


class Comparison:
    def __init__(self):
        self.todo = []  # (a, b, path)
        self.sets = collections.deque()  # pairs of sets, which wait until the rest has shown who is who
        self.forth, self.back = {}, {}  # identities of what can be changed, from one side to the other
        self.seen = set()  # pairs of immutable containers
        self.kept = []  # what was made on the way, so that no identity is used twice
        self.digests = {}

    def run(self, a, b):
        self.todo.append((a, b, None))
        while self.todo or self.sets:
            if self.todo:
                a, b, path = self.todo.pop()
                found = self.pair(a, b, path)
            else:
                a, b, path = self.sets.popleft()
                found = self.elements(a, b, path)
            if found is not None:
                return f"{steps(path)}: {found}"
        return None

    def pair(self, a, b, path):
        kind = type(a)
        if kind is not type(b):
            return f"{kind.__name__}, and {type(b).__name__}"
        if a is b:
            return None
        if kind in (int, str, bytes):
            return None if a == b else f"{short(a)}, and {short(b)}"
        if kind is float:
            return None if real_bits(a) == real_bits(b) else f"{a!r}, and {b!r}"
        if kind is complex:
            same = real_bits(a.real) == real_bits(b.real) and real_bits(a.imag) == real_bits(b.imag)
            return None if same else f"{a!r}, and {b!r}"
        if kind is tuple or kind is frozenset:
            if (id(a), id(b)) in self.seen:
                return None
            self.seen.add((id(a), id(b)))
        elif issubclass(kind, type) or kind in NAMED:
            return f"{short(a)}, and {short(b)}"
        else:
            there, back = self.forth.get(id(a)), self.back.get(id(b))
            if there is not None or back is not None:
                return None if there == id(b) and back == id(a) else f"a {kind.__name__} that is shared otherwise"
            self.forth[id(a)], self.back[id(b)] = id(b), id(a)
        return self.inside(kind, a, b, path)

    def inside(self, kind, a, b, path):
        if kind is list or kind is tuple:
            if len(a) != len(b):
                return f"a {kind.__name__} of {len(a)} items, and of {len(b)}"
            self.todo += [(x, y, (path, f"[{i}]")) for i, (x, y) in reversed(list(enumerate(zip(a, b)))) if x is not y]
        elif kind is dict:
            if len(a) != len(b):
                return f"a dict of {len(a)} items, and of {len(b)}"
            for i, ((key, value), (other, its)) in enumerate(zip(a.items(), b.items())):
                self.todo += [(value, its, (path, f"[value {i}]")), (key, other, (path, f"[key {i}]"))]
        elif kind is set or kind is frozenset:
            if len(a) != len(b):
                return f"a {kind.__name__} of {len(a)} elements, and of {len(b)}"
            self.sets.append((a, b, path))
        elif kind is bytearray:
            return None if a == b else f"{short(a)}, and {short(b)}"
        elif kind in BUFFERS:
            one, other = memoryview(a), memoryview(b)
            same = one.readonly == other.readonly and one.tobytes() == other.tobytes()
            return None if same else "a buffer of other content"
        else:
            return self.instances(a, b, path)
        return None

    def instances(self, a, b, path):
        mine, its = facets(a), facets(b)
        self.kept += [mine, its]
        if mine.keys() != its.keys():
            return f"{', '.join(mine)} of a {type(a).__name__}, and {', '.join(its)}"
        self.todo += [(mine[name], its[name], (path, f".{name}")) for name in mine]
        return None

    # ---------------------------------------------------------------- sets

    def elements(self, a, b, path):
        """Elements have no order: those of one digest are pairs, first those known to be."""
        mine, its = self.by_digest(a), self.by_digest(b)
        if mine.keys() != its.keys():
            ours, theirs = [[x for key in here.keys() - there.keys() for x in here[key]] for here, there in ((mine, its), (its, mine))]
            return f"a {type(a).__name__} with {short(ours[:1])}, and with {short(theirs[:1])}"
        for digest, group in mine.items():
            others = its[digest]
            if len(group) != len(others):
                return f"a {type(a).__name__} with {len(group)} like {short(group[0])}, and with {len(others)}"
            if len(group) > 1:
                by_id = {id(other): other for other in others}
                partners = [by_id.pop(self.forth.get(id(thing)), None) for thing in group]
                rest = iter(by_id.values())
                others = [next(rest) if partner is None else partner for partner in partners]
            self.todo += [(x, y, (path, "{" + type(x).__name__ + "}")) for x, y in zip(group, others)]
        return None

    def by_digest(self, elements):
        groups = {}
        for element in elements:
            groups.setdefault(self.digest(element, 4), []).append(element)
        return groups

    def digest(self, thing, depth):
        """A number that is the same for what is the same. What can be changed is looked at `depth` levels deep."""
        key = (id(thing), depth)
        found = self.digests.get(key)
        if found is None:
            found = self.digests[key] = hash((type(thing).__name__, self.digest_inside(thing, depth)))
        return found

    def digest_inside(self, thing, depth):
        kind = type(thing)
        if kind in (int, bool, str, bytes, type(None)):
            return thing if thing is not None else 0  # None hashes by its address
        if kind is bytearray:
            return bytes(thing)
        if kind is float:
            return real_bits(thing)
        if kind is complex:
            return real_bits(thing.real), real_bits(thing.imag)
        if kind is tuple:
            return tuple([self.digest(item, depth) for item in thing])
        if kind is frozenset:
            return tuple(sorted([self.digest(item, depth) for item in thing]))
        if issubclass(kind, type) or kind in NAMED:
            return getattr(thing, "__qualname__", thing.__name__)
        if depth == 0 or kind in BUFFERS:
            return 0
        if kind is list:
            return tuple([self.digest(item, depth - 1) for item in thing])
        if kind is dict:
            return tuple([(self.digest(key, depth - 1), self.digest(value, depth - 1)) for key, value in thing.items()])
        if kind is set:
            return tuple(sorted([self.digest(item, depth - 1) for item in thing]))
        parts = facets(thing)
        self.kept.append(parts)
        return tuple([(name, self.digest(part, depth - 1)) for name, part in parts.items()])
