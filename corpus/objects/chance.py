"""Random values of builtin types, with sharing and cycles."""

import random
import struct

from objects.fresh import raw, raw_apart, text

DEEPEST = 50
LONG = (999, 1000, 1001, 2000, 2001)
HEAVY = 200  # values that a key may have inside: tuples hash all of them, however often they are shared


def make(seed, i):
    """Random object `i`, which depends on nothing but the two numbers."""
    rng = random.Random(f"{seed}/{i}")
    return Maker(rng, large=rng.random() < 1 / 200).root()


class Maker:
    def __init__(self, rng, large):
        self.rng = rng
        self.left = int(rng.lognormvariate(6.3, 0.8)) if large else int(rng.lognormvariate(3, 0.8))
        self.long = large  # whether a long container or text is yet to come
        self.nesting = rng.choice((0.1, 0.3, 0.3, 0.5, 0.95))
        self.sharing = rng.choice((0, 0.05, 0.1, 0.3))
        self.cycles = rng.choice((0, 0, 0.02, 0.1))
        self.widths = (0, 1, 1, 2) if self.nesting > 0.9 else (0, 1, 1, 2, 2, 3, 4, 5, 8)
        self.open = []  # lists and dicts that are being filled
        self.done = []  # what was made and may be referred to again
        self.keys = []  # and of that, (value, weight, steady) of what may be a key

    def root(self):
        if self.left < 2 or self.rng.random() < 0.03:
            return self.leaf()
        root = self.container(0, until_spent=True)
        if self.cycles and self.rng.random() < 0.3:
            self.tie()
        return root

    def value(self, depth):
        rng = self.rng
        self.left -= 1
        if self.done and rng.random() < self.sharing:
            return rng.choice(self.done)
        if self.open and rng.random() < self.cycles:
            return rng.choice(self.open)
        if depth < DEEPEST and self.left > 0 and rng.random() < self.nesting:
            return self.container(depth)
        return self.leaf()

    # ---------------------------------------------------------------- containers

    def container(self, depth, until_spent=False):
        kinds = (self.list, self.tuple, self.dict) if until_spent else (self.list, self.list, self.list, self.tuple, self.tuple, self.dict, self.dict, self.set, self.set)
        made = self.rng.choice(kinds)(depth + 1, self.turns(until_spent))
        self.done.append(made)
        return made

    def turns(self, until_spent):
        """Counts the items of a container: as many as there is budget for, or a few; or a batch, once in a large object."""
        while until_spent and self.left > 0:
            yield
        if until_spent:
            return
        n = self.rng.choice(self.widths)
        if self.long and self.rng.random() < 0.02:
            self.long = False
            n = self.rng.choice(LONG)
        for _ in range(n):
            yield

    def list(self, depth, turns):
        made = []
        self.open.append(made)
        for _ in turns:
            made.append(self.value(depth))
        self.close(made)
        return made

    def dict(self, depth, turns):
        made = {}
        self.open.append(made)
        for _ in turns:
            made[self.key(False)[0]] = self.value(depth)
        self.close(made)
        return made

    def close(self, made):
        # By identity: what holds itself is not to be compared.
        self.open = [thing for thing in self.open if thing is not made]

    def tuple(self, depth, turns):
        made = tuple([self.value(depth) for _ in turns])
        if self.cycles and self.rng.random() < 0.2:
            for child in made:
                if type(child) is list:
                    child.append(made)
                elif type(child) is dict:
                    child[len(child)] = made
        return made

    def set(self, depth, turns):
        self.left -= 1
        return self.set_of(self.rng.choice((set, frozenset)), turns)[0]

    def set_of(self, kind, turns):
        """(a set, its weight, whether it is steady)"""
        parts = [self.key(True) for _ in turns]
        made = kind([part for part, _, _ in parts])
        return made, 1 + sum(weight for _, weight, _ in parts), True

    def tie(self):
        """One more reference, from anywhere to anywhere."""
        holders = [thing for thing in self.done if type(thing) in (list, dict)]
        if holders:
            holder, target = self.rng.choice(holders), self.rng.choice(self.done)
            if type(holder) is list:
                holder.append(target)
            else:
                holder[text("tied")] = target

    # ---------------------------------------------------------------- keys

    def key(self, steady, depth=0):
        """(what can be hashed, its weight, whether its hash is steady), steady if that is asked for.

        None and NaN hash by their address, and the order of a set with them would change from run to run.
        """
        rng = self.rng
        self.left -= 1
        if self.keys and rng.random() < self.sharing:
            found = rng.choice(self.keys)
            if found[2] or not steady:
                return found
        roll = rng.random()
        if roll < 0.12 and depth < 4 and self.left > 0:
            parts = [self.key(steady, depth + 1) for _ in range(rng.choice((0, 1, 2, 2, 3, 4)))]
            made = tuple([part for part, _, _ in parts])
            found = made, 1 + sum(weight for _, weight, _ in parts), all(part[2] for part in parts)
        elif roll < 0.18 and depth < 4 and self.left > 0:
            found = self.set_of(frozenset, range(rng.choice((0, 1, 2, 3))))
        else:
            leaf = self.leaf(hashable=True)
            while steady and (leaf is None or leaf != leaf):
                leaf = self.leaf(hashable=True)
            return leaf, 1, leaf is not None and leaf == leaf
        self.done.append(found[0])
        if found[1] < HEAVY:
            self.keys.append(found)
        return found

    # ---------------------------------------------------------------- leaves

    def leaf(self, hashable=False):
        rng = self.rng
        roll = rng.random()
        if roll < 0.06:
            return None
        if roll < 0.14:
            return rng.random() < 0.5
        if roll < 0.42:
            return self.int()
        if roll < 0.54:
            return self.float()
        if roll < 0.80:
            made = self.str()
        elif roll < 0.93 or hashable:
            made = self.bytes()
        else:
            made = bytearray(self.bytes())
        self.done.append(made)
        if type(made) is not bytearray:
            self.keys.append((made, 1, True))
        return made

    def int(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.35:
            return rng.randrange(256)
        if roll < 0.6:
            return rng.randint(-70000, 70000)
        sign = rng.choice((1, -1))
        if roll < 0.9:
            return sign * (2 ** rng.choice((0, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128)) + rng.randint(-1, 1))
        if roll < 0.98:
            return sign * rng.getrandbits(rng.choice((24, 32, 48, 64, 80, 128)))
        if roll < 0.99:
            return sign * (2 ** rng.choice((2031, 2032, 2038, 2039, 2040, 2047)) + rng.randint(-1, 1))
        return sign * rng.getrandbits(rng.randrange(1, 2400))

    def float(self):
        rng = self.rng
        roll = rng.random()
        if roll < 0.2:
            return rng.choice((0.0, -0.0, 1.0, -1.0, 0.5, float("inf"), float("-inf"), float("nan")))
        if roll < 0.35:
            return round(rng.uniform(-1000, 1000), rng.randrange(5))
        if roll < 0.5:
            return float(rng.randint(-10**9, 10**9) * 10 ** rng.randrange(12))
        if roll < 0.6:
            return float(f"{rng.choice((1, -1)) * rng.randrange(1, 10**rng.randrange(1, 18))}e{rng.randrange(-30, 30)}")
        if roll < 0.7:
            return rng.choice((1, -1)) * 2.0 ** rng.randrange(-1074, 1024)
        if roll < 0.8:
            return rng.choice((5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1.7976931348623157e308, 1e16, 1e15,
                               9999999999999998.0, 9007199254740993.0, 1e-4, 1e-5, 0.1, 0.30000000000000004, 1e22, 1e23))
        if roll < 0.85:
            bits = rng.getrandbits(52) | rng.getrandbits(1) << 63
        else:
            bits = rng.getrandbits(64)
        made = struct.unpack("<d", struct.pack("<Q", bits))[0]
        # Protocol 0 knows one NaN only.
        return made if made == made else float("nan")

    def length(self):
        rng = self.rng
        if self.long and rng.random() < 0.01:
            self.long = False
            return rng.choice((65535, 65536, rng.randint(65520, 65550), rng.randint(60000, 140000)))
        roll = rng.random()
        if roll < 0.05:
            return 0
        if roll < 0.2:
            return 1
        if roll < 0.85:
            return rng.randint(2, 14)
        if roll < 0.97:
            return rng.randint(15, 80)
        if roll < 0.9999:
            return rng.choice((255, 256, rng.randint(250, 260)))
        return rng.choice((65535, 65536))

    def str(self):
        rng = self.rng
        if rng.random() < 0.02:
            return text(rng.choice(NAMES))
        alphabet, width = rng.choice(ALPHABETS)
        n = self.length()
        if width > 1 and rng.random() < 0.5:
            n = n // width + (n % width > 0)  # that long in UTF-8, more or less
        if n <= 300:
            return text("".join(rng.choices(alphabet, k=n)))
        part = "".join(rng.choices(alphabet, k=97))
        return text((part * (n // 97 + 1))[:n])

    def bytes(self):
        rng = self.rng
        n = self.length()
        if n == 1 and rng.random() < 0.1:
            return raw_apart(rng.randbytes(1))
        if rng.random() < 0.4:
            return raw(("".join(rng.choices(ASCII, k=min(n, 97))) * (n // 97 + 1))[:n].encode("ascii"))
        return raw(rng.randbytes(n))


ASCII = "".join(map(chr, range(0x20, 0x7F)))
# (characters, bytes of UTF-8 that one takes)
ALPHABETS = (
    (ASCII, 1),
    (ASCII, 1),
    ("abcdefghijklmnopqrstuvwxyz", 1),
    ("abcdefghijklmnopqrstuvwxyz", 1),
    ("".join(map(chr, range(0x80))), 1),
    ("\\\n\r\x1a\0'\"uUxN01a", 1),
    ("".join(map(chr, range(0x100))), 2),
    ("éüß\xa0\xff\x80", 2),
    ("aé", 2),
    ("Жук\u0301\u20ac漢字\u2028\ufeff\uffff", 3),
    ("a\u20ac\\\n", 3),
    ("\U0001f600\U0001d518\U00010000\U0010ffff", 4),
    ("aé\u20ac\U0001f600", 4),
    ("\ud800\udbff\udc00\udfff\ud83d\ude00", 3),
    ("a\udc80\\\U0001f600", 4),
)
NAMES = ("latin1", "latin-1", "builtins", "__builtin__", "bytearray", "bytes", "set", "frozenset", "_codecs", "encode", "copyreg", "\\u0041", "\\\\u0041", "\\U0001f600")
