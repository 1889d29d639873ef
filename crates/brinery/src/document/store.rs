//! Where a document's values are: flat vectors, small copyable nodes, ids instead of pointers.
//!
//! Everything is dropped in as many steps as there are vectors, whatever the document's depth. A value that a few bits can hold has no
//! node; everything else has one of 16 bytes, and its identity is its index.

use std::collections::HashMap;
use std::num::NonZeroU32;

use super::refmap::{RefMap, RefSet};
use crate::error::{Error, ErrorKind, Result};
use crate::names::Known;

/// A value: a node, or one of those that need none.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Ref(NonZeroU32);

/// A [`Ref`] looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unpacked {
    None,
    Bool(bool),
    EmptyTuple,
    Int(i64),
    Node(usize),
}

const IMMEDIATE: u32 = 1 << 31;
const INT: u32 = 1 << 30;
const INT_MIN: i64 = -(1 << 29);
const INT_MAX: i64 = (1 << 29) - 1;

impl Ref {
    pub(crate) const NONE: Self = Self::constant(0);
    pub(crate) const FALSE: Self = Self::constant(1);
    pub(crate) const TRUE: Self = Self::constant(2);
    pub(crate) const EMPTY_TUPLE: Self = Self::constant(3);

    const fn constant(which: u32) -> Self {
        match NonZeroU32::new(IMMEDIATE | which) {
            Some(bits) => Self(bits),
            None => unreachable!(),
        }
    }

    #[inline(always)]
    pub(crate) fn from_bits(bits: u32) -> Option<Self> {
        NonZeroU32::new(bits).map(Self)
    }

    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0.get()
    }

    #[inline(always)]
    pub(crate) fn bool(value: bool) -> Self {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// An int of 30 bits, which needs no node.
    #[inline(always)]
    pub(crate) fn small_int(value: i64) -> Option<Self> {
        if (INT_MIN..=INT_MAX).contains(&value) {
            Self::from_bits(IMMEDIATE | INT | (value.cast_unsigned() as u32 & (INT - 1)))
        } else {
            None
        }
    }

    /// The node with an index under 2^31 - 1.
    #[inline(always)]
    pub(crate) fn node(index: usize) -> Option<Self> {
        Self::from_bits(index as u32 + 1)
    }

    #[inline(always)]
    pub(crate) fn unpack(self) -> Unpacked {
        let bits = self.bits();
        if bits & IMMEDIATE == 0 {
            return Unpacked::Node(bits as usize - 1);
        }
        if bits & INT != 0 {
            // the sign is bit 29
            return Unpacked::Int(i64::from(((bits << 2) as i32) >> 2));
        }
        match bits & 3 {
            0 => Unpacked::None,
            1 => Unpacked::Bool(false),
            2 => Unpacked::Bool(true),
            _ => Unpacked::EmptyTuple,
        }
    }

    #[inline(always)]
    pub(crate) fn index(self) -> Option<usize> {
        match self.unpack() {
            Unpacked::Node(index) => Some(index),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Ref {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.unpack().fmt(f)
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Node {
    Int(i64),
    Float(f64),
    Data { kind: DataKind, len: u32, offset: u64 },
    Items { kind: ItemsKind, room: Room, flags: u8, len: u32, start: u64 },
    Object(u32),
    Buffer { readonly: bool, index: u32 },
}

/// What a node's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DataKind {
    /// Two's complement, little-endian, wider than 64 bits.
    Int,
    /// UTF-8.
    Str,
    /// UTF-8 in which surrogates stand alone.
    StrSurrogates,
    /// An 8-bit string whose bytes are the UTF-8 of the text that it reads as.
    Str8Text,
    /// An 8-bit string read as Latin-1, held as the UTF-8 of that text.
    Str8Latin1,
    /// An 8-bit string that reads as bytes.
    Str8Bytes,
    Bytes,
    Bytearray,
}

/// Which container a node is. A dict's items are keys and values in turn; its length counts pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemsKind {
    List,
    Tuple,
    Dict,
    Set,
    Frozenset,
}

/// How much room a container has: a power of two, or just what it fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room(u8);

impl StepKind {
    /// The items of a step that has some.
    pub(crate) fn row(self) -> Option<Row> {
        match self {
            Self::Append(row) | Self::SetItems(row) | Self::Add(row) => Some(row),
            Self::Build(_) | Self::Call(_) => None,
        }
    }
}

impl Row {
    /// Where the refs of a step are, and how many.
    pub(crate) fn place(self) -> (u64, usize) {
        (self.start, self.len as usize)
    }
}

impl DataKind {
    /// Whether it is text to Python 3 whatever the encoding.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Str | Self::StrSurrogates)
    }
}

impl Room {
    pub(crate) const EXACT: Self = Self(u8::MAX);

    fn refs(self, filled: usize) -> usize {
        if self == Self::EXACT { filled } else { 1 << self.0 }
    }
}

/// The tuple is known to be hashable.
pub(crate) const HASHABLE: u8 = 1;
/// Equal keys are still to be found.
pub(crate) const UNSETTLED: u8 = 2;
/// The keys of the dict are known to be text, as those of keyword arguments and attributes are.
pub(crate) const KEYWORDS: u8 = 4;
/// The keys of the dict have been looked at, and it will not change any more.
pub(crate) const LOOKED_AT: u8 = 8;

/// A class, a call's result, or what else a name or an id stands for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Object {
    pub(crate) how: How,
    pub(crate) known: Known,
    /// What was called; a global's module; a persistent id; an extension code.
    pub(crate) callable: Ref,
    /// The tuple of arguments; a global's name.
    pub(crate) args: Ref,
    pub(crate) kwargs: Option<Ref>,
    /// The first and last of what was done to the object.
    pub(crate) first: u32,
    pub(crate) last: u32,
    /// The names are Python 2's, as CPython takes those of protocols 0 to 2 to be.
    pub(crate) python2: bool,
    /// The call was written again inside its own arguments.
    pub(crate) repeated: bool,
    /// And that with the very same tuple of arguments.
    pub(crate) same_args: bool,
}

