//! [`Value`]: an owned tree.

mod to_document;
mod walk;

use crate::document::{Action, Document, Encoding, How, Item, Kind, RefSet};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
pub use walk::Children;

/// An owned value: what an [`Item`] shows, as a tree.
///
/// A tree has no sharing: a value that a pickle refers to twice is there twice, within [`Limits::expansion`], and a value inside itself cannot
/// be a tree. Whatever its depth, it is dropped, cloned, compared, hashed and printed without recursion.
///
/// `==` is by structure: the kinds, the order of dicts and sets, and the bits of floats count, so that it agrees with `Hash`.
///
/// ```
/// use brinery::{Document, Value};
/// let document = Document::from_slice(b"\x80\x04](K\x01K\x02e.")?;
/// let value = Value::try_from(document.root())?;
/// assert_eq!(value, Value::List([Value::Int(1), Value::Int(2)].into_iter().collect()));
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Default)]
#[non_exhaustive]
pub enum Value {
    /// `None`.
    #[default]
    None,
    /// A boolean.
    Bool(bool),
    /// An integer of 64 bits.
    Int(i64),
    /// A wider integer: two's complement, little-endian, without redundant bytes.
    BigInt(Vec<u8>),
    /// A float.
    Float(f64),
    /// Text.
    Str(String),
    /// Text in which surrogates stand alone, as UTF-8 would have them.
    StrSurrogates(Vec<u8>),
    /// An 8-bit string of Python 2, and how it reads.
    Str8(Vec<u8>, Encoding),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A bytearray.
    Bytearray(Vec<u8>),
    /// A list.
    List(Children),
    /// A tuple.
    Tuple(Children),
    /// A dict: keys and values in turn.
    Dict(Children),
    /// A set.
    Set(Children),
    /// A frozenset.
    Frozenset(Children),
    /// A class or function by its module and its name, both text, as Python 3 has them.
    Global(Children),
    /// An extension code that is not registered.
    Extension(u32),
    /// An object outside the pickle: its persistent id, then what was done to it.
    Persistent(Object),
    /// An object that a call made.
    Object(Object),
    /// An out-of-band buffer.
    Buffer {
        /// Its number.
        index: usize,
        /// Whether it is read-only.
        readonly: bool,
        /// Its data, if the document had it.
        data: Option<Vec<u8>>,
    },
}

/// How an object was made and what was done to it.
#[derive(PartialEq, Eq, Hash, Clone)]
pub struct Object {
    how: How,
    /// What each group of `values` is, and how many values it has.
    groups: Vec<(Group, usize)>,
    values: Children,
}

/// What some of the values of an [`Object`] are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// What was called, as it stands in the pickle: one value.
    Callable,
    /// A persistent id: one value.
    PersistentId,
    /// The module and the name of a class or function that something was done to.
    Name,
    /// The code of an extension that something was done to: one value.
    ExtensionCode,
    /// Positional arguments.
    Arguments,
    /// Positional arguments that are an object, perhaps a tuple of a class of its own: one value.
    ArgumentsObject,
    /// Keyword arguments: one value, a dict as a rule.
    Keywords,
    /// State: one value.
    State,
    /// Items appended.
    Appended,
    /// Items set: keys and values in turn.
    SetItems,
    /// Items added as to a set.
    Added,
    /// A state setter: the function, then its arguments but for the object itself.
    Setter,
    /// Any other call whose result was dropped: the function, then all its arguments.
    Call,
}

impl Object {
    /// The groups of values, in the order in which they came.
    pub fn groups(&self) -> impl Iterator<Item = (Group, &[Value])> {
        let mut at = 0;
        self.groups.iter().map(move |&(group, len)| {
            let values = self.values.get(at..at + len).unwrap_or_default();
            at += len;
            (group, values)
        })
    }

    /// How the object was made.
    #[must_use]
    pub fn how(&self) -> How {
        self.how
    }

