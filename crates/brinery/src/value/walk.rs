//! What walks a tree without recursion: dropping, cloning, comparing, hashing, printing.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::{Object, Value};
use crate::repr::{write_bytearray, write_bytes, write_float, write_str};

/// The values inside a [`Value`]. Dropping them does not recurse.
#[derive(Default)]
pub struct Children(Vec<Value>);

impl Children {
    /// Adds a value at the end.
    pub fn push(&mut self, value: Value) {
        self.0.push(value);
    }

    /// The values as a vector.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<Value> {
        std::mem::take(&mut self.0)
    }
}

impl Deref for Children {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.0
    }
}

impl FromIterator<Value> for Children {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}

impl From<Vec<Value>> for Children {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}

impl<'v> IntoIterator for &'v Children {
    type Item = &'v Value;
    type IntoIter = std::slice::Iter<'v, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl Drop for Children {
    fn drop(&mut self) {
        // each value gives its children away before it is dropped, so that none drops with children of its own
        let mut open = std::mem::take(&mut self.0);
        while let Some(mut value) = open.pop() {
            if let Some(children) = value.children_mut() {
                open.append(&mut children.0);
            }
        }
    }
}

impl Object {
    fn shell(&self) -> Self {
        Self { how: self.how, groups: self.groups.clone(), values: Children::default() }
    }
}

impl Value {
    /// The same value without its children.
    fn shell(&self) -> Self {
        let empty = Children::default;
        match self {
            Self::None => Self::None,
            Self::Bool(value) => Self::Bool(*value),
            Self::Int(value) => Self::Int(*value),
            Self::BigInt(bytes) => Self::BigInt(bytes.clone()),
            Self::Float(value) => Self::Float(*value),
            Self::Str(text) => Self::Str(text.clone()),
            Self::StrSurrogates(text) => Self::StrSurrogates(text.clone()),
            Self::Str8(bytes, encoding) => Self::Str8(bytes.clone(), *encoding),
            Self::Bytes(bytes) => Self::Bytes(bytes.clone()),
            Self::Bytearray(bytes) => Self::Bytearray(bytes.clone()),
            Self::List(_) => Self::List(empty()),
            Self::Tuple(_) => Self::Tuple(empty()),
            Self::Dict(_) => Self::Dict(empty()),
            Self::Set(_) => Self::Set(empty()),
            Self::Frozenset(_) => Self::Frozenset(empty()),
            Self::Global(_) => Self::Global(empty()),
            Self::Extension(code) => Self::Extension(*code),
            Self::Persistent(object) => Self::Persistent(object.shell()),
            Self::Object(object) => Self::Object(object.shell()),
            Self::Buffer { index, readonly, data } => Self::Buffer { index: *index, readonly: *readonly, data: data.clone() },
        }
    }

