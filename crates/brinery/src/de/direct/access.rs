//! What is inside a value, one thing after another.

use serde_core::de::{self, DeserializeSeed, Visitor};

use super::Direct;
use super::keys::Keys;
use super::lookahead::{BATCH, Items};
use super::value::{Key, Text};
use crate::de::reading::Lend;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::opcode::Opcode;

/// Items of a list. It has the place in the input itself, so that a run of numbers is read with the place in a register, and gives it back where others go on, and
/// at the end.
pub(super) struct List<'d, 'i, I, L> {
    direct: &'d mut Direct<'i, I, L>,
    at: usize,
    items: Items,
    /// Items of the batch.
    count: usize,
}

impl<'d, 'i, I: Input, L> List<'d, 'i, I, L> {
    #[inline(always)]
    pub(super) fn new(direct: &'d mut Direct<'i, I, L>, items: Items) -> Self {
        let at = direct.at + usize::from(items == Items::Marked);
        direct.at = at;
        direct.open_lists += usize::from(items != Items::None);
        Self { direct, at, items, count: 0 }
    }

    /// Behind a batch, at its opcode: the place, and how the list goes on.
    #[cold]
    #[inline(never)]
    fn next_batch(direct: &mut Direct<'i, I, L>, at: usize, is_full: bool) -> Result<(usize, Items)> {
        direct.at = at + 1;
        let items = if is_full { direct.list_items()? } else { Items::None };
        direct.at += usize::from(items == Items::Marked);
        direct.open_lists -= usize::from(items == Items::None);
        Ok((direct.at, items))
    }

    /// The next opcode, and its place: frames end and begin in between.
    #[cold]
    #[inline(never)]
    fn peek_slowly(direct: &mut Direct<'i, I, L>, at: usize) -> Result<(usize, u8)> {
        direct.at = at;
        let opcode = direct.peek()?;
        Ok((direct.at, opcode))
    }

    #[inline(always)]
    fn peek(&mut self) -> Result<u8> {
        if self.at < self.direct.frame_end
            && let Some(&byte) = self.direct.input.window().get(self.at)
            && byte != Opcode::Frame.byte()
        {
            return Ok(byte);
        }
        let (at, opcode) = Self::peek_slowly(self.direct, self.at)?;
        self.at = at;
        Ok(opcode)
    }
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::SeqAccess<'de> for List<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.items == Items::Marked {
            // nothing counts after a poisoning, but a visitor that goes over errors has to come to an end
            let Ok(opcode) = self.peek() else { return Ok(None) };
            if opcode == Opcode::Appends.byte() {
                let (at, items) = Self::next_batch(self.direct, self.at, self.count == BATCH)?;
                (self.at, self.items, self.count) = (at, items, 0);
            }
            if self.items == Items::Marked {
                self.count += 1;
                return seed.deserialize(Element { list: self }).map(Some);
            }
        }
        if self.items == Items::None || self.direct.is_poisoned {
            return Ok(None);
        }
        self.direct.at = self.at;
        let value = seed.deserialize(&mut *self.direct)?;
        self.direct.expect(Opcode::Append)?;
        self.direct.open_lists -= 1;
        self.items = Items::None;
        self.at = self.direct.at;
        Ok(Some(value))
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        match self.items {
            Items::None => Some(0),
            Items::Single => Some(1),
            Items::Marked => self.direct.items_ahead(self.at),
        }
    }
}

/// An item of a batch.
struct Element<'e, 'd, 'i, I, L> {
    list: &'e mut List<'d, 'i, I, L>,
}

impl<'i, I: Input, L> Element<'_, '_, 'i, I, L> {
    /// The opcode and its argument, if they are all there. Whether a frame ends in them is seen at the next opcode.
    #[inline(always)]
    fn chunk<const N: usize>(&self) -> Option<[u8; N]> {
        self.list.direct.input.window().get(self.list.at..).and_then(|rest| rest.first_chunk::<N>()).copied()
    }

    /// Reads the item by the reading that the list is part of.
    #[inline(always)]
    fn slowly<T>(self, read: impl FnOnce(&mut Direct<'i, I, L>) -> Result<T>) -> Result<T> {
        self.list.direct.at = self.list.at;
        let value = read(self.list.direct);
        self.list.at = self.list.direct.at;
        value
    }

    /// A short integer, whose opcode has been looked at: the list's next one.
    #[inline(always)]
    fn int(&mut self) -> Option<i64> {
        let chunk = self.chunk::<5>()?;
        let (value, length) = match chunk {
            [b'K', byte, ..] => (byte.into(), 2),
            [b'M', low, high, ..] => (u16::from_le_bytes([low, high]).into(), 3),
            [b'J', four @ ..] => (i32::from_le_bytes(four).into(), 5),
            _ => return None,
        };
        self.list.at += length;
        Some(value)
    }
}

macro_rules! element_ints {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value> {
            match self.int() {
                Some(value) => Direct::<I, L>::visit_int(value, visitor),
                None => self.slowly(|direct| de::Deserializer::$method(direct, visitor)),
            }
        }
    )*};
}

