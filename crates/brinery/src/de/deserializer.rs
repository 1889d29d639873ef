//! A value of a document as serde's data model.

use serde_core::de::{self, Unexpected, Visitor};

use super::access::{Bytes, Items, NO_TEXT, Pairs, Variant};
use super::reading::{Choices, Lend, Reading, Whole};
use super::{locate, object, python};
use crate::bigint;
use crate::document::{Item, Kind};
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::py::ClassName;

/// A value, and the reading that it is part of.
pub(super) struct De<'s, 'a, L> {
    pub(super) item: Item<'a>,
    pub(super) reading: &'s mut Reading,
    pub(super) lend: L,
}

impl<'s, 'a, L> De<'s, 'a, L> {
    pub(super) fn new(item: Item<'a>, reading: &'s mut Reading, lend: L) -> Self {
        Self { item, reading, lend }
    }
}

impl<'s, 'a, 'de, L: Lend<'a, 'de>> De<'s, 'a, L> {
    pub(super) fn with(self, item: Item<'a>) -> Self {
        Self { item, ..self }
    }

    /// The value that a number, string or bytes is read from: the one argument of an object that has nothing else.
    fn scalar(mut self) -> Result<Self> {
        while self.item.kind() == Kind::Object {
            self.reading.pay_for_object(self.item)?;
            let Some(value) = object::only_argument(self.item) else { break };
            self.item = value;
        }
        Ok(self)
    }

    fn text<V: Visitor<'de>>(self, visitor: V, text: &'a str) -> Result<V::Value> {
        self.reading.pay_for_bytes(text.len())?;
        match self.lend.text(text) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => visitor.visit_str(text),
        }
    }

    pub(super) fn bytes<V: Visitor<'de>>(self, visitor: V, bytes: &'a [u8]) -> Result<V::Value> {
        self.reading.pay_for_bytes(bytes.len())?;
        match self.lend.bytes(bytes) {
            Some(bytes) => visitor.visit_borrowed_bytes(bytes),
            None => visitor.visit_bytes(bytes),
        }
    }

    fn int<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if let Some(value) = self.item.as_u64() {
            return visitor.visit_u64(value);
        }
        if let Some(value) = self.item.as_i64() {
            return visitor.visit_i64(value);
        }
        let bytes = self.item.as_int_bytes().unwrap_or_default();
        if let Some(value) = bigint::to_i128(&bytes) {
            return match u128::try_from(value) {
                Ok(value) => visitor.visit_u128(value),
                Err(_) => visitor.visit_i128(value),
            };
        }
        match &*bytes {
            [low @ .., 0] if low.len() == 16 => visitor.visit_u128(low.iter().rev().fold(0, |sum, &byte| (sum << 8) | u128::from(byte))),
            _ => Err(de::Error::invalid_type(Unexpected::Other(&format!("int of {} bytes", bytes.len())), &visitor)),
        }
    }

    /// Text, or an error that says what else it is.
    fn string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.item.kind() {
            Kind::Str => match self.item.as_str() {
                Some(text) => self.text(visitor, text),
                None => Err(de::Error::invalid_type(Unexpected::Other("str with a lone surrogate"), &visitor)),
            },
            _ => {
                let bytes = self.item.as_str8().unwrap_or_default();
                self.reading.pay_for_bytes(bytes.len())?;
                match (self.item.as_str(), std::str::from_utf8(&bytes)) {
                    (Some(text), _) => self.text(visitor, text),
                    (None, Ok(text)) => visitor.visit_str(text),
                    (None, Err(_)) => Err(de::Error::invalid_type(Unexpected::Other("8-bit str that is not UTF-8"), &visitor)),
                }
            }
        }
    }

    /// A value whose kind decides.
    fn any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        match item.kind() {
            Kind::None => visitor.visit_unit(),
            Kind::Bool => visitor.visit_bool(item.as_bool() == Some(true)),
            Kind::Int => self.int(visitor),
            Kind::Float => visitor.visit_f64(item.as_f64().unwrap_or(f64::NAN)),
            Kind::Str => self.string(visitor),
            Kind::Str8 => match item.as_bytes() {
                Some(bytes) => self.bytes(visitor, bytes),
                None => self.string(visitor),
            },
            Kind::Bytes | Kind::Bytearray => self.bytes(visitor, item.as_bytes().unwrap_or_default()),
            Kind::Buffer => self.bytes(visitor, item.buffer_data()?),
            Kind::List | Kind::Tuple | Kind::Set | Kind::Frozenset => self.seq(visitor, item.items()),
            Kind::Dict => self.map(visitor, item.entries(), false),
            Kind::Object => object::any(self, visitor),
            Kind::Global if self.reading.choices.globals_as_none => visitor.visit_unit(),
            Kind::Global | Kind::Extension | Kind::Persistent => Err(Error::unexpected(item, Wanted(&visitor))),
        }
    }

    /// Items as a sequence, all of which the visitor has to take.
    pub(super) fn seq<V: Visitor<'de>>(self, visitor: V, items: crate::document::Items<'a>) -> Result<V::Value> {
        if self.reading.is_none_here(self.item.value) {
            return visitor.visit_unit();
        }
        self.reading.open(self.item.value)?;
        let mut access = Items::new(self.item, items, self.lend, &mut *self.reading);
        let result = visitor.visit_seq(&mut access).and_then(|value| access.end().map(|()| value));
        self.reading.close();
        result
    }

    /// Pairs as a map; those of a struct are shown as fields in errors.
    pub(super) fn map<V: Visitor<'de>>(
        self,
        visitor: V,
        pairs: impl Iterator<Item = (Item<'a>, Item<'a>)>,
        is_struct: bool,
    ) -> Result<V::Value> {
        if self.reading.is_none_here(self.item.value) {
            return visitor.visit_unit();
        }
        self.reading.open(self.item.value)?;
        let mut access = Pairs::new(self.item, pairs, self.lend, &mut *self.reading, is_struct);
        let result = visitor.visit_map(&mut access);
        self.reading.close();
        result
    }

    /// The arguments of an object as a sequence, in an object that is open already.
    pub(super) fn arguments<V: Visitor<'de>>(self, visitor: V, args: crate::document::Items<'a>) -> Result<V::Value> {
        let mut access = Items::new(self.item, args, self.lend, &mut *self.reading);
        visitor.visit_seq(&mut access).and_then(|value| access.end().map(|()| value))
    }

    /// What is inside an object, which is open while it is read.
    pub(super) fn any_inside<V: Visitor<'de>>(self, object: Item<'a>, visitor: V) -> Result<V::Value> {
        if self.reading.is_none_here(object.value) {
            return visitor.visit_unit();
        }
        self.reading.open(object.value)?;
        let result = De::new(self.item, &mut *self.reading, self.lend).any(visitor);
        self.reading.close();
        result
    }

    /// Whether a container is in a place where it is inside itself and taken for `None`.
    fn is_none_here(&self) -> bool {
        self.reading.is_none_here(self.item.value)
    }

    /// A value that is passed on whole, one level deeper.
    fn deeper<T>(self, read: impl FnOnce(De<'_, 'a, L>) -> Result<T>) -> Result<T> {
        self.reading.deepen()?;
        let result = read(De::new(self.item, &mut *self.reading, self.lend));
        self.reading.rise();
        result
    }

    /// The name of a field: text, or the text of what else is a key.
    fn identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match (self.item.as_str(), self.item.as_str8()) {
            (Some(text), _) => self.text(visitor, text),
            (None, Some(bytes)) => visitor.visit_bytes(&bytes),
            _ if self.item.kind() == Kind::Bytes => visitor.visit_bytes(self.item.as_bytes().unwrap_or_default()),
            _ if self.item.as_i64().is_some() && !self.reading.names_another => visitor.visit_str(&super::error::describe_key(self.item)),
            _ => visitor.visit_bytes(&[NO_TEXT, super::error::describe_key(self.item).as_bytes()].concat()),
        }
    }
}

