//! Integers of any size.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde_core::de::{self, Deserialize, Deserializer, Visitor};
use serde_core::ser::{Serialize, Serializer};

use super::Shape;
use crate::bigint;
use crate::error::{Error, ErrorKind};
use crate::text::{self, Integer};

/// An integer of any size, as Python's `int`.
///
/// ```
/// use brinery::py::Int;
/// let googol: Int = format!("1{}", "0".repeat(100)).parse()?;
/// let bytes = brinery::to_vec(&googol)?;
/// assert_eq!(brinery::from_slice::<Int>(&bytes)?, googol);
/// assert_eq!(i128::try_from(&Int::from(-7_i64)), Ok(-7));
/// assert_eq!(Int::from(u64::MAX).to_string(), "18446744073709551615");
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Vec<u8>);

impl Int {
    /// From two's complement, little-endian, of any length; no bytes are zero.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let bytes = if bytes.is_empty() { &[0] } else { bytes };
        Self(bigint::minimal(bytes).to_vec())
    }

    /// Two's complement, little-endian, without redundant bytes at the end (zero is one byte).
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Default for Int {
    fn default() -> Self {
        Self::from(0_i64)
    }
}

macro_rules! from_ints {
    ($($type:ty)*) => {$(
        impl From<$type> for Int {
            fn from(value: $type) -> Self {
                Self::from_bytes(&value.to_le_bytes())
            }
        }
    )*};
}

from_ints! { i32 i64 i128 }

impl From<u64> for Int {
    fn from(value: u64) -> Self {
        i128::from(value).into()
    }
}

impl From<u128> for Int {
    fn from(value: u128) -> Self {
        Self::from_bytes(&[&value.to_le_bytes()[..], &[0]].concat())
    }
}

/// Does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the integer does not fit 128 bits")
    }
}

impl std::error::Error for TooLarge {}

impl TryFrom<&Int> for i128 {
    type Error = TooLarge;

    fn try_from(value: &Int) -> Result<Self, TooLarge> {
        bigint::to_i128(&value.0).ok_or(TooLarge)
    }
}

/// Decimal.
impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&bigint::to_text(&self.0, usize::MAX).0)
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Decimal, of up to 4,300 digits, as in Python.
impl FromStr for Int {
    type Err = Error;

    fn from_str(digits: &str) -> Result<Self, Error> {
        let invalid = || Error::from(text::invalid("a decimal integer", digits.as_bytes()));
        // `LONG` takes more: underscores, another radix, an `L` at the end
        if !digits.strip_prefix(['-', '+']).unwrap_or(digits).bytes().all(|digit| digit.is_ascii_digit()) {
            return Err(invalid());
        }
        match text::long(digits.as_bytes(), crate::Limits::default().digits)? {
            Integer::Small(value) => Ok(value.into()),
            Integer::Big(bytes) => Ok(Self::from_bytes(&bytes)),
            Integer::Bool(_) => Err(invalid()),
        }
    }
}

impl Serialize for Int {
    /// In other formats for humans a number if it fits 64 bits, else decimal text; in Brinery's an `int`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(Shape::Int.name(), &Digits(self))
    }
}

/// What is in the newtype.
struct Digits<'i>(&'i Int);

impl Serialize for Digits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if super::is_wanted() || !serializer.is_human_readable() {
            return serializer.serialize_bytes(&self.0.0);
        }
        let wide = i128::try_from(self.0).ok();
        match (bigint::to_i64(&self.0.0), wide.and_then(|value| u64::try_from(value).ok())) {
            (Some(value), _) => serializer.serialize_i64(value),
            (None, Some(value)) => serializer.serialize_u64(value),
            _ => serializer.collect_str(self.0),
        }
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Int;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Shape::Int.wanted())
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Int, D::Error> {
        if deserializer.is_human_readable() { deserializer.deserialize_any(self) } else { deserializer.deserialize_bytes(self) }
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_i128<E: de::Error>(self, value: i128) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_u128<E: de::Error>(self, value: u128) -> Result<Int, E> {
        Ok(value.into())
    }

    fn visit_str<E: de::Error>(self, digits: &str) -> Result<Int, E> {
        digits.parse().map_err(|error: Error| match error.kind() {
            ErrorKind::InvalidText { .. } => E::invalid_value(de::Unexpected::Str(digits), &self),
            _ => E::custom(error),
        })
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Int, E> {
        Ok(Int::from_bytes(bytes))
    }
}

impl<'de> Deserialize<'de> for Int {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(Shape::Int.name(), Reader)
    }
}

impl From<Int> for crate::Value {
    fn from(value: Int) -> Self {
        match bigint::to_i64(&value.0) {
            Some(value) => Self::Int(value),
            None => Self::BigInt(value.0),
        }
    }
}

impl<'b> From<&'b Int> for Cow<'b, [u8]> {
    fn from(value: &'b Int) -> Self {
        Cow::Borrowed(value.as_bytes())
    }
}
