//! Documents as trees.

use super::{Children, Group, Object, Value};
use crate::document::{Action, How, Item, Kind, RefSet};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;

/// How many bytes count as one value when they are copied once more.
const BYTES_OF_A_VALUE: u64 = 64;

/// Builds a tree on a stack of its own. Only what is in the tree already is paid for when it comes again.
pub(super) struct TreeBuilder {
    /// What may still be copied.
    left: u64,
    limit: u64,
    /// Everything is paid for, and not only what comes again.
    pays_for_all: bool,
    /// Values that are in the tree already.
    seen: RefSet,
    /// Values that are being built.
    path: RefSet,
}

/// A value whose children are being built.
struct Open<'d> {
    item: Item<'d>,
    shell: Value,
    /// Children still to be built, the next one last.
    todo: Vec<Item<'d>>,
    done: Vec<Value>,
}

impl TreeBuilder {
    pub(super) fn new(limits: &Limits) -> Self {
        Self { left: limits.expansion, limit: limits.expansion, pays_for_all: false, path: RefSet::default(), seen: RefSet::default() }
    }

    /// A tree that is one of several things read of a document, of which so much may still be read.
    #[cfg(feature = "serde")]
    pub(super) fn within(left: u64, limit: u64) -> Self {
        Self { left, limit, pays_for_all: true, path: RefSet::default(), seen: RefSet::default() }
    }

    #[cfg(feature = "serde")]
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    pub(super) fn build(&mut self, item: Item<'_>) -> Result<Value> {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = Some(item);
        loop {
            let mut value = match next.take() {
                Some(item) => {
                    let again = item.value.index().is_some() && !self.seen.insert(item.value);
                    if again || self.pays_for_all {
                        self.pay(1 + item.data_len() as u64 / BYTES_OF_A_VALUE)?;
                    }
                    // what is done to a class or function is done once, wherever it is referred to
                    let is_named = matches!(item.kind(), Kind::Global | Kind::Extension) && item.actions().next().is_some();
                    let (shell, mut todo) = if is_named && !again { Self::object_shell(item) } else { Self::shell(item) };
                    if again || self.pays_for_all && shell.groups() > 0 {
                        self.pay((todo.len() + shell.groups()) as u64)?;
                    }
                    if todo.is_empty() {
                        shell
                    } else {
                        if !self.path.insert(item.value) {
                            return Err(Error::new(ErrorKind::Cyclic));
                        }
                        todo.reverse();
                        next = todo.pop();
                        open.push(Open { item, shell, todo, done: if is_named { Self::names(item) } else { Vec::new() } });
                        continue;
                    }
                }
                None => return Ok(Value::None),
            };
            // the value goes to the one it is a child of, which may be whole with it
            loop {
                let Some(parent) = open.last_mut() else { return Ok(value) };
                parent.done.push(value);
                next = parent.todo.pop();
                if next.is_some() {
                    break;
                }
                let Some(mut whole) = open.pop() else { return Ok(Value::None) };
                self.path.remove(&whole.item.value);
                if let Some(children) = whole.shell.children_mut() {
                    *children = whole.done.into_iter().collect();
                }
                value = whole.shell;
            }
        }
    }

    fn pay(&mut self, price: u64) -> Result<()> {
        let limit = self.limit;
        let exceeded = || Error::new(ErrorKind::LimitExceeded { limit: "expansion", at: limit });
        self.left = self.left.checked_sub(price).ok_or_else(exceeded)?;
        Ok(())
    }