    /// The class or function that was called; of calls of `copyreg`'s functions, the class that they make an object of.
    #[must_use]
    pub fn class(&self) -> Option<&Value> {
        let groups: Vec<_> = self.groups().take(2).collect();
        let &[(Group::Callable, [callable]), ..] = &*groups else { return None };
        let is_copyreg = match callable.children() {
            [Value::Str(module), Value::Str(name)] if matches!(callable, Value::Global(_)) => {
                matches!(&**module, "copyreg" | "copy_reg") && matches!(&**name, "_reconstructor" | "__newobj__" | "__newobj_ex__")
            }
            _ => false,
        };
        match &*groups {
            [_, (Group::Arguments, [class, ..])] if is_copyreg => Some(class),
            _ => Some(callable),
        }
    }

    /// The attributes that states gave: those of a dict, and of a tuple of a dict and a dict of slots.
    pub fn attributes(&self) -> impl Iterator<Item = (&Value, &Value)> {
        let states = self.groups().filter(|(group, _)| *group == Group::State).flat_map(|(_, values)| values);
        let dicts = states.flat_map(|state| match state {
            Value::Tuple(parts) if parts.len() == 2 => &**parts,
            _ => std::slice::from_ref(state),
        });
        let pairs = dicts.filter(|dict| matches!(dict, Value::Dict(_))).flat_map(|dict| dict.children().chunks_exact(2));
        pairs.filter_map(|pair| match pair {
            [name, value] => Some((name, value)),
            _ => None,
        })
    }
}

impl Value {
    /// The tree of an item, within the limits. A value inside itself is an error, and so is a tree that is too much larger than the document.
    pub fn from_item(item: Item<'_>, limits: &Limits) -> Result<Self> {
        TreeBuilder { left: limits.expansion, limit: limits.expansion, path: RefSet::default(), seen: RefSet::default() }.build(item)
    }

    /// The tree of a document's first pickle, with default limits.
    pub fn from_document(document: &Document<'_>) -> Result<Self> {
        Self::from_item(document.root(), &Limits::default())
    }

    /// The values directly inside this one.
    #[must_use]
    pub fn children(&self) -> &[Self] {
        match self {
            Self::List(children)
            | Self::Tuple(children)
            | Self::Dict(children)
            | Self::Set(children)
            | Self::Frozenset(children)
            | Self::Global(children) => children,
            Self::Persistent(object) | Self::Object(object) => &object.values,
            _ => &[],
        }
    }

    /// How many groups an object has, beside its values.
    fn groups(&self) -> usize {
        match self {
            Self::Persistent(object) | Self::Object(object) => object.groups.len(),
            _ => 0,
        }
    }

    fn children_mut(&mut self) -> Option<&mut Children> {
        match self {
            Self::List(children)
            | Self::Tuple(children)
            | Self::Dict(children)
            | Self::Set(children)
            | Self::Frozenset(children)
            | Self::Global(children) => Some(children),
            Self::Persistent(object) | Self::Object(object) => Some(&mut object.values),
            _ => None,
        }
    }
}

impl TryFrom<Item<'_>> for Value {
    type Error = Error;

    fn try_from(item: Item<'_>) -> Result<Self> {
        Self::from_item(item, &Limits::default())
    }
}

/// How many bytes count as one value when they are copied once more.
const BYTES_OF_A_VALUE: u64 = 64;

/// Builds a tree on a stack of its own. Only what is in the tree already is paid for when it comes again.
struct TreeBuilder {
    /// What may still be copied.
    left: u64,
    limit: u64,
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
    fn build(&mut self, item: Item<'_>) -> Result<Value> {
        let mut open: Vec<Open<'_>> = Vec::new();
        let mut next = Some(item);
        loop {
            let mut value = match next.take() {
                Some(item) => {
                    let again = item.value.index().is_some() && !self.seen.insert(item.value);
                    if again {
                        self.pay(1 + item.data_len() as u64 / BYTES_OF_A_VALUE)?;
                    }
                    // what is done to a class or function is done once, wherever it is referred to
                    let is_named = matches!(item.kind(), Kind::Global | Kind::Extension) && item.actions().next().is_some();
                    let (shell, mut todo) = if is_named && !again { Self::object_shell(item) } else { Self::shell(item) };
                    if again {
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
