//! [`Item`]: one value of a document.

use std::borrow::Cow;
use std::fmt;

use super::store::{DataKind, How, ItemsKind, Node, Object, Ref, StepKind, Unpacked};
use super::{Document, Encoding, text};
use crate::bigint;
use crate::error::{Error, ErrorKind, Result};
use crate::names;
use crate::repr::Repr;

/// Most classes around a class whose name is looked for.
#[cfg(feature = "serde")]
const NESTED: usize = 500;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// `None`.
    None,
    /// `True` or `False`.
    Bool,
    /// An integer of any size.
    Int,
    /// A double.
    Float,
    /// Text.
    Str,
    /// An 8-bit string of Python 2 (`str` there). Whether it reads as text or as bytes is the [`Encoding`](super::Encoding)'s choice.
    Str8,
    /// Bytes.
    Bytes,
    /// A bytearray.
    Bytearray,
    /// A list.
    List,
    /// A tuple.
    Tuple,
    /// A dict.
    Dict,
    /// A set.
    Set,
    /// A frozenset.
    Frozenset,
    /// A class or function, by its name.
    Global,
    /// A class or function, by an extension code that is not registered.
    Extension,
    /// An object outside the pickle, by its persistent id.
    Persistent,
    /// An object that a call made.
    Object,
    /// An out-of-band buffer.
    Buffer,
}

impl Kind {
    /// The name of the type in Python, or a word for what has none.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::Str => "str",
            Self::Str8 => "8-bit str",
            Self::Bytes => "bytes",
            Self::Bytearray => "bytearray",
            Self::List => "list",
            Self::Tuple => "tuple",
            Self::Dict => "dict",
            Self::Set => "set",
            Self::Frozenset => "frozenset",
            Self::Global => "global",
            Self::Extension => "extension",
            Self::Persistent => "persistent object",
            Self::Object => "object",
            Self::Buffer => "buffer",
        }
    }
}

/// The identity of a value within its document: two references to one list have the same. Equal small integers, booleans, `None` and `()`
/// have the same, too, as they mostly do in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u32);

impl Id {
    pub(crate) fn of(value: Ref) -> Self {
        Self(value.bits())
    }

    pub(crate) fn value(self) -> Option<Ref> {
        Ref::from_bits(self.0)
    }

    /// The value's number among those with storage of their own, which is below [`Document::node_count`]; `None` for others.
    #[must_use]
    pub fn index(self) -> Option<usize> {
        self.value()?.index()
    }
}

/// One value of a [`Document`]: a view that is as cheap to copy as a reference.
///
/// `==` compares as Python does: by value, `1 == 1.0`, dicts and sets in any order; objects by how they were made and what was done to them.
/// Nothing that is done with an item recurses, however deep it is.
#[derive(Clone, Copy)]
pub struct Item<'d> {
    pub(crate) document: &'d Document<'d>,
    pub(crate) value: Ref,
}

impl<'d> Item<'d> {
    pub(crate) fn new(document: &'d Document<'d>, value: Ref) -> Self {
        Self { document, value }
    }

    fn with(self, value: Ref) -> Self {
        Self { value, ..self }
    }

