//! Objects: what class they are of, how they were made, and what was done to them.

use super::item::{Entries, Item, Items, Kind};
use super::store::{How, ItemsKind, KEYWORDS, Node, Object, Ref, StepKind};
use crate::names::Known;

/// A piece of what makes an object, in the order in which it came.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Part<'d> {
    /// Positional arguments of the call that made the object.
    Arguments(Items<'d>),
    /// Keyword arguments of that call.
    Keywords(Entries<'d>),
    /// State that is a dict with text keys: attributes. State of an object with slots gives this twice.
    Attributes(Entries<'d>),
    /// Any other state.
    State(Item<'d>),
    /// Items that were appended.
    Appended(Items<'d>),
    /// Items that were set by key.
    SetItems(Entries<'d>),
    /// Items that were added as to a set.
    Added(Items<'d>),
    /// A call with the object as its first argument, whose result was dropped: a state setter.
    Call(Item<'d>),
}

/// Something that was done to an object after it was made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Action<'d> {
    /// Items appended, by `APPEND` or `APPENDS`.
    Append(Items<'d>),
    /// Items set by key, by `SETITEM` or `SETITEMS`.
    SetItems(Entries<'d>),
    /// Items added as to a set, by `ADDITEMS`.
    Add(Items<'d>),
    /// State given, by `BUILD`.
    Build(Item<'d>),
    /// A call with the object as its first argument, whose result was dropped: a state setter.
    Call(Item<'d>),
}

/// The class and the arguments behind the functions that `copyreg` has for making objects.
struct Construction<'d> {
    class: Ref,
    args: &'d [Ref],
    kwargs: Option<Ref>,
}

impl<'d> Item<'d> {
    /// The class or function whose call made an object; for those made by `copyreg`'s functions, the class itself.
    #[must_use]
    pub fn class(self) -> Option<Self> {
        let construction = self.construction()?;
        Some(Self::new(self.document, construction.class))
    }

    /// What was called to make an object, as it stands in the pickle.
    #[must_use]
    pub fn callable(self) -> Option<Self> {
        self.made_object().map(|object| Self::new(self.document, object.callable))
    }

    /// The tuple of arguments of the call that made an object, as it stands in the pickle.
    #[must_use]
    pub fn args(self) -> Option<Self> {
        self.made_object().map(|object| Self::new(self.document, object.args))
    }

    /// The keyword arguments of the call that made an object, as they stand in the pickle.
    #[must_use]
    pub fn kwargs(self) -> Option<Self> {
        self.made_object()?.kwargs.map(|kwargs| Self::new(self.document, kwargs))
    }

    fn made_object(self) -> Option<&'d Object> {
        self.object().filter(|object| !matches!(object.how, How::Global | How::Extension | How::Persistent))
    }

    fn construction(self) -> Option<Construction<'d>> {
        let object = self.made_object()?;
        let store = &self.document.store;
        let tuple = |value| store.items(value).map(|(_, items)| items);
        // arguments that are an object themselves, perhaps a subclass of tuple, are shown by `args`
        let args = tuple(object.args).unwrap_or_default();
        let as_called = Construction { class: object.callable, args, kwargs: object.kwargs };
        if object.how != How::Reduce {
            return Some(as_called);
        }
        let known = store.object(object.callable).map_or(Known::Other, |callable| callable.known);
        let is_object = |value| store.object(value).is_some_and(|object| object.known == Known::Object);
        Some(match (known, args) {
            (Known::Reconstructor, &[class, base, state]) if is_object(base) && state == Ref::NONE => {
                Construction { class, args: &[], kwargs: None }
            }
            // the base is a builtin type, the state a value of it
            (Known::Reconstructor, [class, _, _]) => Construction { class: *class, args: args.get(2..)?, kwargs: None },
            (Known::Newobj, [class, args @ ..]) => Construction { class: *class, args, kwargs: None },
            (Known::NewobjEx, &[class, args, kwargs]) => {
                Construction { class, args: tuple(args).unwrap_or_default(), kwargs: Some(kwargs) }
            }
            _ => as_called,
        })
    }

    /// Everything that makes an object, in order. A global or persistent object has only what was done to it.
    #[must_use]
    pub fn parts(self) -> Vec<Part<'d>> {
        let Some(object) = self.object() else { return Vec::new() };
        let mut parts = Vec::new();
        if let Some(construction) = self.construction() {
            if !construction.args.is_empty() {
                parts.push(Part::Arguments(self.slice(construction.args)));
            } else if self.args().is_some_and(|args| args.object().is_some()) {
                // perhaps a tuple of a class of its own
                parts.push(Part::Arguments(self.slice(std::slice::from_ref(&object.args))));
            }
            if let Some(kwargs) = construction.kwargs {
                let kwargs = Self::new(self.document, kwargs);
                if kwargs.is_empty() != Some(true) {
                    parts.push(Part::Keywords(kwargs.entries()));
                }
            }
        }
        for action in self.actions() {
            match action {
                Action::Append(items) => parts.push(Part::Appended(items)),
                Action::SetItems(entries) => parts.push(Part::SetItems(entries)),
                Action::Add(items) => parts.push(Part::Added(items)),
                Action::Build(state) => Self::add_state(state, &mut parts),
                Action::Call(call) => parts.push(Part::Call(call)),
            }
        }
        parts
    }

    /// What was done to an object, global or persistent object, in order, as it stands in the pickle.
    pub fn actions(self) -> impl Iterator<Item = Action<'d>> + use<'d> {
        let store = &self.document.store;
        let steps = self.object().map(|object| store.steps(object));
        steps.into_iter().flatten().map(move |step| {
            let items = |row| self.slice(store.row(row));
            match step {
                StepKind::Append(row) => Action::Append(items(row)),
                StepKind::SetItems(row) => Action::SetItems(Entries::new(items(row))),
                StepKind::Add(row) => Action::Add(items(row)),
                StepKind::Build(state) => Action::Build(Self::new(self.document, state)),
                StepKind::Call(call) => Action::Call(Self::new(self.document, call)),
            }
        })
    }

    /// A state as attributes where Python's own `object` would take it so: a dict, or a dict or None with a dict of slots.
    fn add_state(state: Self, parts: &mut Vec<Part<'d>>) {
        let is_attributes = |item: &Self| item.has_text_keys();
        if is_attributes(&state) {
            parts.push(Part::Attributes(state.entries()));
            return;
        }
        if let (Kind::Tuple, Some(2), Some(dict), Some(slots)) = (state.kind(), state.len(), state.at(0), state.at(1))
            && (dict.is_none() || is_attributes(&dict))
            && (slots.is_none() || is_attributes(&slots))
            && !(dict.is_none() && slots.is_none())
        {
            parts.extend([dict, slots].iter().filter(|part| !part.is_none()).map(|part| Part::Attributes(part.entries())));
            return;
        }
        parts.push(Part::State(state));
    }
}

impl Item<'_> {
    /// Whether the value is a dict that was a state or keyword arguments, and has text keys only.
    fn has_text_keys(self) -> bool {
        let node = self.document.store.node(self.value);
        matches!(node, Some(Node::Items { kind: ItemsKind::Dict, flags, .. }) if flags & KEYWORDS != 0)
    }

    /// Whether Python prints this global by its name alone: `Ellipsis` and `NotImplemented`.
    pub(crate) fn is_python_constant(self) -> bool {
        self.object().is_some_and(|object| object.known == Known::Constant)
    }
}
