"""Valid but unusual pickles."""

import io
import pickle

from groups.case import case
from groups.zoo import Plain
from groups.assembler import frame, proto, stack_global, text, u8


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
