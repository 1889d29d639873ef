"""A case of the corpus, and the list of all of them."""

import pickle
import re
import types

SIZES = (0, 1, 2, 999, 1000, 1001, 2000, 2001)  # as many items as a batch has, and one more or less

CASES = []
NAMES = set()
VALUES = []  # (group, name, value) of all that was dumped


class Case:
    def __init__(self, group, name, data, note, options):
        self.group, self.name, self.data, self.note = group, name, data, note
        self.encoding = options.pop("encoding", "ASCII")
        self.extensions = options.pop("extensions", None)
        self.persid = options.pop("persid", False)
        self.buffers = options.pop("buffers", None)
        self.memo = options.pop("memo", None)
        self.texts = options.pop("texts", True)
        assert not options, options


def case(group, name, data, note, **options):
    assert (group, name) not in NAMES, (group, name)
    assert re.fullmatch(r"[a-z0-9_.]+", name), name
    NAMES.add((group, name))
    CASES.append(Case(group, name, bytes(data), note, options))


def dumped(group, name, value, note, protocols=range(6), **options):
    """One case a protocol. `value` may be a function that makes a fresh value."""
    VALUES.append((group, name, value))
    for protocol in protocols:
        fresh = value() if isinstance(value, types.FunctionType) else value
        try:
            data = pickle.dumps(fresh, protocol)
        except (pickle.PicklingError, RecursionError, UnicodeEncodeError, ValueError):
            continue  # this protocol cannot write it
        case(group, f"{name}.p{protocol}", data, note, **options)
