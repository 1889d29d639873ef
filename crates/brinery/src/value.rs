//! [`Value`]: an owned tree.

mod from_item;
#[cfg(feature = "serde")]
mod serde;
mod to_document;
mod walk;

use crate::document::{Document, Encoding, How, Item};
use crate::error::{Error, Result};
use crate::limits::Limits;
pub use walk::Children;

/// An owned value: what an [`Item`] shows, as a tree.
///
/// A tree has no sharing: a value that a pickle refers to twice is there twice, within [`Limits::expansion`], and a value inside itself cannot
/// be a tree. Whatever its depth, it is dropped, cloned, compared, hashed and printed without recursion.
///
/// `==` is by structure: the kinds, the order of dicts and sets, and the bits of floats count, so that it agrees with `Hash`.
///
/// ```
/// use brinery::{Document, Value};
/// let document = Document::from_slice(b"\x80\x04](K\x01K\x02e.")?;
/// let value = Value::try_from(document.root())?;
/// assert_eq!(value, Value::List([Value::Int(1), Value::Int(2)].into_iter().collect()));
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Default)]
#[non_exhaustive]
pub enum Value {
    /// `None`.
    #[default]
    None,
    /// A boolean.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A wider integer: two's complement, little-endian, without redundant bytes.
    BigInt(Vec<u8>),
    /// A float.
    Float(f64),
    /// Text.
    Str(String),
    /// Text in which surrogates stand alone, as UTF-8 would have them.
    StrSurrogates(Vec<u8>),
    /// An 8-bit string of Python 2, and how it reads.
    Str8(Vec<u8>, Encoding),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A bytearray.
    Bytearray(Vec<u8>),
    /// A list.
    List(Children),
    /// A tuple.
    Tuple(Children),
    /// A dict: keys and values in turn.
    Dict(Children),
    /// A set.
    Set(Children),
    /// A frozenset.
    Frozenset(Children),
    /// A class or function by its module and its name, both text, as Python 3 has them.
    Global(Children),
    /// An extension code that is not registered.
    Extension(u32),
    /// An object outside the pickle: its persistent id, then what was done to it.
    Persistent(Object),
    /// An object that a call made.
    Object(Object),
    /// An out-of-band buffer.
    Buffer {
        /// Its number.
        index: usize,
        /// Whether it is read-only.
        readonly: bool,
        /// Its data, if the document had it.
        data: Option<Vec<u8>>,
    },
}

/// How an object was made and what was done to it.
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Object {
    how: How,
    /// What each group of `values` is, and how many values it has.
    groups: Vec<(Group, usize)>,
    values: Children,
}

/// What some of the values of an [`Object`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// What was called, as it stands in the pickle: one value.
    Callable,
    /// A persistent id: one value.
    PersistentId,
    /// The module and the name of a class or function that something was done to.
    Name,
    /// The code of an extension that something was done to: one value.
    ExtensionCode,
    /// Positional arguments.
    Arguments,
    /// Positional arguments that are an object, perhaps a tuple of a class of its own: one value.
    ArgumentsObject,
    /// Keyword arguments: one value, a dict as a rule.
    Keywords,
    /// State: one value.
    State,
    /// Items appended.
    Appended,
    /// Items set: keys and values in turn.
    SetItems,
    /// Items added as to a set.
    Added,
    /// A state setter: the function, then its arguments but for the object itself.
    Setter,
    /// Any other call whose result was dropped: the function, then all its arguments.
    Call,
}

impl Object {
    /// The groups of values, in the order in which they came.
    pub fn groups(&self) -> impl Iterator<Item = (Group, &[Value])> {
        let mut at = 0;
        self.groups.iter().map(move |&(group, len)| {
            let values = self.values.get(at..at + len).unwrap_or_default();
            at += len;
            (group, values)
        })
    }

    /// How the object was made.
    #[must_use]
    pub fn how(&self) -> How {
        self.how
    }

    /// The class or function that was called; of calls of `copyreg`'s functions, the class that they make an object of.
    #[must_use]
    pub fn class(&self) -> Option<&Value> {
        let groups: Vec<_> = self.groups().take(2).collect();
        let &[(Group::Callable, [callable]), ..] = &*groups else { return None };
        let is_copyreg = match callable.children() {
            [Value::Str(module), Value::Str(name)] if matches!(callable, Value::Global(_)) => {
                matches!(&**module, "copyreg" | "copy_reg") && matches!(&**name, "_reconstructor" | "__newobj__" | "__newobj_ex__")
            }
            _ => false,
        };
        match &*groups {
            [_, (Group::Arguments, [class, ..])] if is_copyreg => Some(class),
            _ => Some(callable),
        }
    }

    /// The attributes that states gave: those of a dict, and of a tuple of a dict and a dict of slots.
    pub fn attributes(&self) -> impl Iterator<Item = (&Value, &Value)> {
        let states = self.groups().filter(|(group, _)| *group == Group::State).flat_map(|(_, values)| values);
        let dicts = states.flat_map(|state| match state {
            Value::Tuple(parts) if parts.len() == 2 => &**parts,
            _ => std::slice::from_ref(state),
        });
        let pairs = dicts.filter(|dict| matches!(dict, Value::Dict(_))).flat_map(|dict| dict.children().chunks_exact(2));
        pairs.filter_map(|pair| match pair {
            [name, value] => Some((name, value)),
            _ => None,
        })
    }
}

impl Value {
    /// The tree of an item, within the limits. A value inside itself is an error, and so is a tree that is too much larger than the document.
    pub fn from_item(item: Item<'_>, limits: &Limits) -> Result<Self> {
        from_item::TreeBuilder::new(limits).build(item)
    }

    /// The tree of an item of which more than this is read: everything in it is paid for.
    #[cfg(feature = "serde")]
    pub(crate) fn from_item_within(item: Item<'_>, left: &mut u64, limit: u64) -> Result<Self> {
        let mut builder = from_item::TreeBuilder::within(*left, limit);
        let tree = builder.build(item);
        *left = builder.left();
        tree
    }

    /// The tree of a document's first pickle, with default limits.
    pub fn from_document(document: &Document<'_>) -> Result<Self> {
        Self::from_item(document.root(), &Limits::default())
    }

    /// The values directly inside this one.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        match self {
            Self::List(children)
            | Self::Tuple(children)
            | Self::Dict(children)
            | Self::Set(children)
            | Self::Frozenset(children)
            | Self::Global(children) => children,
            Self::Persistent(object) | Self::Object(object) => &object.values,
            _ => &[],
        }
    }

    /// How many groups an object has, beside its values.
    fn groups(&self) -> usize {
        match self {
            Self::Persistent(object) | Self::Object(object) => object.groups.len(),
            _ => 0,
        }
    }

    fn children_mut(&mut self) -> Option<&mut Children> {
        match self {
            Self::List(children)
            | Self::Tuple(children)
            | Self::Dict(children)
            | Self::Set(children)
            | Self::Frozenset(children)
            | Self::Global(children) => Some(children),
            Self::Persistent(object) | Self::Object(object) => Some(&mut object.values),
            _ => None,
        }
    }
}

impl TryFrom<Item<'_>> for Value {
    type Error = Error;

    fn try_from(item: Item<'_>) -> Result<Self> {
        Self::from_item(item, &Limits::default())
    }
}
