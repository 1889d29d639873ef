//! The Python types that serde lacks, by the names of their wrappers in [`py`](crate::py).

use std::borrow::Cow;

use serde_core::de::value::{BytesDeserializer, SeqDeserializer};
use serde_core::de::{self, DeserializeSeed, IntoDeserializer, MapAccess, Unexpected, Visitor};

use super::deserializer::De;
use super::locate::Place;
use super::reading::Lend;
use crate::document::{Item, Kind, Part};
use crate::error::{Error, Result};
use crate::py::{self, Shape};

/// A wrapper of [`py`](crate::py).
pub(super) struct Special(Shape);

impl Special {
    #[inline]
    pub(super) fn of(name: &'static str) -> Option<Self> {
        Shape::of(name).map(Self)
    }

    /// Reads a value of the wrapper's kind, and of no other.
    pub(super) fn read<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(self, de: De<'_, 'a, L>, visitor: V) -> Result<V::Value> {
        let item = de.item;
        let wanted = match (self.0, item.kind()) {
            // a tree: made whole, and left where the visitor of `Value` finds it
            (Shape::Value, _) => {
                let tree = de.reading.tree(item)?;
                return py::hand_over(tree, || visitor.visit_unit());
            }
            (Shape::Tuple, Kind::Tuple)
            | (Shape::List, Kind::List)
            | (Shape::Set, Kind::Set)
            | (Shape::Frozenset, Kind::Frozenset)
            | (Shape::Bytes, Kind::Bytes)
            | (Shape::Bytearray, Kind::Bytearray)
            // a buffer in band is bytes, or a bytearray where it can be written to
            | (Shape::Buffer, Kind::Buffer | Kind::Bytes | Kind::Bytearray) => return visitor.visit_newtype_struct(de),
            (Shape::Str8, Kind::Str8) => {
                let bytes = item.as_str8().unwrap_or_default();
                de.reading.pay_for_bytes(bytes.len())?;
                return match bytes {
                    Cow::Borrowed(bytes) => match de.lend.bytes(bytes) {
                        Some(bytes) => visitor.visit_newtype_struct(de::value::BorrowedBytesDeserializer::new(bytes)),
                        None => visitor.visit_newtype_struct(BytesDeserializer::new(bytes)),
                    },
                    Cow::Owned(bytes) => visitor.visit_newtype_struct(BytesDeserializer::new(&bytes)),
                };
            }
            (Shape::Int, Kind::Int) => {
                let bytes = item.as_int_bytes().unwrap_or_default();
                de.reading.pay_for_bytes(bytes.len())?;
                return visitor.visit_newtype_struct(BytesDeserializer::<Error>::new(&bytes));
            }
            (Shape::Global, Kind::Global | Kind::Object) if item.qualified_name().is_some() => {
                let names = item.qualified_name().into_iter().flat_map(|(module, name)| [Cow::Borrowed(module), name]);
                return visitor.visit_newtype_struct(SeqDeserializer::<_, Error>::new(names));
            }
            (Shape::Complex, Kind::Object) if is_complex(item) => {
                let args = item.args().map_or_else(|| item.items(), Item::items);
                let parts = args.map(|part| part.as_f64().unwrap_or(f64::NAN));
                return visitor.visit_newtype_struct(SeqDeserializer::<_, Error>::new(parts));
            }
            // what Python takes for a complex number, too
            (Shape::Complex, Kind::Int | Kind::Float) if item.as_f64().is_some() => {
                let parts = [item.as_f64().unwrap_or_default(), 0.0];
                return visitor.visit_newtype_struct(SeqDeserializer::<_, Error>::new(parts.into_iter()));
            }
            (Shape::Persistent, Kind::Persistent) => {
                let id = item.persistent_id().unwrap_or(item);
                return visitor.visit_newtype_struct(de.with(id));
            }
            (shape, _) => shape.wanted(),
        };
        Err(Error::unexpected(item, wanted))
    }
}