    /// Whether two values are the same but for their children.
    fn same_shell(&self, other: &Self) -> bool {
        if self.children().len() != other.children().len() {
            return false;
        }
        match (self, other) {
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Int(left), Self::Int(right)) => left == right,
            (Self::Float(left), Self::Float(right)) => left.to_bits() == right.to_bits(),
            (Self::Str(left), Self::Str(right)) => left == right,
            (Self::BigInt(left), Self::BigInt(right))
            | (Self::StrSurrogates(left), Self::StrSurrogates(right))
            | (Self::Bytes(left), Self::Bytes(right))
            | (Self::Bytearray(left), Self::Bytearray(right)) => left == right,
            (Self::Str8(left, encoding), Self::Str8(right, other)) => (left, encoding) == (right, other),
            (Self::Extension(left), Self::Extension(right)) => left == right,
            (Self::Persistent(left), Self::Persistent(right)) | (Self::Object(left), Self::Object(right)) => {
                (left.how, &left.groups) == (right.how, &right.groups)
            }
            (Self::Buffer { index, readonly, data }, Self::Buffer { index: other_index, readonly: other_readonly, data: other_data }) => {
                (index, readonly, data) == (other_index, other_readonly, other_data)
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    fn hash_shell(&self, state: &mut impl Hasher) {
        std::mem::discriminant(self).hash(state);
        self.children().len().hash(state);
        match self {
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Str(text) => text.hash(state),
            Self::BigInt(bytes) | Self::StrSurrogates(bytes) | Self::Str8(bytes, _) | Self::Bytes(bytes) | Self::Bytearray(bytes) => {
                bytes.hash(state);
            }
            Self::Extension(code) => code.hash(state),
            Self::Persistent(object) | Self::Object(object) => (object.how, &object.groups).hash(state),
            Self::Buffer { index, readonly, data } => (index, readonly, data).hash(state),
            _ => {}
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        struct Open<'v> {
            source: &'v Value,
            children: Vec<Value>,
        }
        let mut open = vec![Open { source: self, children: Vec::new() }];
        loop {
            let Some(top) = open.last_mut() else { return Self::None };
            if let Some(next) = top.source.children().get(top.children.len()) {
                if next.children().is_empty() {
                    top.children.push(next.shell());
                } else {
                    open.push(Open { source: next, children: Vec::new() });
                }
                continue;
            }
            let Some(Open { source, children }) = open.pop() else { return Self::None };
            let mut value = source.shell();
            if let Some(slot) = value.children_mut() {
                *slot = Children(children);
            }
            match open.last_mut() {
                Some(parent) => parent.children.push(value),
                None => return value,
            }
        }
    }
}

impl Clone for Children {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

fn same(left: &[Value], right: &[Value]) -> bool {
    let mut open: Vec<(&Value, &Value)> = Vec::new();
    let mut pairs = (left, right);
    loop {
        if pairs.0.len() != pairs.1.len() {
            return false;
        }
        open.extend(pairs.0.iter().zip(pairs.1));
        let Some((left, right)) = open.pop() else { return true };
        if !left.same_shell(right) {
            return false;
        }
        pairs = (left.children(), right.children());
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        same(std::slice::from_ref(self), std::slice::from_ref(other))
    }
}

impl Eq for Value {}

impl PartialEq for Children {
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl Eq for Children {}

fn hash(values: &[Value], state: &mut impl Hasher) {
    let mut open: Vec<&Value> = values.iter().rev().collect();
    while let Some(value) = open.pop() {
        value.hash_shell(state);
        open.extend(value.children().iter().rev());
    }
}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(std::slice::from_ref(self), state);
    }
}

impl Hash for Children {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.len().hash(state);
        hash(&self.0, state);
    }
}

/// Prints values as `name[child, child]`.
fn debug(f: &mut fmt::Formatter<'_>, values: &[Value]) -> fmt::Result {
    // the rest of each row of siblings
    let mut open = vec![(values.iter(), false)];
    loop {
        let Some((row, started)) = open.last_mut() else { return Ok(()) };
        let Some(value) = row.next() else {
            open.pop();
            if !open.is_empty() {
                f.write_str("]")?;
            }
            continue;
        };
        if std::mem::replace(started, true) {
            f.write_str(", ")?;
        }
        match value {
            Value::None => f.write_str("None")?,
            Value::Bool(value) => f.write_str(if *value { "True" } else { "False" })?,
            Value::Int(value) => write!(f, "{value}")?,
            Value::BigInt(bytes) => f.write_str(&crate::bigint::to_text(bytes, 4_300).0)?,
            Value::Float(value) => write_float(f, *value)?,
            Value::Str(text) => write_str(f, text.as_bytes())?,
            Value::StrSurrogates(text) => write_str(f, text)?,
            Value::Str8(bytes, _) | Value::Bytes(bytes) => write_bytes(f, bytes)?,
            Value::Bytearray(bytes) => write_bytearray(f, bytes)?,
            Value::Extension(code) => write!(f, "extension {code}")?,
            Value::Buffer { index, .. } => write!(f, "buffer {index}")?,
            Value::List(_) => f.write_str("list[")?,
            Value::Tuple(_) => f.write_str("tuple[")?,
            Value::Dict(_) => f.write_str("dict[")?,
            Value::Set(_) => f.write_str("set[")?,
            Value::Frozenset(_) => f.write_str("frozenset[")?,
            Value::Global(_) => f.write_str("global[")?,
            Value::Persistent(_) => f.write_str("persistent[")?,
            Value::Object(_) => f.write_str("object[")?,
        }
        if value.has_children() {
            open.push((value.children().iter(), false));
        }
    }
}

impl Value {
    fn has_children(&self) -> bool {
        matches!(
            self,
            Self::List(_)
                | Self::Tuple(_)
                | Self::Dict(_)
                | Self::Set(_)
                | Self::Frozenset(_)
                | Self::Global(_)
                | Self::Persistent(_)
                | Self::Object(_)
        )
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(f, std::slice::from_ref(self))
    }
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        debug(f, &self.0)?;
        f.write_str("]")
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Object").field("how", &self.how).field("groups", &self.groups).field("values", &self.values).finish()
    }
}
