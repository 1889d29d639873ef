//! What is inside a value, one thing after another.

use serde_core::de::{self, DeserializeSeed, Visitor};

use super::Direct;
use super::keys::Keys;
use super::lookahead::Items;
use super::value::{Key, Text};
use crate::de::reading::Lend;
use crate::error::{Error, Result};
use crate::input::Input;
use crate::opcode::Opcode;

/// Items of a full batch, behind which there may be another. Other batches are the last.
const FULL: usize = 1_000;

/// Items of a list.
pub(super) struct List<'d, 'i, I, L> {
    direct: &'d mut Direct<'i, I, L>,
    items: Items,
    /// Items of the batch.
    count: usize,
}

impl<'d, 'i, I: Input, L> List<'d, 'i, I, L> {
    #[inline(always)]
    pub(super) fn new(direct: &'d mut Direct<'i, I, L>, items: Items) -> Self {
        if items == Items::Marked {
            direct.at += 1;
        }
        Self { direct, items, count: 0 }
    }

    /// Everything was taken.
    #[inline(always)]
    pub(super) fn end(&mut self) -> Result<()> {
        match self.items {
            Items::None => Ok(()),
            // the visitor stopped before the end: a document says what that is
            _ => Err(self.direct.poison()),
        }
    }

    /// Behind a batch.
    #[cold]
    #[inline(never)]
    fn next_batch(&mut self) -> Result<()> {
        self.direct.at += 1;
        let is_full = std::mem::take(&mut self.count) == FULL;
        self.items = if is_full { self.direct.list_items()? } else { Items::None };
        if self.items == Items::Marked {
            self.direct.at += 1;
        }
        Ok(())
    }
}

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::SeqAccess<'de> for &mut List<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.items == Items::Marked {
            if self.direct.peek()? != Opcode::Appends.byte() {
                self.count += 1;
                return seed.deserialize(&mut *self.direct).map(Some);
            }
            self.next_batch()?;
            if self.items == Items::Marked {
                self.count += 1;
                return seed.deserialize(&mut *self.direct).map(Some);
            }
        }
        if self.items == Items::None {
            return Ok(None);
        }
        let value = seed.deserialize(&mut *self.direct)?;
        self.direct.expect(Opcode::Append)?;
        self.items = Items::None;
        Ok(Some(value))
    }
}

/// Elements of a tuple behind a mark.
pub(super) struct Tuple<'d, 'i, I, L>(pub(super) &'d mut Direct<'i, I, L>);

impl<'de, I: Input, L: for<'a> Lend<'a, 'de>> de::SeqAccess<'de> for &mut Tuple<'_, '_, I, L> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        if self.0.peek()? == Opcode::Tuple.byte() {
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

    /// Everything was taken.
    #[inline(always)]
    pub(super) fn end(&mut self) -> Result<()> {
        if self.items == Items::None { Ok(()) } else { Err(self.direct.poison()) }
    }

    /// Behind a batch.
    #[inline(always)]
    fn next_batch(&mut self) -> Result<()> {
        if std::mem::take(&mut self.count) == FULL {
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
        if self.items == Items::Marked && self.direct.take(Opcode::Setitems)? {
            self.next_batch()?;
        }
        if self.items == Items::None {
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
