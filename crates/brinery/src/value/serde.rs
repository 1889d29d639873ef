//! Trees and documents for serde: whole to and from Brinery's own formats, as plain values for others.

use std::fmt;

use serde_core::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{Error as _, Serialize, SerializeMap, SerializeTuple, Serializer};

use super::{Children, Group, Object, Value};
use crate::document::{Document, Item};
use crate::error::Result;
use crate::py::{self, Int};

/// The name that a tree has for serde.
const NAME: &str = "$brinery::Value";

/// What is behind the name.
struct Tree<'v>(&'v Value);

impl Serialize for Tree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if py::is_wanted() {
            py::leave(self.0.clone());
            return serializer.serialize_unit();
        }
        match self.0 {
            Value::None => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => serializer.serialize_i64(*value),
            Value::BigInt(bytes) => Int::from_bytes(bytes).serialize(serializer),
            Value::Float(value) => serializer.serialize_f64(*value),
            Value::Str(text) => serializer.serialize_str(text),
            Value::StrSurrogates(_) => Err(S::Error::custom("a text with a lone surrogate is no Unicode text")),
            Value::Str8(bytes, _) => match std::str::from_utf8(bytes) {
                Ok(text) => serializer.serialize_str(text),
                Err(_) => serializer.serialize_bytes(bytes),
            },
            Value::Bytes(bytes) | Value::Bytearray(bytes) | Value::Buffer { data: Some(bytes), .. } => serializer.serialize_bytes(bytes),
            Value::Buffer { data: None, .. } => Err(S::Error::custom("the data of an out-of-band buffer is not there")),
            Value::List(items) | Value::Set(items) | Value::Frozenset(items) => serializer.collect_seq(items.iter()),
            Value::Tuple(items) => tuple(items, serializer),
            Value::Dict(pairs) => serializer.collect_map(pairs.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?)))),
            Value::Global(names) => tuple(names, serializer),
            Value::Extension(code) => serializer.serialize_u32(*code),
            Value::Persistent(object) | Value::Object(object) => parts(object, serializer),
        }
    }
}

fn tuple<S: Serializer>(items: &[Value], serializer: S) -> Result<S::Ok, S::Error> {
    let mut tuple = serializer.serialize_tuple(items.len())?;
    for item in items {
        tuple.serialize_element(item)?;
    }
    tuple.end()
}

/// An object as a map of what makes it, in the order in which that came.
fn parts<S: Serializer>(object: &Object, serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(object.groups.len()))?;
    let mut seen = Vec::new();
    for (group, values) in object.groups() {
        let name = group_name(group);
        let times = seen.iter().filter(|&&before| before == group).count();
        seen.push(group);
        // what comes again has a number, so that nothing is lost
        let name = if times == 0 { name.to_owned() } else { format!("{name} {}", times + 1) };
        match (group, values) {
            (Group::Arguments | Group::Appended | Group::Added | Group::Setter | Group::Call | Group::Name, _) => {
                map.serialize_entry(&name, &List(values))?;
            }
            (Group::SetItems, _) => map.serialize_entry(&name, &Pairs(values))?,
            (_, [value]) => map.serialize_entry(&name, value)?,
            _ => map.serialize_entry(&name, &List(values))?,
        }
    }
    map.end()
}

const fn group_name(group: Group) -> &'static str {
    match group {
        Group::Callable => "callable",
        Group::PersistentId => "persistent_id",
        Group::Name => "name",
        Group::ExtensionCode => "extension",
        Group::Arguments | Group::ArgumentsObject => "args",
        Group::Keywords => "kwargs",
        Group::State => "state",
        Group::Appended => "appended",
        Group::SetItems => "set",
        Group::Added => "added",
        Group::Setter => "state_setter",
        Group::Call => "call",
    }
}

struct List<'v>(&'v [Value]);

impl Serialize for List<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter())
    }
}

struct Pairs<'v>(&'v [Value]);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.chunks_exact(2).filter_map(|pair| Some((pair.first()?, pair.get(1)?))))
    }
}

impl Serialize for Value {
    /// By Brinery's own serializer the tree as it is; by others objects as maps of what makes them, sets as sequences, classes as `(module, name)`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Tree(self))
    }
}

/// A value of a document as a tree.
struct Shown<'d>(Item<'d>);

impl Serialize for Shown<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let tree = Value::try_from(self.0).map_err(S::Error::custom)?;
        if py::is_wanted() {
            py::leave(tree);
            return serializer.serialize_unit();
        }
        Tree(&tree).serialize(serializer)
    }
}

impl Serialize for Item<'_> {
    /// As its [`Value`]: a value in two places is there twice, and one inside itself is an error. [`Pickler::dump`](crate::Pickler::dump) keeps both.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(NAME, &Shown(*self))
    }
}

impl Serialize for Document<'_> {
    /// As the [`Value`] of its first pickle.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.root().serialize(serializer)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(py::handed().unwrap_or_default())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Int::from(value).into())
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Value, E> {
        Ok(Int::from(value).into())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Value, E> {
        Ok(Int::from(value).into())
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Value, E> {
        Ok(Value::Str(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Value, E> {
        Ok(Value::Str(text))
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(bytes.to_vec()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Value::List(Children::from(items)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some((key, value)) = map.next_entry()? {
            items.extend([key, value]);
        }
        Ok(Value::Dict(Children::from(items)))
    }
}

impl<'de> Deserialize<'de> for Value {
    /// From Brinery's own deserializer whatever is there; from others what they say it is.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(NAME, Reader)
    }
}
