"""What CPython says of a case."""

import pickle
import sys
import types

import record
from guard import guarded

TEXT_LIMIT = 100_000  # longer reprs and canonical forms are left out
VERBOSE = False

BUILTIN = (type(None), bool, int, float, str, bytes, bytearray, list, tuple, dict, set, frozenset)


def survey(value):
    """(only builtin types inside, a set with more than one element inside)"""
    builtin, has_set = True, False
    todo, seen = [value], set()
    while todo:
        thing = todo.pop()
        kind = type(thing)
        if kind not in BUILTIN:
            builtin = False
        elif kind in (list, tuple, dict, set, frozenset):
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if kind in (set, frozenset) and len(thing) > 1:
                has_set = True
            todo.extend(thing)
            if kind is dict:
                todo.extend(thing.values())
    return builtin, has_set


def real_load(one):
    """Loads a case as CPython does, with the hooks that the case asks for."""
    record.register(one.extensions)
    options = {"encoding": one.encoding}
    if one.buffers is not None:
        options["buffers"] = one.buffers
    if one.memo == "shared":
        unpickler = pickle.Unpickler(record.Whole(one.data), **options)
        first = unpickler.load()
        unpickler.load()
        return first
    if not one.persid:
        return pickle.loads(one.data, **options)

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, pid):
            return pid

    return Unpickler(record.Whole(one.data), **options).load()


def repr_is_short(value):
    """Whether repr stays short: what is shared counts as often as it is shown."""
    sizes, begun = {}, set()
    todo = [value]
    while todo:
        thing = todo[-1]
        if id(thing) in sizes:
            todo.pop()
            continue
        inner = []
        if type(thing) in (list, tuple, dict, set, frozenset):
            inner = list(thing) + (list(thing.values()) if type(thing) is dict else [])
        if inner and id(thing) not in begun:
            begun.add(id(thing))
            todo += [child for child in inner if id(child) not in sizes and id(child) not in begun]
            continue
        own = len(thing) if type(thing) in (str, bytes, bytearray) else 1
        # A child that is begun and has no size yet is a container that holds this one.
        sizes[id(thing)] = own + sum(sizes.get(id(child), 1) for child in inner)
        todo.pop()
    return sizes[id(value)] <= TEXT_LIMIT


def look(one):
    # What a pickle asks of __main__ must not depend on where this script lies.
    sys.modules["__main__"] = types.ModuleType("__main__")
    value = real_load(one)
    builtin, has_set = survey(value)
    shown = None
    if builtin and repr_is_short(value):
        try:
            shown = repr(value)
        except (RecursionError, ValueError):
            pass
        if shown is not None and len(shown) > TEXT_LIMIT:
            shown = None
    return {
        "builtin": builtin,
        "has_set": has_set,
        "repr": shown,
        "render": record.render(value) if builtin else None,
    }


def record_one(one):
    options = (one.encoding, None, one.buffers, one.extensions)
    canonical = record.canonical(one.data, *options)
    _, _, used = record.load(one.data, *options)
    if one.memo == "shared":
        every = record.canonical_shared(one.data, one.encoding)
    else:
        every = [canonical, *record.canonical_rest(one.data, used, one.encoding)]
    return {"canonical": canonical, "consumed": used, "all": every}


def expect(one):
    """The line of expected.jsonl for a case."""
    real, error = guarded(lambda: look(one))
    found, refusal = guarded(lambda: record_one(one))
    found = found or {}
    agree(one, real, error, found, refusal)
    real = real or {}
    canonical = found.get("canonical")
    if canonical is not None and (len(canonical) > TEXT_LIMIT or not one.texts):
        canonical = None
    line = {
        "file": one.name + ".pkl",
        "note": one.note,
        "protocol": one.data[1] if one.data[:1] == b"\x80" and len(one.data) > 1 else None,
        "encoding": one.encoding,
        "loads": error is None,
        "error": error,
        "builtin": real.get("builtin", False),
        "repr": real.get("repr") if one.texts else None,
        "has_set": real.get("has_set", False),
        "canonical": canonical,
        "canonical_error": refusal,
        "consumed": found.get("consumed"),
        "pickles": len(found.get("all", [])),
    }
    if one.memo:
        line["memo"] = one.memo
    if line["pickles"] > 1:
        line["all"] = found["all"]
    if one.extensions:
        line["extensions"] = one.extensions
    if one.persid:
        line["persid"] = True
    if one.buffers is not None:
        line["buffers"] = [buffer.hex() for buffer in one.buffers]
    return line


def agree(one, real, error, found, refusal):
    """The recorder and a real load must not contradict each other."""
    where = f"{one.group}/{one.name}"
    if refusal is not None:
        assert error is not None, f"{where}: loads, but the recorder refuses: {refusal}"
    if refusal is None and error is None and real["builtin"] and not one.persid:
        # What only builtin types make up must look the same by both ways.
        calls = "call(" in found["canonical"] or "new(" in found["canonical"]
        assert calls or real["render"] == found["canonical"], f"{where}: {real['render']} != {found['canonical']}"
    if error is not None and error != refusal and VERBOSE:
        print(f"{where}: {error}\n    recorder: {refusal or found['canonical'][:120]}")
