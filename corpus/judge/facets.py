"""What an object of a class holds, as values by which it can be compared."""

import collections
import copyreg
import types

# By what a base class holds its content, whatever the class made of the methods.
BASES = (
    (collections.OrderedDict, lambda x: list(collections.OrderedDict.items(x))),
    (dict, lambda x: list(dict.items(x))),
    (list, lambda x: list(list.__iter__(x))),
    (tuple, lambda x: tuple(tuple.__iter__(x))),
    (set, lambda x: set(set.__iter__(x))),
    (frozenset, lambda x: frozenset(frozenset.__iter__(x))),
    (str, str.__str__),
    (bytes, lambda x: bytes.__getitem__(x, slice(None))),
    (bytearray, lambda x: bytes(bytearray.__getitem__(x, slice(None)))),
    (int, int.__int__),
    (float, float.__float__),
    (complex, lambda x: complex(complex.__getattribute__(x, "real"), complex.__getattribute__(x, "imag"))),
    (BaseException, BaseException.args.__get__),
)


def facets(thing):
    """{name: value}: the content of the builtin base, the attributes, the slots, and what its reduce gives."""
    kind = type(thing)
    found = {}
    for base, content in BASES:
        if issubclass(kind, base):
            found[base.__name__] = content(thing)
            break
    try:
        attributes = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        attributes = None
    if type(attributes) is dict:
        found["__dict__"] = attributes
    for name, descriptor in members(kind).items():
        try:
            found[name] = descriptor.__get__(thing)
        except AttributeError:  # not set
            pass
    reduced = parts(thing)
    if reduced is not None:
        found["__reduce__"] = reduced
    return found


MEMBERS = {}


def members(kind):
    """The slots of a class, and what C calls members."""
    found = MEMBERS.get(kind)
    if found is None:
        found = MEMBERS[kind] = {
            name: value
            for base in reversed(kind.__mro__)
            for name, value in vars(base).items()
            if type(value) is types.MemberDescriptorType
        }
    return found


def parts(thing):
    """What reduce gives, items as lists; None if the class has a reduce of its own in Python, which may give anything."""
    kind = type(thing)
    reduce = copyreg.dispatch_table.get(kind)
    if reduce is None and any(isinstance(getattr(kind, name, None), types.FunctionType) for name in ("__reduce_ex__", "__reduce__")):
        return None
    try:
        reduced = thing.__reduce_ex__(4) if reduce is None else reduce(thing)
    except Exception as error:
        return type(error).__name__
    if type(reduced) is not tuple:
        return reduced
    return tuple([list(part) if i in (3, 4) and part is not None else part for i, part in enumerate(reduced)])
