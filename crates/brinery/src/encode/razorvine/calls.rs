//! Calls that the reader takes for another value, by what they call.

use super::{Purpose, refused};
use crate::document::{ItemsKind, Node, Ref, Unpacked};
use crate::encode::walk::Walk;
use crate::error::Result;
use crate::names::razorvine::Razorvine;
use crate::names::{BYTEARRAY_ENCODING, BYTES_ENCODING};

/// Texts up to this long are looked at again rather than remembered.
const SHORT: usize = 64;

/// A number, as far as arrays and timedeltas need it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Int(i64),
    /// An integer of more than 64 bits.
    Big,
    Float(f64),
}

impl<'d> Walk<'d, '_, '_> {
    pub(super) fn check_call(&mut self, meaning: Razorvine, args: &'d [Ref]) -> Result<()> {
        match (meaning, args) {
            (Razorvine::Builtin, []) => Err(refused("a call of a builtin type", "Razorvine's reader takes an empty value for an object")),
            (Razorvine::Set, &[list]) => self.check_keys("a set", list, 1),
            (Razorvine::Array, &[code, items]) => self.check_array(code, items),
            (Razorvine::ArrayReconstructor, [_, code, ..]) if self.text_of(*code) == Some(b"b") => Err(signed_bytes()),
            (Razorvine::Bytes, _) => self.check_bytes(args),
            (Razorvine::Decimal, &[text]) => self.check_decimal(text),
            (Razorvine::Timedelta, _) => self.check_timedelta(args),
            (Razorvine::ZoneAtTime, [_, _, ..]) => Err(refused("a time zone", "Razorvine's reader ignores its offset")),
            (Razorvine::Date | Razorvine::Datetime | Razorvine::Time, _) => self.check_date(meaning, args),
            _ => Ok(()),
        }
    }

    pub(super) fn number_of(&self, value: Ref) -> Option<Number> {
        match value.unpack() {
            Unpacked::Int(int) => Some(Number::Int(int)),
            Unpacked::Node(index) => match *self.store.nodes.get(index)? {
                Node::Int(int) => Some(Number::Int(int)),
                Node::Float(float) => Some(Number::Float(float)),
                Node::Data { kind: crate::document::DataKind::Int, .. } => Some(Number::Big),
                _ => None,
            },
            _ => None,
        }
    }

    /// `array.array(code, list)`.
    fn check_array(&mut self, code: Ref, list: Ref) -> Result<()> {
        let (Some(&[code]), Some((ItemsKind::List, items))) = (self.text_of(code), self.store.items(list)) else { return Ok(()) };
        if code == b'b' {
            return Err(signed_bytes());
        }
        if !self.is_new(list, Purpose::Array(code)) {
            return Ok(());
        }
        let range = match code {
            b'B' => 0..=0xff,
            b'h' => i64::from(i16::MIN)..=i64::from(i16::MAX),
            b'H' => 0..=0xffff,
            // a long has 32 bits there
            b'i' | b'l' => i64::from(i32::MIN)..=i64::from(i32::MAX),
            b'I' => 0..=i64::from(u32::MAX),
            b'L' => 0..=i64::MAX,
            // integers that a double can hold
            b'f' | b'd' => -(1 << 53)..=1 << 53,
            b'u' | b'c' => {
                let is_one = |item: &Ref| self.text_of(*item).is_some_and(is_one_unit);
                let reason = "Razorvine's reader has one unit of UTF-16 of each item";
                return if items.iter().all(is_one) { Ok(()) } else { Err(refused("an array", reason)) };
            }
            _ => return Ok(()),
        };
        for &item in items {
            let is_right = match self.number_of(item) {
                Some(Number::Int(int)) => range.contains(&int),
                Some(Number::Big) => false,
                Some(Number::Float(_)) => matches!(code, b'f' | b'd'),
                // refused by the reader
                None => true,
            };
            if !is_right {
                return Err(refused("an array", "Razorvine's reader takes one of its items for another number"));
            }
        }
        Ok(())
    }

    /// Calls that make bytes and that no document has as bytes: of lists, and with other encodings than Latin-1.
    fn check_bytes(&mut self, args: &[Ref]) -> Result<()> {
        match *args {
            [] => Ok(()),
            [list] => {
                let Some((ItemsKind::List, items)) = self.store.items(list) else { return Ok(()) };
                let is_byte = |item: &Ref| matches!(item.unpack(), Unpacked::Int(0..=255));
                if self.is_new(list, Purpose::Bytes) && !items.iter().all(is_byte) {
                    return Err(refused("a call for bytes", "Razorvine's reader takes some items for other bytes"));
                }
                Ok(())
            }
            [text, encoding] if self.is_same_encoding(text, encoding) => Ok(()),
            _ => Err(refused("a call for bytes", "Razorvine's reader may have other bytes in this encoding")),
        }
    }

    /// Whether Java has the same bytes of a text in an encoding.
    fn is_same_encoding(&mut self, text: Ref, encoding: Ref) -> bool {
        let (Some(bytes), Some(name)) = (self.text_of(text), self.text_of(encoding)) else { return false };
        match name {
            b"utf-8" | b"utf8" => true,
            _ if name == BYTES_ENCODING.as_bytes() || name == BYTEARRAY_ENCODING.as_bytes() => {
                // beyond Latin-1 there are greater lead bytes
                !self.is_new(text, Purpose::Latin1) || bytes.iter().all(|&byte| byte < 0xc4)
            }
            _ => false,
        }
    }

    /// `decimal.Decimal(text)`. Java's decimals have no negative zero and no NaN.
    fn check_decimal(&mut self, value: Ref) -> Result<()> {
        let Some(text) = self.text_of(value) else { return Ok(()) };
        if text.eq_ignore_ascii_case(b"nan") {
            return Err(refused("a Decimal", "Razorvine's reader takes NaN for a float"));
        }
        if text.len() > SHORT && !self.is_new(value, Purpose::Decimal) {
            return Ok(());
        }
        let Some(digits) = text.strip_prefix(b"-") else { return Ok(()) };
        let mantissa = digits.split(|byte| matches!(byte, b'e' | b'E')).next().unwrap_or_default();
        // digits of other scripts count as well; they are not looked at more closely
        if mantissa.iter().all(|byte| matches!(byte, b'0' | b'.') || !byte.is_ascii()) {
            return Err(refused("a Decimal", "Razorvine's reader has no negative zero"));
        }
        Ok(())
    }

    fn check_timedelta(&self, args: &[Ref]) -> Result<()> {
        let is_right = |arg: &Ref| match self.number_of(*arg) {
            Some(Number::Int(int)) => i32::try_from(int).is_ok(),
            Some(Number::Big | Number::Float(_)) => false,
            None => true,
        };
        if args.iter().all(is_right) {
            return Ok(());
        }
        Err(refused("a timedelta", "Razorvine's reader makes integers of 32 bits of its parts"))
    }
}

fn signed_bytes() -> crate::error::Error {
    refused("an array", "Razorvine's reader takes one of signed bytes for bytes")
}

/// Whether a text is one character, of one unit of UTF-16.
fn is_one_unit(text: &[u8]) -> bool {
    match text {
        [byte] => byte.is_ascii(),
        [0xc2..=0xdf, _] | [0xe0..=0xef, _, _] => std::str::from_utf8(text).is_ok(),
        _ => false,
    }
}