/// How an object came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum How {
    /// Named by `GLOBAL`, `STACK_GLOBAL` or a registered extension code.
    Global,
    /// Named by an extension code that is not registered.
    Extension,
    /// Named by a persistent id.
    Persistent,
    /// `callable(*args)` by `REDUCE`.
    Reduce,
    /// `class.__new__(class, *args)` by `NEWOBJ`.
    Newobj,
    /// `class.__new__(class, *args, **kwargs)` by `NEWOBJ_EX`.
    NewobjEx,
    /// An old-style instance by `INST`.
    Inst,
    /// An old-style instance by `OBJ`.
    Obj,
}

/// No step.
pub(crate) const END: u32 = u32::MAX;

/// Something done to an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) what: StepKind,
    pub(crate) next: u32,
}

/// The items of a step. Packed, since a pickle may have a step for each two of its bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C, packed(4))]
pub(crate) struct Row {
    room: Room,
    len: u32,
    start: u64,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum StepKind {
    Append(Row),
    SetItems(Row),
    Add(Row),
    Build(Ref),
    /// A call whose result was dropped, with the object as its first argument.
    Call(Ref),
}

/// Offsets at and above this are into `extra`.
const EXTRA: u64 = 1 << 63;
/// A length that is found in `long`, at the index that the offset is.
const LONG: u32 = u32::MAX;

/// All values of a document.
#[derive(Debug, Default)]
pub(crate) struct Store {
    pub(crate) nodes: Vec<Node>,
    /// Children of containers and arguments of steps.
    pub(crate) refs: Vec<Ref>,
    pub(crate) objects: Vec<Object>,
    pub(crate) steps: Vec<Step>,
    /// Bytes that do not stand in the input as they are.
    extra: Vec<u8>,
    /// Offsets and lengths of data too long for a node.
    long: Vec<(u64, u64)>,
    /// How many out-of-band buffers were asked for.
    pub(crate) buffers: u32,
    /// Whether there is a persistent id.
    pub(crate) has_persistent: bool,
    /// The first global of each meaning.
    pub(crate) named: HashMap<Known, Ref>,
    /// The text of one character by which bytes or a bytearray was spelled: Python has one object for each, so other values may be it, too.
    pub(crate) spelled: RefMap<Ref>,
    /// Containers and objects that were made anew when the call that has them as arguments was written once more inside itself.
    pub(crate) fresh: RefSet,
    /// The encoding's name in the first call that became bytes.
    pub(crate) encoding_name: Option<Ref>,
}

impl Store {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.refs.clear();
        self.objects.clear();
        self.steps.clear();
        self.extra.clear();
        self.long.clear();
        self.buffers = 0;
        self.has_persistent = false;
        self.named.clear();
        self.spelled.clear();
        self.fresh.clear();
        self.encoding_name = None;
    }

