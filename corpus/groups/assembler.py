"""Pieces of pickles made by hand."""

import struct


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
