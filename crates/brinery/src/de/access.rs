//! What is inside a value, one thing after another.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde_core::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde_core::de::{self, DeserializeSeed, Expected, IntoDeserializer, Unexpected, Visitor};

use super::deserializer::{De, Wanted};
use super::error::describe_key;
use super::locate::Place;
use super::object;
use super::reading::{Lend, Reading};
use crate::document::{self, Item, Kind};
use crate::error::{Error, Result};
use crate::names::Known;

/// Items in their order.
pub(super) struct Items<'s, 'a, L> {
    owner: Item<'a>,
    rest: document::Items<'a>,
    at: usize,
    lend: L,
    reading: &'s mut Reading,
}

impl<'s, 'a, L> Items<'s, 'a, L> {
    pub(super) fn new(owner: Item<'a>, items: document::Items<'a>, lend: L, reading: &'s mut Reading) -> Self {
        Self { owner, rest: items, at: 0, lend, reading }
    }

    /// That the visitor took everything.
    pub(super) fn end(&mut self) -> Result<()> {
        let left = self.rest.by_ref().count();
        if left == 0 {
            return Ok(());
        }
        let all = self.at + left;
        Err(de::Error::invalid_length(all, &format_args!("{} items", self.at).to_string().as_str()))
    }
}

impl<'a, 'de, L: Lend<'a, 'de>> de::SeqAccess<'de> for &mut Items<'_, 'a, L> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        let Some(item) = self.rest.next() else { return Ok(None) };
        self.reading.pay_for(1)?;
        let at = self.at;
        self.at += 1;
        match seed.deserialize(De::new(item, &mut *self.reading, self.lend)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.inside(Place::item(self.owner, at, item), format_args!("[{at}]"))),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        match self.rest.size_hint() {
            (least, Some(most)) if least == most => Some(least),
            _ => None,
        }
    }
}

/// Before the name of a key that is no text: no field is called so, and no text is equal to it, so that what gathers the rest of a dict says that it has
/// no text here.
pub(super) const NO_TEXT: &[u8] = b"\xff";

/// Keys and values in their order.
pub(super) struct Pairs<'s, 'a, P, L> {
    owner: Item<'a>,
    rest: P,
    pair: Option<(Item<'a>, Item<'a>)>,
    lend: L,
    reading: &'s mut Reading,
    is_struct: bool,
    /// The text keys that are numbers, once an integer key came.
    numbers: Option<HashSet<&'a str>>,
}

impl<'s, 'a, P, L> Pairs<'s, 'a, P, L> {
    pub(super) fn new(owner: Item<'a>, pairs: P, lend: L, reading: &'s mut Reading, is_struct: bool) -> Self {
        Self { owner, rest: pairs, pair: None, lend, reading, is_struct, numbers: None }
    }

    /// Whether there is a text key as well that an integer key has the digits of.
    fn is_named(&mut self, key: Item<'a>) -> bool {
        let numbers = self.numbers.get_or_insert_with(|| {
            let texts = self.owner.entries().filter_map(|(key, _)| key.as_str());
            texts.filter(|text| text.bytes().all(|byte| byte == b'-' || byte.is_ascii_digit())).collect()
        });
        !numbers.is_empty() && key.as_i64().is_some_and(|value| numbers.contains(value.to_string().as_str()))
    }

    #[cold]
    fn inside(&self, error: Error, key: Item<'a>, item: Item<'a>) -> Error {
        let place = Place::value(self.owner, key, item);
        match key.as_str() {
            Some(name) if self.is_struct => error.inside(place, format_args!(".{name}")),
            _ => error.inside(place, format_args!("[{}]", describe_key(key))),
        }
    }
}

impl<'a, 'de, P: Iterator<Item = (Item<'a>, Item<'a>)>, L: Lend<'a, 'de>> de::MapAccess<'de> for &mut Pairs<'_, 'a, P, L> {
    type Error = Error;

    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.pair = self.rest.next();
        let Some((key, _)) = self.pair else { return Ok(None) };
        self.reading.pay_for(2)?;
        self.reading.names_another = key.kind() == Kind::Int && self.is_named(key);
        match seed.deserialize(De::new(key, &mut *self.reading, self.lend)) {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(error.inside(Place::key(self.owner, key), format_args!(" key {}", describe_key(key)))),
        }
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        let Some((key, value)) = self.pair else { return Err(Error::custom("a value was asked for before its key")) };
        let result = seed.deserialize(De::new(value, &mut *self.reading, self.lend));
        result.map_err(|error| self.inside(error, key, value))
    }

    fn size_hint(&self) -> Option<usize> {
        match self.rest.size_hint() {
            (least, Some(most)) if least == most => Some(least),
            _ => None,
        }
    }
}

/// Bytes as a sequence of numbers.
pub(super) struct Bytes<'a>(std::slice::Iter<'a, u8>);

