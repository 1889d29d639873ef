//! Objects, whose classes do not exist here, as what a type asks for.

use std::collections::HashMap;

use serde_core::de::Visitor;

use super::access::Bytes;
use super::deserializer::{De, Wanted};
use super::reading::Lend;
use crate::document::{Entries, How, Item, Items, Kind, Part};
use crate::error::{Error, Result};
use crate::py::ClassName;

type Pair<'a> = (Item<'a>, Item<'a>);

/// What makes an object, by kinds.
#[derive(Default)]
struct Parts<'a> {
    args: Option<Items<'a>>,
    /// Keyword arguments and attributes, in their order.
    fields: Vec<Entries<'a>>,
    /// State that is no attributes.
    state: Option<Item<'a>>,
    has_items: bool,
    has_pairs: bool,
    has_calls: bool,
}

impl<'a> Parts<'a> {
    fn of(item: Item<'a>) -> Self {
        let mut parts = Self::default();
        for part in item.parts() {
            match part {
                Part::Arguments(args) => parts.args = Some(args),
                Part::Keywords(entries) | Part::Attributes(entries) => parts.fields.push(entries),
                Part::State(state) => parts.state = Some(state),
                Part::Appended(_) | Part::Added(_) => parts.has_items = true,
                Part::SetItems(_) => parts.has_pairs = true,
                Part::Call(_) => parts.has_calls = true,
            }
        }
        parts
    }

    /// How many kinds of things there are.
    fn kinds(&self) -> usize {
        let all = [self.args.is_some(), !self.fields.is_empty(), self.state.is_some(), self.has_items, self.has_pairs, self.has_calls];
        all.into_iter().filter(|&is_there| is_there).count()
    }

    fn args(&self) -> Vec<Item<'a>> {
        self.args.clone().into_iter().flatten().collect()
    }

    /// Attributes, each once: what came last counts.
    fn fields(&self) -> Vec<Pair<'a>> {
        once(self.fields.iter().cloned().flatten(), self.fields.len() > 1)
    }
}

/// A class of Python's `collections`, whose objects are what was put into them, however little that is: a factory and a greatest length are none of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Collection {
    Sequence,
    Map,
}

impl Collection {
    fn of(item: Item<'_>) -> Option<Self> {
        match item.class().and_then(Item::names_in_python3)? {
            ("collections", "deque") => Some(Self::Sequence),
            ("collections", "defaultdict" | "OrderedDict" | "Counter") => Some(Self::Map),
            _ => None,
        }
    }
}

/// Pairs, each text key once where they may come again: what came last counts, in the place of the first.
fn once<'a>(pairs: impl Iterator<Item = Pair<'a>>, may_repeat: bool) -> Vec<Pair<'a>> {
    if !may_repeat {
        return pairs.collect();
    }
    let (mut found, mut places) = (Vec::new(), HashMap::new());
    for (key, value) in pairs {
        match key.as_str().map(|name| places.entry(name).or_insert(found.len())) {
            Some(&mut at) if at < found.len() => {
                if let Some(slot) = found.get_mut(at) {
                    *slot = (key, value);
                }
            }
            _ => found.push((key, value)),
        }
    }
    found
}

/// The one argument of an object that has nothing else.
pub(super) fn only_argument(item: Item<'_>) -> Option<Item<'_>> {
    if item.kind() != Kind::Object || item.how() == Some(How::Persistent) || item.actions().next().is_some() {
        return None;
    }
    if Collection::of(item).is_some() {
        return None;
    }
    let parts = Parts::of(item);
    let mut args = parts.args.clone()?;
    let first = args.next()?;
    (parts.kinds() == 1 && args.next().is_none() && item.id() != first.id()).then_some(first)
}

/// Checks that an object is of the class that a type's name says, if it says one. The one argument of such an object, if it has nothing else.
pub(super) fn checked<'a>(item: Item<'a>, name: &str) -> Result<Option<Item<'a>>> {
    let Some(class) = ClassName::checked(name)? else { return Ok(None) };
    if item.kind() != Kind::Object {
        return Ok(None);
    }
    let found = item.class().and_then(Item::qualified_name);
    if found.is_none_or(|(module, name)| (module, &*name) != (class.module, class.name)) {
        return Err(Error::unexpected(item, format_args!("an object of {}.{}", class.module, class.name)));
    }
    Ok(only_argument(item))
}

