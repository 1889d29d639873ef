"""A case of the corpus, and the list of all of them."""

import pickle
import re
import types

CASES = []
NAMES = set()


class Case:
    def __init__(self, group, name, data, note, options):
        self.group, self.name, self.data, self.note = group, name, data, note
        self.encoding = options.pop("encoding", "ASCII")
        self.extensions = options.pop("extensions", None)
        self.persid = options.pop("persid", False)
        self.buffers = options.pop("buffers", None)
        self.memo = options.pop("memo", None)
        assert not options, options


def case(group, name, data, note, **options):
    assert (group, name) not in NAMES, (group, name)
    assert re.fullmatch(r"[a-z0-9_.]+", name), name
    NAMES.add((group, name))
    CASES.append(Case(group, name, bytes(data), note, options))




def dumped(group, name, value, note, protocols=range(6), **options):
    """One case a protocol. `value` may be a function that makes a fresh value."""
    for protocol in protocols:
        fresh = value() if isinstance(value, types.FunctionType) else value
        try:
            data = pickle.dumps(fresh, protocol)
        except (pickle.PicklingError, RecursionError, UnicodeEncodeError, ValueError):
            continue  # this protocol cannot write it
        case(group, f"{name}.p{protocol}", data, note, **options)