macro_rules! element_others {
    ($($method:ident($($name:ident: $type:ty),*))*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value> {
            self.slowly(|direct| de::Deserializer::$method(direct, $($name,)* visitor))
        }
    )*};
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::Deserializer<'de> for Element<'_, '_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.chunk::<9>() {
            Some([b'G', double @ ..]) => {
                self.list.at += 9;
                visitor.visit_f64(f64::from_be_bytes(double))
            }
            _ => self.slowly(|direct| de::Deserializer::deserialize_f64(direct, visitor)),
        }
    }

    #[inline(always)]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.chunk::<1>() {
            Some([opcode @ (0x88 | 0x89)]) => {
                self.list.at += 1;
                visitor.visit_bool(opcode == 0x88)
            }
            _ => self.slowly(|direct| de::Deserializer::deserialize_bool(direct, visitor)),
        }
    }

    element_ints! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    element_others! {
        deserialize_any() deserialize_char() deserialize_str() deserialize_string() deserialize_bytes() deserialize_byte_buf() deserialize_option()
        deserialize_unit() deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str) deserialize_seq()
        deserialize_tuple(len: usize) deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_struct(name: &'static str, fields: &'static [&'static str])
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) deserialize_identifier() deserialize_ignored_any()
    }
}

/// Elements of a tuple behind a mark.
pub(super) struct Tuple<'d, 'i, I, L>(pub(super) &'d mut Direct<'i, I, L>);

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::SeqAccess<'de> for Tuple<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if !self.0.peek().is_ok_and(|opcode| opcode != Opcode::Tuple.byte()) {
            return Ok(None);
        }
        seed.deserialize(&mut *self.0).map(Some)
    }
}

/// Elements of a tuple whose opcode comes behind them.
pub(super) struct Postfix<'d, 'i, I, L> {
    pub(super) direct: &'d mut Direct<'i, I, L>,
    pub(super) left: usize,
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::SeqAccess<'de> for Postfix<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.direct).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

/// Keys and values of a dict.
pub(super) struct Map<'d, 'i, I, L> {
    direct: &'d mut Direct<'i, I, L>,
    items: Items,
    keys: Keys,
    /// Pairs of the batch.
    count: usize,
}

impl<'d, 'i, I: Input, L> Map<'d, 'i, I, L> {
    #[inline(always)]
    pub(super) fn new(direct: &'d mut Direct<'i, I, L>, items: Items) -> Self {
        if items == Items::Marked {
            direct.at += 1;
        }
        Self { direct, items, keys: Keys::default(), count: 0 }
    }

    /// Whether everything was taken.
    #[inline(always)]
    pub(super) fn is_over(&self) -> bool {
        self.items == Items::None
    }

    /// Behind a batch.
    #[inline(always)]
    fn next_batch(&mut self) -> Result<()> {
        if std::mem::take(&mut self.count) == BATCH {
            return self.behind_full();
        }
        self.items = Items::None;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn behind_full(&mut self) -> Result<()> {
        self.items = self.direct.dict_items()?;
        if self.items == Items::Marked {
            self.direct.at += 1;
            // CPython has an empty batch behind a full one
            if self.direct.take(Opcode::Setitems)? {
                self.items = Items::None;
            }
        }
        Ok(())
    }
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::MapAccess<'de> for &mut Map<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.items == Items::Marked {
            let Ok(is_end) = self.direct.take(Opcode::Setitems) else { return Ok(None) };
            if is_end {
                self.next_batch()?;
            }
        }
        if self.items == Items::None || self.direct.is_poisoned {
            return Ok(None);
        }
        self.count += 1;
        Key { direct: &mut *self.direct, keys: &mut self.keys }.read(seed).map(Some)
    }

    #[inline(always)]
    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        let value = seed.deserialize(&mut *self.direct)?;
        if self.items == Items::Single {
            self.direct.expect(Opcode::Setitem)?;
            self.items = Items::None;
        }
        Ok(value)
    }

    fn size_hint(&self) -> Option<usize> {
        match self.items {
            Items::None => Some(0),
            Items::Single => Some(1),
            Items::Marked => Some(self.direct.pairs_ahead()),
        }
    }
}

/// A variant of an enum, whose name has been taken.
pub(super) struct Variant<'d, 'i, I, L> {
    pub(super) place: (usize, usize),
    pub(super) has_value: bool,
    pub(super) direct: &'d mut Direct<'i, I, L>,
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::EnumAccess<'de> for Variant<'_, '_, I, L> {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self)> {
        let variant = seed.deserialize(Text { place: self.place, direct: &mut *self.direct })?;
        Ok((variant, self))
    }
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::VariantAccess<'de> for Variant<'_, '_, I, L> {
    type Error = Error;

    fn unit_variant(self) -> Result<()> {
        if self.has_value && !self.direct.take(Opcode::None)? {
            return Err(self.direct.poison());
        }
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        if self.has_value { seed.deserialize(self.direct) } else { Err(self.direct.poison()) }
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, visitor: V) -> Result<V::Value> {
        // a list as a rule, which has no length of its own
        if self.has_value { de::Deserializer::deserialize_seq(self.direct, visitor) } else { Err(self.direct.poison()) }
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        if self.has_value { de::Deserializer::deserialize_struct(self.direct, "", fields, visitor) } else { Err(self.direct.poison()) }
    }
}
