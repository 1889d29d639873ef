"""Containers with as many items as a batch has, and one more or less."""

import collections

from groups.case import SIZES
from groups.zoo import Bag, MyDict, MyFrozenSet, MyList, MySet, Reduce


def pairs(n):
    return {i: None for i in range(n)}


KINDS = {
    "list": lambda n: list(range(n)),
    "dict": pairs,
    "set": lambda n: set(range(n)),
    "frozenset": lambda n: frozenset(range(n)),
    "MyList": lambda n: MyList(range(n)),
    "MyDict": lambda n: MyDict(pairs(n)),
    "MySet": lambda n: MySet(range(n)),
    "MyFrozenSet": lambda n: MyFrozenSet(range(n)),
    "OrderedDict": lambda n: collections.OrderedDict(pairs(n)),
    "defaultdict": lambda n: collections.defaultdict(list, pairs(n)),
    "deque": lambda n: collections.deque(range(n)),
    "Counter": lambda n: collections.Counter(dict.fromkeys(range(n), 1)),
    "tuple": lambda n: tuple(range(n)),
    "list items": lambda n: Reduce(lambda _: (Bag, (), None, iter(range(n)))),
    "dict items": lambda n: Reduce(lambda _: (Bag, (), None, None, iter(pairs(n).items()))),
    "both items": lambda n: Reduce(lambda _: (Bag, (n,), {"state": n}, iter(range(n)), iter(pairs(n).items()))),
    "lists": lambda n: [[i] for i in range(n)],
    "texts": lambda n: {f"key {i}": f"value {i}" for i in range(n)},
}


def sized():
    for kind, make in KINDS.items():
        for n in SIZES:
            yield f"sized/{kind}/{n}", make(n)
    for n in SIZES:
        yield f"sized/each/{n}", [make(n) for make in KINDS.values()]
