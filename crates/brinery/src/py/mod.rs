//! Python types that serde's data model lacks, as wrappers for use inside types that derive `Serialize` and `Deserialize`.
//!
//! | wrapper | writes and reads |
//! | --- | --- |
//! | [`Tuple<T>`], [`List<T>`], [`Set<T>`], [`Frozenset<T>`] | the items of any sequence `T` as that container (a Rust tuple or array is a tuple by itself, another sequence a list) |
//! | [`Bytes<T>`], [`Bytearray<T>`] | `bytes` and `bytearray` |
//! | [`Str8<T>`] | an 8-bit string of Python 2 |
//! | [`Buffer<T>`] | an out-of-band buffer (PEP 574) |
//! | [`Int`] | an integer of any size |
//! | [`Complex`] | a complex number |
//! | [`Global`] | a class or function, by its name |
//! | [`Object<A, S>`](Object) | an object of a class, by its arguments and state |
//! | [`Persistent<T>`] | an object outside the pickle, by its persistent id |
//! | [`Value`] | anything |
//!
//! Each reads its own kind and no other, so that a type says what it means. In other formats of serde a wrapper is what it wraps.
//!
//! ```
//! use brinery::py::{Complex, Set, Tuple};
//! use serde::{Deserialize, Serialize};
//! #[derive(Debug, PartialEq, Serialize, Deserialize)]
//! struct Signal {
//!     tags: Set<Vec<String>>,
//!     shape: Tuple<Vec<u32>>,
//!     gain: Complex,
//! }
//! let signal = Signal { tags: Set(vec!["raw".into()]), shape: Tuple(vec![2, 3]), gain: Complex { re: 1.5, im: -2.0 } };
//! let bytes = brinery::to_vec(&signal)?;
//! let document = brinery::Document::from_slice(&bytes)?;
//! assert_eq!(document.root().repr().to_string(), "{'tags': {'raw'}, 'shape': (2, 3), 'gain': builtins.complex(1.5, -2.0)}");
//! assert_eq!(brinery::from_slice::<Signal>(&bytes)?, signal);
//! # Ok::<(), brinery::Error>(())
//! ```

mod bytes;
mod int;
mod object;

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use serde_core::de::{self, Deserialize, Deserializer, SeqAccess, Visitor};
use serde_core::ser::{Serialize, Serializer};

pub use bytes::{Buffer, Bytearray, Bytes, FromBytes, Str8};
pub use int::Int;
pub(crate) use object::{CALLED, OBJECT, OBJECT_FIELDS};
pub use object::{Global, Object};

use crate::error::Error;
use crate::value::Value;

/// Which wrapper a newtype is, by the name that it has for serde.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Tuple,
    List,
    Set,
    Frozenset,
    Bytes,
    Bytearray,
    Buffer,
    Str8,
    Int,
    Complex,
    Global,
    Persistent,
    Value,
}

impl Shape {
    /// The names begin so.
    const PREFIX: &'static str = "$brinery::";
    /// In the order of the variants.
    const ALL: [(Self, &'static str, &'static str); 13] = [
        (Self::Tuple, "$brinery::Tuple", "a tuple"),
        (Self::List, "$brinery::List", "a list"),
        (Self::Set, "$brinery::Set", "a set"),
        (Self::Frozenset, "$brinery::Frozenset", "a frozenset"),
        (Self::Bytes, "$brinery::Bytes", "bytes"),
        (Self::Bytearray, "$brinery::Bytearray", "a bytearray"),
        (Self::Buffer, "$brinery::Buffer", "an out-of-band buffer"),
        (Self::Str8, "$brinery::Str8", "an 8-bit str"),
        (Self::Int, "$brinery::Int", "an int"),
        (Self::Complex, "$brinery::Complex", "a complex number"),
        (Self::Global, "$brinery::Global", "a class or function"),
        (Self::Persistent, "$brinery::Persistent", "a persistent object"),
        (Self::Value, "$brinery::Value", "a value"),
    ];

    /// The wrapper of a name.
    #[inline]
    pub(crate) fn of(name: &str) -> Option<Self> {
        if !name.starts_with(Self::PREFIX) {
            return None;
        }
        Self::ALL.iter().find(|(_, its_name, _)| *its_name == name).map(|&(shape, ..)| shape)
    }