fn is_complex(item: Item<'_>) -> bool {
    let class = item.class().and_then(Item::names_in_python3);
    let args = item.args().filter(|args| args.len() == Some(2));
    class == Some(("builtins", "complex")) && args.is_some_and(|args| args.items().all(|part| part.as_f64().is_some()))
}

/// What [`py::Object`] is read from: class, arguments, state, and what was called.
pub(super) fn object<'a, 'de, L: Lend<'a, 'de>, V: Visitor<'de>>(de: De<'_, 'a, L>, visitor: V) -> Result<V::Value> {
    let De { item, reading, lend } = de;
    let mut args = None;
    let mut state = None;
    let mut other = None;
    for part in item.parts() {
        match part {
            Part::Arguments(found) => args = Some(found),
            Part::State(found) => state = Some(found),
            Part::Attributes(_) => state = item.state(),
            Part::Keywords(_) => other = Some("keyword arguments"),
            Part::Appended(_) | Part::SetItems(_) | Part::Added(_) => other = Some("items"),
            Part::Call(_) => other = Some("a state setter"),
        }
    }
    let class = item.class().filter(|class| class.qualified_name().is_some() && item.kind() == Kind::Object);
    let Some(class) = class else { return Err(Error::unexpected(item, "an object of a class")) };
    if let Some(other) = other {
        return Err(Error::unexpected(item, format_args!("an object without {other}, which `Value` holds")));
    }
    reading.open(item.value)?;
    let access = ObjectParts { de: De::new(item, &mut *reading, lend), class, args, state, at: 0 };
    let result = visitor.visit_map(access);
    reading.close();
    result
}

struct ObjectParts<'s, 'a, L> {
    de: De<'s, 'a, L>,
    class: Item<'a>,
    args: Option<crate::document::Items<'a>>,
    state: Option<Item<'a>>,
    at: usize,
}

impl<'a, 'de, L: Lend<'a, 'de>> MapAccess<'de> for ObjectParts<'_, 'a, L> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(name) = py::OBJECT_FIELDS.get(self.at) else { return Ok(None) };
        self.at += 1;
        seed.deserialize(de::value::BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        let name = py::OBJECT_FIELDS.get(self.at.wrapping_sub(1)).copied().unwrap_or_default();
        let item = self.de.item;
        let reading = &mut *self.de.reading;
        let lend = self.de.lend;
        let result = match (name, self.state) {
            ("class", _) => seed.deserialize(De::new(self.class, reading, lend)),
            ("args", _) => seed.deserialize(Arguments { de: De::new(item, reading, lend), args: self.args.clone() }),
            ("state", Some(state)) => seed.deserialize(De::new(state, reading, lend)),
            ("state", None) => seed.deserialize(().into_deserializer()),
            _ => seed.deserialize(item.is_called().into_deserializer()),
        };
        result.map_err(|error| error.inside(Place::of(item.value), format_args!(".{name}")))
    }
}

/// Arguments, which are a tuple that is no value of the document where a function of `copyreg` has others before them.
struct Arguments<'s, 'a, L> {
    de: De<'s, 'a, L>,
    args: Option<crate::document::Items<'a>>,
}

impl<'a, 'de, L: Lend<'a, 'de>> de::Deserializer<'de> for Arguments<'_, 'a, L> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.args {
            Some(args) => self.de.arguments(visitor, args),
            None => visitor.visit_seq(SeqDeserializer::<std::iter::Empty<u8>, Error>::new(std::iter::empty())),
        }
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.args.map(Iterator::count) {
            None => visitor.visit_unit(),
            Some(count) => Err(de::Error::invalid_length(count, &"no arguments")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        match Shape::of(name) {
            None | Some(Shape::Tuple) => visitor.visit_newtype_struct(self),
            Some(shape) => Err(de::Error::invalid_type(Unexpected::Other("arguments"), &shape.wanted())),
        }
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit_struct seq tuple tuple_struct map struct
        enum identifier ignored_any
    }
}