    #[inline(always)]
    pub(crate) fn push(&mut self, node: Node, limit: u32) -> Result<Ref> {
        let index = self.nodes.len();
        if index >= limit as usize {
            return Err(nodes_exceeded(limit));
        }
        self.nodes.push(node);
        Ref::node(index).ok_or_else(|| nodes_exceeded(limit))
    }

    /// The node of a value that has one.
    #[inline(always)]
    pub(crate) fn node(&self, value: Ref) -> Option<&Node> {
        self.nodes.get(value.index()?)
    }

    #[inline(always)]
    pub(crate) fn node_mut(&mut self, value: Ref) -> Option<&mut Node> {
        self.nodes.get_mut(value.index()?)
    }

    pub(crate) fn object(&self, value: Ref) -> Option<&Object> {
        match self.node(value)? {
            Node::Object(index) => self.objects.get(*index as usize),
            _ => None,
        }
    }

    pub(crate) fn object_mut(&mut self, value: Ref) -> Option<&mut Object> {
        match *self.node(value)? {
            Node::Object(index) => self.objects.get_mut(index as usize),
            _ => None,
        }
    }

    /// Where bytes are that stand in the input, or a copy of those that do not.
    #[inline(always)]
    pub(crate) fn data_node(&mut self, kind: DataKind, bytes: &[u8], offset: Option<usize>) -> Node {
        let offset = match offset {
            Some(offset) => offset as u64,
            None => {
                let offset = self.extra.len() as u64 | EXTRA;
                self.extra.extend_from_slice(bytes);
                offset
            }
        };
        match u32::try_from(bytes.len()) {
            Ok(len) if len != LONG => Node::Data { kind, len, offset },
            _ => {
                self.long.push((offset, bytes.len() as u64));
                Node::Data { kind, len: LONG, offset: self.long.len() as u64 - 1 }
            }
        }
    }

