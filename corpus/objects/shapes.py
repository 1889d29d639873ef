"""Objects of classes: all that the corpus has, and what needs no file there."""

import collections
import datetime
import decimal
import enum
import functools
import operator
import types

from groups.builtins import make_builtins
from groups.case import VALUES
from groups.classes import make_classes
from groups.zoo import (
    Args, Bag, Colour, Empty, Failure, GetState, Größe, Level, MyDict, MyFrozenSet, MyInt, MyList, MySet,
    MyStr, MyTuple, NewArgs, NewArgsEx, Outer, Plain, Point, Reduce, Row, SINGLETON, Slots, SlotsAndDict,
    function, make_bag, set_bag,
)
from objects.fresh import raw, text


def shapes():
    make_builtins()
    make_classes()
    for group, name, value in VALUES:
        yield f"{group}/{name}", value() if isinstance(value, types.FunctionType) else value
    for subject in (tuples, reduces, recursive, names, several):
        for name, value in subject():
            yield f"{subject.__name__}/{name}", value


def tuples():
    """Tuples that hold themselves: what was begun is thrown away."""
    for n in (1, 2, 3, 4, 5):
        for at in sorted({0, n - 1}):
            inner = []
            whole = placed(inner, n, at)
            inner.append(whole)
            yield f"from tuple {n} {at}", whole
            yield f"from list {n} {at}", inner
        inner = {}
        whole = (*range(n - 1), inner)
        inner["t"] = whole
        yield f"from tuple {n} dict", whole
        yield f"from dict {n}", inner
    inner = []
    whole = (inner, inner)
    inner += [whole, whole]
    yield "twice", [whole, inner, whole]
    inner = []
    outer = ((inner,), (1, (inner, 2)))
    inner += [outer, outer[0], outer[1][1]]
    yield "nested", outer
    first, second = [], {}
    one, two = (first, 1), (second, 2, 3, 4)
    first.append(two)
    second["one"] = one
    yield "two", [one, two]
    yield "shared", [(whole := (1, [2])), whole, (whole, whole), {whole[0]: whole}]
    yield "of empty", [(), ((), ()), ((),)]


def reduces():
    for n in range(6):
        yield f"args {n}", Reduce(lambda _, n=n: (Bag, tuple(range(n))))
    yield "args of a function", Reduce(lambda _: (make_bag, ([1], {"a": ()})))
    yield "None everywhere", Reduce(lambda _: (Bag, (1,), None, None, None, None))
    yield "empty items", Reduce(lambda _: (Bag, (1,), {}, iter(()), iter(())))
    yield "setter of None", Reduce(lambda _: (Bag, (), None, None, None, set_bag))
    yield "setter of a tuple", Reduce(lambda _: (Bag, (), (1, [2]), None, None, set_bag))
    yield "setters", [Reduce(lambda _, n=n: (Bag, (n,), {"n": n}, iter([n]), iter([(n, n)]), set_bag)) for n in range(3)]
    for state in (0, "", [], {}, (), False, [1], {"a": 1}, (None, {"a": 1}), ({"a": 1}, {"b": 2}), 5, "text"):
        yield f"state {state!r}", GetState(state)
    yield "newargs none", NewArgs()
    yield "newargs five", NewArgs(1, 2, 3, 4, 5)
    yield "newargs twice", [(one := NewArgs(1)), one, NewArgs(1)]
    yield "newargs_ex none", NewArgsEx()
    yield "newargs_ex each", [NewArgsEx(1), NewArgsEx(key=1), NewArgsEx(1, [2], key={3: 4}, other=5)]
    yield "string twice", [SINGLETON, {"a": SINGLETON}]
    yield "slots only", [Slots(1, 2), SlotsAndDict(1, 2, 3), Slots([], {})]
    half = Slots.__new__(Slots)
    half.a = 1
    yield "slot left out", half
    yield "dict and no slot", with_attributes(SlotsAndDict.__new__(SlotsAndDict), c=1)


def with_attributes(thing, **attributes):
    for name, value in attributes.items():
        setattr(thing, name, value)
    return thing