/// What a visitor wants, as text.
pub(super) struct Wanted<'v>(pub(super) &'v dyn de::Expected);

impl std::fmt::Display for Wanted<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// Methods that read a number, string or bytes, or the one argument of an object.
macro_rules! scalars {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.deserialize_any(visitor)
        }
    )*};
}

impl<'a, 'de, L: Lend<'a, 'de>> de::Deserializer<'de> for De<'_, 'a, L> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let scalar = self.scalar()?;
        scalar.any(visitor).map_err(|error| error.of(item))
    }

    scalars! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        if item.kind() == Kind::Int && item.as_i64().is_none() {
            let bytes = item.as_int_bytes().unwrap_or_default();
            self.reading.pay_for_bytes(bytes.len())?;
            if let Some(value) = bigint::to_nearest_f64(&bytes) {
                return visitor.visit_f64::<Error>(value).map_err(|error| error.of(item));
            }
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_char<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let scalar = self.scalar()?;
        let result = match scalar.item.kind() {
            Kind::Str | Kind::Str8 => scalar.string(visitor),
            _ => scalar.any(visitor),
        };
        result.map_err(|error| error.of(item))
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let scalar = self.scalar()?;
        let result = match (scalar.item.kind(), scalar.item.as_str8(), scalar.item.as_text_bytes()) {
            (Kind::Str8, Some(std::borrow::Cow::Borrowed(bytes)), _) => scalar.bytes(visitor, bytes),
            (Kind::Str8, Some(bytes), _) => scalar.reading.pay_for_bytes(bytes.len()).and_then(|()| visitor.visit_bytes(&bytes)),
            (Kind::Str, _, Some(text)) if scalar.item.as_str().is_none() => scalar.bytes(visitor, text),
            _ => scalar.any(visitor),
        };
        result.map_err(|error| error.of(item))
    }

    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let is_none = match self.item.kind() {
            Kind::None => true,
            Kind::Global => self.reading.choices.globals_as_none,
            _ => self.is_none_here(),
        };
        if is_none {
            return visitor.visit_none();
        }
        let item = self.item;
        self.deeper(|inner| visitor.visit_some(inner)).map_err(|error| error.of(item))
    }

    fn deserialize_unit<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        let item = self.item;
        self.reading.pay_for_object(item)?;
        let is_class = ClassName::parse(name).is_some() && item.kind() == Kind::Object;
        match object::checked(item, name) {
            Ok(_) if is_class && item.parts().is_empty() => visitor.visit_unit(),
            Ok(_) => return self.deserialize_any(visitor),
            Err(error) => Err(error),
        }
        .map_err(|error| error.of(item))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let result = self.deeper(|inner| match python::Special::of(name) {
            Some(special) => special.read(inner, visitor),
            None => match inner.reading.pay_for_object(item).and_then(|()| object::checked(item, name))? {
                // a class with one argument, or a wrapper of a program's own
                Some(value) => visitor.visit_newtype_struct(inner.with(value)),
                None => visitor.visit_newtype_struct(inner),
            },
        });
        result.map_err(|error| error.of(item))
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let result = match item.kind() {
            Kind::Bytes | Kind::Bytearray | Kind::Buffer => {
                let bytes = if item.kind() == Kind::Buffer { item.buffer_data()? } else { item.as_bytes().unwrap_or_default() };
                self.reading.pay_for_bytes(bytes.len())?;
                visitor.visit_seq(Bytes::new(bytes))
            }
            Kind::Object => self.reading.pay_for_object(item).and_then(|()| object::seq(self, visitor, None)),
            _ => self.any(visitor),
        };
        result.map_err(|error| error.of(item))
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        let item = self.item;
        match item.kind() {
            Kind::Object => {
                self.reading.pay_for_object(item).and_then(|()| object::seq(self, visitor, Some(len))).map_err(|error| error.of(item))
            }
            _ => self.deserialize_seq(visitor),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, name: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        let item = self.item;
        self.reading.pay_for_object(item).and_then(|()| object::checked(item, name)).map_err(|error| error.of(item))?;
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let item = self.item;
        let result = match item.kind() {
            Kind::Object => self.reading.pay_for_object(item).and_then(|()| object::map(self, visitor)),
            _ => self.any(visitor),
        };
        result.map_err(|error| error.of(item))
    }

    fn deserialize_struct<V: Visitor<'de>>(self, name: &'static str, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let item = self.item;
        let result = match item.kind() {
            _ if name == crate::py::OBJECT => self.reading.pay_for_object(item).and_then(|()| python::object(self, visitor)),
            Kind::Object => match self.reading.pay_for_object(item).and_then(|()| object::checked(item, name)) {
                Ok(_) => object::structure(self, fields, visitor),
                Err(error) => Err(error),
            },
            Kind::Dict => self.map(visitor, item.entries(), true),
            _ => self.any(visitor),
        };
        result.map_err(|error| error.of(item))
    }

    fn deserialize_enum<V: Visitor<'de>>(self, name: &'static str, _variants: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let item = self.item;
        let result = (self.reading.pay_for_object(item))
            .and_then(|()| Variant::of(item, name, &visitor))
            .and_then(|(variant, value)| self.deeper(|inner| visitor.visit_enum(Variant::new(variant, value, inner))));
        result.map_err(|error| error.of(item))
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.identifier(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }
}

