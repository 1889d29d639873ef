//! Equality of values, as Python has it.

use std::collections::HashMap;

use super::item::{Item, Kind};
use super::keys::Keys;
use super::store::{Node, Ref, StepKind, Unpacked};

impl PartialEq for Item<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same_document = std::ptr::eq(self.document, other.document);
        let mut comparison =
            Comparison { left: *self, right: *other, same_document, open: Vec::new(), same_as: HashMap::new(), keys: Keys::new() };
        comparison.open.push((self.value, other.value));
        comparison.run()
    }
}

/// Two values compared on a stack of our own.
///
/// Values that were compared before are taken for equal: if they are not, that was or will be found where they were met first. They are kept as
/// classes of equal values and not as pairs, so that there are no more comparisons than values, also for cycles of different lengths.
struct Comparison<'d> {
    left: Item<'d>,
    right: Item<'d>,
    same_document: bool,
    open: Vec<(Ref, Ref)>,
    /// From a value to one that it is taken for equal to; the flag is for values of the right document.
    same_as: HashMap<(bool, Ref), (bool, Ref)>,
    keys: Keys,
}

impl<'d> Comparison<'d> {
    fn run(&mut self) -> bool {
        while let Some((left, right)) = self.open.pop() {
            if self.same_document && left == right {
                continue;
            }
            let (left, right) = (Item::new(self.left.document, left), Item::new(self.right.document, right));
            if !self.same(left, right) {
                return false;
            }
        }
        true
    }

    fn same(&mut self, left: Item<'d>, right: Item<'d>) -> bool {
        // long ones are compared once, however often they are referred to
        let is_long =
            |item: Item<'_>| matches!(item.document.store.node(item.value), Some(Node::Data { len: 65.., .. } | Node::Buffer { .. }));
        if is_long(left) && is_long(right) && !self.is_new(left, right) {
            return true;
        }
        if let (Some(left), Some(right)) = (number(left), number(right)) {
            return left == right;
        }
        if let (Some(left), Some(right)) = (left.as_text_bytes(), right.as_text_bytes()) {
            return left == right;
        }
        match (left.kind(), right.kind()) {
            (Kind::List, Kind::List) | (Kind::Tuple, Kind::Tuple) => self.in_order(left, right),
            (Kind::Dict, Kind::Dict) | (Kind::Set | Kind::Frozenset, Kind::Set | Kind::Frozenset) => self.by_key(left, right),
            (Kind::Buffer, Kind::Buffer) => match (left.as_bytes(), right.as_bytes()) {
                (None, None) => left.as_buffer() == right.as_buffer(),
                (left, right) => left == right,
            },
            _ => match (left.as_bytes(), right.as_bytes()) {
                (Some(left), Some(right)) => left == right,
                (None, None) => left.value == right.value && left.value.index().is_none() || self.objects(left, right),
                _ => false,
            },
        }
    }

    /// Takes two values for equal; whether that is new. Only what has children can come again.
    fn is_new(&mut self, left: Item<'_>, right: Item<'_>) -> bool {
        let left = self.representative((false, left.value));
        let right = self.representative((!self.same_document, right.value));
        if left == right {
            return false;
        }
        self.same_as.insert(left, right);
        true
    }

    /// The value that stands for all that this one is equal to.
    fn representative(&mut self, mut value: (bool, Ref)) -> (bool, Ref) {
        while let Some(&next) = self.same_as.get(&value) {
            // the way is halved for whoever comes after
            match self.same_as.get(&next) {
                Some(&after) => {
                    self.same_as.insert(value, after);
                    value = after;
                }
                None => return next,
            }
        }
        value
    }

    fn in_order(&mut self, left: Item<'d>, right: Item<'d>) -> bool {
        if left.len() != right.len() {
            return false;
        }
        if self.is_new(left, right) {
            self.open.extend(left.items().zip(right.items()).map(|(left, right)| (left.value, right.value)));
        }
        true
    }

