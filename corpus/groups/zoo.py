"""The classes that the pickles of corpus/cases name."""

import collections
import copyreg
import dataclasses
import enum
import sys
import types

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
