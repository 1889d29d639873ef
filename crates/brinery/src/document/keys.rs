//! Python's equality of keys, and what follows from it: in a dict equal keys are one, the first key in its place with the last
//! value; in a set the first of equal elements stays.
//!
//! Keys never change once they are used, so equal ones are looked for when a pickle is over: one pass over each container that
//! needs it. All work is linear in the document. Short keys are compared as they are; long texts and tuples get a number each, the same
//! number for equal ones, which is remembered by node, so that no text is hashed and no tuple walked twice.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use super::refmap::RefMap;
use super::store::{DataKind, How, ItemsKind, Node, Ref, Room, Store, UNSETTLED, Unpacked};
use crate::bigint;

/// A key in the form in which equal keys are equal: `1`, `1.0` and `True` are the same, and so are `'a'` and Python 2's `'a'`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'s> {
    None,
    Int(i64),
    Big(&'s [u8]),
    /// A double beyond 64-bit integers or with a fraction, by its bits.
    Float(u64),
    Text(&'s [u8]),
    Bytes(&'s [u8]),
    EmptyTuple,
    /// Equal to nothing but itself.
    Identity(Ref),
    Number(u32),
}

/// The same, owned, for what has a number.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Numbered {
    None,
    Int(i64),
    Big(Box<[u8]>),
    Float(u64),
    Text(Box<[u8]>),
    Bytes(Box<[u8]>),
    EmptyTuple,
    /// Of which of two documents, when these are compared.
    Identity(bool, Ref),
    Tuple(Box<[u32]>),
    /// Sorted and without repetitions.
    Frozenset(Box<[u32]>),
    Global(u32, u32),
}

/// Texts up to this long are compared as they are.
const SHORT: usize = 64;
/// Dicts up to this long are searched without a table.
const FEW: usize = 8;

/// The numbers given so far in a document.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// Of values that are not compared as they are.
    of_node: RefMap<u32>,
    numbers: HashMap<Numbered, u32>,
    /// Whether the nodes are those of the other of two documents.
    other: bool,
    of_other_node: RefMap<u32>,
    /// Keyed at random, so that nobody can choose keys that meet in one slot.
    hasher: RandomState,
}

impl Keys {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Goes from one of two documents to the other. Equal values have the same number in both; what has nothing but its identity has not.
    pub(super) fn switch(&mut self) {
        self.other = !self.other;
        std::mem::swap(&mut self.of_node, &mut self.of_other_node);
    }

    /// Finds equal keys in all containers of the list, which is emptied.
    pub(crate) fn settle(&mut self, store: &mut Store, window: &[u8], unsettled: &mut Vec<Ref>) {
        for container in unsettled.drain(..) {
            self.settle_one(store, window, container);
        }
    }

