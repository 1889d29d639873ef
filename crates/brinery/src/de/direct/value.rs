//! A value, by what a type asks for and the opcode that is next.

use serde_core::de::{self, DeserializeSeed, Visitor};

use super::Direct;
use super::access::{List, Map, Postfix, Tuple, Variant};
use super::keys::Keys;
use super::lookahead::Items;
use crate::bigint;
use crate::de::reading::Lend;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::opcode::Opcode;
use crate::py::{ClassName, OBJECT, Shape};

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> Direct<'_, I, L> {
    #[inline(always)]
    pub(super) fn visit_text<V: Visitor<'de>>(&self, place: (usize, usize), visitor: V) -> Result<V::Value> {
        let text = self.str(place);
        match self.lend.text(text) {
            Some(text) => visitor.visit_borrowed_str(text),
            None => visitor.visit_str(text),
        }
    }

    /// An integer.
    #[inline(always)]
    fn int(&mut self, opcode: u8) -> Result<i64> {
        Ok(match opcode {
            b'K' => self.argument::<1>()?[0].into(),
            b'M' => u16::from_le_bytes(self.argument()?).into(),
            b'J' => i32::from_le_bytes(self.argument()?).into(),
            0x8a => self.long()?,
            _ => return Err(self.poison()),
        })
    }

    #[inline(never)]
    fn long(&mut self) -> Result<i64> {
        let length = usize::from(self.argument::<1>()?[0]);
        let (start, length) = self.data(length)?;
        let value = self.input.window().get(start..start + length).filter(|bytes| bytes.len() <= 8).and_then(bigint::to_i64);
        value.ok_or_else(|| self.poison())
    }

    #[inline(always)]
    pub(super) fn visit_int<V: Visitor<'de>>(value: i64, visitor: V) -> Result<V::Value> {
        match u64::try_from(value) {
            Ok(value) => visitor.visit_u64(value),
            Err(_) => visitor.visit_i64(value),
        }
    }

    fn visit_bytes<V: Visitor<'de>>(&mut self, opcode: u8, visitor: V) -> Result<V::Value> {
        let length = match opcode {
            b'C' => usize::from(self.argument::<1>()?[0]),
            b'B' => u32::from_le_bytes(self.argument()?) as usize,
            0x8e => self.long_length()?,
            _ => return Err(self.poison()),
        };
        let (start, length) = self.data(length)?;
        self.memoise_other()?;
        let bytes = self.input.window().get(start..start + length).unwrap_or_default();
        match self.lend.bytes(bytes) {
            Some(bytes) => visitor.visit_borrowed_bytes(bytes),
            None => visitor.visit_bytes(bytes),
        }
    }

    /// A list, or a tuple that begins with a mark.
    #[inline(always)]
    fn sequence<V: Visitor<'de>>(&mut self, opcode: u8, visitor: V) -> Result<V::Value> {
        match opcode {
            b']' => {
                self.at += 1;
                self.memoise_other()?;
                self.deepen()?;
                let items = self.list_items()?;
                let open = self.open_lists;
                let result = visitor.visit_seq(List::new(self, items));
                let value = self.whole(result)?;
                // a visitor that stopped before the end: a document says what that is
                if self.open_lists != open {
                    return Err(self.poison());
                }
                self.rise();
                Ok(value)
            }
            b'(' => {
                self.at += 1;
                self.deepen()?;
                let result = visitor.visit_seq(Tuple(self));
                let value = self.whole(result)?;
                self.expect(Opcode::Tuple)?;
                self.memoise_other()?;
                self.rise();
                Ok(value)
            }
            b')' => {
                self.at += 1;
                self.deepen()?;
                let result = visitor.visit_seq(Postfix { direct: self, left: 0 });
                let value = self.whole(result)?;
                self.rise();
                Ok(value)
            }
            _ => Err(self.poison()),
        }
    }

    /// A tuple of one to three, whose opcode comes behind its elements.
    #[inline(always)]
    fn short_tuple<V: Visitor<'de>>(&mut self, len: usize, visitor: V) -> Result<V::Value> {
        self.deepen()?;
        let mut elements = Postfix { direct: self, left: len };
        let result = visitor.visit_seq(&mut elements);
        let left = elements.left;
        let value = self.whole(result)?;
        if left > 0 {
            return Err(self.poison());
        }
        self.expect(match len {
            1 => Opcode::Tuple1,
            2 => Opcode::Tuple2,
            _ => Opcode::Tuple3,
        })?;
        self.memoise_other()?;
        self.rise();
        Ok(value)
    }

    #[inline(always)]
    fn dict<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value> {
        self.expect(Opcode::EmptyDict)?;
        self.memoise_other()?;
        self.deepen()?;
        let items = self.dict_items()?;
        let mut map = Map::new(self, items);
        let result = visitor.visit_map(&mut map);
        let is_over = map.is_over();
        let value = self.whole(result)?;
        if !is_over {
            return Err(self.poison());
        }
        self.rise();
        Ok(value)
    }

    /// What `Some` and newtypes hold.
    #[inline(always)]
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.deepen()?;
        let result = read(self);
        self.rise();
        result
    }

    /// What came of reading the inside of a value. After an error it is left in the middle, and a type may go on nonetheless.
    #[inline(always)]
    fn whole<T>(&mut self, result: Result<T>) -> Result<T> {
        if result.is_err() {
            self.poison();
        }
        result
    }
}