    /// The name that the wrapper has for serde.
    fn name(self) -> &'static str {
        Self::ALL.get(self as usize).map_or("", |&(_, name, _)| name)
    }

    /// What the wrapper reads, in words.
    pub(crate) fn wanted(self) -> &'static str {
        Self::ALL.get(self as usize).map_or("", |&(.., wanted)| wanted)
    }
}

/// The class that the name of a struct or enum says (`#[serde(rename = "shop.models.Order")]`): no name of Rust has a dot or colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClassName<'n> {
    pub(crate) module: &'n str,
    pub(crate) name: &'n str,
    /// Whether `()` stands behind it: the fields are arguments of its `__new__`.
    pub(crate) by_position: bool,
}

impl<'n> ClassName<'n> {
    #[inline]
    pub(crate) fn parse(name: &'n str) -> Option<Self> {
        if !name.contains(['.', ':']) || name.starts_with(Shape::PREFIX) {
            return None;
        }
        let (name, by_position) = name.strip_suffix("()").map_or((name, false), |name| (name, true));
        let (module, name) = name.split_once(':').or_else(|| name.rsplit_once('.'))?;
        Some(Self { module, name, by_position })
    }

    /// Likewise, and an error where Python can have no class of that name.
    #[inline]
    pub(crate) fn checked(name: &'n str) -> crate::error::Result<Option<Self>> {
        let Some(class) = Self::parse(name) else { return Ok(None) };
        let is_name = |name: &str| name.split('.').all(|part| !part.is_empty() && !part.contains(':'));
        if is_name(class.module) && is_name(class.name) {
            return Ok(Some(class));
        }
        Err(Error::custom(format_args!("no class of Python can be called '{name}': it is 'module.Class' or 'module:Outer.Inner'")))
    }
}

thread_local! {
    /// A tree on its way through serde, which has no type for it.
    static HANDED: Cell<Option<Value>> = const { Cell::new(None) };
    /// Whether the serializer at hand takes trees so.
    static WANTED: Cell<bool> = const { Cell::new(false) };
}

/// Empties both places, also when a program's own code panics.
struct Emptied;

impl Drop for Emptied {
    fn drop(&mut self) {
        WANTED.set(false);
        drop(HANDED.take());
    }
}

/// Calls a function with a tree left for [`handed`]; it does not stay there.
pub(crate) fn hand_over<T>(tree: Value, call: impl FnOnce() -> T) -> T {
    let _emptied = Emptied;
    HANDED.set(Some(tree));
    call()
}

/// The tree that was left.
pub(crate) fn handed() -> Option<Value> {
    HANDED.take()
}

/// Calls a function that leaves a tree, if it asks [`is_wanted`]; the tree.
pub(crate) fn take_tree<E>(call: impl FnOnce() -> Result<(), E>) -> Result<Option<Value>, E> {
    let _emptied = Emptied;
    HANDED.take();
    WANTED.set(true);
    call()?;
    Ok(HANDED.take())
}

/// Whether a tree is wanted. Only the first that asks is told so.
pub(crate) fn is_wanted() -> bool {
    WANTED.take()
}

/// Leaves a tree for [`take_tree`].
pub(crate) fn leave(tree: Value) {
    HANDED.set(Some(tree));
}

/// A visitor of what a newtype wraps.
struct Inner<T>(PhantomData<T>, Shape);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Inner<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.1.wanted())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

fn read_inner<'de, T: Deserialize<'de>, D: Deserializer<'de>>(shape: Shape, deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_newtype_struct(shape.name(), Inner(PhantomData, shape))
}

macro_rules! containers {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name<T>(pub T);

        impl<T: Serialize> Serialize for $name<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_newtype_struct(Shape::$name.name(), &self.0)
            }
        }

        impl<'de, T: Deserialize<'de>> Deserialize<'de> for $name<T> {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read_inner(Shape::$name, deserializer).map(Self)
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(inner: T) -> Self {
                Self(inner)
            }
        }
    )*};
}

