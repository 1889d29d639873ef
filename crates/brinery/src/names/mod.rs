//! The names that CPython's own pickler writes or maps, and those that Razorvine's reader has a meaning for. No other Python name is known
//! to this crate.

mod python2;
pub(crate) mod razorvine;

/// What a global means to the pickler itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// `functools.partial`: how protocols 2 and 3 write a call with keyword arguments.
    Partial,
    /// `getattr`: how protocols 0 to 3 write a name inside a class.
    Getattr,
    /// `object`, the base that `_reconstructor` mostly gets.
    Object,
    /// A constant that is written by its name, and printed so by Python.
    Constant,
}

impl Known {
    /// Globals that the pickler writes by itself, with their module and name in Python 3.
    const WRITTEN: [(Self, &'static str, &'static str); 11] = [
        (Self::Set, "builtins", "set"),
        (Self::Frozenset, "builtins", "frozenset"),
        (Self::Bytes, "builtins", "bytes"),
        (Self::Bytearray, "builtins", "bytearray"),
        (Self::Getattr, "builtins", "getattr"),
        (Self::Object, "builtins", "object"),
        (Self::Encode, "_codecs", "encode"),
        (Self::Reconstructor, "copyreg", "_reconstructor"),
        (Self::Newobj, "copyreg", "__newobj__"),
        (Self::NewobjEx, "copyreg", "__newobj_ex__"),
        (Self::Partial, "functools", "partial"),
    ];

    /// The module and the name of a global that the pickler writes by itself.
    pub(crate) fn names(self) -> (&'static str, &'static str) {
        Self::WRITTEN.iter().find(|(known, ..)| *known == self).map_or(("", ""), |&(_, module, name)| (module, name))
    }
}

/// What a module's name means to the pickler. Python 2's names of the same modules count, since `fix_imports` maps them.
pub(crate) fn known(module: &[u8], name: &[u8]) -> Known {
    let module: &[u8] = match module {
        b"__builtin__" => b"builtins",
        b"copy_reg" => b"copyreg",
        b"builtins" | b"copyreg" | b"_codecs" | b"functools" => module,
        _ => return Known::Other,
    };
    if module == b"builtins" && matches!(name, b"Ellipsis" | b"NotImplemented") {
        return Known::Constant;
    }
    let written = Known::WRITTEN.iter().find(|(_, its_module, its_name)| its_module.as_bytes() == module && its_name.as_bytes() == name);
    written.map_or(Known::Other, |&(known, ..)| known)
}

/// A module and a name, or a module's two names.
type Pair<'n> = (&'n str, &'n str);

/// The name of the encoding with which CPython writes bytes as text before protocol 3.
pub(crate) const BYTES_ENCODING: &str = "latin1";
/// The name of the encoding with which bytearrays were written as text before protocol 3, by CPython before 3.8 and by Razorvine.
pub(crate) const BYTEARRAY_ENCODING: &str = "latin-1";

/// The namespace of the main program as dill names it, at every protocol and with every Python. No module has it: dill's unpickler looks for
/// these very names.
const DILL_MAIN: Pair<'static> = ("__builtin__", "__main__");

/// What a module and a name of Python 2 are called in Python 3, as CPython maps them when it reads protocols 0 to 2.
pub(crate) fn to_python3<'n>(module: &'n str, name: &'n str) -> Pair<'n> {
    if (module, name) == DILL_MAIN {
        return DILL_MAIN;
    }
    mapped(python2::NAMES_TO_3, python2::MODULES_TO_3, module, name)
}

/// What a module and a name of Python 3 are called in Python 2, as CPython maps them when it writes protocols 0 to 2.
pub(crate) fn to_python2<'n>(module: &'n str, name: &'n str) -> Pair<'n> {
    mapped(python2::NAMES_TO_2, python2::MODULES_TO_2, module, name)
}

fn mapped<'n>(names: &[(Pair<'n>, Pair<'n>)], modules: &[Pair<'n>], module: &'n str, name: &'n str) -> Pair<'n> {
    if let Ok(at) = names.binary_search_by(|(from, _)| from.cmp(&(module, name))) {
        return names.get(at).map_or((module, name), |&(_, to)| to);
    }
    match modules.binary_search_by(|(from, _)| (*from).cmp(module)) {
        Ok(at) => (modules.get(at).map_or(module, |&(_, to)| to), name),
        Err(_) => (module, name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_pythons() {
        assert_eq!(to_python2("builtins", "set"), ("__builtin__", "set"));
        assert_eq!(to_python2("builtins", "str"), ("__builtin__", "unicode"));
        assert_eq!(to_python3("copy_reg", "_reconstructor"), ("copyreg", "_reconstructor"));
        assert_eq!(to_python3("__builtin__", "long"), ("builtins", "int"));
        assert_eq!(to_python3("mine", "Queue"), ("mine", "Queue"));
        assert_eq!(to_python3("__builtin__", "__main__"), ("__builtin__", "__main__"));
    }

    #[test]
    fn what_the_pickler_writes_is_known() {
        for (known, module, name) in Known::WRITTEN {
            assert_eq!(super::known(module.as_bytes(), name.as_bytes()), known);
            let (module, name) = to_python2(module, name);
            assert_eq!(super::known(module.as_bytes(), name.as_bytes()), known);
        }
    }
}
