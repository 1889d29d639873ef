"""Objects by every route."""

import array
import collections
import copyreg
import datetime
import decimal
import fractions
import functools
import io
import ipaddress
import itertools
import operator
import os
import pathlib
import pickle
import re
import types
import uuid

from groups.case import SIZES, case, dumped
from groups.zoo import (
    Args, Bag, Colour, Empty, Failure, FrozenRow, GetState, Größe, Keyed, Level, MyByteArray, MyBytes,
    MyDict, MyFloat, MyFrozenSet, MyInt, MyList, MySet, MyStr, MyTuple, NewArgs, NewArgsEx, Outer,
    Plain, Point, Reduce, Registered, Row, SINGLETON, SameHash, Slots, SlotsAndDict, function,
    make_bag, set_bag,
)
from groups.assembler import global_, proto, text


def make_classes():
    def klass(name, value, note, protocols=(0, 1, 2, 3, 4, 5), **options):
        dumped("classes", name, value, note, protocols, **options)

    few = (0, 2, 4)

    def reduced(*parts):
        return lambda: Reduce(lambda _: parts)

    klass("plain", lambda: Plain(a=1, b=[2]), "an ordinary object")
    klass("plain_empty", lambda: Empty(), "an object without attributes")
    klass("plain_two", lambda: [Plain(a=1, b="x"), Plain(a=2, b="y"), Plain(b=3)], "objects of one class, keys shared")
    klass("plain_shared", lambda: [p := Plain(a=1), p], "one object twice", few)
    klass("reduce_2", reduced(Bag, (1, "two")), "reduce: callable and arguments")
    klass("reduce_2_function", reduced(make_bag, ([1],)), "reduce: a function", few)
    klass("reduce_2_empty", reduced(Bag, ()), "reduce: no arguments", few)
    klass("reduce_3", reduced(Bag, (1,), {"state": 2}), "reduce with state")
    klass("reduce_3_none", reduced(Bag, (1,), None), "reduce with None as state", few)
    klass("reduce_3_false", reduced(GetState, (1,), 0), "reduce with a false state", few)
    klass("reduce_3_slots", reduced(SlotsAndDict, (1, 2, 3), ({"c": 4}, {"a": 5})), "reduce with a state of dict and slots", few)
    for n in (0, 1, 2, 1001):
        klass(f"reduce_4_{n}", lambda n=n: Reduce(lambda _: (Bag, (), None, iter(range(n)))), "reduce with list items", few)
        klass(f"reduce_5_{n}", lambda n=n: Reduce(lambda _: (Bag, (), None, None, iter([(i, None) for i in range(n)]))), "reduce with dict items", few)
    klass("reduce_5_all", lambda: Reduce(lambda _: (Bag, (1,), {"s": 2}, iter([3, 4]), iter([(5, 6), (7, 8)]))), "reduce with state, list items and dict items")
    klass("reduce_6", lambda: Reduce(lambda _: (Bag, (1,), {"s": 2}, None, None, set_bag)), "reduce with a state setter")
    klass("reduce_6_all", lambda: Reduce(lambda _: (Bag, (1,), {"s": 2}, iter([3]), iter([(4, 5)]), set_bag)), "reduce with everything")
    klass("reduce_6_two", lambda: [Reduce(lambda _: (Bag, (1,), "x", None, None, set_bag)), Reduce(lambda _: (Bag, (1,), "x", None, None, set_bag))], "two objects with equal setter calls", few)
    klass("reduce_string", lambda: SINGLETON, "reduce gives a string: a global")
    klass("reduce_string_twice", lambda: [SINGLETON, SINGLETON], "the same global twice", few)
    klass("getstate", lambda: GetState([1, 2]), "getstate and setstate")
    klass("getstate_str", lambda: GetState("text"), "a str as state", few)
    klass("getstate_false", lambda: GetState(False), "a false state", few)
    klass("getstate_none", lambda: GetState(None), "None as state", few)
    klass("slots", lambda: Slots(1, [2]), "slots", (2, 3, 4, 5))
    klass("slots_dict", lambda: SlotsAndDict(1, 2, 3), "slots and a dict", (2, 3, 4, 5))
    klass("newargs", lambda: NewArgs(1, "two"), "getnewargs", (2, 3, 4, 5))
    klass("newargs_ex", lambda: NewArgsEx(1, key="two"), "getnewargs_ex", (2, 3, 4, 5))
    klass("newargs_ex_args", lambda: NewArgsEx(1, 2), "getnewargs_ex without keywords", (2, 4))
    klass("newargs_ex_kwargs", lambda: NewArgsEx(b=1, a=[2]), "getnewargs_ex without arguments", (2, 4))
    klass("copyreg_function", lambda: Registered([1]), "a reduce registered with copyreg", few)

    def extended(code, value):
        def make(protocol):
            copyreg.add_extension("zoo", value.__class__.__name__, code)
            try:
                return pickle.dumps(value, protocol)
            finally:
                copyreg.remove_extension("zoo", value.__class__.__name__, code)
        return make

    for code in (7, 300, 70000):
        for protocol in (1, 2, 4):
            case("classes", f"extension_{code}.p{protocol}", extended(code, Plain(a=1))(protocol),
                 "written with an extension code (from protocol 2 on)", extensions={str(code): ["zoo", "Plain"]})

    def with_attribute(thing):
        thing.attribute = "x"
        return thing

    klass("sub_list", lambda: with_attribute(MyList([1, 2])), "a subclass of list")
    klass("sub_list_empty", lambda: MyList(), "an empty subclass of list", few)
    klass("sub_dict", lambda: with_attribute(MyDict(a=1)), "a subclass of dict")
    klass("sub_set", lambda: with_attribute(MySet([1])), "a subclass of set")
    klass("sub_frozenset", lambda: MyFrozenSet([1]), "a subclass of frozenset", few)
    klass("sub_tuple", lambda: with_attribute(MyTuple([1, 2])), "a subclass of tuple")
    klass("sub_str", lambda: with_attribute(MyStr("text")), "a subclass of str")
    klass("sub_int", lambda: with_attribute(MyInt(5)), "a subclass of int")
    klass("sub_float", lambda: MyFloat(1.5), "a subclass of float", few)
    klass("sub_bytes", lambda: MyBytes(b"ab"), "a subclass of bytes", few)
    klass("sub_bytearray", lambda: MyByteArray(b"ab"), "a subclass of bytearray", few)
    for name, make in (("list", lambda n: MyList([None] * n)), ("dict", lambda n: MyDict.fromkeys(range(n))), ("set", lambda n: MySet(range(n)))):
        klass(f"sized_sub_{name}", lambda make=make: [make(n) for n in SIZES], "batches of 1000, for a subclass", texts=False)
    klass("enum", lambda: [Colour.RED, Colour.GREEN, Colour.RED], "enum", few)
    klass("int_enum", lambda: [Level.LOW, Level.HIGH], "IntEnum", few)
    klass("namedtuple", lambda: [Point(1, 2), Point(x="a", y=None)], "namedtuple")
    klass("dataclass", lambda: Row(1, "n", ["t"]), "dataclass")
    klass("dataclass_slots", lambda: FrozenRow(1, "n"), "frozen dataclass with slots", (2, 4))
    klass("ordered_dict", lambda: collections.OrderedDict(a=1, b=[2]), "OrderedDict")
    klass("default_dict", lambda: collections.defaultdict(list, {"a": [1]}), "defaultdict")
    klass("default_dict_none", lambda: collections.defaultdict(None, {"a": 1}), "defaultdict without a default", few)
    klass("deque", lambda: collections.deque([1, 2]), "deque", few)
    klass("deque_max", lambda: collections.deque([1, 2], 3), "deque with a length", few)
    klass("counter", lambda: collections.Counter("abca"), "Counter", few)
    klass("chain_map", lambda: collections.ChainMap({"a": 1}, {"b": 2}), "ChainMap", few)
    klass("date", lambda: datetime.date(2024, 2, 29), "date")
    klass("time", lambda: [datetime.time(1, 2, 3, 4), datetime.time(1, 2, fold=1)], "time", few)
    klass("datetime", lambda: datetime.datetime(2024, 2, 29, 23, 59, 58, 123456), "datetime")
    klass("datetime_utc", lambda: datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc), "datetime with its zone", few)
    klass("datetime_zone", lambda: datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=-5, minutes=-30), "X")), "a zone with a name", few)
    klass("datetime_fold", lambda: datetime.datetime(2024, 10, 27, 2, 30, fold=1), "fold, kept from protocol 4 on", (2, 4))
    klass("timedelta", lambda: [datetime.timedelta(1, 2, 3), datetime.timedelta(-1), datetime.timedelta.max], "timedelta", few)
    klass("decimal", lambda: [decimal.Decimal("1.10"), decimal.Decimal("-Infinity"), decimal.Decimal("1E+50")], "Decimal")
    klass("fraction", lambda: fractions.Fraction(-3, 7), "Fraction", few)
    klass("complex", lambda: [1 + 2j, complex(0.0, -0.0)], "complex")
    klass("range", lambda: [range(5), range(1, 10, 3)], "range, xrange of Python 2", few)
    klass("slice", lambda: slice(1, None, 2), "slice", few)
    klass("singletons", lambda: [Ellipsis, NotImplemented], "Ellipsis and NotImplemented")
    klass("singleton_types", lambda: [type(None), type(Ellipsis), type(NotImplemented)], "their types")
    klass("types", lambda: [int, str, bytes, dict, object, type, Exception, OSError], "builtin types")
    klass("functions", lambda: [function, len, operator.add, os.path.join], "functions by name")
    klass("function_renamed", lambda: [map, zip, range, functools.reduce, chr, input], "names that Python 2 spelled otherwise")
    klass("methods", lambda: [str.upper, dict.fromkeys, Outer().method, [].append], "methods", few)
    klass("nested_class", lambda: [Outer.Inner(), Outer.Inner.Core], "nested classes")
    klass("nested_class_deep", lambda: [Outer.Inner.Core(), Outer.Inner.Core, Outer.Inner, Outer, Outer.Inner.Core()], "a class in a class in a class")
    klass("nested_function", lambda: [Outer.method, Outer.method], "a function in a class, twice")
    klass("non_ascii_class", lambda: Größe(), "a class with a name beyond ASCII")
    klass("class_itself", lambda: [Plain, Plain], "a class by name, twice", few)
    klass("exception", lambda: [ValueError("x", 1), KeyError(), Failure(5, "text")], "exceptions")
    klass("exception_attributes", lambda: with_attribute(RuntimeError("x")), "an exception with an attribute", few)
    klass("os_error", lambda: FileNotFoundError(2, "No such file", "name"), "OSError", few)
    klass("partial", lambda: functools.partial(int, base=2), "functools.partial", few)
    klass("itemgetter", lambda: [operator.itemgetter(1, 2), operator.attrgetter("a.b"), operator.methodcaller("m", 1, k=2)], "operator objects", few)
    klass("iterators", lambda: [iter([1, 2]), iter((1,)), iter("ab"), itertools.count(5), itertools.repeat(1, 2)], "iterators", few)
    klass("uuid", lambda: uuid.UUID(int=5), "UUID", few)
    klass("path", lambda: pathlib.PurePosixPath("/a/b"), "a path", few)
    klass("pattern", lambda: re.compile("a+", re.I), "a compiled pattern", few)
    klass("ip", lambda: [ipaddress.IPv4Address("127.0.0.1"), ipaddress.IPv6Network("::/8")], "addresses", few)
    klass("array", lambda: [array.array("i", [1, 2]), array.array("d", [0.5]), array.array("u", "é")], "array.array")
    klass("namespace", lambda: types.SimpleNamespace(a=1), "SimpleNamespace", few)
    klass("generic_alias", lambda: list[int], "a generic alias", few)

    def closed(make):
        inner = []
        thing = make(inner)
        inner.append(thing)
        return thing

    def in_own_args():
        inner = []
        thing = Reduce(lambda _: (Bag, (5000, inner)))
        inner.append(thing)
        return thing

    def in_own_args_root_list():
        thing = in_own_args()
        return [thing, thing]

    def in_own_state():
        thing = Plain()
        thing.me = thing
        thing.list = [thing]
        return thing

    def pointing():
        a, b = Plain(name="a"), Plain(name="b")
        a.other, b.other = b, a
        return [a, b]

    def in_own_set():
        thing = Plain()
        thing.set = {thing}
        return thing

    def set_with_itself():
        thing = Plain()
        the_set = {thing}
        thing.back = the_set
        return [the_set, the_set, thing]

    def two_in_set():
        a, b = SameHash(name="a"), SameHash(name="b")
        a.other, b.other = b, a
        return {a, b}

    def frozenset_with_itself():
        thing = SameHash()
        thing.back = frozenset([thing, 1])
        return thing.back

    def own_items():
        thing = MyList()
        thing.append(thing)
        return thing

    def own_pairs():
        thing = MyDict()
        thing["me"] = thing
        return thing

    def setter_of_itself():
        thing = Reduce(lambda self: (Bag, (), [self], None, None, set_bag))
        return thing

    def key_of_itself():
        key = Keyed(1)
        key.dict = {key: "value"}
        return key

    def method_of_itself():
        thing = Outer()
        thing.call = thing.method
        return thing.call

    klass("recursive_args", in_own_args, "an object in its own arguments: made twice, one popped")
    klass("recursive_args_twice", in_own_args_root_list, "the same, used twice", few)
    klass("recursive_args_stored", lambda: closed(lambda inner: Args(inner)), "the arguments' tuple is the same each time, so it is popped and fetched")
    klass("recursive_args_four", lambda: closed(lambda inner: Reduce(lambda _: (Bag, (1, 2, inner, 4)))), "the same with more arguments, made anew")
    klass("recursive_args_four_stored", lambda: closed(lambda inner: Args(1, 2, inner, 4)), "the same with more arguments, kept")
    klass("recursive_newargs", lambda: closed(lambda inner: NewArgs(inner)), "an object in the arguments of its NEWOBJ", (2, 3, 4, 5))
    klass("recursive_newargs_four", lambda: closed(lambda inner: NewArgs(1, 2, inner, 4)), "the same with more arguments", (2, 4))
    klass("recursive_newargs_ex", lambda: closed(lambda inner: NewArgsEx(1, key=inner)), "an object in the keywords of its NEWOBJ_EX", (2, 3, 4, 5))
    klass("recursive_state", in_own_state, "an object in its own state")
    klass("recursive_pair", pointing, "two objects that point at each other")
    klass("recursive_in_set", in_own_set, "an object in a set in its own state")
    klass("recursive_set", set_with_itself, "a set that holds itself through an object")
    klass("recursive_set_two", two_in_set, "objects of one set that point at each other", few)
    klass("recursive_frozenset", frozenset_with_itself, "a frozenset that holds itself through an object")
    klass("recursive_sub_list", own_items, "a list subclass that holds itself", few)
    klass("recursive_sub_dict", own_pairs, "a dict subclass that holds itself", few)
    klass("recursive_setter", setter_of_itself, "an object in the state given to its setter", few)
    klass("recursive_key", key_of_itself, "an object as a key in its own state", few)
    klass("recursive_method", method_of_itself, "a method of an object that holds it", few)
    klass("mixed_key_kinds", lambda: {Point(1, 2): "a", Colour.RED: "b", decimal.Decimal(1): "c"}, "objects as keys", few)
    klass("set_of_objects", lambda: {Point(1, 2)}, "a set of objects", few)
    klass("set_of_many", lambda: {Point(1, 2), Point(3, 4), "a", 5, b"b", (1, Point(1, 2))}, "a set of many kinds", (2, 4))

    def persistent(protocol):
        class Pickler(pickle.Pickler):
            def persistent_id(self, thing):
                return f"id-{thing.name}" if isinstance(thing, Plain) else None

        file = io.BytesIO()
        Pickler(file, protocol).dump([Plain(name="a"), {"k": Plain(name="b")}])
        return file.getvalue()

    for protocol in range(6):
        case("classes", f"persistent_id.p{protocol}", persistent(protocol), "a pickler with persistent ids", persid=True)

    buffers = []
    data = pickle.dumps([pickle.PickleBuffer(b"read-only"), pickle.PickleBuffer(b"two")], 5,
                        buffer_callback=lambda b: buffers.append(b.raw().tobytes()))
    case("classes", "out_of_band.p5", data, "PickleBuffer, out of band", buffers=buffers)
    case("classes", "in_band.p5", pickle.dumps([pickle.PickleBuffer(b"bytes"), pickle.PickleBuffer(bytearray(b"array"))], 5),
         "PickleBuffer, in band")

    # As Python 2 wrote them
    old = {
        "inst": b"(izoo\nOldStyle\np0\n(dp1\nS'a'\np2\nI1\nsb.",
        "inst_args": b"(I1\nS'x'\nizoo\nOldStyle\np0\n(dp1\nb.",
        "obj": b"(czoo\nOldStyle\nq\x00oq\x01}q\x02U\x01aq\x03K\x01sb.",
        "obj_two": b"](" + b"(czoo\nOldStyle\nq\x00oq\x01}q\x02U\x01aq\x03K\x01sb" + b"(h\x00oq\x04}q\x05h\x03h\x01sbe.",
        "reconstructor": b"ccopy_reg\n_reconstructor\np0\n(czoo\nPlain\np1\nc__builtin__\nobject\np2\nNtp3\nRp4\n(dp5\nS'a'\np6\nI1\nsb.",
        "reconstructor_list": b"ccopy_reg\n_reconstructor\np0\n(czoo\nMyList\np1\nc__builtin__\nlist\np2\n(lp3\nI1\naI2\natp4\nRp5\n.",
        "reconstructor_dict": b"ccopy_reg\n_reconstructor\np0\n(czoo\nMyDict\np1\nc__builtin__\ndict\np2\n(dp3\nI1\nI2\nstp4\nRp5\n(dp6\nS'x'\nI3\nsb.",
        "reconstructor_unicode": b"ccopy_reg\n_reconstructor\n(czoo\nMyStr\nc__builtin__\nunicode\nVt\xe9xt\ntR.",
        "newobj": b"\x80\x02czoo\nPlain\nq\x00)\x81q\x01}q\x02U\x01aq\x03K\x01sb.",
        "newobj_function": b"ccopy_reg\n__newobj__\n(czoo\nNewArgs\nI1\ntR.",
        "exception": b"cexceptions\nValueError\np0\n(S'bad'\np1\ntp2\nRp3\n.",
        "set": b"c__builtin__\nset\np0\n((lp1\nI1\naI2\natp2\nRp3\n.",
        "ordered_dict": b"ccollections\nOrderedDict\np0\n((lp1\n(lp2\nS'a'\np3\naI1\naatp4\nRp5\n.",
        "user_dict": b"(iUserDict\nUserDict\np0\n(dp1\nS'data'\np2\n(dp3\nsb.",
        "string_io": b"(iStringIO\nStringIO\np0\n(dp1\nS'buf'\nS'x'\nsb.",
        "slots": b"\x80\x02czoo\nSlots\nq\x00)\x81q\x01N}q\x02(U\x01aK\x01U\x01bK\x02u\x86q\x03b.",
    }
    for name, data in old.items():
        case("classes", "py2_" + name, data, "as Python 2 wrote it")
    case("classes", "py2_datetime.latin1", b"cdatetime\ndatetime\n(S'\\x07\\xe8\\x02\\x1d\\x17;:\\x01\\xe2@'\ntR.", "a datetime of Python 2", encoding="latin-1")
    case("classes", "py2_datetime.bytes", b"cdatetime\ndatetime\n(S'\\x07\\xe8\\x02\\x1d\\x17;:\\x01\\xe2@'\ntR.", "a datetime of Python 2", encoding="bytes")
    case("classes", "py2_datetime", b"cdatetime\ndatetime\n(S'\\x07\\xe8\\x02\\x1d\\x17;:\\x01\\xe2@'\ntR.", "a datetime of Python 2, refused as ASCII")

    setter = global_("set_bag") + b"q\x01"
    bag = global_("Bag") + b")Rq\x00"
    hand = {
        "setter_used": (b"]" + bag + b"a" + setter + b"h\0K\x01\x86Ra.", "a setter call whose result is kept is an ordinary call"),
        "setter_among": (bag + b"K\x01a" + setter + b"h\0K\x02\x86R0K\x03aK\x04a.", "a setter call between appends"),
        "setter_memoised": (bag + setter + b"h\0K\x02\x86Rq\x050.", "a setter call whose result is in the memo, and not used"),
        "setter_first_int": (bag + b"cbuiltins\nabs\nK\x01\x85R0.", "a popped call on an int leaves no trace"),
        "setter_on_global": (b"cbuiltins\nlen\n" + b"cbuiltins\nid\n(czoo\nBag\ntR0.", "a popped call on a class leaves no trace"),
        "setter_chain": (bag + setter + b"(h\0" + global_("Bag") + b"K\x09\x85RtR0.", "a setter call with an object of its own"),
        "build_class": (global_("Empty") + b"N}\x86b.", "BUILD on a class"),
        "build_class_shared": (global_("Empty") + b"N}\x86b" + global_("Empty") + b"\x86.", "BUILD on a class, which is named again"),
        "actions_coalesce": (bag + b"K\x01a(K\x02K\x03e(K\x04\x90(K\x05\x90K\x06K\x07s(K\x08K\x09ub.".replace(b"b.", b"."), "adjacent items of one kind"),
        "actions_order": (bag + b"K\x01aK\x02K\x03sK\x04aNbK\x05a.", "actions in the order they came"),
        "new_of_call": (global_("make_bag") + b")R)\x81.", "NEWOBJ of what a call made"),
        "obj_of_call": (b"(" + global_("make_bag") + b")Ro.", "OBJ of what a call made"),
        "call_of_new": (proto(2) + global_("Empty") + b")\x81)R.", "REDUCE of what NEWOBJ made"),
        "args_shared": (b"]q\x05\x85q\x060" + global_("Bag") + b"h\x06Rh\x06h\x05\x87.", "the arguments' tuple, used again"),
    }
    for name, (data, note) in (hand | later()).items():
        case("classes", "hand_" + name, data, note)