containers! {
    /// A Python tuple of the items of a sequence: `Tuple<Vec<u32>>`. Rust's own tuples and arrays are tuples without it.
    ///
    /// ```
    /// use brinery::py::Tuple;
    /// let bytes = brinery::to_vec(&Tuple(vec![1, 2]))?;
    /// assert_eq!(brinery::Document::from_slice(&bytes)?.root().repr().to_string(), "(1, 2)");
    /// let error = brinery::from_slice::<Tuple<Vec<u8>>>(b"](K\x01K\x02e.").unwrap_err();
    /// assert_eq!(error.to_string(), "expected a tuple, found list at offset 0");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Tuple
    /// A Python list, for what is a tuple or a set otherwise: `List<(u32, String)>`.
    ///
    /// ```
    /// use brinery::py::List;
    /// let bytes = brinery::to_vec(&List((1, "a")))?;
    /// assert_eq!(brinery::Document::from_slice(&bytes)?.root().repr().to_string(), "[1, 'a']");
    /// # Ok::<(), brinery::Error>(())
    /// ```
    List
    /// A Python set of the items of a sequence or set: `Set<HashSet<String>>`, `Set<Vec<u8>>`. They are written in their order, and repeated ones are
    /// Python's to drop.
    ///
    /// ```
    /// use brinery::py::Set;
    /// use std::collections::BTreeSet;
    /// let tags = Set(BTreeSet::from(["a", "b"]));
    /// let bytes = brinery::to_vec(&tags)?;
    /// assert_eq!(brinery::Document::from_slice(&bytes)?.root().repr().to_string(), "{'a', 'b'}");
    /// assert_eq!(brinery::from_slice::<Set<BTreeSet<&str>>>(&bytes)?, tags);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Set
    /// A Python frozenset of the items of a sequence or set.
    Frozenset
    /// An object outside the pickle, by its persistent id, as with `pickle.Pickler.persistent_id`. By protocol 0 the id is text of one line.
    ///
    /// ```
    /// use brinery::py::Persistent;
    /// let bytes = brinery::to_vec(&Persistent(("storage", 7)))?;
    /// let document = brinery::Document::from_slice(&bytes)?;
    /// assert_eq!(document.root().persistent_id().unwrap().repr().to_string(), "('storage', 7)");
    /// assert_eq!(brinery::from_slice::<Persistent<(String, u8)>>(&bytes)?.0.1, 7);
    /// # Ok::<(), brinery::Error>(())
    /// ```
    Persistent
}

/// A complex number of Python: written as `complex(re, im)`, as `pickle.dumps` does. Numbers that are not complex read as well.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Complex {
    /// The real part.
    pub re: f64,
    /// The imaginary part.
    pub im: f64,
}

impl Serialize for Complex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Shape::Complex.name(), &(self.re, self.im))
    }
}

impl<'de> Deserialize<'de> for Complex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read_inner(Shape::Complex, deserializer).map(|(re, im)| Self { re, im })
    }
}

/// Two texts.
struct Names;

impl<'de> Visitor<'de> for Names {
    type Value = (String, String);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a class or function")
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_tuple(2, self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        match (seq.next_element()?, seq.next_element()?) {
            (Some(module), Some(name)) => Ok((module, name)),
            _ => Err(de::Error::invalid_length(0, &"a module and a name")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_stand_at_their_places() {
        for (at, (shape, name, _)) in Shape::ALL.into_iter().enumerate() {
            assert_eq!((shape as usize, shape.name(), Shape::of(name)), (at, name, Some(shape)));
        }
        assert_eq!(Shape::of("$brinery::Other"), None);
    }

    #[test]
    fn names_of_classes() {
        let parsed = |name| ClassName::parse(name).map(|class| (class.module, class.name, class.by_position));
        assert_eq!(parsed("Plain"), None);
        assert_eq!(parsed("a.b.C"), Some(("a.b", "C", false)));
        assert_eq!(parsed("a.b.C()"), Some(("a.b", "C", true)));
        assert_eq!(parsed("a.b:C.D()"), Some(("a.b", "C.D", true)));
        for name in [".Order", "Order.", "shop::Order", ":", "a..b.C", "a.b:", "()."] {
            assert!(ClassName::checked(name).is_err(), "{name}");
        }
    }
}
