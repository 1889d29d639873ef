"""Values made at run time.

Which str is which decides what the pickler shares. Literals are interned, and so are the names
that it writes itself; what is made here is not.
"""


def text(model):
    """A str equal to `model`. Whatever was decoded is one object if it has no character, or one of Latin-1."""
    return model.encode("utf-8", "surrogatepass").decode("utf-8", "surrogatepass")


def raw(model):
    """bytes equal to `model`. Those of no byte or one are one object, as nearly everywhere."""
    return (model + b".")[:-1]


def raw_apart(model):
    """bytes equal to `model`, and no other object even if it is a single byte, as when unpickled by protocol 3 and up."""
    return bytes(bytearray(model))
