"""Long text, many values, large memos: what frames and wide memo indexes arise from."""

import pickle

from objects.fresh import raw, raw_apart, text

EDGES = (255, 256, 65535, 65536)
FRAME = 65536


def large():
    for name, value in (*texts(), *singles(), *alone(), *frames(), *many(), *memos(), *buffers()):
        # A function if it is large: then it need not wait in memory.
        yield f"large/{name}", value() if callable(value) else value


def texts():
    yield "str", [text("x" * n) for n in EDGES]
    yield "bytes", [raw(b"x" * n) for n in EDGES]
    yield "bytearray", [bytearray(b"x" * n) for n in EDGES]
    yield "bytes high", [raw(b"\xe9" * n) for n in EDGES]
    for name, model, width in (("latin1", "é", 2), ("bmp", "\u20ac", 3), ("astral", "\U0001f600", 4), ("surrogate", "\udc80", 3)):
        # As many bytes of UTF-8 as the edge has, and as many characters.
        yield f"str {name} encoded", [text(model * (n // width) + "x" * (n % width)) for n in EDGES]
        yield f"str {name}", [text(model * n) for n in EDGES]
    yield "str escapes", [text("\\\n\r\x1a\0" * 13108)]
    yield "int", [2 ** (8 * n - 1) - 1 for n in (254, 255, 256, 257)] + [-(2 ** (8 * n - 1)) - 1 for n in (254, 255, 256)]
    yield "int beyond a frame", [1, 3**450000, 2]


def singles():
    """'', b'', single characters of Latin-1 and single bytes are mostly one object; () is never in the memo."""
    a, byte = text("a"), raw(b"a")
    yield "single ascii", [a, byte, bytearray(byte), a, byte, bytearray(byte), [a], {a: byte}]
    yield "single bytes before", [byte, a, {byte: a}]
    yield "single high", [raw(b"\xe9"), text("é"), bytearray(b"\xe9"), raw(b"\xe9"), text("é")]
    yield "single bytearrays", [bytearray(byte), bytearray(byte), byte, a]
    yield "single beyond latin1", [text("Ж"), text("Ж"), text("\ud800"), text("\ud800")]
    yield "single bytes apart", [raw_apart(b"a"), raw_apart(b"a"), byte, byte, a]
    yield "every single", [[chr(b) for b in range(256)], [raw(bytes([b])) for b in range(256)], [bytearray([b]) for b in range(256)]]
    yield "empty", ["", b"", bytearray(), "", b"", bytearray(), (), (), frozenset(), frozenset(), [], {}, set()]
    yield "empty bytes", [b"", b""]
    yield "pairs of bytes", [raw(b"ab"), raw(b"ab"), text("ab"), bytearray(b"ab"), bytearray(b"ab"), text("ab")]
    yield "names", [text(name) for name in ("latin1", "latin-1", "builtins", "__builtin__", "bytearray", "_codecs", "encode", "set")] + [
        raw(b"ab"), bytearray(b"ab"), {1}, frozenset([1])]


def alone():
    for n in (FRAME - 1, FRAME, FRAME + 1):
        yield f"bytes alone {n}", raw(b"x" * n)
        yield f"str alone {n}", text("x" * n)
        yield f"bytearray alone {n}", bytearray(b"x" * n)
    big = raw(b"x" * FRAME)
    yield "bytes in tuple", (big,)
    yield "bytes in set", {big}
    yield "bytes in frozenset", frozenset([big])
    yield "bytes as key", {big: None}
    yield "bytes twice", [big, big]
    yield "bytearray twice", [(array := bytearray(big)), array]
    # What follows, and what comes before, is shorter than a frame may be, or just as long.
    for n in range(4):
        yield f"bytes and {n}", [big] + [None] * n
        yield f"bytes after {n}", [None] * n + [big]
        inner = big
        for _ in range(n):
            inner = [inner]
        yield f"bytes {n} deep", inner
        yield f"bytes and {n} bytes", [big] + [raw(b"x" * FRAME) for _ in range(n)]


def frames():
    # A list of one str and more begins with 9 bytes beside the text.
    for n in range(FRAME - 11, FRAME - 6):
        yield f"frame of {n + 9}", lambda n=n: [text("x" * n), text("tail"), None]
        yield f"frame of {n + 9} and no more", lambda n=n: [text("x" * n)]
    # Batches of 1000 items of one byte each.
    for n in range(65400, 65406):
        yield f"frame of {n} None", lambda n=n: [None] * n
    yield "several frames", lambda: [text("%03d " % i * 250) for i in range(300)]
    yield "several frames of bytes", lambda: [raw(b"%03d " % i * 250) for i in range(300)]
    yield "several frames of bytearrays", lambda: [bytearray(b"%03d " % i * 250) for i in range(150)]
    yield "several frames of pairs", lambda: {text("%03d " % i * 50): raw(b"%03d " % i * 200) for i in range(200)}
    yield "long between", lambda: [
        item
        for i in range(6)
        for item in (*[text("%03d " % j * 250) for j in range(i * 15)], raw(b"%d" % i * (FRAME + i)), text("%d" % i * (FRAME - 3 + i)), i)
    ]
    yield "long bytearrays between", lambda: [item for i in range(4) for item in (bytearray(b"x" * (FRAME - 2 + i)), [i], i)]


def many():
    count = 100_000
    yield "ints", lambda: list(range(count))
    yield "wide ints", lambda: [i * 65537 - 3**18 for i in range(count)]
    yield "floats", lambda: [i / 7 for i in range(count)]
    yield "None", lambda: [None] * count
    yield "bools", lambda: [i % 3 == 0 for i in range(count)]
    yield "tuple", lambda: tuple(range(count))
    yield "dict", lambda: {i: i & 255 for i in range(count)}
    yield "set", lambda: set(range(count))


def memos():
    for n in (254, 255, 256, 257, 300, 65535, 65536, 65537, 66000):
        yield f"memo of {n}", lambda n=n: again([[] for _ in range(n)])
    yield "memo of str", lambda: again([text(f"text {i}") for i in range(66000)])
    yield "memo of tuples", lambda: again([(i,) for i in range(66000)])


def again(items):
    """The items, and some of them once more."""
    return [items, items[:3], items[250:260], items[65530:65540], items[-3:]]


def buffers():
    yield "buffer", pickle.PickleBuffer(raw(b"ab"))
    yield "buffer of bytearray", [pickle.PickleBuffer(bytearray(b"ab")), pickle.PickleBuffer(bytearray())]
    yield "buffers", [(one := pickle.PickleBuffer(raw(b"ab"))), one, pickle.PickleBuffer(raw(b"")), pickle.PickleBuffer(raw(b"a")), raw(b"a")]
    yield "long buffers", [pickle.PickleBuffer(raw(b"x" * FRAME)), pickle.PickleBuffer(bytearray(b"x" * FRAME)), 1]