def later():
    """Objects that come into their own arguments once their calls are made. Number 0 is what the call has, and 1 what it makes."""
    called = b"0" + global_("Bag") + b"h\0\x85Rq\x01"
    made = global_("Plain") + b")\x81q\0"
    state = b"}" + text("x") + b"h\x01s"
    two = b"0" + global_("Bag") + b"h\x01K\x02\x86Rq\x03"
    return {
        "later_append": (b"]q\0" + called + b"h\0h\x01a0.", "appended to a list after the call"),
        "later_appends": (b"](K\x01K\x02eq\0" + called + b"h\0(K\x03h\x01K\x04e0.", "appended to a list that had items before the call"),
        "later_nested": (b"](K\x01]q\2}eq\0" + called + b"h\x02(h\x01h\0e0.", "appended to a list in a list"),
        "later_thousand": (b"](" + b"K\x07" * 999 + b"eq\0" + called + b"h\0(" + b"K\x08h\x01" * 600 + b"e0.", "appended to a list over the ends of batches"),
        "later_value": (b"}q\0K\x01K\x02s" + called + b"h\0(K\x03h\x01K\x04K\x05u0.", "a value of a dict after the call"),
        "later_key": (b"}q\0K\x01K\x02s" + called + b"h\0h\x01\x85K\x03s0.", "in a key of a dict after the call"),
        "later_add": (b"\x8fq\0(K\x01\x90" + called + b"h\0(K\x02h\x01\x90h\x01\x86.", "added to a set after the call"),
        "later_build": (made + called + b"h\0" + state + b"b0.", "in the state of an argument after the call"),
        "later_items": (made.replace(b"Plain", b"MyDict") + b"K\x01K\x02s" + called + b"h\0K\x03h\x01s" + state + b"b0.", "items and state of a dict's subclass after the call"),
        "later_extend": (made.replace(b"Plain", b"MyList") + b"K\x01a" + called + b"h\0(K\x03h\x01eh\x01a0.", "items of a list's subclass after the call"),
        "later_set": (made + called + global_("set_bag") + b"h\0h\x01\x86R0.", "a call with the argument and the object after the call"),
        "later_two": (b"]q\0" + called + two + b"0h\0(h\x01h\x03e0h\x03.", "appended after two calls, one inside the other"),
        "later_global": (global_("Empty") + b"q\0" + called + b"h\0N" + state + b"\x86b0.", "in the state of a class after the call"),
        "later_persistent": (b"]q\x000h\0Qq\x01h\0h\x01a0.", "appended to a persistent id after it was read"),
    }