    /// The bytes of a data node, given the input.
    #[inline(always)]
    pub(crate) fn data<'s>(&'s self, window: &'s [u8], len: u32, offset: u64) -> &'s [u8] {
        let (offset, len) = if len == LONG { self.long.get(offset as usize).copied().unwrap_or_default() } else { (offset, len.into()) };
        let (bytes, start) = if offset & EXTRA == 0 { (window, offset) } else { (&*self.extra, offset & !EXTRA) };
        bytes.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    /// How many values, references to them and steps there are, and bytes that they may have.
    #[cfg(feature = "serde")]
    pub(crate) fn extent(&self, window: &[u8]) -> (u64, u64) {
        let values = self.nodes.len() + self.refs.len() + self.objects.len() + self.steps.len();
        (values as u64, (window.len() + self.extra.len()) as u64)
    }

    /// The bytes of a value that has some.
    pub(crate) fn bytes_of<'s>(&'s self, window: &'s [u8], value: Ref) -> Option<(DataKind, &'s [u8])> {
        match *self.node(value)? {
            Node::Data { kind, len, offset } => Some((kind, self.data(window, len, offset))),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) fn slice(&self, start: u64, len: usize) -> &[Ref] {
        self.refs.get(start as usize..start as usize + len).unwrap_or_default()
    }

    /// The children of a container: of a dict, keys and values in turn.
    #[inline(always)]
    pub(crate) fn items(&self, value: Ref) -> Option<(ItemsKind, &[Ref])> {
        match self.node(value) {
            Some(&Node::Items { kind, len, start, .. }) => {
                let refs = if kind == ItemsKind::Dict { 2 * len as usize } else { len as usize };
                Some((kind, self.slice(start, refs)))
            }
            None if value == Ref::EMPTY_TUPLE => Some((ItemsKind::Tuple, &[])),
            _ => None,
        }
    }

    /// A container of these items.
    #[inline(always)]
    pub(crate) fn items_node(&mut self, kind: ItemsKind, items: &[Ref]) -> Result<Node> {
        let len = if kind == ItemsKind::Dict { items.len() / 2 } else { items.len() };
        let start = self.refs.len() as u64;
        self.refs.extend_from_slice(items);
        Ok(Node::Items { kind, room: Room::EXACT, flags: 0, len: length(len)?, start })
    }

    /// Appends to a container of which `filled` refs at `start` are in use; where it is then, and its room.
    ///
    /// A container at the end of the vector grows in place. Any other moves there with twice the room, so that all moves
    /// together cost no more than what was appended.
    #[inline(always)]
    pub(crate) fn grow(&mut self, start: u64, filled: usize, room: Room, items: &[Ref]) -> (u64, Room) {
        let begin = start as usize;
        let end = begin + filled;
        let total = filled + items.len();
        if end == self.refs.len() {
            self.refs.extend_from_slice(items);
            return (start, Room::EXACT);
        }
        if filled == 0 {
            let start = self.refs.len() as u64;
            self.refs.extend_from_slice(items);
            return (start, Room::EXACT);
        }
        if total <= room.refs(filled) {
            if let Some(free) = self.refs.get_mut(end..end + items.len()) {
                free.copy_from_slice(items);
            }
            return (start, room);
        }
        let power = total.next_power_of_two();
        let start = self.refs.len();
        self.refs.reserve(power);
        self.refs.extend_from_within(begin..end);
        self.refs.extend_from_slice(items);
        self.refs.resize(start + power, Ref::NONE);
        (start as u64, Room(power.trailing_zeros() as u8))
    }

    /// Adds a step to an object.
    pub(crate) fn add_step(&mut self, object: Ref, what: StepKind) -> Result<()> {
        let index = self.steps.len();
        if index >= END as usize {
            return Err(Error::new(ErrorKind::LimitExceeded { limit: "nodes", at: END.into() }));
        }
        self.steps.push(Step { what, next: END });
        let Some(object) = self.object_mut(object) else { return Ok(()) };
        let last = std::mem::replace(&mut object.last, index as u32);
        if last == END {
            object.first = index as u32;
        } else if let Some(step) = self.steps.get_mut(last as usize) {
            step.next = index as u32;
        }
        Ok(())
    }

    /// Adds a step that has items, or adds them to the step before if that is of the same kind.
    pub(crate) fn add_items_step(&mut self, object: Ref, items: &[Ref], make: fn(Row) -> StepKind) -> Result<()> {
        let last = self.object(object).map_or(END, |object| object.last);
        let new = make(Row { room: Room::EXACT, len: length(items.len())?, start: self.refs.len() as u64 });
        if let Some(Step { what, .. }) = self.steps.get(last as usize)
            && std::mem::discriminant(what) == std::mem::discriminant(&new)
            && let StepKind::Append(row) | StepKind::SetItems(row) | StepKind::Add(row) = *what
        {
            let len = length(row.len as usize + items.len())?;
            let (start, room) = self.grow(row.start, row.len as usize, row.room, items);
            if let Some(step) = self.steps.get_mut(last as usize) {
                step.what = make(Row { room, len, start });
            }
            return Ok(());
        }
        self.refs.extend_from_slice(items);
        self.add_step(object, new)
    }

    /// The items of a step.
    pub(crate) fn row(&self, row: Row) -> &[Ref] {
        self.slice(row.start, row.len as usize)
    }

    /// Adds everything to `seen` that a value refers to, and itself.
    pub(crate) fn reach(&self, value: Ref, seen: &mut RefSet) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            if value.index().is_some() && seen.insert(value) {
                self.refers(value, &mut open);
            }
        }
    }

    /// The calls that a pickle made and that its value does not hold: those made before the last one of its value, and those made after that. A call that
    /// was done to an object is the object's.
    pub(crate) fn calls_among(&self, loaded: &super::Loaded) -> [Vec<Ref>; 2] {
        let others = loaded.left.iter().chain(&loaded.dropped).copied().filter(|&other| other != loaded.root);
        let mut others: Vec<Ref> = others.map(|other| self.target_of(other).unwrap_or(other)).collect();
        if others.is_empty() {
            return [Vec::new(), Vec::new()];
        }
        let is_made = |how| !matches!(how, How::Global | How::Extension | How::Persistent);
        // what is done to a class, or to an object outside the pickle, is as good as a call
        let is_call = |value: Ref| self.object(value).is_some_and(|object| is_made(object.how) || object.first != END);
        let mut seen = RefSet::default();
        self.reach(loaded.root, &mut seen);
        let last = seen.iter().copied().filter(|&value| is_call(value)).max();
        others.sort_unstable();
        others.retain(|&other| {
            let mut open = vec![other];
            let mut has_calls = false;
            while let Some(value) = open.pop() {
                if value.index().is_some() && seen.insert(value) {
                    has_calls |= is_call(value);
                    self.refers(value, &mut open);
                }
            }
            has_calls
        });
        let after = others.partition_point(|&other| last.is_some_and(|last| other < last));
        let later = others.split_off(after);
        [others, later]
    }

    /// The object that a dropped call was done to.
    fn target_of(&self, call: Ref) -> Option<Ref> {
        let args = self.object(call)?.args;
        let &first = self.items(args)?.1.first()?;
        let is_step = |step| matches!(step, StepKind::Call(done) if done == call);
        self.steps(self.object(first)?).any(is_step).then_some(first)
    }

    /// Adds the values that a value refers to.
    pub(crate) fn refers(&self, value: Ref, to: &mut Vec<Ref>) {
        if let Some((_, items)) = self.items(value) {
            to.extend(items.iter().filter(|item| item.index().is_some()));
        } else if let Some(object) = self.object(value) {
            to.extend([object.callable, object.args]);
            to.extend(object.kwargs);
            for step in self.steps(object) {
                match step {
                    StepKind::Append(row) | StepKind::SetItems(row) | StepKind::Add(row) => to.extend(self.row(row)),
                    StepKind::Build(value) | StepKind::Call(value) => to.push(value),
                }
            }
        }
    }

    /// The steps of an object.
    pub(crate) fn steps(&self, object: &Object) -> impl Iterator<Item = StepKind> + use<'_> {
        let mut at = object.first;
        std::iter::from_fn(move || {
            let step = self.steps.get(at as usize)?;
            at = step.next;
            Some(step.what)
        })
    }
}

#[cold]
fn nodes_exceeded(limit: u32) -> Error {
    Error::new(ErrorKind::LimitExceeded { limit: "nodes", at: limit.into() })
}

pub(crate) fn length(len: usize) -> Result<u32> {
    u32::try_from(len).map_err(|_| Error::new(ErrorKind::LimitExceeded { limit: "items", at: u32::MAX.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_small() {
        assert_eq!(size_of::<Node>(), 16);
        assert_eq!(size_of::<Option<Ref>>(), 4);
        assert!(size_of::<Step>() <= 24);
    }

    #[test]
    fn small_ints_come_back() {
        for value in [0, 1, -1, 255, INT_MIN, INT_MAX] {
            assert_eq!(Ref::small_int(value).unwrap().unpack(), Unpacked::Int(value));
        }
        assert!(Ref::small_int(INT_MIN - 1).is_none() && Ref::small_int(INT_MAX + 1).is_none());
        assert_eq!(Ref::NONE.unpack(), Unpacked::None);
        assert_eq!(Ref::TRUE.unpack(), Unpacked::Bool(true));
        assert_eq!(Ref::EMPTY_TUPLE.unpack(), Unpacked::EmptyTuple);
    }
}