def recursive():
    """Objects in their own arguments, made anew for each call or kept; in their items; in their state."""
    for n in (1, 2, 3, 4):
        for at in sorted({0, n - 1}):
            yield f"stored args {n} {at}", closed(lambda inner: Args(*placed(inner, n, at)))
            yield f"fresh args {n} {at}", closed(lambda inner, n=n, at=at: Reduce(lambda _: (Bag, placed(inner, n, at))))
            yield f"new args {n} {at}", closed(lambda inner: NewArgs(*placed(inner, n, at)))
            yield f"new args ex {n} {at}", closed(lambda inner: NewArgsEx(*placed(inner, n, at)))
    yield "new args ex keyword", closed(lambda inner: NewArgsEx(key=inner))
    yield "new args ex both", closed(lambda inner: NewArgsEx(1, inner, key=inner))
    for name, make in (("stored", Args), ("fresh", lambda inner: Reduce(lambda _: (Bag, (inner,)))), ("new", NewArgs)):
        inner = []
        thing = make(inner)
        inner += [thing, thing]
        yield f"{name} twice within", [thing, inner, thing]
        inner = []
        yield f"{name} from the list", inner
        inner.append(make(inner))
        inner = {}
        thing = make(inner)
        inner["me"] = (thing, [thing])
        yield f"{name} in a tuple", thing
        inner = []
        thing = with_attributes(make(inner), more=[1])
        inner.append(thing)
        yield f"{name} with more", thing
    inner = []
    state = {"inner": inner}
    thing = Reduce(lambda _: (Bag, (inner,), state, iter([inner, 1]), iter([(1, inner)]), set_bag))
    inner.append(thing)
    yield "args and all the rest", thing
    yield "own list items", Reduce(lambda self: (Bag, (), None, iter([self, 1, self])))
    yield "own dict items", Reduce(lambda self: (Bag, (), None, None, iter([("me", self), (1, [self])])))
    yield "own state", Reduce(lambda self: (Bag, (), {"me": self}))
    yield "own setter's state", Reduce(lambda self: (Bag, (), {"me": self}, None, None, set_bag))
    yield "partial in its args", closed(lambda inner: functools.partial(make_bag, inner))
    yield "own tuple", closed(lambda inner: MyTuple([inner, 1]))
    yield "own frozenset", closed(lambda inner: MyFrozenSet([with_attributes(Plain(), inner=inner)]))
    yield "own namedtuple", closed(lambda inner: Point(inner, 2))
    yield "own deque", closed(lambda inner: collections.deque([inner, 1]))
    yield "own defaultdict", closed(lambda inner: collections.defaultdict(list, {1: inner}))
    yield "own OrderedDict", closed(lambda inner: collections.OrderedDict({1: inner}))
    yield "own exception", closed(lambda inner: ValueError(inner))
    yield "own set", closed(lambda inner: MySet([with_attributes(Plain(), inner=inner)]))
    chain = [Args([]) for _ in range(4)]
    for before, after in zip(chain, chain[1:] + chain[:1]):
        before.args[0].append(after)
    yield "ring of stored args", chain[0]
    ring = [[] for _ in range(4)]
    chain = [Reduce(lambda _, inner=inner: (Bag, (inner,))) for inner in ring]
    for inner, after in zip(ring, chain[1:] + chain[:1]):
        inner.append(after)
    yield "ring of fresh args", chain[0]


def placed(inner, n, at):
    """A tuple of `n` items, of which one is `inner`."""
    return tuple([inner if i == at else i for i in range(n)])


def closed(make):
    """What `make` makes of a list, which then holds it."""
    inner = []
    thing = make(inner)
    inner.append(thing)
    return thing