/// Methods for which the opcode decides.
macro_rules! by_opcode {
    ($($method:ident)*) => {$(
        #[inline]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.deserialize_any(visitor)
        }
    )*};
}

/// Integers.
macro_rules! ints {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            let opcode = self.peek()?;
            let value = self.int(opcode)?;
            Direct::<I, L>::visit_int(value, visitor)
        }
    )*};
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::Deserializer<'de> for &mut Direct<'_, I, L> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            b'N' => {
                self.at += 1;
                visitor.visit_unit()
            }
            opcode @ (0x88 | 0x89) => {
                self.at += 1;
                visitor.visit_bool(opcode == 0x88)
            }
            b'G' => self.deserialize_f64(visitor),
            opcode @ (b'K' | b'M' | b'J' | 0x8a) => {
                let value = self.int(opcode)?;
                Direct::<I, L>::visit_int(value, visitor)
            }
            opcode @ (0x8c | b'X' | 0x8d | b'h' | b'j') => {
                let place = self.text(opcode)?;
                self.visit_text(place, visitor)
            }
            opcode @ (b'C' | b'B' | 0x8e) => self.visit_bytes(opcode, visitor),
            opcode @ (b']' | b'(' | b')') => self.sequence(opcode, visitor),
            b'}' => self.dict(visitor),
            _ => Err(self.poison()),
        }
    }

    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.peek()? {
            opcode @ (0x88 | 0x89) => {
                self.at += 1;
                visitor.visit_bool(opcode == 0x88)
            }
            _ => Err(self.poison()),
        }
    }

    ints! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    #[inline(always)]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.peek()? == b'G' {
            let float = f64::from_be_bytes(self.argument()?);
            return visitor.visit_f64(float);
        }
        let opcode = self.peek()?;
        let value = self.int(opcode)?;
        Direct::<I, L>::visit_int(value, visitor)
    }

    #[inline(always)]
    fn deserialize_f32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_f64(visitor)
    }

    #[inline(always)]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let opcode = self.peek()?;
        let place = self.text(opcode)?;
        self.visit_text(place, visitor)
    }

    #[inline(always)]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    #[inline(always)]
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.deserialize_str(visitor)
    }

    by_opcode! { deserialize_char deserialize_bytes deserialize_byte_buf deserialize_unit }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if ClassName::parse(name).is_some() {
            return Err(self.poison());
        }
        self.deserialize_any(visitor)
    }

    #[inline(always)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.take(Opcode::None)? {
            return visitor.visit_none();
        }
        self.deeper(|inner| visitor.visit_some(inner))
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if let Some(shape) = Shape::of(name) {
            let opcode = self.peek()?;
            // what a list or tuple begins with may be its first element
            if shape != Shape::Bytes || !matches!(opcode, b'C' | b'B' | 0x8e) {
                return Err(self.poison());
            }
        } else if ClassName::parse(name).is_some() {
            return Err(self.poison());
        }
        self.deeper(|inner| visitor.visit_newtype_struct(inner))
    }

    #[inline(always)]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let opcode = self.peek()?;
        self.sequence(opcode, visitor)
    }

    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value> {
        if (1..=3).contains(&len) {
            return self.short_tuple(len, visitor);
        }
        self.deserialize_seq(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(self, name: &'static str, len: usize, visitor: V) -> Result<V::Value> {
        if ClassName::parse(name).is_some() {
            return Err(self.poison());
        }
        self.deserialize_tuple(len, visitor)
    }

    #[inline(always)]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        self.dict(visitor)
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(self, name: &'static str, _fields: &'static [&'static str], visitor: V) -> Result<V::Value> {
        if name == OBJECT {
            return Err(self.poison());
        }
        self.dict(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _name: &'static str, _variants: &'static [&'static str], visitor: V) -> Result<V::Value> {
        match self.peek()? {
            opcode @ (0x8c | b'X' | b'h' | b'j') => {
                let place = self.text(opcode)?;
                let result = self.deeper(|inner| visitor.visit_enum(Variant { place, has_value: false, direct: inner }));
                self.whole(result)
            }
            b'}' => {
                self.at += 1;
                self.memoise_other()?;
                if self.dict_items()? != Items::Single {
                    return Err(self.poison());
                }
                let opcode = self.peek()?;
                let place = self.text(opcode)?;
                let result = self.deeper(|inner| visitor.visit_enum(Variant { place, has_value: true, direct: inner }));
                let value = self.whole(result)?;
                self.expect(Opcode::Setitem)?;
                Ok(value)
            }
            _ => Err(self.poison()),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        // containers as well, so that the next value begins where this one ends
        match self.peek()? {
            b']' | b'(' | b')' => {
                let opcode = self.peek()?;
                self.sequence(opcode, visitor)
            }
            b'}' => self.dict(visitor),
            _ => self.deserialize_any(visitor),
        }
    }
}

/// The key of a map, which is text or an integer, and none that was there before.
pub(super) struct Key<'k, 'i, I, L> {
    pub(super) direct: &'k mut Direct<'i, I, L>,
    pub(super) keys: &'k mut Keys,
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> Key<'_, '_, I, L> {
    #[inline(always)]
    pub(super) fn read<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value> {
        let Self { direct, keys } = self;
        match direct.peek()? {
            opcode @ (0x8c | b'X' | b'h' | b'j') => {
                let place = direct.text(opcode)?;
                if !keys.add_text(direct.input.window(), place) {
                    return Err(direct.poison());
                }
                seed.deserialize(Text { place, direct })
            }
            opcode @ (b'K' | b'M' | b'J' | 0x8a) => {
                let value = direct.int(opcode)?;
                if !keys.add_int(value) {
                    return Err(direct.poison());
                }
                seed.deserialize(IntKey { value, direct })
            }
            _ => Err(direct.poison()),
        }
    }
}

/// A text that has been taken.
pub(super) struct Text<'k, 'i, I, L> {
    pub(super) place: (usize, usize),
    pub(super) direct: &'k mut Direct<'i, I, L>,
}

/// What a text can be.
macro_rules! texts {
    ($($method:ident)*) => {$(
        #[inline(always)]
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
            self.direct.visit_text(self.place, visitor)
        }
    )*};
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::Deserializer<'de> for Text<'_, '_, I, L> {
    type Error = Error;

    texts! { deserialize_any deserialize_str deserialize_string deserialize_identifier deserialize_char }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if Shape::of(name).is_some() || ClassName::parse(name).is_some() {
            return Err(self.direct.poison());
        }
        let place = self.place;
        self.direct.deeper(|direct| visitor.visit_newtype_struct(Text { place, direct }))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let place = self.place;
        self.direct.deeper(|direct| visitor.visit_some(Text { place, direct }))
    }

    fn deserialize_enum<V: Visitor<'de>>(self, _name: &'static str, _variants: &'static [&'static str], visitor: V) -> Result<V::Value> {
        let place = self.place;
        self.direct.deeper(|direct| visitor.visit_enum(Variant { place, has_value: false, direct }))
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 bytes byte_buf unit unit_struct seq tuple tuple_struct map struct ignored_any
    }
}

/// A key that is an integer, and has been taken.
struct IntKey<'k, 'i, I, L> {
    value: i64,
    direct: &'k mut Direct<'i, I, L>,
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::Deserializer<'de> for IntKey<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        Direct::<I, L>::visit_int(self.value, visitor)
    }

    /// The name of a field is its text, and never its number.
    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_str(&self.value.to_string())
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, name: &'static str, visitor: V) -> Result<V::Value> {
        if Shape::of(name).is_some() || ClassName::parse(name).is_some() {
            return Err(self.direct.poison());
        }
        let value = self.value;
        self.direct.deeper(|direct| visitor.visit_newtype_struct(IntKey { value, direct }))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        let value = self.value;
        self.direct.deeper(|direct| visitor.visit_some(IntKey { value, direct }))
    }

    serde_core::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct enum
        ignored_any
    }
}
