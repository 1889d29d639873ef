//! At which byte of the input a value stands. A document does not keep that, so the pickle is read once more, when an error wants to know.

use crate::document::{Builder, Document, Item, Ref};
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{self, Data, Handler};
use crate::input::SliceInput;
use crate::machine::{Machine, Rules};
use crate::opcode::Opcode;

/// Which value an error is about: by its own node if it has one, else by what it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    value: Ref,
    parent: Option<(Ref, Child)>,
}

/// A value's place in another one.
#[derive(Debug, Clone, Copy)]
enum Child {
    Item(usize),
    Value { key: Ref },
    Key,
}

impl Place {
    pub(super) fn of(value: Ref) -> Self {
        Self { value, parent: None }
    }

    pub(super) fn item(owner: Item<'_>, at: usize, item: Item<'_>) -> Self {
        Self { value: item.value, parent: Some((owner.value, Child::Item(at))) }
    }

    pub(super) fn value(owner: Item<'_>, key: Item<'_>, value: Item<'_>) -> Self {
        Self { value: value.value, parent: Some((owner.value, Child::Value { key: key.value })) }
    }

    pub(super) fn key(owner: Item<'_>, key: Item<'_>) -> Self {
        Self { value: key.value, parent: Some((owner.value, Child::Key)) }
    }

    /// What is known of the same value where it is met again, further out.
    pub(crate) fn add(&mut self, outer: Self) {
        if self.parent.is_none() && self.value == outer.value {
            self.parent = outer.parent;
        }
    }
}

/// The error with the offset of the value that it is about.
#[cold]
pub(super) fn located(error: Error, document: &Document<'_>) -> Error {
    let is_about_bytes = matches!(error.kind(), ErrorKind::LimitExceeded { .. });
    match error.place().filter(|_| error.offset().is_none() && !is_about_bytes).and_then(|place| offset(document, place)) {
        Some(offset) => error.locate(offset, None),
        None => error,
    }
}

fn offset(document: &Document<'_>, place: Place) -> Option<u64> {
    let mut pickles = document.pickles();
    let pickle = pickles.next()?;
    if pickles.next().is_some() {
        return None;
    }
    let (start, base) = match document.source {
        std::borrow::Cow::Borrowed(_) => (pickle.start as usize, 0),
        std::borrow::Cow::Owned(_) => (0, pickle.start),
    };
    let mut locator = Locator { builder: Builder::new(), now: 0, place, seen: 0, found: None, result: None };
    let mut machine = Machine::new();
    // what reads differently leaves the error without an offset
    let rules = Rules { lax_frames: true, ..Rules::default() };
    let end = machine.run(&mut SliceInput::new(&document.source), start, &mut locator, &rules).ok()?;
    // with other extension codes, say, values have other numbers
    if locator.builder.node_count() != document.node_count() {
        return None;
    }
    let is_root = place.parent.is_none() && end.value.0 == place.value;
    let found = if is_root { Some(end.value.1) } else { locator.result.or(locator.found) };
    found.map(|offset| base + offset)
}

/// Builds the document once more, and knows of each value on the stack where it was made.
struct Locator {
    builder: Builder,
    /// Where the opcode stands.
    now: u64,
    place: Place,
    /// Items that the parent has so far.
    seen: usize,
    /// Where the value's node was made.
    found: Option<u64>,
    /// Where a value without a node was, at its place in its parent.
    result: Option<u64>,
}

/// A value, and the offset of the opcode that made it.
type At = (Ref, u64);

impl Locator {
    /// A value that this opcode made.
    fn made(&mut self, value: Ref) -> At {
        if value == self.place.value && value.index().is_some() {
            self.found.get_or_insert(self.now);
        }
        (value, self.now)
    }

    /// Items come into a container.
    fn items(&mut self, owner: Ref, items: &[At]) {
        if let Some((parent, Child::Item(at))) = self.place.parent
            && parent == owner
        {
            let item = at.checked_sub(self.seen).and_then(|at| items.get(at));
            self.result = item.map(|&(_, offset)| offset).or(self.result);
            self.seen += items.len();
        }
    }

    fn pairs(&mut self, owner: Ref, items: &[At]) {
        let Some((parent, child)) = self.place.parent else { return };
        if parent != owner {
            return;
        }
        for pair in items.chunks_exact(2) {
            let &[key, value] = pair else { continue };
            match child {
                Child::Value { key: wanted } if value.0 == self.place.value => {
                    if key.0 == wanted {
                        self.result = Some(value.1);
                    }
                    // an equal key that came later is none of the dict's
                    self.found = Some(value.1);
                }
                Child::Key if key.0 == self.place.value => self.result = self.result.or(Some(key.1)),
                _ => {}
            }
        }
    }
}