def names():
    """What is written by its name, and text that is equal to a name."""
    classes = [Plain, Empty, Bag, Slots, MyList, Outer, Outer.Inner, Outer.Inner.Core, Point, Colour]
    yield "of one module", classes
    yield "of one module twice", [classes, classes[::-1]]
    yield "objects of one module", [Plain(), Empty(), Bag(), Slots(1, 2), MyList(), Outer(), Outer.Inner(), Outer.Inner.Core()]
    yield "nested once", [Outer.Inner, Outer.Inner]
    yield "nested twice", [Outer.Inner.Core, Outer.Inner.Core]
    yield "nested inwards", [Outer, Outer.Inner, Outer.Inner.Core]
    yield "nested outwards", [Outer.Inner.Core, Outer.Inner, Outer]
    yield "nested objects", [Outer.Inner.Core(), with_attributes(Outer.Inner(), core=Outer.Inner.Core()), Outer.Inner.Core()]
    yield "nested function", [Outer.method, Outer.method, Outer().method]
    yield "types", [int, str, bytes, bytearray, list, tuple, dict, set, frozenset, object, type, float, bool, complex, range, slice, property]
    yield "types twice", [int, int, list, int]
    yield "functions", [len, abs, function, make_bag, len, print, operator.add, functools.reduce, datetime.datetime.now]
    yield "types and functions", [list, len, int, abs, bytearray(b"ab"), ValueError, {1}]
    yield "exceptions", [OSError, IOError, ValueError, FileNotFoundError, ModuleNotFoundError, StopAsyncIteration, RecursionError, UnicodeDecodeError]
    yield "exceptions made", [Failure(1, "a"), KeyError("k"), OSError(1, "a"), UnicodeDecodeError("utf-8", b"a", 0, 1, "why"), StopIteration(5)]
    yield "methods", [[].append, {}.get, "text".join, str.join, dict.fromkeys, int.from_bytes, (1).bit_length]
    yield "singletons", [None, Ellipsis, NotImplemented, Ellipsis, NotImplemented]
    yield "their types", [type(None), type(Ellipsis), type(NotImplemented), type(None)]
    yield "alone None", type(None)
    yield "alone Ellipsis", Ellipsis
    yield "not ascii", [Größe, Größe(), Größe]
    yield "text of names", [text(name) for name in ("zoo", "Plain", "builtins", "list", "copyreg", "Outer.Inner")] + [Plain, list, [Plain()], Outer.Inner]
    yield "names of Python 2", [range, map, filter, zip, chr, input, functools.reduce, collections.UserDict, collections.UserList, collections.UserString]
    yield "modules of Python 2", [__import__(name, fromlist=["x"]).__dict__[attribute] for name, attribute in (
        ("queue", "Queue"), ("configparser", "ConfigParser"), ("socketserver", "TCPServer"), ("http.cookies", "SimpleCookie"),
        ("http.client", "HTTPConnection"), ("html.parser", "HTMLParser"), ("urllib.parse", "quote"), ("urllib.request", "Request"),
        ("urllib.error", "HTTPError"), ("collections.abc", "Mapping"), ("itertools", "zip_longest"), ("pickle", "dumps"), ("copyreg", "pickle"))]


def several():
    """Values of one class and of many, and what they share."""
    shared = [1]
    yield "objects that share", [Plain(a=shared), Plain(a=shared, b=text("long name")), Plain(b=shared)]
    yield "keys that repeat", [with_attributes(Plain(), attribute=i, other=text("x y")) for i in range(5)]
    key = text("attribute name")
    yield "key apart", [Plain(**{text("attribute name"): 1}), Plain(**{key: 2}), key]
    yield "enums", [Colour.RED, Level.HIGH, Colour.RED, list(Colour), enum.Enum, {Colour.GREEN: Level.LOW}]
    yield "namedtuples", [Point(1, 2), Point(1, 2), (one := Point([], {})), one]
    yield "dataclasses", [Row(1, text("name")), Row(2, text("name"), [text("tag")]), Row(1, text("name"))]
    yield "subclasses", [with_attributes(make(content), a=1) for make, content in (
        (MyList, [1, 2]), (MyDict, {1: 2}), (MySet, [1]), (MyFrozenSet, [1]), (MyTuple, [1]), (MyStr, "text"), (MyInt, 5))]
    yield "subclasses as keys", {MyStr("a"): MyInt(1), MyTuple([1]): MyFrozenSet([2]), MyInt(3): MyStr("b")}
    yield "partials", [functools.partial(int, base=2), (one := functools.partial(make_bag, 1, [2], key=3)), one, functools.partial(one, 4)]
    yield "standard library", [datetime.datetime(2024, 2, 29, 1, 2, 3), datetime.date(2024, 2, 29), decimal.Decimal("1.5"), collections.deque([1], 5),
                               complex(1, -2), range(3), slice(1, 2), collections.Counter("aab"), types.SimpleNamespace(a=1)]
    yield "complex twice", [1j, 1j, complex(0.0, -0.0)]
    yield "bytes in objects", [Plain(a=raw(b"ab"), b=bytearray(b"ab")), Bag(raw(b"ab"), raw(b""), bytearray())]