/// A [`serde::Deserializer`](serde_core::Deserializer) over a value of a document, for what takes one: `serde_path_to_error`, `serde_ignored`,
/// `erased_serde`, a `deserialize_with` of one's own.
///
/// ```
/// use serde::Deserialize;
/// let document = brinery::Document::from_slice(b"\x80\x04](K\x01K\x02e.")?;
/// let numbers = Vec::<u8>::deserialize(&mut brinery::Deserializer::new(document.root()))?;
/// assert_eq!(numbers, [1, 2]);
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug)]
pub struct Deserializer<'de> {
    item: Item<'de>,
    reading: Reading,
}

impl<'de> Deserializer<'de> {
    /// A deserializer with the default limits; [`Unpickler::deserializer`](crate::Unpickler::deserializer) gives one with others. What it reads can borrow from the document.
    #[must_use]
    pub fn new(item: Item<'de>) -> Self {
        Self::with(item, &Limits::default(), Choices::default())
    }

    pub(crate) fn with(item: Item<'de>, limits: &Limits, choices: Choices) -> Self {
        Self { item, reading: Reading::new(item.document, limits, choices) }
    }
}

/// Methods that go to the value's own deserializer.
macro_rules! forward {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value> {
            let result = De::new(self.item, &mut self.reading, Whole).$method($($name,)* visitor);
            result.map_err(|error| locate::located(error, self.item.document))
        }
    )*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    forward! {
        deserialize_any() deserialize_bool() deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128() deserialize_f32() deserialize_f64()
        deserialize_char() deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_seq() deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) deserialize_identifier() deserialize_ignored_any()
    }
}
