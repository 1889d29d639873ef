"""Malformed pickles, and pickles that grow."""

import pickle

from groups.case import case
from groups.assembler import frame, global_, i4, proto, stack_global, u1, u4, u8


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
