//! Values taken apart: what stands before, between and behind the brackets.
//!
//! The forms are those of `brinery::Repr`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use brinery::{Entries, Id, Item, Items, Kind, Part};

/// How much is shown.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cuts {
    /// Levels of containers.
    pub(super) depth: usize,
    /// Items of a list, tuple or set.
    pub(super) items: usize,
    /// Pairs of a dict, attributes of an object.
    pub(super) fields: usize,
    /// Columns of a text.
    pub(super) text: usize,
    /// Columns of bytes.
    pub(super) bytes: usize,
}

impl Cuts {
    pub(super) const NONE: Self = Self { depth: usize::MAX, items: usize::MAX, fields: usize::MAX, text: usize::MAX, bytes: usize::MAX };
}

/// What stands before the opening bracket.
#[derive(Debug, Clone, Copy)]
pub(super) enum Head<'d> {
    Nothing,
    Text(&'static str),
    /// A class by its name.
    Global(Item<'d>),
    /// A callable that is a value of its own, such as the result of another call.
    Value(Item<'d>),
}

/// A value with something inside.
#[derive(Debug)]
pub(super) struct Node<'d> {
    pub(super) head: Head<'d>,
    pub(super) open: &'static str,
    pub(super) rows: Rows<'d>,
    pub(super) close: &'static str,
    /// A tuple of one item, which has a comma behind it.
    pub(super) single: bool,
}

/// One thing between brackets.
#[derive(Debug)]
pub(super) enum Row<'d> {
    Value(Item<'d>),
    Pair(Item<'d>, Item<'d>),
    /// `name=value`, `.attribute=value`: what stands before the name, the name, the value.
    Named(&'static str, Item<'d>, Item<'d>),
    /// A value with something before and behind it.
    Wrapped(&'static str, Item<'d>, &'static str),
    /// Things in brackets of their own.
    Group(&'static str, Rows<'d>, &'static str),
    /// So many more of these are not shown.
    Cut(usize, &'static str),
}

/// What stands between brackets.
#[derive(Debug, Clone)]
pub(super) struct Rows<'d> {
    list: List<'d>,
    /// How many of the list are still to be shown.
    left: usize,
    /// Pieces of an object whose lists come next.
    parts: Option<Rc<[Part<'d>]>>,
    next_part: usize,
    cuts: Cuts,
}

#[derive(Debug, Clone)]
enum List<'d> {
    Done,
    One(Item<'d>),
    Items(Items<'d>, &'static str),
    Pairs(Entries<'d>),
    Named(Entries<'d>, &'static str),
}

/// Takes values apart. Objects in many pieces are remembered, since finding the pieces takes time.
#[derive(Debug, Default)]
pub(super) struct Shapes<'d> {
    many_parts: RefCell<HashMap<Id, Rc<[Part<'d>]>>>,
}

/// Objects with more in them than this are remembered.
const MANY: usize = 4096;

impl<'d> Shapes<'d> {
    /// What is inside a value, if there can be anything.
    pub(super) fn node(&self, item: Item<'d>, cuts: &Cuts) -> Option<Node<'d>> {
        let items = |open, close| {
            let rows = Rows::new(List::Items(item.items(), "item"), cuts.items, cuts);
            Some(Node { head: Head::Nothing, open, rows, close, single: false })
        };
        let empty = item.is_empty() == Some(true);
        match item.kind() {
            Kind::List => items("[", "]"),
            Kind::Tuple if !empty => Some(Node { single: item.len() == Some(1), ..items("(", ")")? }),
            Kind::Set if !empty => items("{", "}"),
            Kind::Frozenset if !empty => items("frozenset({", "})"),
            Kind::Dict => {
                let rows = Rows::new(List::Pairs(item.entries()), cuts.fields, cuts);
                Some(Node { head: Head::Nothing, open: "{", rows, close: "}", single: false })
            }
            Kind::Global => {
                let parts = self.parts(item);
                (!parts.is_empty()).then(|| Node::of_parts(Head::Global(item), parts, cuts))
            }
            Kind::Persistent => {
                let mut node = Node::of_parts(Head::Text("persistent_load"), self.parts(item), cuts);
                node.rows.list = item.persistent_id().map_or(List::Done, List::One);
                node.rows.left = 1;
                Some(node)
            }
            Kind::Extension if item.actions().next().is_some() => {
                let mut node = Node::of_parts(Head::Text("extension"), self.parts(item), cuts);
                node.rows.list = item.extension().map_or(List::Done, List::One);
                node.rows.left = 1;
                Some(node)
            }
            Kind::Object => Some(Node::of_parts(head(item), self.parts(item), cuts)),
            _ => None,
        }
    }

    /// Whether a value has nothing inside.
    pub(super) fn is_atom(item: Item<'d>) -> bool {
        match item.kind() {
            Kind::List | Kind::Dict | Kind::Object | Kind::Persistent => false,
            Kind::Tuple | Kind::Set | Kind::Frozenset => item.is_empty() == Some(true),
            Kind::Global | Kind::Extension => item.actions().next().is_none(),
            _ => true,
        }
    }

    fn parts(&self, item: Item<'d>) -> Rc<[Part<'d>]> {
        if let Some(parts) = self.many_parts.borrow().get(&item.id()) {
            return Rc::clone(parts);
        }
        let parts: Rc<[Part<'d>]> = item.parts().into();
        let inside: usize = parts.iter().map(size).sum();
        if inside > MANY {
            self.many_parts.borrow_mut().insert(item.id(), Rc::clone(&parts));
        }
        parts
    }

    /// Whether a value is one of those that are labelled where they are shared: what has an identity that can be told in Python, or is worth
    /// printing only once.
    pub(super) fn has_identity(item: Item<'d>) -> bool {
        match item.kind() {
            Kind::List | Kind::Dict | Kind::Set | Kind::Object | Kind::Bytearray => true,
            Kind::Tuple | Kind::Frozenset => item.is_empty() == Some(false),
            Kind::Global | Kind::Persistent | Kind::Extension => item.actions().next().is_some(),
            _ => false,
        }
    }
}

/// A value with its inside left out: what stands before the dots, how many items there are, and what stands behind.
pub(super) fn closed(item: Item<'_>) -> (Head<'_>, &'static str, Option<usize>, &'static str) {
    let len = item.len();
    match item.kind() {
        Kind::List => (Head::Nothing, "[", len, "]"),
        Kind::Tuple => (Head::Nothing, "(", len, ")"),
        Kind::Dict | Kind::Set => (Head::Nothing, "{", len, "}"),
        Kind::Frozenset => (Head::Nothing, "frozenset({", len, "})"),
        Kind::Global => (Head::Global(item), "(", None, ")"),
        Kind::Persistent => (Head::Text("persistent_load"), "(", None, ")"),
        Kind::Extension => (Head::Text("extension"), "(", None, ")"),
        _ => (head(item), "(", None, ")"),
    }
}

fn head(item: Item<'_>) -> Head<'_> {
    match item.class() {
        Some(class) if class.kind() == Kind::Global && class.actions().next().is_none() => Head::Global(class),
        Some(class) => Head::Value(class),
        None => Head::Nothing,
    }
}

/// How much is in a piece of an object, about.
fn size(part: &Part<'_>) -> usize {
    match part {
        Part::Arguments(items) | Part::Appended(items) | Part::Added(items) => items.size_hint().0,
        Part::Keywords(entries) | Part::Attributes(entries) | Part::SetItems(entries) => entries.size_hint().0,
        Part::State(state) => 1 + state.len().unwrap_or(0),
        _ => 1,
    }
}

impl<'d> Node<'d> {
    fn of_parts(head: Head<'d>, parts: Rc<[Part<'d>]>, cuts: &Cuts) -> Self {
        let rows = Rows { list: List::Done, left: 0, parts: Some(parts), next_part: 0, cuts: *cuts };
        Self { head, open: "(", rows, close: ")", single: false }
    }
}

impl<'d> Rows<'d> {
    fn new(list: List<'d>, left: usize, cuts: &Cuts) -> Self {
        Self { list, left, parts: None, next_part: 0, cuts: *cuts }
    }

    /// Whether there is nothing.
    pub(super) fn is_empty(&self) -> bool {
        let no_list = match &self.list {
            List::Done => true,
            List::One(_) => false,
            List::Items(items, _) => items.clone().next().is_none(),
            List::Pairs(entries) | List::Named(entries, _) => entries.clone().next().is_none(),
        };
        no_list && self.parts.as_ref().is_none_or(|parts| self.next_part >= parts.len())
    }

    /// At least so many columns are needed for all rows on one line.
    pub(super) fn least_columns(&self) -> usize {
        let (items, columns) = match &self.list {
            List::Done | List::One(_) => (0, 1),
            List::Items(items, _) => (items.size_hint().0, 3),
            List::Pairs(entries) => (entries.size_hint().0, 6),
            List::Named(entries, _) => (entries.size_hint().0, 4),
        };
        let parts = self.parts.as_ref().map_or(0, |parts| parts.len() - self.next_part);
        columns * items.min(self.left) + 2 * parts.min(self.cuts.items)
    }

    fn list(&mut self, list: List<'d>, left: usize) {
        self.list = list;
        self.left = left;
    }

    /// The next row.
    pub(super) fn next(&mut self) -> Option<Row<'d>> {
        loop {
            if self.left == 0 {
                let (more, noun) = self.list.rest();
                if more == 1 {
                    // the note would take as much room as what it is about
                    self.left = 1;
                } else {
                    self.list = List::Done;
                    if more > 0 {
                        return Some(Row::Cut(more, noun));
                    }
                }
            }
            self.left = self.left.saturating_sub(1);
            let row = match &mut self.list {
                List::Done => None,
                &mut List::One(item) => {
                    self.list = List::Done;
                    Some(Row::Value(item))
                }
                List::Items(items, _) => items.next().map(Row::Value),
                List::Pairs(entries) => entries.next().map(|(key, value)| Row::Pair(key, value)),
                List::Named(entries, dot) => entries.next().map(|(key, value)| Row::Named(dot, key, value)),
            };
            if row.is_some() {
                return row;
            }
            self.list = List::Done;
            let parts = self.parts.clone()?;
            let part = parts.get(self.next_part)?.clone();
            if self.next_part >= self.cuts.fields {
                let more = parts.len() - self.next_part;
                self.parts = None;
                return Some(Row::Cut(more, "part"));
            }
            self.next_part += 1;
            let cuts = self.cuts;
            let group = |open, list, left, close| Some(Row::Group(open, Rows::new(list, left, &cuts), close));
            return match part {
                Part::Arguments(items) => {
                    self.list(List::Items(items, "argument"), cuts.fields);
                    continue;
                }
                Part::Keywords(entries) if entries.clone().all(|(key, _)| key.as_text_bytes().is_some()) => {
                    self.list(List::Named(entries, ""), cuts.fields);
                    continue;
                }
                Part::Attributes(entries) => {
                    self.list(List::Named(entries, "."), cuts.fields);
                    continue;
                }
                Part::State(state) => Some(Row::Wrapped(".__setstate__(", state, ")")),
                Part::Appended(items) => group("*[", List::Items(items, "item"), cuts.items, "]"),
                Part::SetItems(entries) | Part::Keywords(entries) => group("**{", List::Pairs(entries), cuts.fields, "}"),
                Part::Added(items) => group("*{", List::Items(items, "item"), cuts.items, "}"),
                Part::Call(call) => Some(Row::Value(call)),
                // a piece of a kind that does not exist yet
                _ => continue,
            };
        }
    }
}

impl List<'_> {
    /// How many are left, and what they are.
    fn rest(&self) -> (usize, &'static str) {
        match self {
            Self::Done => (0, ""),
            Self::One(_) => (1, "item"),
            Self::Items(items, noun) => (exact(items.clone()), noun),
            Self::Pairs(entries) => (exact(entries.clone()), "item"),
            Self::Named(entries, dot) => (exact(entries.clone()), if dot.is_empty() { "argument" } else { "attribute" }),
        }
    }
}

fn exact(list: impl Iterator) -> usize {
    match list.size_hint() {
        (least, Some(most)) if least == most => least,
        _ => list.count(),
    }
}