    fn settle_one(&mut self, store: &mut Store, window: &[u8], container: Ref) {
        let Some(&Node::Items { kind, len, start, flags, .. }) = store.node(container) else { return };
        let per = if kind == ItemsKind::Dict { 2 } else { 1 };
        let count = len as usize;
        let refs = store.slice(start, count * per);
        for &key in refs.iter().step_by(per) {
            if needs_number(store, key) {
                self.number(store, window, key);
            }
        }
        // (place of the later key, place of the first)
        let mut repeated: Vec<(usize, usize)> = Vec::new();
        let keys = refs.iter().step_by(per).map(|&key| self.key(store, window, key));
        if count <= FEW {
            let mut seen: [Key<'_>; FEW] = [Key::None; FEW];
            for (at, key) in keys.enumerate() {
                let before = seen.get(..at).unwrap_or_default();
                if let Some(first) = before.iter().position(|other| *other == key) {
                    repeated.push((at, first));
                }
                if let Some(slot) = seen.get_mut(at) {
                    *slot = key;
                }
            }
        } else {
            // open addressing, at most half full: places of keys, counted from 1
            let slots = (2 * count).next_power_of_two();
            let mut table = vec![0_u32; slots];
            let key_at = |at: usize| refs.get(at * per).map_or(Key::None, |&key| self.key(store, window, key));
            for (at, key) in keys.enumerate() {
                let mut slot = self.hasher.hash_one(key) as usize & (slots - 1);
                loop {
                    match table.get_mut(slot) {
                        Some(free @ 0) => {
                            *free = at as u32 + 1;
                            break;
                        }
                        Some(&mut taken) if key_at(taken as usize - 1) == key => {
                            repeated.push((at, taken as usize - 1));
                            break;
                        }
                        _ => slot = (slot + 1) & (slots - 1),
                    }
                }
            }
        }
        let mut left = len;
        if !repeated.is_empty() {
            left -= repeated.len() as u32;
            remove(store, start as usize, count, per, &repeated);
        }
        if let Some(node) = store.node_mut(container) {
            // the room that repetitions took is given up, which no caller can tell
            let flags = flags & !UNSETTLED;
            *node = Node::Items { kind, room: Room::EXACT, flags, len: left, start };
        }
    }

    /// The key of a value that has a number or needs none.
    fn key<'s>(&self, store: &'s Store, window: &'s [u8], value: Ref) -> Key<'s> {
        match value.unpack() {
            Unpacked::None => return Key::None,
            Unpacked::Bool(value) => return Key::Int(value.into()),
            Unpacked::Int(value) => return Key::Int(value),
            Unpacked::EmptyTuple => return Key::EmptyTuple,
            Unpacked::Node(_) => {}
        }
        if needs_number(store, value)
            && let Some(&number) = self.of_node.get(&value)
        {
            return Key::Number(number);
        }
        simple_key(store, window, value)
    }

    /// The number of a value; equal values have the same.
    pub(crate) fn number(&mut self, store: &Store, window: &[u8], value: Ref) -> u32 {
        // children first, on a stack of our own
        let mut open = vec![(value, false)];
        while let Some((value, ready)) = open.pop() {
            if self.of_node.contains_key(&value) {
                continue;
            }
            match store.items(value) {
                Some((ItemsKind::Tuple | ItemsKind::Frozenset, children)) if !children.is_empty() && !ready => {
                    open.push((value, true));
                    open.extend(children.iter().map(|&child| (child, false)));
                }
                Some((ItemsKind::Tuple, children)) if ready => {
                    let numbers = children.iter().map(|&child| self.known_number(store, window, child)).collect();
                    self.remember(value, Numbered::Tuple(numbers));
                }
                Some((ItemsKind::Frozenset, children)) => {
                    let mut numbers: Vec<u32> = children.iter().map(|&child| self.known_number(store, window, child)).collect();
                    numbers.sort_unstable();
                    numbers.dedup();
                    self.remember(value, Numbered::Frozenset(numbers.into()));
                }
                _ => {
                    if let Some(object) = store.object(value).filter(|object| object.how == How::Global) {
                        let (module, name) = (object.callable, object.args);
                        let module = self.number_leaf(store, window, module);
                        let name = self.number_leaf(store, window, name);
                        self.remember(value, Numbered::Global(module, name));
                    } else if needs_number(store, value) {
                        self.number_leaf(store, window, value);
                    }
                }
            }
        }
        self.known_number(store, window, value)
    }

    fn known_number(&mut self, store: &Store, window: &[u8], value: Ref) -> u32 {
        match self.of_node.get(&value) {
            Some(&number) => number,
            None => self.number_leaf(store, window, value),
        }
    }

    /// The number of a value without children.
    fn number_leaf(&mut self, store: &Store, window: &[u8], value: Ref) -> u32 {
        let numbered = match self.key(store, window, value) {
            Key::Number(number) => return number,
            Key::None => Numbered::None,
            Key::Int(value) => Numbered::Int(value),
            Key::Big(bytes) => Numbered::Big(bytes.into()),
            Key::Float(bits) => Numbered::Float(bits),
            Key::Text(text) => Numbered::Text(text.into()),
            Key::Bytes(bytes) => Numbered::Bytes(bytes.into()),
            Key::EmptyTuple => Numbered::EmptyTuple,
            Key::Identity(value) => Numbered::Identity(self.other, value),
        };
        if needs_number(store, value) { self.remember(value, numbered) } else { self.intern(numbered) }
    }

    fn intern(&mut self, numbered: Numbered) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(numbered).or_insert(next)
    }

    fn remember(&mut self, value: Ref, numbered: Numbered) -> u32 {
        let number = self.intern(numbered);
        self.of_node.insert(value, number);
        number
    }
}

/// Whether comparing the value as it is would take more than a constant time.
fn needs_number(store: &Store, value: Ref) -> bool {
    match store.node(value) {
        Some(Node::Data { len, .. }) => *len as usize > SHORT,
        Some(Node::Items { .. } | Node::Object(_)) => true,
        _ => false,
    }
}

fn simple_key<'s>(store: &'s Store, window: &'s [u8], value: Ref) -> Key<'s> {
    match store.node(value) {
        Some(&Node::Int(value)) => Key::Int(value),
        Some(&Node::Float(float)) => float_key(float, value),
        Some(&Node::Data { kind, len, offset }) => {
            let bytes = store.data(window, len, offset);
            match kind {
                DataKind::Int => match bigint::to_exact_f64(bytes) {
                    Some(float) => Key::Float(float.to_bits()),
                    None => Key::Big(bytes),
                },
                DataKind::Str | DataKind::StrSurrogates | DataKind::Str8Text | DataKind::Str8Latin1 => Key::Text(bytes),
                DataKind::Str8Bytes | DataKind::Bytes | DataKind::Bytearray => Key::Bytes(bytes),
            }
        }
        _ => Key::Identity(value),
    }
}

/// A float equals the integer that it is; NaN equals itself only as the same object.
fn float_key(float: f64, value: Ref) -> Key<'static> {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        Key::Identity(value)
    } else if float.fract() == 0.0 && (-LIMIT..LIMIT).contains(&float) {
        Key::Int(float as i64)
    } else {
        Key::Float(float.to_bits())
    }
}

/// Takes repeated entries away: of a dict, the first gets the value of the last.
fn remove(store: &mut Store, start: usize, count: usize, per: usize, repeated: &[(usize, usize)]) {
    let Some(refs) = store.refs.get_mut(start..start + count * per) else { return };
    if per == 2 {
        for &(later, first) in repeated {
            let value = refs.get(2 * later + 1).copied();
            if let (Some(slot), Some(value)) = (refs.get_mut(2 * first + 1), value) {
                *slot = value;
            }
        }
    }
    let mut gone = repeated.iter().map(|&(later, _)| later).peekable();
    let mut write = 0;
    for at in 0..count {
        if gone.next_if_eq(&at).is_some() {
            continue;
        }
        refs.copy_within(at * per..(at + 1) * per, write * per);
        write += 1;
    }
}