    fn node(self) -> Option<&'d Node> {
        self.document.store.node(self.value)
    }

    /// How an 8-bit string reads.
    pub(crate) fn str8_encoding(self) -> Encoding {
        match self.data() {
            Some((DataKind::Str8Text, _)) => Encoding::Utf8,
            Some((DataKind::Str8Latin1, _)) => Encoding::Latin1,
            _ => Encoding::Bytes,
        }
    }

    /// The module and name of a class or function as Python 3 has them, where both are text.
    pub(crate) fn names_in_python3(self) -> Option<(&'d str, &'d str)> {
        let (module, name) = self.global_parts()?;
        let (module, name) = (module.as_str()?, name.as_str()?);
        let is_python2 = self.object().is_some_and(|object| object.python2);
        Some(if is_python2 { names::to_python3(module, name) } else { (module, name) })
    }

    pub(crate) fn object(self) -> Option<&'d Object> {
        self.document.store.object(self.value)
    }

    fn data(self) -> Option<(DataKind, &'d [u8])> {
        self.document.store.bytes_of(&self.document.source, self.value)
    }

    /// How many bytes the value copies with it: text and bytes, a name, a buffer that is there.
    pub(crate) fn data_len(self) -> usize {
        match self.global_parts() {
            Some((module, name)) => module.data_len() + name.data_len(),
            None => self.data().map(|(_, bytes)| bytes.len()).or(self.as_bytes().map(<[u8]>::len)).unwrap_or(0),
        }
    }

    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.value.unpack() {
            Unpacked::None => return Kind::None,
            Unpacked::Bool(_) => return Kind::Bool,
            Unpacked::Int(_) => return Kind::Int,
            Unpacked::EmptyTuple => return Kind::Tuple,
            Unpacked::Node(_) => {}
        }
        match self.node() {
            None => Kind::None,
            Some(Node::Int(_)) => Kind::Int,
            Some(Node::Float(_)) => Kind::Float,
            Some(Node::Data { kind, .. }) => match kind {
                DataKind::Int => Kind::Int,
                DataKind::Str | DataKind::StrSurrogates => Kind::Str,
                DataKind::Str8Text | DataKind::Str8Latin1 | DataKind::Str8Bytes => Kind::Str8,
                DataKind::Bytes => Kind::Bytes,
                DataKind::Bytearray => Kind::Bytearray,
            },
            Some(Node::Items { kind, .. }) => match kind {
                ItemsKind::List => Kind::List,
                ItemsKind::Tuple => Kind::Tuple,
                ItemsKind::Dict => Kind::Dict,
                ItemsKind::Set => Kind::Set,
                ItemsKind::Frozenset => Kind::Frozenset,
            },
            Some(Node::Object(_)) => match self.how() {
                Some(How::Global) => Kind::Global,
                Some(How::Extension) => Kind::Extension,
                Some(How::Persistent) => Kind::Persistent,
                _ => Kind::Object,
            },
            Some(Node::Buffer { .. }) => Kind::Buffer,
        }
    }

    /// The value's identity.
    #[must_use]
    pub fn id(self) -> Id {
        Id::of(self.value)
    }

    /// Whether the value is `None`.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.value == Ref::NONE
    }

    /// A boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.value.unpack() {
            Unpacked::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// An integer that fits.
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        match (self.value.unpack(), self.node()) {
            (Unpacked::Int(value), _) | (_, Some(&Node::Int(value))) => Some(value),
            _ => None,
        }
    }

    /// An integer that fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.as_i64() {
            Some(value) => u64::try_from(value).ok(),
            None => match self.as_int_bytes()?.as_ref() {
                [low @ .., 0] if low.len() == 8 => low.try_into().ok().map(u64::from_le_bytes),
                _ => None,
            },
        }
    }

    /// An integer of any size: two's complement, little-endian, without redundant bytes at its end (zero is one byte).
    #[must_use]
    pub fn as_int_bytes(self) -> Option<Cow<'d, [u8]>> {
        match self.data() {
            Some((DataKind::Int, bytes)) => Some(Cow::Borrowed(bytes)),
            _ => self.as_i64().map(|value| Cow::Owned(bigint::minimal(&value.to_le_bytes()).to_vec())),
        }
    }

    /// A float, or an integer that a double holds exactly.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.node() {
            Some(&Node::Float(value)) => Some(value),
            Some(Node::Data { kind: DataKind::Int, .. }) => bigint::to_exact_f64(self.data()?.1),
            _ => {
                let value = self.as_i64()?;
                let float = value as f64;
                // 2^63 is the one double that saturates on the way back
                (float as i64 == value && float < 9.3e18 && (value != i64::MAX)).then_some(float)
            }
        }
    }

    /// Text, where it is whole: not if a surrogate stands alone in it ([`as_text_bytes`](Self::as_text_bytes) has it then). An 8-bit string
    /// is text if the encoding reads it so.
    #[must_use]
    pub fn as_str(self) -> Option<&'d str> {
        match self.data()? {
            (DataKind::Str | DataKind::Str8Text | DataKind::Str8Latin1, bytes) => Some(text::checked(bytes)),
            _ => None,
        }
    }

    /// Text as UTF-8, in which surrogates may stand alone (`surrogatepass` in Python).
    #[must_use]
    pub fn as_text_bytes(self) -> Option<&'d [u8]> {
        match self.data()? {
            (DataKind::Str | DataKind::StrSurrogates | DataKind::Str8Text | DataKind::Str8Latin1, bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Bytes: of a `bytes`, a `bytearray`, a buffer whose data is there, or an 8-bit string that the encoding reads as bytes.
    #[must_use]
    pub fn as_bytes(self) -> Option<&'d [u8]> {
        match self.node()? {
            &Node::Buffer { index, .. } => self.document.buffer(index),
            _ => match self.data()? {
                (DataKind::Bytes | DataKind::Bytearray | DataKind::Str8Bytes, bytes) => Some(bytes),
                _ => None,
            },
        }
    }

    /// The bytes of an 8-bit string, however it reads.
    #[must_use]
    pub fn as_str8(self) -> Option<Cow<'d, [u8]>> {
        match self.data()? {
            (DataKind::Str8Text | DataKind::Str8Bytes, bytes) => Some(Cow::Borrowed(bytes)),
            (DataKind::Str8Latin1, bytes) => super::fold::utf8_to_latin1(bytes).ok().map(Cow::Owned),
            _ => None,
        }
    }

    /// An out-of-band buffer: its number and whether it is read-only.
    #[must_use]
    pub fn as_buffer(self) -> Option<(usize, bool)> {
        match self.node()? {
            &Node::Buffer { index, readonly } => Some((index as usize, readonly)),
            _ => None,
        }
    }

    /// The data of an out-of-band buffer; an error if the document was not given it.
    pub fn buffer_data(self) -> Result<&'d [u8]> {
        match self.as_buffer() {
            Some((index, _)) => self.as_bytes().ok_or_else(|| Error::new(ErrorKind::BufferAbsent(index))),
            None => Err(crate::handler::wrong_kind("a buffer", self.kind().name())),
        }
    }

    /// The module and qualified name of a global. Names in which a surrogate stands alone are had through
    /// [`global_parts`](Self::global_parts).
    #[must_use]
    pub fn as_global(self) -> Option<(&'d str, &'d str)> {
        let (module, name) = self.global_parts()?;
        Some((module.as_str()?, name.as_str()?))
    }

    /// The module and qualified name of a global, as the values that name it.
    #[must_use]
    pub fn global_parts(self) -> Option<(Self, Self)> {
        let object = self.object().filter(|object| object.how == How::Global)?;
        Some((self.with(object.callable), self.with(object.args)))
    }

    /// The persistent id that names an object outside the pickle.
    #[must_use]
    pub fn persistent_id(self) -> Option<Self> {
        let object = self.object().filter(|object| object.how == How::Persistent)?;
        Some(self.with(object.callable))
    }

    /// An extension code that is not registered.
    #[must_use]
    pub fn extension_code(self) -> Option<u32> {
        self.extension()?.as_u64().and_then(|code| u32::try_from(code).ok())
    }

    /// An extension code that is not registered, as a value.
    #[must_use]
    pub fn extension(self) -> Option<Self> {
        let object = self.object().filter(|object| object.how == How::Extension)?;
        Some(self.with(object.callable))
    }

    /// How an object, global or persistent object came to be.
    #[must_use]
    pub fn how(self) -> Option<How> {
        self.object().map(|object| object.how)
    }

    /// How many items a container has: a dict's pairs, a list's, tuple's or set's elements. Text and bytes have none.
    #[must_use]
    pub fn len(self) -> Option<usize> {
        let (kind, items) = self.document.store.items(self.value)?;
        Some(if kind == ItemsKind::Dict { items.len() / 2 } else { items.len() })
    }

    /// Whether a container has no items.
    #[must_use]
    pub fn is_empty(self) -> Option<bool> {
        self.len().map(|len| len == 0)
    }

    /// The elements of a list, tuple, set or frozenset (these in pickled order), or those that were appended or added to an object.
    #[must_use]
    pub fn items(self) -> Items<'d> {
        match self.document.store.items(self.value) {
            Some((ItemsKind::Dict, _)) => self.slice(&[]),
            Some((_, items)) => self.slice(items),
            None => Items { steps: self.object().map_or(super::store::END, |object| object.first), ..self.slice(&[]) },
        }
    }

    /// The pairs of a dict in their order, or those that were set on an object.
    #[must_use]
    pub fn entries(self) -> Entries<'d> {
        match self.document.store.items(self.value) {
            Some((ItemsKind::Dict, items)) => Entries(self.slice(items)),
            Some(_) => Entries(self.slice(&[])),
            None => {
                let steps = self.object().map_or(super::store::END, |object| object.first);
                Entries(Items { steps, pairs: true, ..self.slice(&[]) })
            }
        }
    }

    pub(crate) fn slice(self, refs: &'d [Ref]) -> Items<'d> {
        Items { document: self.document, refs, steps: super::store::END, pairs: false }
    }

    /// Element `index` of a list, tuple or set, or of what was appended to an object.
    #[must_use]
    pub fn at(self, index: usize) -> Option<Self> {
        match self.document.store.items(self.value) {
            Some((ItemsKind::Dict, _)) => None,
            Some((_, items)) => items.get(index).map(|&value| self.with(value)),
            None => self.items().nth(index),
        }
    }

    /// The value of a text key in a dict, or among the items that were set on an object. This looks at the keys one after another.
    #[must_use]
    pub fn get(self, key: &str) -> Option<Self> {
        let entries = self.entries().filter(|(found, _)| found.as_str() == Some(key));
        // a dict has each key once; on an object the last one counts
        entries.map(|(_, value)| value).last()
    }

    /// An attribute of an object: from its state, be that a dict or a tuple of a dict and a dict of slots.
    #[must_use]
    pub fn attr(self, name: &str) -> Option<Self> {
        self.parts().into_iter().rev().find_map(|part| match part {
            super::Part::Attributes(attributes) => {
                attributes.filter(|(found, _)| found.as_str() == Some(name)).map(|(_, value)| value).last()
            }
            _ => None,
        })
    }

    /// The state that an object was last given.
    #[must_use]
    pub fn state(self) -> Option<Self> {
        let steps = self.document.store.steps(self.object()?);
        steps
            .filter_map(|step| match step {
                StepKind::Build(state) => Some(self.with(state)),
                _ => None,
            })
            .last()
    }

    /// The value's `repr`, with dots in place of what is behind so many bytes.
    pub(crate) fn shortened(self, limit: usize) -> String {
        let mut text = String::new();
        match self.repr().limit(limit).write_to(&mut text) {
            Ok(_) => text,
            Err(_) => text + "...",
        }
    }

    /// The module and qualified name of a class, as Python 3 has them, also where an old protocol gets it from the class that it is in.
    #[cfg(feature = "serde")]
    pub(crate) fn qualified_name(self) -> Option<(&'d str, Cow<'d, str>)> {
        let mut inner = Vec::new();
        let mut class = self;
        while class.kind() == Kind::Object {
            let known = class.callable().and_then(Item::object).map_or(names::Known::Other, |callable| callable.known);
            let args = class.args().filter(|args| known == names::Known::Getattr && args.len() == Some(2))?;
            inner.push(args.at(1)?.as_str()?);
            class = args.at(0)?;
            if inner.len() > NESTED {
                return None;
            }
        }
        let (module, name) = class.names_in_python3()?;
        if inner.is_empty() {
            return Some((module, Cow::Borrowed(name)));
        }
        inner.push(name);
        inner.reverse();
        Some((module, Cow::Owned(inner.join("."))))
    }

    /// How much makes an object: its arguments, what was done to it, and the items that were given to it.
    #[cfg(feature = "serde")]
    pub(crate) fn steps_and_items(self) -> u64 {
        let Some(object) = self.object() else { return 1 };
        let store = &self.document.store;
        let args = store.items(object.args).map_or(0, |(_, args)| args.len() as u64);
        let steps = store.steps(object).map(|step| match step {
            StepKind::Append(row) | StepKind::SetItems(row) | StepKind::Add(row) => 1 + row.place().1 as u64,
            StepKind::Build(_) | StepKind::Call(_) => 1,
        });
        1 + args + steps.sum::<u64>()
    }

    /// Whether an object was made by a call of its class, and not by the class's `__new__` alone.
    #[cfg(feature = "serde")]
    pub(crate) fn is_called(self) -> bool {
        let known = self.callable().and_then(Item::object).map_or(names::Known::Other, |callable| callable.known);
        matches!(self.how(), Some(How::Reduce | How::Inst | How::Obj))
            && !matches!(known, names::Known::Newobj | names::Known::NewobjEx | names::Known::Reconstructor)
    }

    /// Prints the value as Python's `repr` does; unknown objects as `module.Class(args, .attribute=value)`.
    #[must_use]
    pub fn repr(self) -> Repr<'d> {
        Repr::new(self)
    }
}