/// A struct: attributes, items set as in a dict, or arguments by position.
pub(super) fn structure<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(
    de: De<'_, 'a, L>,
    fields: &'static [&'static str],
    visitor: V,
) -> Result<V::Value> {
    let item = de.item;
    let parts = Parts::of(item);
    if !parts.fields.is_empty() {
        return de.map(visitor, parts.fields().into_iter(), true);
    }
    if parts.has_pairs {
        return de.map(visitor, once(item.entries(), true).into_iter(), true);
    }
    if Collection::of(item) == Some(Collection::Map) {
        return map(de, visitor);
    }
    if let Some(state) = parts.state {
        return match state.kind() {
            Kind::Dict => de.map(visitor, state.entries(), true),
            _ => de.seq(visitor, state.items()),
        };
    }
    let args = parts.args();
    match *args {
        [] => de.map(visitor, std::iter::empty(), true),
        [dict] if dict.kind() == Kind::Dict && (fields.len() != 1 || fields.iter().all(|name| dict.get(name).is_some())) => {
            de.map(visitor, dict.entries(), true)
        }
        // a subclass of tuple, as protocol 0 has it
        [inner] if is_sequence(inner) && fields.len() != 1 && inner.len() == Some(fields.len()) => de.seq(visitor, inner.items()),
        _ => de.seq(visitor, parts.args.unwrap_or_else(|| item.items())),
    }
}

/// A map: items set as in a dict, attributes, or one argument that is a dict or a list of pairs.
pub(super) fn map<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(de: De<'_, 'a, L>, visitor: V) -> Result<V::Value> {
    let item = de.item;
    let parts = Parts::of(item);
    if parts.has_pairs {
        return de.map(visitor, item.entries(), false);
    }
    if !parts.fields.is_empty() {
        return de.map(visitor, parts.fields().into_iter(), false);
    }
    if let Some(state) = parts.state.filter(|state| state.kind() == Kind::Dict) {
        return de.map(visitor, state.entries(), false);
    }
    match *parts.args() {
        [] => de.map(visitor, std::iter::empty(), false),
        [dict] if dict.kind() == Kind::Dict => de.map(visitor, dict.entries(), false),
        // `defaultdict`, which has its factory before what is in it
        [factory] if !is_sequence(factory) && Collection::of(item) == Some(Collection::Map) => de.map(visitor, std::iter::empty(), false),
        [pairs] if is_sequence(pairs) && pairs.items().all(|pair| is_sequence(pair) && pair.len() == Some(2)) => {
            let pairs = pairs.items().filter_map(|pair| Some((pair.at(0)?, pair.at(1)?)));
            de.map(visitor, pairs, false)
        }
        _ => Err(Error::unexpected(item, Wanted(&visitor))),
    }
}

/// A sequence, of so many items if that is known: what was appended or added, the one argument if that is a sequence, or the arguments.
pub(super) fn seq<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(de: De<'_, 'a, L>, visitor: V, len: Option<usize>) -> Result<V::Value> {
    let item = de.item;
    let parts = Parts::of(item);
    if parts.has_items {
        return de.seq(visitor, item.items());
    }
    let args = parts.args();
    if Collection::of(item) == Some(Collection::Sequence) {
        // Python 2 has the items of a deque in its arguments, before the greatest length
        return match *args {
            [items, ..] if is_sequence(items) => de.seq(visitor, items.items()),
            _ => de.seq(visitor, item.items()),
        };
    }
    match *args {
        [inner] if is_sequence(inner) && len.is_none_or(|len| len != 1 || inner.len() == Some(1)) => de.seq(visitor, inner.items()),
        [bytes] if len.is_none() && bytes.as_bytes().is_some() => visitor.visit_seq(Bytes::new(bytes.as_bytes().unwrap_or_default())),
        [] if parts.kinds() > 0 => match parts.state.filter(|&state| is_sequence(state)) {
            Some(state) => de.seq(visitor, state.items()),
            None => Err(Error::unexpected(item, Wanted(&visitor))),
        },
        // the arguments of an array are not what is in it
        _ if parts.kinds() > 1 => Err(Error::unexpected(item, format_args!("{}, which would lose the object's state", Wanted(&visitor)))),
        _ => de.seq(visitor, parts.args.unwrap_or_else(|| item.items())),
    }
}

/// What says nothing of what it wants gets the one thing that an object has.
pub(super) fn any<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(de: De<'_, 'a, L>, visitor: V) -> Result<V::Value> {
    let item = de.item;
    let parts = Parts::of(item);
    match Collection::of(item) {
        Some(Collection::Sequence) if parts.fields.is_empty() && parts.state.is_none() => return seq(de, visitor, None),
        Some(Collection::Map) if parts.fields.is_empty() && parts.state.is_none() => return map(de, visitor),
        _ => {}
    }
    if parts.kinds() > 1 || parts.has_calls {
        let wanted = format_args!("{}, which would lose what makes the object", Wanted(&visitor)).to_string();
        return Err(Error::unexpected(item, wanted));
    }
    if parts.has_items || parts.args.is_some() {
        return de.seq(visitor, parts.args.unwrap_or_else(|| item.items()));
    }
    match parts.state {
        Some(state) => de.with(state).any_inside(item, visitor),
        None => map(de, visitor),
    }
}

fn is_sequence(item: Item<'_>) -> bool {
    matches!(item.kind(), Kind::List | Kind::Tuple | Kind::Set | Kind::Frozenset)
}
