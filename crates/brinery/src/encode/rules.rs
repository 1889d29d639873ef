//! How a pickler writes: its options, looked at once for each pickle.

use std::collections::HashMap;

use super::memo::MemoPolicy;
use crate::limits::Limits;

/// For whose readers a pickle is, and in whose manner it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Dialect {
    /// Byte for byte as `pickle.dumps` of CPython 3.8 to 3.12 (its C pickler).
    #[default]
    Python,
    /// As CPython 3.13 and 3.14 (and 3.12 from 3.12.5 on), which give the classes around a nested class no memo numbers before protocol 4.
    Python313,
    /// As CPython 3.15, which beside that has no empty batches and no batches of one: no `SETITEMS` and `ADDITEMS` of nothing behind multiples of 1,000
    /// items.
    Python315,
    /// As Razorvine Pickle, the library inside Apache Spark's JVM side and .NET for Apache Spark: protocol 2, no batches, `MARK` and `APPENDS`
    /// or `SETITEMS` also where there are no items, bytearrays as Latin-1 text.
    ///
    /// What its reader would take for another value without saying so is an error: frozensets, lone surrogates, classes and functions as values,
    /// attributes or items that it loses, all of an exception but one text, `Decimal('-0')` and NaN, numbers of arrays beyond Java's types,
    /// datetimes before 1582-10-15, with a fold or with microseconds, and keys that it takes for one. What it refuses itself, such as
    /// arguments of a class that is not registered there, is written.
    ///
    /// Some things differ in every value that it reads, and are no errors: dicts and sets have no order; tuples and bytes are keys that only
    /// they themselves find, since Java compares arrays by identity; bytes and bytearrays are one type; a Python 2 string is text of Latin-1;
    /// objects are dicts with the name of their class; a time zone is what Java has under its name.
    Razorvine,
}

/// How 8-bit strings of Python 2 are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum EightBit {
    /// As 8-bit strings, by the opcodes that every Python reads.
    #[default]
    Keep,
    /// As what they read as with the document's [`Encoding`](crate::Encoding): text or bytes.
    AsRead,
}

/// All options that are no hooks.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) protocol: u8,
    pub(super) dialect: Dialect,
    pub(super) memo: MemoPolicy,
    pub(super) fix_imports: bool,
    pub(super) eight_bit: EightBit,
    /// Whether variants of enums are tuples.
    #[cfg(feature = "serde")]
    pub(super) tuple_enums: bool,
    pub(super) limits: Limits,
    /// Codes of `copyreg.add_extension`, by module and name.
    pub(super) extensions: HashMap<(String, String), u32>,
}

impl Rules {
    pub(super) fn is_razorvine(&self) -> bool {
        self.dialect == Dialect::Razorvine
    }

    pub(super) fn has_memo(&self) -> bool {
        self.memo != MemoPolicy::Off
    }
}