impl fmt::Debug for Item<'_> {
    /// The value's `repr`, cut after 200 bytes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        f.write_str(&self.shortened(SHOWN))
    }
}

/// An iterator over the elements of a container or an object.
#[derive(Clone)]
pub struct Items<'d> {
    document: &'d Document<'d>,
    refs: &'d [Ref],
    /// The next step of an object to look at.
    steps: u32,
    /// Whether items that were set are wanted, not those that were appended or added.
    pairs: bool,
}

impl<'d> Items<'d> {
    /// Goes on to the next step that has items.
    fn refill(&mut self) -> bool {
        while self.refs.is_empty() {
            let Some(step) = self.document.store.steps.get(self.steps as usize) else { return false };
            self.steps = step.next;
            self.refs = match step.what {
                StepKind::Append(row) | StepKind::Add(row) if !self.pairs => self.document.store.row(row),
                StepKind::SetItems(row) if self.pairs => self.document.store.row(row),
                _ => &[],
            };
        }
        true
    }
}

impl<'d> Iterator for Items<'d> {
    type Item = Item<'d>;

    #[inline]
    fn next(&mut self) -> Option<Item<'d>> {
        if self.refs.is_empty() && !self.refill() {
            return None;
        }
        let (&first, rest) = self.refs.split_first()?;
        self.refs = rest;
        Some(Item::new(self.document, first))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let exact = self.steps == super::store::END;
        (self.refs.len(), exact.then_some(self.refs.len()))
    }
}

impl fmt::Debug for Items<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// An iterator over the keys and values of a dict or an object.
#[derive(Clone)]
pub struct Entries<'d>(Items<'d>);

impl<'d> Entries<'d> {
    pub(crate) fn new(items: Items<'d>) -> Self {
        Self(items)
    }
}

impl<'d> Iterator for Entries<'d> {
    type Item = (Item<'d>, Item<'d>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        Some((self.0.next()?, self.0.next()?))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.0.size_hint();
        (least / 2, most.map(|most| most / 2))
    }
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}
