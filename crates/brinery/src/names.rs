//! The names that CPython's own pickler writes or maps. No other Python name is known to this crate.

/// What a global means to the pickler itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    /// Just a class or function.
    Other,
    /// `set`: how protocols 0 to 3 write a set.
    Set,
    /// `frozenset`: how protocols 0 to 3 write a frozenset.
    Frozenset,
    /// `bytes`: how protocols 0 to 2 write empty bytes, and CPython 3.0 to 3.2 all bytes.
    Bytes,
    /// `bytearray`: how protocols 0 to 4 write a bytearray.
    Bytearray,
    /// `_codecs.encode`: how protocols 0 to 2 write bytes.
    Encode,
    /// `copyreg._reconstructor`: how protocols 0 and 1 write an object.
    Reconstructor,
    /// `copyreg.__newobj__`: an object's `__reduce_ex__` before protocol 2.
    Newobj,
    /// `copyreg.__newobj_ex__`, likewise with keyword arguments.
    NewobjEx,
    /// `object`, the base that `_reconstructor` mostly gets.
    Object,
    /// A constant that is written by its name, and printed so by Python.
    Constant,
}

/// What a module's name means to the pickler. Python 2's names of the same modules count, since `fix_imports` maps them.
pub(crate) fn known(module: &[u8], name: &[u8]) -> Known {
    match module {
        b"builtins" | b"__builtin__" => match name {
            b"set" => Known::Set,
            b"frozenset" => Known::Frozenset,
            b"bytes" => Known::Bytes,
            b"bytearray" => Known::Bytearray,
            b"object" => Known::Object,
            b"Ellipsis" | b"NotImplemented" => Known::Constant,
            _ => Known::Other,
        },
        b"_codecs" if name == b"encode" => Known::Encode,
        b"copyreg" | b"copy_reg" => match name {
            b"_reconstructor" => Known::Reconstructor,
            b"__newobj__" => Known::Newobj,
            b"__newobj_ex__" => Known::NewobjEx,
            _ => Known::Other,
        },
        _ => Known::Other,
    }
}

/// The name of the encoding with which CPython writes bytes as text before protocol 3.
pub(crate) const BYTES_ENCODING: &[u8] = b"latin1";
/// The name of the encoding with which CPython writes bytearrays as text before protocol 3.
pub(crate) const BYTEARRAY_ENCODING: &[u8] = b"latin-1";