    /// A value without its children, and these.
    fn shell<'d>(item: Item<'d>) -> (Value, Vec<Item<'d>>) {
        let children = || item.items().collect();
        let empty = Children::default;
        let leaf = match item.kind() {
            Kind::List => return (Value::List(empty()), children()),
            Kind::Tuple => return (Value::Tuple(empty()), children()),
            Kind::Set => return (Value::Set(empty()), children()),
            Kind::Frozenset => return (Value::Frozenset(empty()), children()),
            Kind::Dict => return (Value::Dict(empty()), flat(item.entries())),
            Kind::Object | Kind::Persistent => return Self::object_shell(item),
            Kind::Global => Value::Global(Self::names(item).into()),
            Kind::None => Value::None,
            Kind::Bool => Value::Bool(item.as_bool() == Some(true)),
            Kind::Int => match item.as_i64() {
                Some(value) => Value::Int(value),
                None => Value::BigInt(item.as_int_bytes().unwrap_or_default().into_owned()),
            },
            Kind::Float => Value::Float(item.as_f64().unwrap_or(f64::NAN)),
            Kind::Str => match (item.as_str(), item.as_text_bytes()) {
                (Some(text), _) => Value::Str(text.to_owned()),
                (None, text) => Value::StrSurrogates(text.unwrap_or_default().to_vec()),
            },
            Kind::Str8 => Value::Str8(item.as_str8().unwrap_or_default().into_owned(), item.str8_encoding()),
            Kind::Bytes => Value::Bytes(item.as_bytes().unwrap_or_default().to_vec()),
            Kind::Bytearray => Value::Bytearray(item.as_bytes().unwrap_or_default().to_vec()),
            Kind::Extension => Value::Extension(item.extension_code().unwrap_or_default()),
            Kind::Buffer => {
                let (index, readonly) = item.as_buffer().unwrap_or_default();
                Value::Buffer { index, readonly, data: item.as_bytes().map(<[u8]>::to_vec) }
            }
        };
        (leaf, Vec::new())
    }

    /// The names of a class or function, or its code.
    fn names(item: Item<'_>) -> Vec<Value> {
        if let Some(code) = item.extension() {
            return vec![Self::shell(code).0];
        }
        if let Some((module, name)) = item.names_in_python3() {
            return vec![Value::Str(module.to_owned()), Value::Str(name.to_owned())];
        }
        item.global_parts().into_iter().flat_map(|(module, name)| [Self::shell(module).0, Self::shell(name).0]).collect()
    }

    /// An object without the values in it, and these but for names.
    fn object_shell<'d>(item: Item<'d>) -> (Value, Vec<Item<'d>>) {
        let mut groups = match item.how() {
            Some(How::Extension) => vec![(Group::ExtensionCode, 1)],
            Some(How::Global) => vec![(Group::Name, 2)],
            _ => Vec::new(),
        };
        let mut values: Vec<Item<'d>> = Vec::new();
        let mut add = |group, items: Vec<Item<'d>>| {
            groups.push((group, items.len()));
            values.extend(items);
        };
        let one = |item: Option<Item<'d>>| item.into_iter().collect::<Vec<_>>();
        let how = item.how().unwrap_or(How::Reduce);
        match how {
            How::Persistent => add(Group::PersistentId, one(item.persistent_id())),
            How::Global | How::Extension => {}
            _ => {
                add(Group::Callable, one(item.callable()));
                match item.args() {
                    Some(args) if args.kind() == Kind::Tuple => add(Group::Arguments, args.items().collect()),
                    args => add(Group::ArgumentsObject, one(args)),
                }
                if let Some(kwargs) = item.kwargs() {
                    add(Group::Keywords, vec![kwargs]);
                }
            }
        }
        for action in item.actions() {
            match action {
                Action::Append(items) => add(Group::Appended, items.collect()),
                Action::SetItems(entries) => add(Group::SetItems, flat(entries)),
                Action::Add(items) => add(Group::Added, items.collect()),
                Action::Build(state) => add(Group::State, vec![state]),
                Action::Call(call) => {
                    let args: Vec<_> = call.args().into_iter().flat_map(Item::items).collect();
                    let (group, args) = match args.split_first() {
                        Some((first, rest)) if first.id() == item.id() => (Group::Setter, rest),
                        _ => (Group::Call, &*args),
                    };
                    add(group, call.callable().into_iter().chain(args.iter().copied()).collect());
                }
            }
        }
        let object = Object { how, groups, values: Children::default() };
        (if how == How::Persistent { Value::Persistent(object) } else { Value::Object(object) }, values)
    }
}

fn flat<'d>(entries: crate::document::Entries<'d>) -> Vec<Item<'d>> {
    entries.flat_map(|(key, value)| [key, value]).collect()
}