    /// Dicts and sets: equal keys are found by their numbers. Keys that are equal to nothing but themselves are compared by their
    /// structure, in order.
    fn by_key(&mut self, left: Item<'d>, right: Item<'d>) -> bool {
        if left.len() != right.len() {
            return false;
        }
        if !self.is_new(left, right) {
            return true;
        }
        let pairs = |item: Item<'d>| -> Vec<(Ref, Ref)> {
            match item.kind() {
                Kind::Dict => item.entries().map(|(key, value)| (key.value, value.value)).collect(),
                _ => item.items().map(|item| (item.value, Ref::NONE)).collect(),
            }
        };
        let mut found: HashMap<u32, (Ref, Ref)> = HashMap::new();
        let mut order = Vec::new();
        for (key, value) in pairs(right) {
            let number = self.number(right, key, true);
            found.insert(number, (key, value));
            order.push(number);
        }
        let mut unmatched = Vec::new();
        for (key, value) in pairs(left) {
            match found.remove(&self.number(left, key, false)) {
                Some((_, other)) => self.open.push((value, other)),
                None => unmatched.push((key, value)),
            }
        }
        let rest = order.iter().filter_map(|number| found.get(number));
        for (&(left_key, left_value), &(right_key, right_value)) in unmatched.iter().zip(rest) {
            self.open.extend([(left_key, right_key), (left_value, right_value)]);
        }
        true
    }

    fn number(&mut self, of: Item<'_>, key: Ref, right: bool) -> u32 {
        let switch = right && !self.same_document;
        if switch {
            self.keys.switch();
        }
        let number = self.keys.number(&of.document.store, &of.document.source, key);
        if switch {
            self.keys.switch();
        }
        number
    }

    fn objects(&mut self, left: Item<'d>, right: Item<'d>) -> bool {
        let (Some(first), Some(second)) = (left.object(), right.object()) else { return false };
        if first.how != second.how || first.kwargs.is_some() != second.kwargs.is_some() {
            return false;
        }
        if !self.is_new(left, right) {
            return true;
        }
        self.open.extend([(first.callable, second.callable), (first.args, second.args)]);
        self.open.extend(first.kwargs.zip(second.kwargs));
        let (first_store, second_store) = (&left.document.store, &right.document.store);
        let (mut first, mut second) = (first_store.steps(first), second_store.steps(second));
        loop {
            let (first, second) = match (first.next(), second.next()) {
                (None, None) => return true,
                (Some(first), Some(second)) => (first, second),
                _ => return false,
            };
            match (first, second) {
                (StepKind::Build(left), StepKind::Build(right)) | (StepKind::Call(left), StepKind::Call(right)) => {
                    self.open.push((left, right));
                }
                (StepKind::Append(left), StepKind::Append(right))
                | (StepKind::SetItems(left), StepKind::SetItems(right))
                | (StepKind::Add(left), StepKind::Add(right)) => {
                    let (left, right) = (first_store.row(left), second_store.row(right));
                    if left.len() != right.len() {
                        return false;
                    }
                    self.open.extend(left.iter().copied().zip(right.iter().copied()));
                }
                _ => return false,
            }
        }
    }
}

/// A number in a form in which equal ones are equal.
#[derive(PartialEq)]
enum Number<'d> {
    Int(i64),
    Float(f64),
    Big(&'d [u8]),
}

/// Where doubles leave the integers of 64 bits.
const LIMIT: f64 = 9_223_372_036_854_775_808.0;

fn number(item: Item<'_>) -> Option<Number<'_>> {
    match item.value.unpack() {
        Unpacked::Bool(value) => return Some(Number::Int(value.into())),
        Unpacked::Int(value) => return Some(Number::Int(value)),
        Unpacked::None | Unpacked::EmptyTuple => return None,
        Unpacked::Node(_) => {}
    }
    match item.document.store.node(item.value)? {
        &Node::Int(value) => Some(Number::Int(value)),
        &Node::Float(value) => {
            let whole = value.fract() == 0.0 && (-LIMIT..LIMIT).contains(&value);
            Some(if whole { Number::Int(value as i64) } else { Number::Float(value) })
        }
        Node::Data { .. } if item.kind() == Kind::Int => {
            let (_, bytes) = item.document.store.bytes_of(&item.document.source, item.value)?;
            Some(crate::bigint::to_exact_f64(bytes).map_or(Number::Big(bytes), Number::Float))
        }
        _ => None,
    }
}