impl<'a> Bytes<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes.iter())
    }
}

impl<'de> de::SeqAccess<'de> for Bytes<'_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.0.next().map(|&byte| seed.deserialize(byte.into_deserializer())).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// A variant of an enum, and what it holds.
pub(super) struct Variant<'s, 'a, L> {
    name: Cow<'a, str>,
    value: Option<Item<'a>>,
    de: De<'s, 'a, L>,
}

impl<'s, 'a, L> Variant<'s, 'a, L> {
    pub(super) fn new(name: Cow<'a, str>, value: Option<Item<'a>>, de: De<'s, 'a, L>) -> Self {
        Self { name, value, de }
    }

    /// Where what the variant holds stands.
    fn place(owner: Item<'_>, value: Item<'_>) -> Place {
        match owner.entries().next() {
            Some((key, _)) => Place::value(owner, key, value),
            None => Place::item(owner, 1, value),
        }
    }
}

impl Variant<'_, '_, ()> {
    /// Which variant a value is: `'Name'`, `('Name', value)`, `('Name',)`, `{'Name': value}`, or a member of a Python enum.
    pub(super) fn of<'a>(item: Item<'a>, name: &str, wanted: &dyn Expected) -> Result<(Cow<'a, str>, Option<Item<'a>>)> {
        let found = match item.kind() {
            Kind::Tuple => match (item.at(0).and_then(Item::as_str), item.len()) {
                (Some(name), Some(1 | 2)) => Some((name.into(), item.at(1))),
                _ => None,
            },
            Kind::Dict => match (item.entries().next(), item.len()) {
                (Some((key, value)), Some(1)) => key.as_str().map(|name| (name.into(), Some(value))),
                _ => None,
            },
            Kind::Object => Self::member(item, name)?.map(|name| (name, None)),
            // a member of an enum inside a class, by its name
            Kind::Global => item.as_global().and_then(|(_, name)| name.rsplit_once('.')).map(|(_, name)| (name.into(), None)),
            _ => text_of(item).map(|name| (name, None)),
        };
        found.ok_or_else(|| Error::unexpected(item, Wanted(wanted)))
    }

    /// A member of a Python enum: `Class(value)`, or `getattr(Class, 'NAME')`.
    fn member<'a>(item: Item<'a>, name: &str) -> Result<Option<Cow<'a, str>>> {
        let callable = item.callable().and_then(Item::object).map_or(Known::Other, |callable| callable.known);
        if callable == Known::Getattr {
            return Ok(item.args().and_then(|args| args.at(1)).and_then(text_of));
        }
        object::checked(item, name)?;
        Ok(object::only_argument(item).and_then(text_of))
    }
}

/// The text of a name, or of the value of an enum's member.
fn text_of(item: Item<'_>) -> Option<Cow<'_, str>> {
    match item.kind() {
        Kind::Int => Some(item.as_i64()?.to_string().into()),
        _ => item.as_str().map(Cow::Borrowed),
    }
}

impl<'s, 'a, 'de, L: Lend<'a, 'de>> de::EnumAccess<'de> for Variant<'s, 'a, L> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let borrowed = match self.name {
            Cow::Borrowed(name) => self.de.lend.text(name),
            Cow::Owned(_) => None,
        };
        let variant = match borrowed {
            Some(name) => seed.deserialize(BorrowedStrDeserializer::<Error>::new(name))?,
            None => seed.deserialize(StrDeserializer::<Error>::new(&self.name))?,
        };
        Ok((variant, self))
    }
}

impl<'s, 'a, 'de, L: Lend<'a, 'de>> Variant<'s, 'a, L> {
    fn read<T>(self, wanted: &str, read: impl FnOnce(De<'s, 'a, L>) -> Result<T>) -> Result<T> {
        let Some(value) = self.value else { return Err(de::Error::invalid_type(Unexpected::UnitVariant, &wanted)) };
        let place = Self::place(self.de.item, value);
        read(self.de.with(value)).map_err(|error| error.inside(place, format_args!("[{:?}]", Quoted(&self.name))))
    }
}

/// A text in quotation marks of Python.
struct Quoted<'t>(&'t str);

impl fmt::Debug for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.escape_debug())
    }
}

impl<'a, 'de, L: Lend<'a, 'de>> de::VariantAccess<'de> for Variant<'_, 'a, L> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        match self.value {
            None => Ok(()),
            Some(value) if value.is_none() => Ok(()),
            Some(value) => {
                let place = Self::place(self.de.item, value);
                Err(Error::unexpected(value, "a variant without a value").inside(place, format_args!("[{:?}]", Quoted(&self.name))))
            }
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        self.read("a variant with a value", |value| seed.deserialize(value))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        self.read("a variant with values", |value| de::Deserializer::deserialize_tuple(value, len, visitor))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        self.read("a variant with fields", |value| de::Deserializer::deserialize_struct(value, "", fields, visitor))
    }
}
