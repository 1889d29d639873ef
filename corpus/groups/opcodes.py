"""Every opcode, and the edges of each argument."""

import pickletools
import struct

from groups.case import CASES, case
from groups.assembler import binunicode, frame, global_, i4, proto, stack_global, text, u1, u2, u4, u8


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
