#!/usr/bin/env python3
"""Makes corpus/cases: small pickles, and beside them what CPython 3.11 says of each.

    python3 corpus/make.py            writes corpus/cases anew
    python3 corpus/make.py --check    makes them in a temporary directory and compares

The line format of expected.jsonl is in README.md, beside this file.
"""

import argparse
import array
import collections
import copyreg
import dataclasses
import datetime
import decimal
import enum
import filecmp
import fractions
import functools
import io
import ipaddress
import itertools
import json
import operator
import os
import pathlib
import pickle
import pickletools
import platform
import re
import shutil
import struct
import sys
import tempfile
import types
import uuid

sys.dont_write_bytecode = True
import record  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TEXT_LIMIT = 100_000  # longer reprs and canonical forms are left out
CASES = []
NAMES = set()


class Case:
    def __init__(self, group, name, data, note, options):
        self.group, self.name, self.data, self.note = group, name, data, note
        self.encoding = options.pop("encoding", "ASCII")
        self.extensions = options.pop("extensions", None)
        self.persid = options.pop("persid", False)
        self.buffers = options.pop("buffers", None)
        self.memo = options.pop("memo", None)
        assert not options, options


def case(group, name, data, note, **options):
    assert (group, name) not in NAMES, (group, name)
    assert re.fullmatch(r"[a-z0-9_.]+", name), name
    NAMES.add((group, name))
    CASES.append(Case(group, name, bytes(data), note, options))


# ---------------------------------------------------------------- the zoo
# Classes that the pickles name. A class statement takes its module from __name__, so the
# name is changed while they are defined: they are zoo's, wherever this script runs.

zoo = types.ModuleType("zoo")
sys.modules["zoo"] = zoo
REAL_NAME, __name__ = __name__, "zoo"
BEFORE_ZOO = set(globals())


class Plain:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


class Empty:
    pass


class Args:
    def __init__(self, *args):
        self.args = args

    def __reduce__(self):
        return Args, self.args


class Reduce:
    """Reduces to the tuple it is given; what loads is a Bag."""

    def __init__(self, make):
        self.make = make

    def __reduce__(self):
        return self.make(self)


class Bag:
    """Takes whatever a reduce may do to an object."""

    def __init__(self, *args):
        self.args = args
        self.items = []
        self.pairs = []

    def append(self, item):
        self.items.append(item)

    def extend(self, items):
        self.items.extend(items)

    def add(self, item):
        self.items.append(item)

    def __setitem__(self, key, value):
        self.pairs.append((key, value))


def make_bag(*args):
    return Bag(*args)


def set_bag(bag, state):
    bag.state = state


class Named:
    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return self.name


SINGLETON = Named("SINGLETON")


class GetState:
    def __init__(self, state):
        self.state = state

    def __getstate__(self):
        return self.state

    def __setstate__(self, state):
        self.state = state


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


class SlotsAndDict(Slots):
    def __init__(self, a, b, c):
        super().__init__(a, b)
        self.c = c


class NewArgs:
    def __new__(cls, *args):
        self = super().__new__(cls)
        self.args = args
        return self

    def __getnewargs__(self):
        return self.args


class NewArgsEx:
    def __new__(cls, *args, **kwargs):
        self = super().__new__(cls)
        self.given = args, kwargs
        return self

    def __getnewargs_ex__(self):
        return self.given


class Registered:
    def __init__(self, x):
        self.x = x


def make_registered(x):
    return Registered(x)


def reduce_registered(thing):
    return make_registered, (thing.x,)


class MyList(list):
    pass


class MyDict(dict):
    pass


class MySet(set):
    pass


class MyFrozenSet(frozenset):
    pass


class MyTuple(tuple):
    pass


class MyStr(str):
    pass


class MyInt(int):
    pass


class MyFloat(float):
    pass


class MyBytes(bytes):
    pass


class MyByteArray(bytearray):
    pass


class Colour(enum.Enum):
    RED = 1
    GREEN = "g"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 300


Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Row:
    id: int
    name: str
    tags: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True, slots=True)
class FrozenRow:
    id: int
    name: str


class Outer:
    class Inner:
        class Core:
            pass

    def method(self):
        return self


class Größe:
    pass


class Failure(Exception):
    def __init__(self, code, text):
        super().__init__(code, text)
        self.code = code


def function():
    return None


class OldStyle:
    def __init__(self, *args):
        self.args = args


