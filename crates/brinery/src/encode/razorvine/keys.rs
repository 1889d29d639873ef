//! Keys that are one to the reader and more than one to Python: it compares objects by what is in them, and NaN with itself. (Tuples and bytes
//! it compares by identity, so that it finds none by another of the same value; but none is lost.)
//!
//! Values get numbers, the same for what the reader may take for equal: rather too many than too few are equal. What is inside itself is
//! equal to anything of its class, since the reader may compare it before it is complete.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::dates::Moment;
use super::refused;
use crate::document::{DataKind, ItemsKind, Node, Object, Ref, RefMap, RefSet, StepKind, Unpacked};
use crate::encode::walk::Walk;
use crate::error::Result;
use crate::names::razorvine::Razorvine;
use crate::text::push_utf8;

/// What the reader compares.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Content<'d> {
    None,
    Bool(bool),
    Int(i64),
    Float(u64),
    Text(Cow<'d, [u8]>),
    Big(&'d [u8]),
    Identity(Ref),
    /// A longer text, an integer, or something made of values.
    Number(u32),
    List(Box<[u32]>),
    Set(Box<[u32]>),
    Map(Box<[(u32, u32)]>),
    /// A class, and a map of attributes or items.
    Object(u32, u32),
    Call(Box<[u32]>),
    /// What it is, fields or bits, and a time zone.
    Fields(Razorvine, Box<[i64]>, Option<u32>),
    /// Digits without zeros before them, and how many of them are behind the point.
    Decimal(bool, Box<[u8]>, i64),
    Zone(Box<[u8]>),
    Cyclic(Option<u32>),
}

/// Texts and integers up to this long are compared as they are.
const SHORT: usize = 64;

/// Texts of decimals and time zones that the reader could know are shorter.
const READABLE: usize = 512;
/// No call that it knows has more arguments.
const MOST_ARGS: usize = 8;

/// The numbers given so far.
#[derive(Debug, Default)]
pub(super) struct Contents {
    of_node: RefMap<u32>,
    numbers: HashMap<Content<'static>, u32>,
    /// What reaches something that is inside itself.
    cyclic: RefSet,
}

impl Contents {
    fn intern(&mut self, content: Content<'static>) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry(content).or_insert(next)
    }
}

impl<'d> Walk<'d, '_, '_> {
    /// Refuses a container in which two keys or elements are one to the reader.
    pub(super) fn check_keys(&mut self, what: &'static str, container: Ref, unit: usize) -> Result<()> {
        let Some((_, refs)) = self.store.items(container) else { return Ok(()) };
        // numbers and texts are one only where they are to Python, with these exceptions
        let (mut nans, mut objects, mut bytes) = (0, 0, 0);
        for key in refs.iter().step_by(unit) {
            match self.store.node(*key) {
                Some(Node::Float(float)) if float.is_nan() => nans += 1,
                Some(Node::Object(_)) => objects += 1,
                Some(Node::Data { kind: DataKind::Str8Bytes, .. }) => bytes += 1,
                _ => {}
            }
        }
        if nans < 2 && objects < 2 && (bytes == 0 || refs.len() == unit) {
            return Ok(());
        }
        let keys = refs.iter().copied().step_by(unit);
        if self.are_distinct(keys) { Ok(()) } else { Err(refused(what, "Razorvine's reader takes two of its keys for one")) }
    }

    /// Refuses an object of whose items two have one key to the reader: of those that are set at once, the first stays.
    pub(super) fn check_item_keys(&mut self, object: &Object) -> Result<()> {
        let store = self.store;
        let rows = store.steps(object).filter_map(|step| match step {
            StepKind::SetItems(row) => Some(store.row(row)),
            _ => None,
        });
        let keys = rows.flat_map(|row| row.iter().copied().step_by(2));
        if self.are_distinct(keys) { Ok(()) } else { Err(refused("an object", "Razorvine's reader takes two keys of its items for one")) }
    }

    fn are_distinct(&mut self, keys: impl Iterator<Item = Ref>) -> bool {
        let mut seen = HashSet::new();
        // classes of keys, and whether one of them is inside itself
        let mut classes: HashMap<u32, bool> = HashMap::new();
        for key in keys {
            let content = match self.store.node(key) {
                Some(Node::Object(_)) => {
                    let number = self.number(key);
                    if let Some(class) = self.compared_class(key) {
                        let is_cyclic = self.razorvine.contents.cyclic.contains(&key);
                        if classes.insert(class, is_cyclic).is_some_and(|was_cyclic| was_cyclic || is_cyclic) {
                            return false;
                        }
                    }
                    Content::Number(number)
                }
                Some(Node::Items { .. }) => Content::Identity(key),
                _ => self.leaf(key),
            };
            if !seen.insert(content) {
                return false;
            }
        }
        true
    }

    /// The number of the class of an object that is compared by what is in it and has a number.
    fn compared_class(&mut self, value: Ref) -> Option<u32> {
        let object = self.store.object(value)?;
        let (callable, _) = self.call_of(object)?;
        (!self.is_by_identity(callable)).then(|| self.known_number(callable))
    }

    /// A value with nothing inside.
    fn leaf(&mut self, value: Ref) -> Content<'d> {
        let index = match value.unpack() {
            Unpacked::None => return Content::None,
            Unpacked::Bool(value) => return Content::Bool(value),
            Unpacked::Int(value) => return Content::Int(value),
            Unpacked::EmptyTuple => return Content::List(Box::default()),
            Unpacked::Node(index) => index,
        };
        if let Some(&number) = self.razorvine.contents.of_node.get(&value) {
            return Content::Number(number);
        }
        let content = match self.store.nodes.get(index) {
            Some(&Node::Int(value)) => return Content::Int(value),
            Some(Node::Float(float)) => return Content::Float(bits(*float)),
            Some(&Node::Data { kind, len, offset }) => {
                let bytes = self.store.data(&self.document.source, len, offset);
                match kind {
                    DataKind::Int => Content::Big(bytes),
                    DataKind::Str | DataKind::StrSurrogates | DataKind::Str8Text | DataKind::Str8Latin1 => Content::Text(bytes.into()),
                    DataKind::Str8Bytes if bytes.is_ascii() => Content::Text(bytes.into()),
                    DataKind::Str8Bytes => Content::Text(latin1(bytes).into()),
                    DataKind::Bytes | DataKind::Bytearray => Content::Identity(value),
                }
            }
            _ => Content::Identity(value),
        };
        let owned = match &content {
            Content::Text(text) if text.len() > SHORT => Content::Text(text.to_vec().into()),
            // the digits are those of an integer, and no text
            Content::Big(bytes) if bytes.len() > SHORT => Content::Call(bytes.iter().map(|&byte| byte.into()).collect()),
            _ => return content,
        };
        Content::Number(self.remember(value, owned))
    }

    fn remember(&mut self, value: Ref, content: Content<'static>) -> u32 {
        let number = self.razorvine.contents.intern(content);
        self.razorvine.contents.of_node.insert(value, number);
        number
    }

    /// The number of a value whose children have theirs.
    fn known_number(&mut self, value: Ref) -> u32 {
        if let Some(&number) = self.razorvine.contents.of_node.get(&value) {
            return number;
        }
        let owned = match self.leaf(value) {
            Content::Number(number) => return number,
            Content::None => Content::None,
            Content::Bool(value) => Content::Bool(value),
            Content::Int(value) => Content::Int(value),
            Content::Float(bits) => Content::Float(bits),
            Content::Text(text) => Content::Text(text.into_owned().into()),
            Content::Big(bytes) => Content::Call(bytes.iter().map(|&byte| byte.into()).collect()),
            _ => Content::Identity(value),
        };
        self.razorvine.contents.intern(owned)
    }

    /// The number of a value.
    fn number(&mut self, value: Ref) -> u32 {
        let mut tasks = vec![(value, false)];
        let mut open = RefSet::default();
        let mut children = Vec::new();
        while let Some((value, is_ready)) = tasks.pop() {
            if self.razorvine.contents.of_node.contains_key(&value) || !is_ready && open.contains(&value) {
                continue;
            }
            children.clear();
            // also what is compared by identity: it may lead back
            self.store.refers(value, &mut children);
            children.retain(|child| child.index().is_some());
            if !is_ready {
                open.insert(value);
                if children.iter().any(|child| open.contains(child)) {
                    self.razorvine.contents.cyclic.insert(value);
                }
                tasks.push((value, true));
                tasks.extend(children.iter().map(|&child| (child, false)));
                continue;
            }
            open.remove(&value);
            if children.iter().any(|child| self.razorvine.contents.cyclic.contains(child)) {
                self.razorvine.contents.cyclic.insert(value);
            }
            let content = self.content(value);
            self.remember(value, content);
        }
        self.known_number(value)
    }

    fn is_by_identity(&mut self, callable: Ref) -> bool {
        let by_identity = [Razorvine::Exception, Razorvine::Array, Razorvine::ArrayReconstructor, Razorvine::Bytes];
        self.meaning(callable).is_some_and(|meaning| by_identity.contains(&meaning))
    }

    /// What is compared of a value whose children have numbers.
    fn content(&mut self, value: Ref) -> Content<'static> {
        let is_cyclic = self.razorvine.contents.cyclic.contains(&value);
        if let Some((kind, items)) = self.store.items(value) {
            return match kind {
                _ if is_cyclic => Content::Cyclic(None),
                ItemsKind::List => Content::List(items.iter().map(|&item| self.known_number(item)).collect()),
                ItemsKind::Tuple => Content::Identity(value),
                ItemsKind::Dict => self.map(items),
                ItemsKind::Set | ItemsKind::Frozenset => {
                    let mut numbers: Vec<u32> = items.iter().map(|&item| self.known_number(item)).collect();
                    numbers.sort_unstable();
                    Content::Set(numbers.into())
                }
            };
        }
        let Some(object) = self.store.object(value) else { return Content::Number(self.known_number(value)) };
        if object.how == crate::document::How::Global {
            let (module, name) = self.names(object);
            return Content::Text([module, ".", name].concat().into_bytes().into());
        }
        let Some((callable, args)) = self.call_of(object).filter(|&(callable, _)| !self.is_by_identity(callable)) else {
            return Content::Identity(value);
        };
        let class = self.known_number(callable);
        if is_cyclic {
            return Content::Cyclic(Some(class));
        }
        if let Some(content) = self.meaning(callable).and_then(|meaning| self.fields(meaning, args)) {
            return content;
        }
        if args.is_empty() {
            let store = self.store;
            let state = store.steps(object).find_map(|step| match step {
                StepKind::Build(state) => Some(self.known_number(state)),
                StepKind::SetItems(row) => {
                    let content = self.map(store.row(row));
                    Some(self.razorvine.contents.intern(content))
                }
                _ => None,
            });
            let state = state.unwrap_or_else(|| self.razorvine.contents.intern(Content::Map(Box::default())));
            return Content::Object(class, state);
        }
        Content::Call([class].into_iter().chain(args.iter().take(MOST_ARGS).map(|&arg| self.known_number(arg))).collect())
    }

    fn map(&mut self, pairs: &[Ref]) -> Content<'static> {
        let number = |pair: &[Ref]| match *pair {
            [key, value] => Some((self.known_number(key), self.known_number(value))),
            _ => None,
        };
        let mut pairs: Vec<_> = pairs.chunks_exact(2).filter_map(number).collect();
        pairs.sort_unstable();
        Content::Map(pairs.into())
    }

    fn short_text(&self, value: Ref) -> Option<&'d [u8]> {
        self.text_of(value).filter(|text| text.len() < READABLE)
    }

    /// Values of Java's own.
    fn fields(&mut self, meaning: Razorvine, args: &[Ref]) -> Option<Content<'static>> {
        match meaning {
            Razorvine::Date | Razorvine::Datetime | Razorvine::Time => {
                let Moment { fields, zone, .. } = self.moment(meaning, args)?;
                let zone = zone.map(|zone| self.known_number(zone));
                // a date is a time to it, at midnight
                let meaning = if meaning == Razorvine::Date { Razorvine::Datetime } else { meaning };
                Some(Content::Fields(meaning, fields.into(), zone))
            }
            Razorvine::Complex => {
                let bits = |arg: &Ref| match self.store.node(*arg) {
                    // no sign of zero
                    Some(Node::Float(float)) => Some(bits(float + 0.0).cast_signed()),
                    _ => None,
                };
                Some(Content::Fields(meaning, args.iter().map(bits).collect::<Option<_>>()?, None))
            }
            Razorvine::Decimal => match *args {
                [text] => decimal(self.short_text(text)?),
                _ => None,
            },
            Razorvine::Utc => Some(Content::Zone(b"UTC"[..].into())),
            Razorvine::Zone | Razorvine::ZoneAtTime | Razorvine::ZoneFile => {
                let text = self.short_text(*args.first()?)?;
                let after = text.windows(9).position(|part| part == b"zoneinfo/").map_or(0, |at| at + 9);
                Some(Content::Zone(text.get(after..)?.into()))
            }
            _ => None,
        }
    }
}

/// A double's bits, the same for all that are NaN.
fn bits(float: f64) -> u64 {
    if float.is_nan() { f64::NAN.to_bits() } else { float.to_bits() }
}

fn latin1(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(2 * bytes.len());
    for &byte in bytes {
        push_utf8(&mut text, byte.into());
    }
    text
}

/// A decimal as Java's `BigDecimal` has it: `1.0` and `1.00` are two.
fn decimal(text: &[u8]) -> Option<Content<'static>> {
    let (is_negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        _ => (false, text),
    };
    let mut parts = digits.splitn(2, |byte| matches!(byte, b'e' | b'E'));
    let mantissa = parts.next()?;
    let exponent: i64 = match parts.next() {
        Some(exponent) => std::str::from_utf8(exponent).ok()?.parse().ok()?,
        None => 0,
    };
    let point = mantissa.iter().position(|&byte| byte == b'.');
    let behind = point.map_or(0, |at| mantissa.len() - at - 1);
    let digits = mantissa.iter().copied().filter(|&byte| byte != b'.').skip_while(|&byte| byte == b'0').collect();
    Some(Content::Decimal(is_negative, digits, (behind as i64).checked_sub(exponent)?))
}
