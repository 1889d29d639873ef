"""Builtin types at their edges, by all protocols."""

import functools
import struct

from groups.case import SIZES, case, dumped

LONG = (255, 256, 65535, 65536)


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
    builtin("set_empty", lambda: set(), "the empty set")
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
    for name, make in (("list", lambda n: [None] * n), ("dict", lambda n: dict.fromkeys(range(n))), ("set", lambda n: set(range(n))),
                       ("frozenset", lambda n: frozenset(range(n)))):
        builtin(f"sized_{name}", lambda make=make: [make(n) for n in SIZES], "batches of 1000: none, one, two, and around one and two batches", texts=False)
    builtin("text_edges", lambda: ["x" * n for n in LONG], "str around short opcodes and what frames hold", texts=False)
    builtin("bytes_edges", lambda: [b"x" * n for n in LONG], "bytes around short opcodes and what frames hold", (2, 3, 4, 5), texts=False)
    # chr gives the one object that decoding gives; a literal, or what `lower` makes, may be another.
    builtin("single_chars", lambda: [chr(97), b"a", bytearray(b"a"), chr(97), b"a", bytearray(b"a"), b"\xe9", chr(0xE9), "", b"", bytearray(), b""],
            "'' and b'', characters of Latin-1 and single bytes are one object each")
    builtin("single_chars_apart", lambda: ["A".lower(), chr(97), b"a", "A".lower()], "equal single characters that are several objects")
    builtin("single_bytes_apart", lambda: [bytes(bytearray(b"a")), bytes(bytearray(b"a"))], "equal single bytes that are two objects")
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