fn refs(items: &[At]) -> Vec<Ref> {
    items.iter().map(|&(value, _)| value).collect()
}

/// Steps that make a value of what is not on the stack.
macro_rules! atoms {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method(&mut self, $($name: $type),*) -> Result<At> {
            let value = self.builder.$method($($name),*)?;
            Ok(self.made(value))
        }
    )*};
}

impl Handler for Locator {
    type Ref = At;

    fn opcode(&mut self, opcode: Opcode, at: handler::Place<'_>) {
        self.now = at.offset as u64;
        self.builder.opcode(opcode, at);
    }

    fn protocol(&mut self, protocol: u8) {
        self.builder.protocol(protocol);
    }

    atoms! {
        none() bool(value: bool) int(value: i64) big_int(data: Data<'_>) float(value: f64) str(data: Data<'_>) str8(data: Data<'_>)
        bytes(data: Data<'_>) bytearray(data: Data<'_>) next_buffer() empty_set() extension(code: u32) persistent_text(id: Data<'_>)
        global(module: Data<'_>, name: Data<'_>, at: handler::Place<'_>)
    }

    fn readonly_buffer(&mut self, buffer: At) -> Result<At> {
        let value = self.builder.readonly_buffer(buffer.0)?;
        Ok(self.made(value))
    }

    fn list(&mut self, items: &[At]) -> Result<At> {
        let value = self.builder.list(&refs(items))?;
        self.items(value, items);
        Ok(self.made(value))
    }

    fn tuple(&mut self, items: &[At]) -> Result<At> {
        let value = self.builder.tuple(&refs(items))?;
        self.items(value, items);
        Ok(self.made(value))
    }

    fn dict(&mut self, items: &[At], at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.dict(&refs(items), at)?;
        self.pairs(value, items);
        Ok(self.made(value))
    }

    fn frozenset(&mut self, items: &[At], at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.frozenset(&refs(items), at)?;
        self.items(value, items);
        Ok(self.made(value))
    }

    fn append(&mut self, list: At, items: &[At], at: handler::Place<'_>) -> Result<()> {
        self.items(list.0, items);
        self.builder.append(list.0, &refs(items), at)
    }

    fn set_items(&mut self, dict: At, items: &[At], at: handler::Place<'_>) -> Result<()> {
        self.pairs(dict.0, items);
        self.builder.set_items(dict.0, &refs(items), at)
    }

    fn add_items(&mut self, set: At, items: &[At], at: handler::Place<'_>) -> Result<()> {
        self.items(set.0, items);
        self.builder.add_items(set.0, &refs(items), at)
    }

    fn stack_global(&mut self, module: At, name: At, at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.stack_global(module.0, name.0, at)?;
        Ok(self.made(value))
    }

    fn reduce(&mut self, callable: At, args: At, at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.reduce(callable.0, args.0, at)?;
        Ok(self.made(value))
    }

    fn new_object(&mut self, class: At, args: At, at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.new_object(class.0, args.0, at)?;
        Ok(self.made(value))
    }

    fn new_object_ex(&mut self, class: At, args: At, kwargs: At, at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.new_object_ex(class.0, args.0, kwargs.0, at)?;
        Ok(self.made(value))
    }

    fn obj(&mut self, class: At, args: &[At], at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.obj(class.0, &refs(args), at)?;
        Ok(self.made(value))
    }

    fn inst(&mut self, class: At, args: &[At], at: handler::Place<'_>) -> Result<At> {
        let value = self.builder.inst(class.0, &refs(args), at)?;
        Ok(self.made(value))
    }

    fn build(&mut self, object: At, state: At, at: handler::Place<'_>) -> Result<()> {
        self.builder.build(object.0, state.0, at)
    }

    fn persistent(&mut self, id: At) -> Result<At> {
        let value = self.builder.persistent(id.0)?;
        Ok(self.made(value))
    }

    fn put(&mut self, index: u64, value: At) {
        self.builder.put(index, value.0);
    }

    fn get(&mut self, index: u64, value: At, at: handler::Place<'_>) {
        self.builder.get(index, value.0, at);
    }

    fn pop(&mut self, values: &[At], at: handler::Place<'_>) {
        self.builder.pop(&refs(values), at);
    }
}