class Keyed:
    """Equal and of the same hash whatever it holds, as a key of dicts."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return isinstance(other, Keyed)

    def __hash__(self):
        return 7


class SameHash(Plain):
    """Equal only to itself, with a hash that is no address: sets of it have one order in every run."""

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return self is other


for _name in set(globals()) - BEFORE_ZOO:
    if _name != "BEFORE_ZOO" and not _name.startswith("_"):
        setattr(zoo, _name, globals()[_name])
copyreg.pickle(Registered, reduce_registered)
__name__ = REAL_NAME

# ---------------------------------------------------------------- an assembler


def u1(n):
    return struct.pack("<B", n)


def u2(n):
    return struct.pack("<H", n)


def u4(n):
    return struct.pack("<I", n)


def i4(n):
    return struct.pack("<i", n)


def u8(n):
    return struct.pack("<Q", n)


def proto(n):
    return b"\x80" + u1(n)


def frame(body):
    return b"\x95" + u8(len(body)) + body


def text(s):
    """SHORT_BINUNICODE"""
    raw = s.encode("utf-8", "surrogatepass")
    return b"\x8c" + u1(len(raw)) + raw


def binunicode(s):
    raw = s.encode("utf-8", "surrogatepass")
    return b"X" + u4(len(raw)) + raw


def global_(name, module="zoo"):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def stack_global(name, module="zoo"):
    return text(module) + text(name) + b"\x93"


def one(n):
    """BININT1"""
    return b"K" + u1(n)


# ---------------------------------------------------------------- opcodes


def make_opcodes():
    def op(name, data, note, **options):
        case("opcodes", name, data, note, **options)

    op("none", b"N.", "NONE")
    op("newtrue", b"\x88.", "NEWTRUE")
    op("newfalse", b"\x89.", "NEWFALSE")
    op("stop", b"K\x05.", "STOP ends with one value")
    op("stop_takes_top", b"K\x01K\x02.", "STOP takes the top of several values")
    for version in range(6):
        op(f"proto_{version}", proto(version) + b"N.", "PROTO")
    op("proto_twice", proto(2) + proto(4) + b"N.", "PROTO may stand twice")
    op("proto_late", b"K\x01" + proto(2) + b".", "PROTO may stand anywhere")

    # INT: what strtol of base 0 takes, then what int(text, 0) takes
    ints = {
        "zero": "0", "bool_false": "00", "bool_true": "01", "two_digits_02": "02",
        "minus_zero": "-0", "plus_one": "+1", "minus_one": "-1", "plus_zero": "+0", "one": "1",
        "hex": "0x10", "hex_upper": "0XfF", "hex_0x": "0x", "octal_old": "010", "octal_old_long": "0777",
        "octal_bad_digit": "08", "octal_new": "0o17", "binary": "0b101", "underscore": "1_0",
        "underscore_double": "1__0", "leading_space": " 12", "leading_tab": "\t12",
        "space_zero": " 0", "space_one": " 1", "trailing_space": "12 ", "crlf": "12\r",
        "bool_crlf": "1\r", "bool_three": "001", "empty": "", "word": "abc", "digit_word": "12abc",
        "trailing_l": "12L", "float": "1.5", "i32_max": "2147483647", "i32_max_1": "2147483648",
        "i64_max": "9223372036854775807", "i64_max_1": "9223372036854775808",
        "i64_min": "-9223372036854775808", "i64_min_1": "-9223372036854775809",
        "u64_max_1": "18446744073709551616", "big_leading_zero": "09223372036854775808",
        "big_hex": "0x10000000000000000", "big_minus_hex": "-0x10000000000000000",
        "big_octal_old": "07777777777777777777777777", "digits_400": "9" * 400,
        "digits_4300": "8" * 4300, "digits_4301": "8" * 4301, "plus_minus": "+-1",
        "nul_after": "12\x00", "nul_inside": "1\x002", "minus_alone": "-",
        "minus_hex": "-0x10", "minus_octal_old": "-010", "plus_hex": "+0x10",
        "vertical_tab": "\v12", "form_feed": "\f12", "space_plus": " +7",
    }
    for name, body in ints.items():
        op("int_" + name, b"I" + body.encode() + b"\n.", f"INT {body[:24]!r}")
    op("int_arabic_digits", b"I" + "٣".encode() + b"\n.", "INT of digits that are not ASCII")
    op("int_no_newline", b"I12", "INT without its newline")
    longs = {
        "l": "12L", "no_l": "12", "minus_l": "-12L", "zero_l": "0L", "leading_zeros": "007L",
        "hex_l": "0x10L", "double_l": "12LL", "lower_l": "12l", "empty": "", "only_l": "L",
        "spaces": " 12 ", "spaces_l": " 12 L", "underscore": "1_0L", "plus": "+5L", "i64_max_1": "9223372036854775808L",
        "i64_min_1": "-9223372036854775809L", "crlf": "12L\r", "crlf_no_l": "12\r", "digits_1000": "7" * 1000 + "L",
        "digits_4300": "7" * 4300 + "L", "digits_4301": "7" * 4301 + "L", "octal_old": "010L", "word": "xyzL",
    }
    for name, body in longs.items():
        op("long_" + name, b"L" + body.encode() + b"\n.", f"LONG {body[:24]!r}")
    for value in (0, 1, 2**31 - 1, -(2**31), -1, 256, -256):
        name = str(value).replace("-", "minus_")
        op("binint_" + name, b"J" + i4(value) + b".", "BININT")
    for value in (0, 1, 127, 128, 255):
        op(f"binint1_{value}", b"K" + u1(value) + b".", "BININT1 has no sign")
    for value in (0, 255, 256, 32767, 32768, 65535):
        op(f"binint2_{value}", b"M" + u2(value) + b".", "BININT2 has no sign")
    longs = {
        "empty": b"", "zero": b"\0", "one": b"\1", "minus_one": b"\xff", "127": b"\x7f", "128": b"\x80\0",
        "minus_128": b"\x80", "255": b"\xff\0", "256": b"\0\1", "padded_zero": b"\0" * 9,
        "padded_one": b"\1" + b"\0" * 20, "padded_minus_one": b"\xff" * 20, "i64_max": b"\xff" * 7 + b"\x7f",
        "i64_min": b"\0" * 7 + b"\x80", "i64_max_1": b"\0" * 7 + b"\x80\0", "i64_min_1": b"\xff" * 7 + b"\x7f\xff",
        "u64_max": b"\xff" * 8 + b"\0", "i128_min": b"\0" * 15 + b"\x80",
        "255_bytes": b"\x01" * 255, "255_bytes_minus": b"\xff" * 254 + b"\x80",
    }
    for name, body in longs.items():
        op("long1_" + name, b"\x8a" + u1(len(body)) + body + b".", "LONG1, two's complement")
    big = 2**2040
    longs = {
        "empty": b"", "one": b"\1", "minus_one": b"\xff", "sign_byte": b"\x80\0",
        "2_2040": big.to_bytes(256, "little", signed=True),
        "minus_2_2040": (-big).to_bytes(256, "little", signed=True),
        "digits_4301": (10**4300).to_bytes(1786, "little", signed=True),
        "digits_4300": (10**4300 - 1).to_bytes(1786, "little", signed=True),
        "minus_digits_4301": (-(10**4300)).to_bytes(1786, "little", signed=True),
    }
    for name, body in longs.items():
        op("long4_" + name, b"\x8b" + i4(len(body)) + body + b".", "LONG4, two's complement")

    floats = {
        "zero": "0", "minus_zero": "-0.0", "nan": "nan", "minus_nan": "-nan", "nan_upper": "NaN", "inf": "inf",
        "minus_inf": "-inf", "infinity": "Infinity", "inf_mixed": "iNf", "exponent": "1e5", "exponent_upper": "1E5",
        "point_last": "1.", "point_first": ".5", "point_only": ".", "plus": "+1.5", "minus": "-1.5", "integer": "3",
        "leading_zeros": "007.5", "leading_space": " 1.5", "trailing_space": "1.5 ", "crlf": "1.5\r",
        "underscore": "1_0.5", "hex": "0x1p3", "empty": "", "word": "abc", "exponent_only": "e5", "exponent_cut": "1e",
        "overflow": "1e999", "minus_overflow": "-1e999", "underflow": "1e-999", "smallest": "5e-324", "half_smallest": "2e-324",
        "largest": "1.7976931348623157e308", "just_over": "1.8e308", "tie": "9007199254740993",
        "tie_above": "9007199254740993.0000000000000000000000001", "long": "0." + "1" * 900,
        "tenth": "0.1", "comma": "1,5", "nul": "1.5\x00", "nan_payload": "nan(1)", "two_signs": "--1",
    }
    for name, body in floats.items():
        op("float_" + name, b"F" + body.encode() + b"\n.", f"FLOAT {body[:24]!r}")
    for name, value in {"zero": 0.0, "minus_zero": -0.0, "half": 0.5, "inf": float("inf"), "pi": 3.141592653589793}.items():
        op("binfloat_" + name, b"G" + struct.pack(">d", value) + b".", "BINFLOAT, big-endian")
    op("binfloat_nan_quiet", b"G\x7f\xf8\0\0\0\0\0\0.", "BINFLOAT NaN")
    op("binfloat_nan_signalling", b"G\x7f\xf0\0\0\0\0\0\1.", "BINFLOAT NaN with a payload")
    op("binfloat_nan_minus", b"G\xff\xf8\0\0\0\0\0\0.", "BINFLOAT NaN with its sign set")

    strings = {
        "single": rb"'abc'", "double": rb'"abc"', "empty": rb"''", "empty_double": b'""', "backslash": rb"'a\\b'",
        "quote": rb"'it\'s'", "quote_other": b"'say \"hi\"'", "double_escaped": rb'"say \"hi\""', "bell": rb"'\a'",
        "backspace": rb"'\b'", "form_feed": rb"'\f'", "newline": rb"'\n'", "return": rb"'\r'", "tab": rb"'\t'",
        "vertical_tab": rb"'\v'", "octal_1": rb"'\0'", "octal_2": rb"'\12x'", "octal_3": rb"'\101\1011'",
        "octal_177": rb"'\177'", "octal_stops": rb"'\08\9'", "hex": rb"'\x41\x7f'", "hex_upper": rb"'\x4A\x4a'",
        "hex_short": rb"'\x4'", "hex_none": rb"'\x'", "hex_bad": rb"'\xg1'", "unknown_escapes": rb"'\q\d\.\ \N\u0041\U'",
        "no_quotes": rb"abc", "one_quote": rb"'", "unclosed": rb"'abc", "mixed_quotes": b"'abc\"", "quote_inside": b"'a'b'",
        "trailing_space": b"'abc'  ", "leading_space": b" 'abc'", "crlf": b"'abc'\r", "trailing_tab": b"'abc'\t", "backslash_last": rb"'abc\'",
        "backslash_two_last": rb"'abc\\'", "control": b"'\x01\x1f\t'", "nothing": b"", "two_literals": b"'a' 'b'",
        "bytes_prefix": b"b'abc'", "delete": b"'\x7f'",
    }
    for name, body in strings.items():
        op("string_" + name, b"S" + body + b"\n.", "STRING")
    high = {"raw": b"'caf\xe9'", "hex": rb"'caf\xe9'", "octal": rb"'\377\200'", "octal_400": rb"'\400\777'"}
    for name, body in high.items():
        op(f"string_high_{name}", b"S" + body + b"\n.", "STRING beyond ASCII is refused by default")
        op(f"string_high_{name}.latin1", b"S" + body + b"\n.", "STRING as latin-1", encoding="latin-1")
        op(f"string_high_{name}.bytes", b"S" + body + b"\n.", "STRING as bytes", encoding="bytes")
    for size in (0, 1, 255, 256):
        op(f"binstring_{size}", b"T" + i4(size) + b"q" * size + b".", "BINSTRING")
    for size in (0, 1, 255):
        op(f"short_binstring_{size}", b"U" + u1(size) + b"q" * size + b".", "SHORT_BINSTRING")
    op("binstring_high.latin1", b"T" + i4(2) + b"\xe9\xff.", "BINSTRING as latin-1", encoding="latin-1")
    op("short_binstring_high.utf8", b"U\x02\xc3\xa9.", "SHORT_BINSTRING as UTF-8", encoding="utf-8")
    op("short_binstring_high.bytes", b"U\x02\xc3\xa9.", "SHORT_BINSTRING as bytes", encoding="bytes")
    op("short_binstring_high", b"U\x02\xc3\xa9.", "SHORT_BINSTRING beyond ASCII is refused by default")
    op("short_binstring_bad.utf8", b"U\x01\xe9.", "SHORT_BINSTRING that is not UTF-8", encoding="utf-8")

    for size in (0, 1, 255, 256, 65535, 65536):
        op(f"binbytes_{size}", b"B" + u4(size) + b"z" * size + b".", "BINBYTES")
    for size in (0, 1, 255):
        op(f"short_binbytes_{size}", b"C" + u1(size) + b"z" * size + b".", "SHORT_BINBYTES")
    op("short_binbytes_all", b"C\xff" + bytes(range(255)) + b".", "SHORT_BINBYTES of every byte but one")
    for size in (0, 1, 256):
        op(f"binbytes8_{size}", b"\x8e" + u8(size) + b"z" * size + b".", "BINBYTES8")
        op(f"bytearray8_{size}", b"\x96" + u8(size) + b"z" * size + b".", "BYTEARRAY8")
        op(f"binunicode8_{size}", b"\x8d" + u8(size) + b"z" * size + b".", "BINUNICODE8")
    for size in (0, 1, 255):
        op(f"short_binunicode_{size}", b"\x8c" + u1(size) + b"u" * size + b".", "SHORT_BINUNICODE")
    for size in (0, 1, 255, 256, 65536):
        op(f"binunicode_{size}", b"X" + u4(size) + b"u" * size + b".", "BINUNICODE")
    op("binunicode_widths", binunicode("a\u00e9\u20ac\U0001f600\uffff\U0010ffff") + b".", "UTF-8 of every width")
    op("binunicode_surrogates", binunicode("\ud800\udfff\udc00\ud83d\ude00") + b".", "lone surrogates, none joined")
    op("binunicode_nul", binunicode("a\0b") + b".", "a NUL inside")
    for name, raw in {
        "start": b"\xe9", "cut": b"\xe2\x82", "overlong": b"\xc0\x80", "overlong_3": b"\xe0\x80\x80", "five": b"\xf8\x88\x80\x80\x80",
        "too_high": b"\xf4\x90\x80\x80", "continuation": b"\x80", "surrogate_cut": b"\xed\xa0",
    }.items():
        op(f"short_binunicode_bad_{name}", b"\x8c" + u1(len(raw)) + raw + b".", "not UTF-8")

    unicodes = {
        "plain": b"abc", "empty": b"", "u": rb"caf\u00e9", "big_u": rb"\U0001F600", "latin1": b"caf\xe9 \xff\x80",
        "quotes": b"'\"", "backslash": rb"a\b", "two_backslashes": rb"a\\b", "backslash_u005c": rb"\u005c", "u005c_u0041": rb"\u005cu0041",
        "even_backslashes_u": rb"\\u0041", "odd_backslashes_u": rb"\\\u0041", "four_backslashes_u": rb"\\\\u0041", "n_escape": rb"\n\x41\101",
        "backslash_last": b"abc\\", "u000a": rb"a\u000ab\u000d\u0000\u001a", "crlf": b"abc\r", "surrogate": rb"\ud800", "pair": rb"\ud83d\ude00",
        "short_u": rb"\u12", "short_big_u": rb"\U0001F60", "bad_u": rb"\u00zz", "too_high": rb"\U00110000", "upper_hex": rb"\u00C9\u00c9",
        "control": b"\x00\x01\x1a", "spaces": b"  a  ",
    }
    for name, body in unicodes.items():
        op("unicode_" + name, b"V" + body + b"\n.", "UNICODE, raw-unicode-escape")

    op("empty_list", b"].", "EMPTY_LIST")
    op("empty_dict", b"}.", "EMPTY_DICT")
    op("empty_tuple", b").", "EMPTY_TUPLE")
    op("empty_set", b"\x8f.", "EMPTY_SET")
    op("list", b"(K\x01K\x02l.", "LIST")
    op("list_empty", b"(l.", "LIST of nothing")
    op("tuple", b"(K\x01K\x02t.", "TUPLE")
    op("tuple_empty", b"(t.", "TUPLE of nothing is ()")
    op("tuple1", b"K\x01\x85.", "TUPLE1")
    op("tuple2", b"K\x01K\x02\x86.", "TUPLE2")
    op("tuple3", b"K\x01K\x02K\x03\x87.", "TUPLE3")
    op("dict", b"(K\x01K\x02K\x03K\x04d.", "DICT")
    op("dict_empty", b"(d.", "DICT of nothing")
    op("dict_same_key", b"(K\x01K\x02\x88K\x04d.", "DICT: the first key stays, the last value wins")
    op("frozenset", b"(K\x01\x91.", "FROZENSET")
    op("frozenset_two", b"(K\x01K\x02\x91.", "FROZENSET of two")
    op("frozenset_empty", b"(\x91.", "FROZENSET of nothing")
    op("frozenset_same", b"(K\x01\x88G?\xf0\0\0\0\0\0\0\x91.", "FROZENSET of 1, True and 1.0: the first stays")
    op("append", b"]K\x01a.", "APPEND")
    op("appends", b"](K\x01K\x02e.", "APPENDS")
    op("appends_empty", b"](e.", "APPENDS of nothing")
    op("setitem", b"}K\x01K\x02s.", "SETITEM")
    op("setitems", b"}(K\x01K\x02K\x03K\x04u.", "SETITEMS")
    op("setitems_empty", b"}(u.", "SETITEMS of nothing")
    op("setitems_same_key", b"}(K\x01K\x02K\x05K\x06K\x01K\x04u.", "SETITEMS: a key met again keeps its place")
    op("additems", b"\x8f(K\x01K\x02\x90.", "ADDITEMS")
    op("additems_empty", b"\x8f(\x90.", "ADDITEMS of nothing")
    op("additems_same", b"\x8f(\x88K\x01\x90.", "ADDITEMS of True and 1: the first stays")
    op("mark_nested", b"(K\x01(K\x02(K\x03ttt.", "marks inside marks")
    op("pop", b"K\x01K\x020.", "POP of a value")
    op("pop_mark_by_pop", b"K\x01(0.", "POP of a mark")
    op("pop_mark", b"K\x01(K\x02K\x031.", "POP_MARK")
    op("pop_mark_empty", b"K\x01(1.", "POP_MARK of nothing")
    op("dup", b"K\x012\x86.", "DUP")
    op("dup_list", b"]2\x86.", "DUP: the same list twice")
    op("dup_list_append", b"]2K\x01a0.", "DUP: an append shows through the other reference")

    for name, put, get in (
        ("text", b"p0\n", b"g0\n"), ("text_big", b"p70000\n", b"g70000\n"), ("text_spaces", b"p 7 \n", b"g7\n"), ("text_plus", b"p+7\n", b"g7\n"),
        ("text_underscore", b"p1_0\n", b"g10\n"), ("text_zeros", b"p007\n", b"g7\n"), ("text_crlf", b"p7\r\n", b"g7\r\n"), ("text_l", b"p7L\n", b"g7\n"),
        ("text_hex", b"p0x7\n", b"g7\n"), ("text_minus", b"p-1\n", b"g-1\n"), ("text_minus_zero", b"p-0\n", b"g0\n"), ("text_word", b"pabc\n", b"gabc\n"),
        ("text_empty", b"p\n", b"g\n"), ("binput_0", b"q\0", b"h\0"), ("binput_255", b"q\xff", b"h\xff"), ("long_256", b"r" + u4(256), b"j" + u4(256)),
        ("long_65535", b"r" + u4(65535), b"j" + u4(65535)), ("long_65536", b"r" + u4(65536), b"j" + u4(65536)), ("mixed", b"r" + u4(5), b"g5\n"),
        ("mixed_2", b"p5\n", b"h\x05"),
    ):
        op("memo_" + name, b"]" + put + get + b"\x86.", "a list put in the memo and got again")
    op("memoize", b"]\x94h\0\x86.", "MEMOIZE")
    op("memoize_after_put", b"]q\5]\x94K\x01ah\1\x86.", "MEMOIZE takes the number of memo entries as its slot, here 1")
    op("memoize_overwrites", b"]q\1K\x07\x94h\1\x86.", "MEMOIZE may fall on a slot that a PUT filled")
    op("memo_overwritten", b"]q\0K\x01q\0h\0\x86.", "a slot filled twice holds the last")
    op("memo_keeps_popped", b"]q\0" + b"0K\x01h\0\x86.", "a popped value lives on in the memo")
    op("memo_put_empty_stack", b"q\0.", "PUT with nothing on the stack")
    op("memo_of_top", b"K\x01K\x02q\0h\0\x87.", "PUT takes the top of the stack")
    op("memo_after_mark", b"(q\0.", "PUT with a mark on top")
    op("put_then_grow", b"]q\0K\x01aK\x02ah\0\x86.", "a memoised list grows later")

    op("global", global_("Empty") + b".", "GLOBAL")
    op("global_dotted", global_("Outer.Inner") + b".", "GLOBAL with a dotted name, no header")
    op("global_dotted_p4", proto(4) + global_("Outer.Inner") + b".", "GLOBAL with a dotted name, protocol 4")
    op("global_missing", global_("Nothing") + b".", "GLOBAL of a name that is not there")
    op("global_empty_name", b"czoo\n\n.", "GLOBAL with an empty name")
    op("global_empty_module", b"c\nEmpty\n.", "GLOBAL with an empty module")
    op("global_crlf", b"czoo\r\nEmpty\r\n.", "GLOBAL with CRLF: the carriage return is part of the name")
    op("global_spaces", b"c zoo \n Empty \n.", "GLOBAL with spaces")
    op("global_cut", b"czoo\nEmpty", "GLOBAL without its second newline")
    op("global_utf8", b"czoo\nGr\xc3\xb6\xc3\x9fe\n.", "GLOBAL in UTF-8")
    op("global_bad_utf8", b"czoo\nGr\xf6\xdfe\n.", "GLOBAL that is not UTF-8")
    op("global_py2_name", b"c__builtin__\nxrange\n.", "GLOBAL of a name that Python 2 used")
    op("global_same_twice", global_("Empty") + global_("Empty") + b"\x86.", "the same GLOBAL twice")
    op("stack_global", proto(4) + stack_global("Empty") + b".", "STACK_GLOBAL")
    op("stack_global_dotted", proto(4) + stack_global("Outer.Inner.Core") + b".", "STACK_GLOBAL with a dotted name")
    op("stack_global_no_header", stack_global("Outer.Inner") + b".", "STACK_GLOBAL with a dotted name, no header")
    op("stack_global_unicode", b"Vzoo\nVEmpty\n\x93.", "STACK_GLOBAL of UNICODE texts")
    op("stack_global_string", b"S'zoo'\nS'Empty'\n\x93.", "STACK_GLOBAL of 8-bit strings")
    op("stack_global_string.bytes", b"S'zoo'\nS'Empty'\n\x93.", "STACK_GLOBAL of 8-bit strings read as bytes", encoding="bytes")
    op("reduce", global_("Args") + b"(K\x01K\x02tR.", "REDUCE")
    op("reduce_no_args", global_("Args") + b")R.", "REDUCE without arguments")
    op("reduce_of_call", global_("Bag") + b")R)R.", "REDUCE of what a REDUCE made")
    op("build", global_("Plain") + b")R}(S'a'\nK\x01ub.", "BUILD")
    op("build_none", global_("Plain") + b")RNb.", "BUILD with None")
    op("build_slots", global_("SlotsAndDict") + b"(K\x01K\x02K\x03tR}S'c'\nK\x07s}S'a'\nK\x08s\x86b.", "BUILD with a pair of dict and slots")
    op("build_twice", global_("Plain") + b")R}S'a'\nK\x01sb}S'b'\nK\x02sb.", "BUILD twice")
    op("inst", b"(izoo\nOldStyle\n.", "INST")
    op("inst_args", b"(K\x01K\x02izoo\nOldStyle\n.", "INST with arguments")
    op("inst_build", b"(izoo\nOldStyle\n}S'a'\nK\x01sb.", "INST, then BUILD")
    op("inst_function", b"(izoo\nfunction\n.", "INST of a function: called, for it is no type")
    op("obj", b"(" + global_("OldStyle") + b"o.", "OBJ")
    op("obj_args", b"(" + global_("OldStyle") + b"K\x01K\x02o.", "OBJ with arguments")
    op("newobj", proto(2) + global_("Empty") + b")\x81.", "NEWOBJ")
    op("newobj_args", proto(2) + global_("NewArgs") + b"K\x01K\x02\x86\x81.", "NEWOBJ with arguments")
    op("newobj_function", proto(2) + global_("function") + b")\x81.", "NEWOBJ of a function")
    op("newobj_ex", proto(4) + stack_global("NewArgsEx") + b"K\x01\x85}" + text("k") + b"K\x02s\x92.", "NEWOBJ_EX")
    op("newobj_ex_no_kwargs", proto(4) + stack_global("NewArgsEx") + b"K\x01\x85}\x92.", "NEWOBJ_EX without keywords")
    op("newobj_ex_no_args", proto(4) + stack_global("NewArgsEx") + b")}(" + text("b") + b"K\x01" + text("a") + b"K\x02u\x92.", "NEWOBJ_EX with keywords only")
    op("append_object", global_("Bag") + b")RK\x01aK\x02a(K\x03K\x04e.", "APPEND and APPENDS on an object")
    op("setitem_object", global_("Bag") + b")RK\x01K\x02s(K\x03K\x04u.", "SETITEM and SETITEMS on an object")
    op("additems_object", global_("Bag") + b")R(K\x01K\x02\x90.", "ADDITEMS on an object")
    op("append_bytearray", b"\x96" + u8(1) + b"a(K\x62K\x63e.", "APPENDS on a bytearray: CPython extends it")
    op("setitem_list", b"](K\x01K\x02eK\0K\x09s.", "SETITEM on a list: CPython sets the item")
    op("appends_nothing_int", b"K\x01(e.", "APPENDS of nothing on an int: CPython does not look")
    op("setitems_nothing_int", b"K\x01(u.", "SETITEMS of nothing on an int: CPython does not look")
    op("additems_nothing_int", b"K\x01(\x90.", "ADDITEMS of nothing on an int: CPython does not look")
    op("build_none_int", b"K\x01Nb.", "BUILD of an int with None: CPython does nothing")
    op("build_pair_list", b"]N}\x86b.", "BUILD of a list with (None, {}): CPython does nothing")
    op("setitems_bytearray", b"\x96" + u8(2) + b"abK\0K\x7as.", "SETITEM on a bytearray: CPython sets the byte")

    for code, opcode in ((1, b"\x82\1"), (255, b"\x82\xff"), (256, b"\x83" + u2(256)), (65535, b"\x83\xff\xff"),
                         (65536, b"\x84" + i4(65536)), (2**31 - 1, b"\x84" + i4(2**31 - 1))):
        op(f"ext_{code}", proto(2) + opcode + b".", "EXT1, EXT2 or EXT4 of a registered code",
           extensions={str(code): ["zoo", "Empty"]})
    op("ext4_small", proto(2) + b"\x84" + i4(5) + b".", "EXT4 of a code that fits EXT1", extensions={"5": ["zoo", "Empty"]})
    op("ext_newobj", proto(2) + b"\x82\x05)\x81.", "NEWOBJ of an extension code", extensions={"5": ["zoo", "Empty"]})
    op("ext_twice", proto(2) + b"\x82\x05\x83\x05\0\x86.", "the same code twice", extensions={"5": ["zoo", "Empty"]})
    op("ext_unregistered", proto(2) + b"\x82\x05.", "an extension code that nobody registered")

    op("persid", b"Pabc\n.", "PERSID", persid=True)
    op("persid_empty", b"P\n.", "PERSID of nothing", persid=True)
    op("persid_spaces", b"P a b\r\n.", "PERSID with spaces and a carriage return", persid=True)
    op("persid_high", b"Pcaf\xc3\xa9\n.", "PERSID beyond ASCII", persid=True)
    op("persid_no_hook", b"Pabc\n.", "PERSID, and nobody to ask")
    op("binpersid", b"K\x05Q.", "BINPERSID of an int", persid=True)
    op("binpersid_tuple", b"(S'storage'\nK\x05tQ.", "BINPERSID of a tuple", persid=True)
    op("binpersid_list", b"](U\x01aK\x05eq\0Qh\0\x86.", "BINPERSID of a list that is used again", persid=True)
    op("binpersid_two", b"K\x05QK\x05Q\x86.", "two loads of one id", persid=True)
    op("binpersid_global", b"(czoo\nEmpty\nK\x05tQ.", "BINPERSID of a tuple with a class", persid=True)
    op("binpersid_no_hook", b"K\x05Q.", "BINPERSID, and nobody to ask")

    op("frame_empty", proto(4) + frame(b"") + b"N.", "FRAME of nothing")
    op("frame_exact", proto(4) + frame(b"]K\x01a."), "FRAME that ends with STOP")
    op("frame_short", proto(4) + frame(b"]K\x01") + b"a.", "FRAME that ends before the pickle does")
    op("frame_two", proto(4) + frame(b"]K\x01a") + frame(b"K\x02a."), "two frames")
    op("frame_two_gap", proto(4) + frame(b"]K\x01a") + b"K\x03a" + frame(b"K\x02a."), "opcodes between frames")
    op("frame_no_header", frame(b"N."), "FRAME without PROTO")
    op("frame_before_proto", frame(b"\x80\x04N."), "PROTO inside a frame")
    op("frame_then_big", proto(4) + frame(b"]") + b"B" + u4(3) + b"abc" + frame(b"a."), "bytes outside of frames")

    buffers = [b"first", b"\x00\xff"]
    op("next_buffer", proto(5) + b"\x97.", "NEXT_BUFFER", buffers=buffers)
    op("next_buffer_two", proto(5) + b"\x97\x97\x98\x86.", "two buffers, one made read-only", buffers=buffers)
    op("next_buffer_shared", proto(5) + b"\x97\x94h\0\x86.", "one buffer, used twice", buffers=buffers)
    op("next_buffer_too_many", proto(5) + b"\x97\x97\x97\x87.", "more NEXT_BUFFER than buffers", buffers=buffers)
    op("next_buffer_none", proto(5) + b"\x97.", "NEXT_BUFFER, and no buffers given")
    op("readonly_buffer_bytes", proto(5) + b"C\x03abc\x98.", "READONLY_BUFFER of bytes")
    op("readonly_buffer_int", proto(5) + b"K\x01\x98.", "READONLY_BUFFER of an int")

    seen = set()
    for one_case in CASES:
        if one_case.group == "opcodes":
            try:
                for opcode, _, _ in pickletools.genops(one_case.data):
                    seen.add(opcode.name)
            except ValueError:
                pass
    missing = {opcode.name for opcode in pickletools.opcodes} - seen
    assert not missing, missing
    assert len(pickletools.opcodes) == 68


# ---------------------------------------------------------------- builtins


def dumped(group, name, value, note, protocols=range(6), **options):
    """One case a protocol. `value` may be a function that makes a fresh value."""
    for protocol in protocols:
        fresh = value() if isinstance(value, types.FunctionType) else value
        try:
            data = pickle.dumps(fresh, protocol)
        except (pickle.PicklingError, RecursionError, UnicodeEncodeError, ValueError):
            continue  # this protocol cannot write it
        case(group, f"{name}.p{protocol}", data, note, **options)


def make_builtins():
    def builtin(name, value, note, protocols=range(6), **options):
        dumped("builtins", name, value, note, protocols, **options)

    edges = [0]
    for bits in (7, 8, 15, 16, 31, 32, 63, 64, 127, 128):
        for near in (2**bits - 1, 2**bits, 2**bits + 1):
            edges += [near, -near]
    builtin("int_edges", edges, "ints around every width")
    builtin("int_small", [0, 1, -1, 255, 256, -256, 65535, 65536], "ints around the short opcodes")
    builtin("int_big", 3**400, "an int of many bytes")
    builtin("int_big_minus", -(2**2032), "the longest that LONG1 takes")
    builtin("int_long4", [2**2039, -(2**2039), -(2**2039) - 1], "ints on both sides of LONG1")
    builtin("int_digits_4300", 10**4300 - 1, "the longest int that CPython reads in decimal", (0, 2))
    builtin("int_digits_4301", 10**4300, "an int that CPython writes in no decimal text", (0, 2, 4))
    builtin("none_bools", [None, True, False], "the singletons")

    builtin("float_usual", [0.0, 1.0, -1.5, 0.1, 1 / 3, 2 / 3, 100.0, 123456.789], "floats")
    builtin("float_shape", [1e15, 1e16, 123456789012345680.0, 1e22, 1e23, 1e-4, 1e-5, 1.5e-7, 9999999999999998.0, 0.0001234], "where repr changes its form")
    builtin("float_extreme", [5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 1.7976931348623157e308, -5e-324], "subnormal, least normal, largest")
    builtin("float_special", [float("inf"), float("-inf"), float("nan"), -0.0], "infinities, NaN, minus zero")
    builtin("float_shortest", [9007199254740993.0, 5e-324, 1.1, 2.675, 4.35, 0.30000000000000004, 2.0**70, 8.41e21, 2.2e-322], "shortest text that reads back")

    builtin("str_plain", ["", "a", "hello world", "x" * 255, "x" * 256], "str around the short opcode")
    builtin("str_quotes", ["it's", 'say "hi"', "both ' and \"", "\\", "'", '"', "\\'", "end\\"], "quotes and backslashes")
    builtin("str_control", ["\x00\x01\x1f\x7f\x80\x9f\xa0\xad", "\n\r\t\v\f\x08\x07\x1a\x1b"], "control characters")
    builtin("str_latin1", ["café", "".join(map(chr, range(0xA0, 0x100)))], "latin-1")
    builtin("str_bmp", ["Жук", "漢字", "\u20ac", "\u0301e\u0301", "\ufeff", "\ufffd", "\uffff", "\ufdd0"], "the basic plane, combining, noncharacters")
    builtin("str_spaces", ["\u2028\u2029\u200b\u3000\u1680\u2003", "\u061c\u200e\u200f\u202e\u2066\u2069"], "separators, marks of direction")
    builtin("str_astral", ["\U0001f600", "\U0001d518", "\U00010348", "\U0010ffff", "\U000e0001"], "beyond the basic plane")
    builtin("str_surrogates", ["\ud800", "a\udfffb", "\ud83d\ude00", "\udc80"], "lone surrogates")
    builtin("str_escape_like", ["\\u0041", "\\\\u0041", "\\U0001F600", "\\n", "a\nb", "\\x41"], "text that looks like escapes")
    builtin("str_raw_newlines", ["a\\\nb", "\r\n", "\\u000a", "\x00"], "what UNICODE must escape")

    builtin("bytes_all", bytes(range(256)), "every byte")
    builtin("bytes_sizes", [b"", b"a", b"z" * 255, b"z" * 256], "bytes around the short opcode")
    builtin("bytes_quotes", [b"it's", b'say "hi"', b"'\"", b"\\", b"\n\t\r"], "bytes with quotes")
    builtin("bytearray_all", lambda: bytearray(range(256)), "bytearray")
    builtin("bytearray_sizes", lambda: [bytearray(), bytearray(b"a"), bytearray(b"z" * 256)], "bytearrays")

    builtin("tuples", [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), ((),), (((),),)], "tuples of every opcode")
    builtin("nested", [[], [[]], {}, {"a": []}, [{}], ([], {}), {(1, 2): [3, (4,)]}], "containers in containers")
    builtin("set_empty", set, "the empty set")
    builtin("sets", [{1}, {"a"}, {1, 2, 3}, {(1, "b")}, {None}, {frozenset()}], "sets")
    builtin("frozensets", [frozenset(), frozenset([1]), frozenset([1, 2]), frozenset([frozenset([2])])], "frozensets")
    builtin("dict_keys", {1: "int", "1": "str", b"1": "bytes", 1.5: "float", None: "none", (1,): "tuple", True + 1: "two", frozenset(): 0}, "keys of every kind")
    builtin("dict_order", {"z": 1, "a": 2, "m": 3}, "insertion order")
    builtin("dict_nan", lambda: {float("nan"): 1, float("nan"): 2}, "two NaN keys")

    def shared():
        inner = [1]
        text = "".join(["sha", "red"])
        return [inner, inner, text, text, {"k": inner}, (inner, text)]

    def recursive_list():
        value = []
        value.append(value)
        return value

    def recursive_dict():
        value = {}
        value["me"] = value
        value["list"] = [value]
        return value

    def recursive_tuple():
        inner = []
        value = (inner, 1)
        inner.append(value)
        return value

    def recursive_tuple_long():
        inner = {}
        value = (1, 2, inner, 3, 4)
        inner["t"] = value
        return value

    def two_cycles():
        a, b = [], {}
        a.append(b)
        b["a"] = a
        return [a, b, a]

    builtin("shared", shared, "one list and one str used several times")
    builtin("shared_tuple", lambda: [t := (1, [2]), t, (t, t)], "one tuple used several times")
    builtin("shared_bytes", lambda: [b := bytes([1, 2, 3]), b, (f := frozenset([4])), f], "bytes and a frozenset used twice")
    builtin("shared_bytearray", lambda: [b := bytearray(b"ab"), b], "one bytearray twice")
    builtin("recursive_list", recursive_list, "a list that holds itself")
    builtin("recursive_dict", recursive_dict, "a dict that holds itself")
    builtin("recursive_tuple", recursive_tuple, "a tuple that holds itself through a list")
    builtin("recursive_tuple_long", recursive_tuple_long, "a longer tuple that holds itself through a dict")
    builtin("recursive_two", two_cycles, "two containers that hold each other")
    for n in (1000, 1001):
        builtin(f"batch_list_{n}", list(range(n)), "batches of 1000", (1, 2, 4))
        builtin(f"batch_dict_{n}", {i: None for i in range(n)}, "batches of 1000", (2, 4))
    builtin("batch_list_2001", [None] * 2001, "two batches and one item", (2, 4))
    builtin("batch_set_1001", set(range(1001)), "batches of 1000", (2, 4))
    builtin("batch_short", [[], [1], [1, 2], {}, {1: 2}, {1: 2, 3: 4}], "none, one and two items have forms of their own")
    builtin("memo_many", lambda: [[chr(65 + i % 26) + str(i)] for i in range(150)], "memo indexes beyond 255", (0, 1, 2, 4))
    builtin("frame_many", ["%04d" % i * 25 for i in range(100)], "more than one frame would hold if frames were short", (4,))
    builtin("deep_lists", lambda: functools.reduce(lambda inner, _: [inner], range(60), []), "nesting", (0, 2, 4))
    builtin("bytes_beside_frame", [b"x" * 65536, b"y" * 10], "large bytes stand outside of frames", (4,))

    # Dicts and sets whose keys are equal though they look different; no pickler writes them.
    nan = b"G\x7f\xf8\0\0\0\0\0\0"
    one_float = b"G?\xf0\0\0\0\0\0\0"
    hand = {
        "keys_1_true": b"}(K\x01U\x01a\x88U\x01bu.",
        "keys_true_1_float": b"}(\x88U\x01aK\x01U\x01b" + one_float + b"U\x01cu.",
        "keys_zero_false": b"}(K\x00U\x01a\x89U\x01bG\x80\0\0\0\0\0\0\0U\x01cu.",
        "keys_big_float": b"}(\x8a\x09" + (2**64).to_bytes(9, "little") + b"U\x01aG" + struct.pack(">d", 2.0**64) + b"U\x01bu.",
        "keys_2_53": b"}(\x8a\x07" + (2**53 + 1).to_bytes(7, "little") + b"U\x01aG" + struct.pack(">d", 2.0**53) + b"U\x01bu.",
        "keys_nan_same": b"}" + nan + b"q\0U\x01as(h\0U\x01b" + nan + b"U\x01cu.",
        "keys_tuples": b"}(K\x01\x85U\x01a\x88\x85U\x01bu.",
        "keys_tuple_nan": b"}(" + nan + b"q\0\x85U\x01ah\0\x85U\x01b" + nan + b"\x85U\x01cu.",
        "keys_frozensets": b"}((K\x01K\x02\x91U\x01a(K\x02\x88\x91U\x01bu.",
        "keys_str_bytes": b"}(U\x01aK\x01C\x01aK\x02X\x01\0\0\0aK\x03u.",
        "keys_bytes_bytearray": b"}(C\x01aK\x01U\x01bK\x02u.",
        "keys_empty_str": b"}(U\0K\x01V\nK\x02)K\x03(\x91K\x04u.",
        "set_1_true_float": b"\x8f(\x88K\x01" + one_float + b"\x90.",
        "set_nan_same": b"\x8f(" + nan + b"q\0h\0" + nan + b"\x90.",
        "set_two_updates": b"\x8f(K\x01K\x02\x90(K\x02K\x03\x90.",
    }
    for name, data in hand.items():
        case("builtins", "hand_" + name, data, "equal keys: the first key stays, the last value wins")
    spelled = {
        "set_list": b"c__builtin__\nset\n](K\x01K\x02e\x85R.",
        "set_builtins": b"cbuiltins\nset\n]K\x01a\x85R.",
        "set_tuple": b"c__builtin__\nset\nK\x01\x85\x85R.",
        "set_no_args": b"c__builtin__\nset\n)R.",
        "set_list_shared": b"]K\x01aq\0" + b"0c__builtin__\nset\nh\0\x85Rh\0\x86.",
        "frozenset_list": b"c__builtin__\nfrozenset\n]K\x01a\x85R.",
        "frozenset_empty_list": b"c__builtin__\nfrozenset\n]\x85R.",
        "bytes_no_args": b"c__builtin__\nbytes\n)R.",
        "bytes_list": b"c__builtin__\nbytes\n]K\x61a\x85R.",
        "codecs_latin1": b"c_codecs\nencode\n(V\xe9\nVlatin1\ntR.",
        "codecs_latin1_dash": b"c_codecs\nencode\n(V\xe9\nVlatin-1\ntR.",
        "codecs_utf8": b"c_codecs\nencode\n(V\xe9\nVutf-8\ntR.",
        "codecs_too_high": b"c_codecs\nencode\n(V\\u20ac\nVlatin1\ntR.",
        "codecs_string": b"c_codecs\nencode\n(S'abc'\nS'latin1'\ntR.",
        "bytearray_no_args": b"c__builtin__\nbytearray\n)R.",
        "bytearray_bytes": b"c__builtin__\nbytearray\nC\x02ab\x85R.",
        "bytearray_latin1": b"c__builtin__\nbytearray\n(V\xe9a\nVlatin-1\ntR.",
        "bytearray_latin1_py2": b"c__builtin__\nbytearray\n(V\xe9a\nS'latin-1'\ntR.",
        "bytearray_list": b"c__builtin__\nbytearray\n]K\x61a\x85R.",
        "bytearray_int": b"c__builtin__\nbytearray\nK\x03\x85R.",
        "list_of_tuple": b"c__builtin__\nlist\nK\x01\x85\x85R.",
        "unicode_py2": b"c__builtin__\nunicode\nV\xe9\n\x85R.",
        "long_py2": b"c__builtin__\nlong\nS'12'\n\x85R.",
        "complex": b"c__builtin__\ncomplex\nG?\xf0\0\0\0\0\0\0G\0\0\0\0\0\0\0\0\x86R.",
    }
    for name, data in spelled.items():
        case("builtins", "call_" + name, data, "a builtin type spelled as a call")
    case("builtins", "call_set_later_append", b"]K\x01aq\0c__builtin__\nset\nh\0\x85R0K\x02a.",
         "the list a set was made of, changed later")


# ---------------------------------------------------------------- classes


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
        klass(f"reduce_4_{n}", lambda: Reduce(lambda _: (Bag, (), None, iter(range(n)))), "reduce with list items", few)
        klass(f"reduce_5_{n}", lambda: Reduce(lambda _: (Bag, (), None, None, iter([(i, None) for i in range(n)]))), "reduce with dict items", few)
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
    for name, (data, note) in hand.items():
        case("classes", "hand_" + name, data, note)


# ---------------------------------------------------------------- odd


def make_odd():
    def odd(name, data, note, **options):
        case("odd", name, data, note, **options)

    def two_dumps(protocol):
        file = io.BytesIO()
        pickler = pickle.Pickler(file, protocol)
        shared = "the class of the record"
        pickler.dump([shared, Plain])
        pickler.dump({"again": shared, "class": Plain, "own": [1]})
        return file.getvalue()

    for protocol in (0, 1, 2, 4):
        odd(f"shared_memo.p{protocol}", two_dumps(protocol), "two pickles of one pickler: the second gets what the first put", memo="shared")
    odd("shared_memo_oid", b"\x80\x02czoo\nPlain\nq\x01.\x80\x02}q\x02(U\x01aq\x03h\x01U\x01bh\x02u.", "class and state, one memo", memo="shared")
    odd("shared_memo_refused", b"]q\x00.h\x00.", "two pickles with one memo, read one by one")

    one_list = pickle.dumps([1, "a"], 2)
    odd("after_stop_newline", one_list + b"\n", "a newline after STOP")
    odd("after_stop_crlf", one_list + b"\r\n", "CRLF after STOP")
    odd("after_stop_text_newline", b"(lp0\nI1\na.\n", "a text pickle that an editor ended with a newline")
    odd("after_stop_zlib", one_list + b"x\x9cc`\x80\x01\x00\x00\x0a\x00\x01", "what looks like zlib data after STOP")
    odd("after_stop_garbage", one_list + b"\xff\x00garbage\x80", "garbage after STOP")
    odd("after_stop_zeros", one_list + b"\0" * 64, "padding after STOP")
    odd("after_stop_stop", one_list + b".", "STOP after STOP")
    odd("after_stop_half", one_list + one_list[:-3], "half a pickle after STOP")
    odd("pickles_two", one_list + one_list, "two pickles")
    odd("pickles_three", pickle.dumps({"a": 1}, 0) + pickle.dumps((1, 2), 2) + pickle.dumps(["x"], 4), "three pickles of several protocols")
    odd("pickles_six", b"".join(pickle.dumps(p, p) for p in range(6)), "one pickle of every protocol")
    odd("pickles_memo_restarts", pickle.dumps(["x"], 4) * 2, "every pickle begins its memo anew")

    odd("no_header_p2", b"K\x01\x85.", "opcodes of protocol 2, no PROTO")
    odd("no_header_p3", b"C\x01a.", "opcodes of protocol 3, no PROTO")
    odd("no_header_p4", b"]\x94\x8c\x01a\x94a.", "opcodes of protocol 4, no PROTO")
    odd("no_header_p5", b"\x96" + u8(1) + b"a.", "opcodes of protocol 5, no PROTO")
    odd("newer_than_header", b"\x80\x00]\x94(\x8c\x01aC\x01b\x8f\x90e.".replace(b"\x8f\x90", b"\x8f"), "opcodes newer than the header says")
    odd("older_than_header", b"\x80\x05(lp0\nI1\naL2L\na.", "opcodes older than the header says")
    odd("proto_0_p4", b"\x80\x00\x8c\x01a\x94.", "PROTO 0, then protocol 4")
    odd("proto_255", b"\x80\xffN.", "PROTO 255")
    odd("proto_6", b"\x80\x06N.", "PROTO 6")
    odd("proto_in_middle", b"\x80\x02]\x80\x04K\x01a.", "PROTO in the middle")
    odd("frame_zero", b"\x80\x04\x95" + u8(0) + b"]\x94K\x01a.", "a frame of nothing, then opcodes")
    odd("frame_zero_thrice", b"\x80\x04" + (b"\x95" + u8(0)) * 3 + b"N.", "frames of nothing")
    odd("frame_in_p2", b"\x80\x02" + frame(b"N."), "FRAME in protocol 2")
    odd("frame_nested", b"\x80\x04" + frame(b"]" + frame(b"K\x01a") + b"."), "a frame inside a frame")
    odd("frame_nested_past", b"\x80\x04\x95" + u8(12) + b"]" + frame(b"K\x01aK\x02a.")[:9] + b"K\x01aK\x02a.", "a frame inside a frame, and longer")

    latin1 = b"S'caf\xe9'\n."
    utf8 = b"S'caf\xc3\xa9'\n."
    for name, data in (("latin1", latin1), ("utf8", utf8)):
        odd(f"string_{name}", data, "raw bytes beyond ASCII in STRING, refused by default")
        odd(f"string_{name}.latin1", data, "raw bytes beyond ASCII in STRING", encoding="latin-1")
        odd(f"string_{name}.utf8", data, "raw bytes beyond ASCII in STRING", encoding="utf-8")
        odd(f"string_{name}.bytes", data, "raw bytes beyond ASCII in STRING", encoding="bytes")
    odd("string_mixed.bytes", b"(S'a'\nU\x01\xffVb\nX\x01\0\0\0ct.", "8-bit strings and text side by side", encoding="bytes")
    odd("string_keys.bytes", b"}(U\x01aK\x01Va\nK\x02u.", "b'a' and 'a' are two keys", encoding="bytes")
    odd("string_keys", b"}(U\x01aK\x01Va\nK\x02u.", "an 8-bit and a text 'a' are one key")
    odd("string_attributes.bytes", b"czoo\nPlain\n)R}U\x01aK\x01sb.", "attribute names read as bytes", encoding="bytes")
    odd("string_empty.bytes", b"S''\n.", "an empty 8-bit string", encoding="bytes")

    odd("global_non_ascii_p3", proto(3) + b"cm\xc3\xb6dule\nKlasse\xc3\x9f\n.", "a module and a class beyond ASCII")
    odd("stack_global_non_ascii", proto(4) + stack_global("Klasseß", "mödule") + b".", "the same by STACK_GLOBAL")
    odd("stack_global_newline", proto(4) + stack_global("ba\nr", "foo\n2") + b".", "names with newlines")
    odd("stack_global_quote", proto(4) + stack_global('b"\\', "a'") + b".", "names with quotes and a backslash")
    odd("stack_global_empty", proto(4) + stack_global("", "") + b".", "empty names")
    odd("stack_global_nul", proto(4) + stack_global("a\0b", "m\0") + b".", "names with NUL")
    odd("stack_global_surrogate", proto(4) + stack_global("a\ud800", "m") + b".", "a name with a lone surrogate")
    odd("stack_global_astral", proto(4) + stack_global("\U0001f600", "m") + b".", "a name beyond the basic plane")
    odd("stack_global_dots", proto(4) + stack_global("Outer.Inner.Core", "zoo") + b".", "a dotted name")
    odd("stack_global_dots_odd", proto(4) + stack_global("..a.", "m") + b".", "odd dots in a name")
    odd("stack_global_locals", proto(4) + stack_global("f.<locals>.g", "m") + b".", "a local name")
    odd("stack_global_memo", proto(4) + text("zoo") + b"\x94" + text("Plain") + b"\x940" + b"0h\0h\1\x93.", "names that come from the memo")
    odd("stack_global_computed", proto(4) + b"cm\nf\n)R" + text("n") + b"\x93.", "a module name that a call would compute")
    odd("stack_global_shared_text", proto(4) + text("zoo") + b"\x94" + text("Plain") + b"\x93h\0\x86.", "one text, used as a name and as data")
    odd("global_dunder", proto(4) + stack_global("__class__.__base__", "zoo") + b".", "attributes of an object as a name")
    odd("global_main", b"c__main__\nThing\n)R.", "a class of __main__")
    odd("getattr_name", b"cbuiltins\ngetattr\n(czoo\nOuter\nVInner\ntR)R.", "a class by getattr")

    odd("left_mark", b"(K\x01.", "a mark left under the value")
    odd("left_marks", b"(((K\x01.", "marks left under the value")
    odd("left_values", b"K\x01K\x02]K\x03.", "values left under the value")
    odd("left_mark_values", b"K\x01(K\x02K\x03.", "values and a mark left")
    odd("left_object", b"czoo\nPlain\n)RK\x01.", "an object left under the value")
    odd("left_stop_mark", b"K\x01(.", "a mark on top at STOP")

    odd("pop_recursive_tuple", pickle.dumps(recursive(), 2), "a tuple in itself: built, thrown away, got from the memo")
    odd("pop_mark_recursive_tuple", pickle.dumps(recursive(4), 1), "the same with POP_MARK")
    odd("pop_last", b"K\x01K\x0200K\x02.", "POP down to nothing")
    odd("dup_tuple", b"K\x01\x852\x86.", "one tuple twice")
    odd("torch_magic_p0", b"L119547037146038801333356L\n.", "the number that PyTorch's legacy files begin with")
    odd("torch_magic_p2", b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.", "the same number in protocol 2")
    odd("inst_old", b"(dp0\nS'a'\n(izoo\nOldStyle\np1\n(dp2\nbs.", "an instance as Python 2 wrote it, inside a dict")
    odd("put_sparse", b"]p1000000\n]p5\ng1000000\ng5\n\x87.", "memo indexes far apart")
    odd("put_downwards", b"]q\x09]q\x08]q\x07(h\x09h\x08h\x07t.", "memo indexes that fall")
    odd("memoize_mixed", b"]\x94q\x05]\x94(h\0h\2h\5t.", "MEMOIZE and PUT in one pickle: MEMOIZE counts entries")
    odd("text_p2", b"\x80\x02(lp0\nI1\naI01\naNa.", "text opcodes under a header of protocol 2")


def recursive(length=2):
    inner = []
    value = (inner, *range(length - 1))
    inner.append(value)
    return value


# ---------------------------------------------------------------- hostile


def make_hostile():
    def bad(name, data, note, **options):
        case("hostile", name, data, note, **options)

    bad("empty", b"", "no bytes at all")
    whole = pickle.dumps({"key": [1, -2, 3.5, "text"], "t": (b"b", None)}, 4)
    for cut in range(1, len(whole)):
        bad(f"truncated_{cut:02}", whole[:cut], f"the first {cut} bytes of a protocol 4 pickle")
    for name, opcode in (("binbytes8", b"\x8e"), ("binunicode8", b"\x8d"), ("bytearray8", b"\x96"), ("frame", b"\x95")):
        for bits in (31, 40, 62):
            bad(f"{name}_2_{bits}", proto(5) + opcode + u8(2**bits) + b"abc", f"claims 2**{bits} bytes")
        bad(f"{name}_max", proto(5) + opcode + b"\xff" * 8 + b"abc", "claims 2**64 - 1 bytes")
    for name, opcode in (("binbytes", b"B"), ("binunicode", b"X"), ("binstring", b"T"), ("long4", b"\x8b")):
        bad(f"{name}_cut", opcode + u4(2**31 - 1) + b"abc", "claims 2**31 - 1 bytes")
        bad(f"{name}_high", opcode + b"\xff" * 4 + b"abc", "claims 2**32 - 1 bytes, or -1")
        bad(f"{name}_high_bit", opcode + u4(2**31) + b"abc", "claims 2**31 bytes, or -2**31")
        bad(f"{name}_one_short", opcode + u4(4) + b"ab.", "one byte short")
        bad(f"{name}_length_cut", opcode + b"\x01\x00", "the length itself is cut")
    for name, opcode in (("short_binbytes", b"C"), ("short_binunicode", b"\x8c"), ("short_binstring", b"U"), ("long1", b"\x8a")):
        bad(f"{name}_cut", opcode + b"\xffabc", "claims 255 bytes")
    for name, data in {
        "binint": b"J\1\2", "binint1": b"K", "binint2": b"M\1", "binfloat": b"G\1\2\3", "float": b"F1.5", "long": b"L12", "string": b"S'abc",
        "unicode": b"Vabc", "get": b"]p0\ng0", "put": b"]p0", "binget": b"]q\0h", "long_binget": b"]q\0j\0\0", "proto": b"\x80", "frame": b"\x95\1\0",
        "global": b"czoo", "inst": b"(izoo\n", "persid": b"Pabc", "ext1": b"\x82", "ext2": b"\x83\1", "ext4": b"\x84\1\2",
    }.items():
        bad("cut_" + name, data, "cut inside an opcode's argument")

    for name, data in {
        "get": b"g0\n.", "binget": b"h\0.", "long_binget": b"j" + u4(2**32 - 1) + b".", "get_minus": b"g-1\n.",
        "get_huge": b"g" + b"9" * 30 + b"\n.", "get_word": b"gx\n.", "get_empty": b"g\n.", "binget_other": b"]q\0h\1.",
    }.items():
        bad("memo_" + name, data, "a memo slot that was never filled")
    bad("memo_put_max", b"]r" + b"\xff" * 4 + b".", "PUT at 2**32 - 1")
    bad("memo_put_text_max", b"]p4294967295\n.", "PUT at 2**32 - 1 by text")
    bad("memo_put_huge", b"]p" + b"9" * 30 + b"\n.", "PUT at a number beyond 64 bits")
    bad("memo_put_minus", b"]p-5\n.", "PUT at a negative number")
    bad("memo_put_i64_max", b"]p9223372036854775807\n.", "PUT at 2**63 - 1")
    bad("memo_put_10_million", b"]r" + u4(10_000_000) + b"j" + u4(10_000_000) + b"\x86.", "PUT at ten million")
    bad("int_digits_5000", b"I" + b"7" * 5000 + b"\n.", "INT of 5000 digits")
    bad("long_digits_5000", b"L" + b"7" * 5000 + b"L\n.", "LONG of 5000 digits")
    bad("int_zeros_5000", b"I" + b"0" * 5000 + b"1\n.", "INT of 5000 zeros and a one")
    bad("int_underscores", b"I" + b"1_" * 3000 + b"1\n.", "INT of 3001 digits and as many underscores")
    bad("int_hex_5000", b"I0x" + b"f" * 5000 + b"\n.", "INT of 5000 hex digits")
    bad("float_digits_5000", b"F" + b"7" * 5000 + b"\n.", "FLOAT of 5000 digits")
    bad("long4_negative", b"\x8b" + i4(-1) + b".", "LONG4 of negative length")
    bad("binstring_negative", b"T" + i4(-1) + b".", "BINSTRING of negative length")

    bad("frame_too_long", proto(4) + b"\x95" + u8(100) + b"N.", "a frame longer than the file")
    bad("frame_one_too_long", proto(4) + b"\x95" + u8(3) + b"N.", "a frame one byte longer than the file")
    bad("frame_straddled", proto(4) + b"\x95" + u8(3) + b"X\x03\0\0\0abc.", "an opcode's argument crosses the frame's end")
    bad("frame_straddled_short", proto(4) + b"\x95" + u8(2) + b"\x8c\x03abc.", "an opcode's data crosses the frame's end")
    bad("frame_straddled_one", proto(4) + b"\x95" + u8(1) + b"K\x05.", "an opcode's one byte lies beyond the frame's end")
    bad("frame_straddled_line", proto(4) + b"\x95" + u8(3) + b"I12345\n.", "a line crosses the frame's end")
    bad("frame_second_too_long", proto(4) + frame(b"]") + b"\x95" + u8(9) + b"N.", "the second frame is too long")
    bad("frame_after_stop", proto(4) + b"\x95" + u8(5) + b"N.abc", "a frame that reaches beyond STOP")

    for name, key in {
        "list": b"]", "dict": b"}", "set": b"\x8f", "bytearray": b"\x96" + u8(0), "tuple": b"]\x85", "tuple_deep": b"}\x85\x85\x85",
    }.items():
        bad(f"unhashable_{name}_key", b"}" + key + b"K\x01s.", "a key that cannot be hashed")
        bad(f"unhashable_{name}_in_dict", b"(" + key + b"K\x01d.", "a key that cannot be hashed, in DICT")
        bad(f"unhashable_{name}_in_set", b"\x8f(" + key + b"\x90.", "an element that cannot be hashed")
        bad(f"unhashable_{name}_in_frozenset", b"(" + key + b"\x91.", "an element that cannot be hashed")
    bad("unhashable_set_call", b"c__builtin__\nset\n]]a\x85R.", "set([[]])")
    bad("unhashable_in_frozenset_key", b"}(]\x91K\x01s.", "a frozenset that cannot be made")

    for name, data in {
        "odd_setitems": b"}(K\x01K\x02K\x03u.", "odd_setitems_one": b"}(K\x01u.", "odd_dict": b"(K\x01K\x02K\x03d.", "append_int": b"K\x01K\x02a.",
        "append_dict": b"}K\x02a.", "append_tuple": b")K\x02a.", "append_set": b"\x8fK\x02a.", "append_none": b"NK\x02a.", "append_str": b"\x8c\x01aK\x02a.",
        "appends_int": b"K\x01(K\x02e.", "appends_str_bytearray": b"\x96" + u8(0) + b"(\x8c\x01ae.", "append_300_bytearray": b"\x96" + u8(0) + b"M\x2c\x01a.",
        "setitem_int": b"K\x01K\x02K\x03s.", "setitem_tuple": b"K\x01\x85K\0K\x03s.", "setitem_set": b"\x8fK\0K\x03s.", "setitem_list_empty": b"]K\0K\x03s.",
        "setitem_list_str": b"]K\0a\x8c\x01aK\x03s.", "setitems_list": b"](K\0K\x03u.", "setitem_str": b"\x8c\x01aK\0K\x03s.",
        "additems_list": b"](K\x01\x90.", "additems_dict": b"}(K\x01\x90.", "additems_frozenset": b"(K\x01\x91(K\x02\x90.", "additems_int": b"K\x01(K\x02\x90.",
    }.items():
        bad(name, data, "items for what takes no such items")
    for name, data in {
        "stop": b".", "pop": b"0.", "pop_mark": b"1.", "dup": b"2.", "dup_after_mark": b"(2.", "tuple1": b"\x85.", "tuple2": b"K\x01\x86.", "tuple3": b"K\x01K\x02\x87.",
        "tuple2_mark": b"K\x01(K\x02\x86.", "tuple": b"K\x01t.", "list": b"K\x01l.", "dict": b"K\x01d.", "append": b"K\x01a.", "append_nothing": b"a.", "appends": b"K\x01e.",
        "appends_only_mark": b"(e.", "appends_mark_item": b"(K\x01e.", "setitem": b"}K\x01s.", "setitems": b"}K\x01u.", "setitems_mark": b"(K\x01K\x02u.", "additems": b"\x8fK\x01\x90.",
        "additems_mark": b"(K\x01\x90.", "frozenset": b"K\x01\x91.", "reduce": b"czoo\nArgs\nR.", "reduce_nothing": b"R.", "build": b"Nb.", "build_nothing": b"b.",
        "build_mark": b"(Nb.", "newobj": b"czoo\nEmpty\n\x81.", "newobj_ex": b"czoo\nEmpty\n)\x92.", "obj": b"(o.", "obj_no_mark": b"czoo\nEmpty\no.", "inst_no_mark": b"izoo\nEmpty\n.",
        "stack_global": b"\x8c\x01a\x93.", "stack_global_nothing": b"\x93.", "put": b"p0\n.", "memoize": b"\x94.", "memoize_mark": b"(\x94.", "binpersid": b"Q.", "readonly_buffer": b"\x98.", "stop_after_mark": b"(.",
        "pop_mark_twice": b"K\x01(11.", "append_over_mark": b"](K\x01a.", "reduce_over_mark": b"czoo\nArgs\n()R.", "setitem_over_mark": b"}(K\x01K\x02s.",
    }.items():
        bad("underflow_" + name, data, "too little on the stack, or no mark", persid=(name == "binpersid"))

    for byte in (0x00, 0x01, 0x0A, 0x20, 0x2F, 0x33, 0x41, 0x7F, 0x99, 0xA0, 0xFF):
        bad(f"unknown_{byte:02x}", bytes([byte]) + b"N.", "an unknown opcode")
        bad(f"unknown_later_{byte:02x}", b"N" + bytes([byte]) + b".", "an unknown opcode after a value")
    for name, data in {
        "gzip": b"\x1f\x8b\x08\0", "zip": b"PK\x03\x04", "utf8_bom": b"\xef\xbb\xbfI1\n.", "json": b'{"a": 1}', "html": b"<html>", "lfs": b"version https://example.org/spec\n",
        "crlf_text": b"(lp0\r\nI1\r\na.", "text": b"hello world\n", "zeros": b"\0" * 16, "npy": b"\x93NUMPY\x01\0", "hex": b"80024b012e",
    }.items():
        bad("no_pickle_" + name, data, "something else that came as a pickle")

    def bomb(levels, step, start=b"]"):
        return start + step * levels + b"."

    bad("bomb_tuples", bomb(64, b"q\0h\0\x86"), "64 levels, each twice the one below")
    bad("bomb_dup", bomb(64, b"2\x86"), "the same by DUP")
    bad("bomb_lists", b"]q\0" + b"".join(b"](h" + u1(i) + b"h" + u1(i) + b"eq" + u1(i + 1) for i in range(64)) + b".", "64 levels of lists")
    bad("bomb_dicts", b"]q\0" + b"".join(b"}(U\x01ah" + u1(i) + b"U\x01bh" + u1(i) + b"uq" + u1(i + 1) for i in range(64)) + b".", "64 levels of dicts")
    bad("bomb_hash", b"}" + b"K\x01" + b"2\x86" * 22 + b"Ns.", "a key whose hash takes 2**22 steps unless remembered")
    bad("bomb_dup_int", b"K\x01" + b"2" * 5000 + b".", "5000 times DUP")
    bad("bomb_marks", b"(" * 5000 + b"N.", "5000 marks")
    bad("bomb_pops", b"N" * 5000 + b"0" * 4999 + b".", "5000 values, all but one popped")
    bad("deep_lists", b"]" * 5000 + b"a" * 4999 + b".", "lists 5000 deep")
    bad("deep_tuples", b")" + b"\x85" * 5000 + b".", "tuples 5000 deep")
    bad("deep_dicts", b"}" + b"K\x01}" * 2000 + b"s" * 2000 + b".", "dicts 2000 deep")
    bad("deep_marks", b"(" * 3000 + b"t" * 3000 + b".", "tuples by marks, 3000 deep")
    bad("deep_builds", global_("GetState") + b"q\0" + b")\x81" + b"h\0)\x81" * 2000 + b"b" * 2000 + b".", "objects 2000 deep by BUILD")
    bad("deep_calls", global_("make_bag") + b"q\0" + b"h\0" * 1999 + b")R" + b"\x85R" * 1999 + b".", "calls 2000 deep, each the argument of the next")
    bad("deep_args", b"N" + b"\x85" * 3000 + b"q\0" + b"0" + global_("Bag") + b"h\0R.", "a call with arguments 3000 deep")
    bad("deep_key", b"})" + b"\x85" * 200_000 + b"Ns.", "a key 200,000 tuples deep: hashing recurses in CPython")

    bad("ext_zero", b"\x82\0.", "EXT1 of code 0")
    bad("ext2_zero", b"\x83\0\0.", "EXT2 of code 0")
    bad("ext4_zero", b"\x84\0\0\0\0.", "EXT4 of code 0")
    bad("ext4_negative", b"\x84" + i4(-5) + b".", "EXT4 of a negative code")
    bad("ext4_min", b"\x84" + i4(-(2**31)) + b".", "EXT4 of the least code")
    bad("newobj_ex_args_list", stack_global("NewArgsEx") + b"]}\x92.", "NEWOBJ_EX with a list for arguments")
    bad("newobj_ex_kwargs_list", stack_global("NewArgsEx") + b")]\x92.", "NEWOBJ_EX with a list for keywords")
    bad("newobj_ex_kwargs_none", stack_global("NewArgsEx") + b")N\x92.", "NEWOBJ_EX with None for keywords")
    bad("newobj_ex_kwargs_int_key", stack_global("NewArgsEx") + b")}K\x01K\x02s\x92.", "NEWOBJ_EX with a keyword that is an int")
    bad("newobj_ex_class_int", b"K\x01)}\x92.", "NEWOBJ_EX of an int")
    bad("newobj_args_list", global_("Empty") + b"]\x81.", "NEWOBJ with a list for arguments")
    bad("newobj_class_int", b"K\x01)\x81.", "NEWOBJ of an int")
    bad("newobj_class_str", b"\x8c\x01a)\x81.", "NEWOBJ of a str")
    bad("reduce_int", b"K\x01)R.", "REDUCE of an int")
    bad("reduce_str", b"\x8c\x01a)R.", "REDUCE of a str")
    bad("reduce_none", b"N)R.", "REDUCE of None")
    bad("reduce_list_args", global_("Args") + b"]R.", "REDUCE with a list for arguments")
    bad("reduce_none_args", global_("Args") + b"NR.", "REDUCE with None for arguments")
    bad("reduce_int_args", global_("Args") + b"K\x01R.", "REDUCE with an int for arguments")
    bad("obj_int", b"(K\x01o.", "OBJ of an int")
    bad("obj_int_args", b"(K\x01K\x02o.", "OBJ of an int with arguments")
    for name, data in {
        "dict": b"}}U\x01aK\x01sb.", "dict_empty": b"}}b.", "int": b"K\x01}b.", "list": b"]}U\x01aK\x01sb.", "none": b"N}b.", "list_state": b"]K\x01b.",
        "slots_int": b"K\x01N}U\x01aK\x01s\x86b.", "slots_list": b"]NK\x01\x86b.", "str": b"\x8c\x01a}b.", "set": b"\x8f}b.", "dict_pair": b"}}}\x86b.", "int_state_false": b"K\x01\x89b.",
    }.items():
        bad("build_" + name, data, "BUILD on a builtin value")
    bad("build_int_key", global_("Plain") + b")R}K\x01K\x02sb.", "BUILD with an attribute name that is an int")
    bad("build_int_state", global_("Plain") + b")RK\x01b.", "BUILD with an int on an object that has no setstate")
    bad("build_triple", global_("Plain") + b")RNNN\x87b.", "BUILD with three parts")
    for name, data in {
        "ints": b"K\x01K\x02\x93.", "none": b"NN\x93.", "bytes": b"C\x01aC\x01b\x93.", "str_int": b"\x8c\x01aK\x01\x93.", "int_str": b"K\x01\x8c\x01a\x93.", "tuple": b"))\x93.",
        "mark": b"(\x8c\x01a\x93.",
    }.items():
        bad("stack_global_" + name, data, "STACK_GLOBAL of what is no text")
    bad("global_bad_utf8", b"c\xff\n\xfe\n.", "GLOBAL that is not UTF-8")
    bad("inst_bad_utf8", b"(i\xff\n\xfe\n.", "INST that is not UTF-8")
    bad("persid_unhashable", b"]Q.", "a persistent id that cannot be hashed", persid=True)
    bad("get_unhashable_key", b"]q\0" + b"0}h\0K\x01s.", "a list from the memo as a key")
    bad("recursive_key", b"]q\0h\0\x85q\1a}h\1K\x01s.", "a key that holds itself through a list")
    bad("set_of_itself", b"\x8fq\0(h\0\x90.", "a set in itself")
    bad("dict_key_of_itself", b"}q\0h\0K\x01s.", "a dict as its own key")
    bad("append_itself_many", b"]q\0" + b"h\0a" * 100 + b".", "a list that holds itself a hundred times")
    bad("proto_7", b"\x80\x07N.", "PROTO 7")
    bad("line_without_end", b"V" + b"a" * 3000, "a line without an end")
    bad("null_bytes", b"\x80\x04" + b"\0" * 20, "zeros after the header")


# ---------------------------------------------------------------- what CPython says

BUILTIN = (type(None), bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset)


def survey(value):
    """(only builtin types inside, a set with more than one element inside)"""
    builtin, has_set = True, False
    todo, seen = [value], set()
    while todo:
        thing = todo.pop()
        kind = type(thing)
        if kind not in BUILTIN:
            builtin = False
        elif kind in (list, tuple, dict, set, frozenset):
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if kind in (set, frozenset) and len(thing) > 1:
                has_set = True
            todo.extend(thing)
            if kind is dict:
                todo.extend(thing.values())
    return builtin, has_set


def real_load(one):
    """Loads a case as CPython does, with the hooks that the case asks for."""
    record.register(one.extensions)
    options = {"encoding": one.encoding}
    if one.buffers is not None:
        options["buffers"] = one.buffers
    if one.memo == "shared":
        unpickler = pickle.Unpickler(record.Whole(one.data), **options)
        first = unpickler.load()
        unpickler.load()
        return first
    if not one.persid:
        return pickle.loads(one.data, **options)

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid):
            return pid

    return Unpickler(record.Whole(one.data), **options).load()


def repr_is_short(value):
    """Whether repr stays short: what is shared counts as often as it is shown."""
    sizes, begun = {}, set()
    todo = [value]
    while todo:
        thing = todo[-1]
        if id(thing) in sizes:
            todo.pop()
            continue
        inner = []
        if type(thing) in (list, tuple, dict, set, frozenset):
            inner = list(thing) + (list(thing.values()) if type(thing) is dict else [])
        if inner and id(thing) not in begun:
            begun.add(id(thing))
            todo += [child for child in inner if id(child) not in sizes and id(child) not in begun]
            continue
        own = len(thing) if type(thing) in (str, bytes, bytearray) else 1
        # A child that is begun and has no size yet is a container that holds this one.
        sizes[id(thing)] = own + sum(sizes.get(id(child), 1) for child in inner)
        todo.pop()
    return sizes[id(value)] <= TEXT_LIMIT


def look(one):
    # What a pickle asks of __main__ must not depend on where this script lies.
    sys.modules["__main__"] = types.ModuleType("__main__")
    value = real_load(one)
    builtin, has_set = survey(value)
    shown = None
    if builtin and repr_is_short(value):
        try:
            shown = repr(value)
        except (RecursionError, ValueError):
            pass
        if shown is not None and len(shown) > TEXT_LIMIT:
            shown = None
    return {
        "builtin": builtin,
        "has_set": has_set,
        "repr": shown,
        "render": record.render(value) if builtin else None,
    }


def record_one(one):
    options = (one.encoding, None, one.buffers, one.extensions)
    canonical = record.canonical(one.data, *options)
    _, _, used = record.load(one.data, *options)
    if one.memo == "shared":
        every = record.canonical_shared(one.data, one.encoding)
    else:
        every = [canonical, *record.canonical_rest(one.data, used, one.encoding)]
    return {"canonical": canonical, "consumed": used, "all": every}


def expect(one):
    """The line of expected.jsonl for a case."""
    real, error = record.guarded(lambda: look(one))
    found, refusal = record.guarded(lambda: record_one(one))
    found = found or {}
    agree(one, real, error, found, refusal)
    real = real or {}
    canonical = found.get("canonical")
    line = {
        "file": one.name + ".pkl",
        "note": one.note,
        "protocol": one.data[1] if one.data[:1] == b"\x80" and len(one.data) > 1 else None,
        "encoding": one.encoding,
        "loads": error is None,
        "error": error,
        "builtin": real.get("builtin", False),
        "repr": real.get("repr"),
        "has_set": real.get("has_set", False),
        "canonical": canonical if canonical is None or len(canonical) <= TEXT_LIMIT else None,
        "canonical_error": refusal,
        "consumed": found.get("consumed"),
        "pickles": len(found.get("all", [])),
    }
    if one.memo:
        line["memo"] = one.memo
    if line["pickles"] > 1:
        line["all"] = found["all"]
    if one.extensions:
        line["extensions"] = one.extensions
    if one.persid:
        line["persid"] = True
    if one.buffers is not None:
        line["buffers"] = [buffer.hex() for buffer in one.buffers]
    return line


def agree(one, real, error, found, refusal):
    """The recorder and a real load must not contradict each other."""
    where = f"{one.group}/{one.name}"
    if refusal is not None:
        assert error is not None, f"{where}: loads, but the recorder refuses: {refusal}"
    if refusal is None and error is None and real["builtin"] and not one.persid:
        # What only builtin types make up must look the same by both ways.
        calls = "call(" in found["canonical"] or "new(" in found["canonical"]
        assert calls or real["render"] == found["canonical"], f"{where}: {real['render']} != {found['canonical']}"
    if error is not None and error != refusal and VERBOSE:
        print(f"{where}: {error}\n    recorder: {refusal or found['canonical'][:120]}")


VERBOSE = False
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
    global VERBOSE
    parser = argparse.ArgumentParser(description="makes corpus/cases")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--verbose", action="store_true", help="show where a load and the recorder part")
    options = parser.parse_args()
    VERBOSE = options.verbose
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
