//! The names that Razorvine's reader gives a meaning to.
//!
//! It imports nothing, but has constructors of its own for these; an object of any other class is a dict with the class's name. The profile that
//! writes for it must know which calls it takes for another value, so that they are errors: hence names that the pickler itself does not write.

/// What Razorvine's reader makes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Razorvine {
    /// A dict with the class's name, if there are no arguments; else it refuses.
    Other,
    /// The value of a builtin type, which becomes such a dict where Python makes an empty value.
    Builtin,
    Array,
    ArrayReconstructor,
    Bytes,
    Complex,
    Set,
    Date,
    Datetime,
    Time,
    Timedelta,
    Decimal,
    Exception,
    /// A time zone by name, and those which have none.
    Zone,
    ZoneFile,
    Utc,
    /// A time zone with the offset that it has at some time.
    ZoneAtTime,
    /// What makes objects before protocol 2: of one class it does.
    Reconstructor,
}

/// What a call of this name is to Razorvine's reader. The names are taken as they are written.
pub(crate) fn razorvine(module: &str, name: &str) -> Razorvine {
    match (module, name) {
        ("exceptions", _) => Razorvine::Exception,
        ("__builtin__" | "builtins", "complex") => Razorvine::Complex,
        ("__builtin__" | "builtins", "bytearray") | ("__builtin__", "bytes") | ("_codecs", "encode") => Razorvine::Bytes,
        ("__builtin__" | "builtins", "set") => Razorvine::Set,
        ("__builtin__" | "builtins", name) if is_exception(name) => Razorvine::Exception,
        (
            "__builtin__" | "builtins",
            "bool" | "bytes" | "dict" | "float" | "frozenset" | "int" | "list" | "long" | "object" | "str" | "tuple" | "unicode",
        ) => Razorvine::Builtin,
        ("array", "array") => Razorvine::Array,
        ("array", "_array_reconstructor") => Razorvine::ArrayReconstructor,
        ("datetime", "date") => Razorvine::Date,
        ("datetime", "datetime") => Razorvine::Datetime,
        ("datetime", "time") => Razorvine::Time,
        ("datetime", "timedelta") => Razorvine::Timedelta,
        ("decimal", "Decimal") => Razorvine::Decimal,
        ("pytz", "timezone") | ("dateutil.zoneinfo", "gettz") => Razorvine::Zone,
        ("dateutil.tz", "tzfile") => Razorvine::ZoneFile,
        ("pytz", "_UTC") | ("dateutil.tz", "tzutc") => Razorvine::Utc,
        ("pytz", "_p") => Razorvine::ZoneAtTime,
        ("copy_reg" | "copyreg", "_reconstructor") => Razorvine::Reconstructor,
        _ => Razorvine::Other,
    }
}

/// Whether it takes a builtin of this name for an exception.
fn is_exception(name: &str) -> bool {
    let endings = ["Error", "Warning", "Exception"];
    endings.iter().any(|ending| name.ends_with(ending))
        || matches!(name, "GeneratorExit" | "KeyboardInterrupt" | "StopIteration" | "SystemExit")
}

/// The one attribute of an exception that the reader keeps.
pub(crate) const TRACEBACK: &str = "_pyroTraceback";

/// The key under which the reader has the name of an object's class, beside the object's attributes and items.
pub(crate) const CLASS: &str = "__class__";
