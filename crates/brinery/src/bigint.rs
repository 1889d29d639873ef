//! Integers of any size: two's complement, little-endian, as `LONG1` and `LONG4` carry them.

use num_bigint::{BigInt, Sign};

use crate::text::Integer;

/// The value where it fits 64 bits.
#[inline]
pub(crate) fn to_i64(bytes: &[u8]) -> Option<i64> {
    let minimal = if bytes.len() > 8 { minimal(bytes) } else { bytes };
    if minimal.len() > 8 {
        return None;
    }
    let fill = if minimal.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
    let mut wide = [fill; 8];
    wide.iter_mut().zip(minimal).for_each(|(to, from)| *to = *from);
    Some(i64::from_le_bytes(wide))
}

/// The value where it fits 128 bits.
#[cfg(feature = "serde")]
pub(crate) fn to_i128(bytes: &[u8]) -> Option<i128> {
    let minimal = minimal(bytes);
    if minimal.len() > 16 {
        return None;
    }
    let fill = if minimal.last().is_some_and(|&byte| byte >= 0x80) { 0xff } else { 0 };
    let mut wide = [fill; 16];
    wide.iter_mut().zip(minimal).for_each(|(to, from)| *to = *from);
    Some(i128::from_le_bytes(wide))
}

/// The same number without the bytes at its end that only repeat the sign.
pub(crate) fn minimal(mut bytes: &[u8]) -> &[u8] {
    while let [head @ .., before, last] = bytes {
        let repeats = (*last == 0 && *before < 0x80) || (*last == 0xff && *before >= 0x80);
        if !repeats {
            break;
        }
        bytes = bytes.get(..head.len() + 1).unwrap_or_default();
    }
    bytes
}

/// A number from its digits, which are known to be of the radix.
pub(crate) fn parse(negative: bool, digits: &[u8], radix: u32) -> Option<Integer> {
    if let Some(value) = std::str::from_utf8(digits).ok().and_then(|text| i64::from_str_radix(text, radix).ok()) {
        return Some(Integer::Small(if negative { -value } else { value }));
    }
    let value = BigInt::parse_bytes(digits, radix)?;
    let value = if negative { -value } else { value };
    Some(match i64::try_from(&value) {
        Ok(small) => Integer::Small(small),
        Err(_) => Integer::Big(value.to_signed_bytes_le()),
    })
}

/// Decimal text, or hexadecimal where there would be more than `limit` decimal digits (the flag says so): turning a number into
/// decimal text takes more than linear time, which is why CPython refuses it from 4,300 digits on.
pub(crate) fn to_text(bytes: &[u8], limit: usize) -> (String, bool) {
    let value = BigInt::from_signed_bytes_le(bytes);
    // a digit holds log2(10) = 3.32 bits; what is surely too long is never converted
    let surely_longer = value.bits() as f64 / 3.33 > limit as f64 + 1.0;
    if !surely_longer {
        let text = value.to_string();
        if text.trim_start_matches('-').len() <= limit {
            return (text, false);
        }
    }
    let sign = if value.sign() == Sign::Minus { "-" } else { "" };
    (format!("{sign}0x{:x}", value.magnitude()), true)
}

/// The double that equals the number exactly, if one does.
pub(crate) fn to_exact_f64(bytes: &[u8]) -> Option<f64> {
    let value = BigInt::from_signed_bytes_le(bytes);
    let magnitude = value.magnitude();
    let bits = magnitude.bits();
    if bits > 1024 || magnitude.trailing_zeros().unwrap_or(0) + 53 < bits {
        return None;
    }
    // the 53 bits that matter, and the power of two beside them
    let shift = bits.saturating_sub(53);
    let top = u64::try_from(magnitude >> shift).ok()?;
    let scaled = top as f64 * 2f64.powi(i32::try_from(shift).ok()?);
    scaled.is_finite().then_some(if value.sign() == Sign::Minus { -scaled } else { scaled })
}

/// The nearest double, as `float(value)` has it (to even halfway), unless that is infinite.
#[cfg(feature = "serde")]
pub(crate) fn to_nearest_f64(bytes: &[u8]) -> Option<f64> {
    let value = BigInt::from_signed_bytes_le(bytes);
    let magnitude = value.magnitude();
    let shift = magnitude.bits().saturating_sub(64);
    if shift > 1024 {
        return None;
    }
    // 64 bits of which the last says whether there were more: enough to round by, once
    let is_inexact = magnitude.trailing_zeros().unwrap_or(0) < shift;
    let top = u64::try_from(magnitude >> shift).ok()? | u64::from(is_inexact);
    let scaled = top as f64 * 2f64.powi(i32::try_from(shift).ok()?);
    scaled.is_finite().then_some(if value.sign() == Sign::Minus { -scaled } else { scaled })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redundant_sign_bytes_go() {
        assert_eq!(minimal(&[1, 0, 0]), [1]);
        assert_eq!(minimal(&[0x80, 0]), [0x80, 0]);
        assert_eq!(minimal(&[0xff, 0xff]), [0xff]);
        assert_eq!(minimal(&[]), [0u8; 0]);
        assert_eq!(to_i64(&[]), Some(0));
        assert_eq!(to_i64(&[0xff]), Some(-1));
        assert_eq!(to_i64(&[0, 0, 0, 0, 0, 0, 0, 0x80]), Some(i64::MIN));
        assert_eq!(to_i64(&[0, 0, 0, 0, 0, 0, 0, 0x80, 0]), None);
        assert_eq!(to_i64(&[5, 0, 0, 0, 0, 0, 0, 0, 0, 0]), Some(5));
    }

    #[test]
    fn doubles_that_equal_big_integers() {
        let of = |text: &str| text.parse::<BigInt>().unwrap().to_signed_bytes_le();
        assert_eq!(to_exact_f64(&of("9223372036854775808")), Some(9_223_372_036_854_775_808.0));
        assert_eq!(to_exact_f64(&of("-100000000000000000000")), Some(-1e20));
        assert_eq!(to_exact_f64(&of("9223372036854775809")), None);
        let max = BigInt::from(2).pow(1024);
        assert_eq!(to_exact_f64(&max.to_signed_bytes_le()), None);
    }

    #[test]
    fn long_numbers_are_hexadecimal() {
        assert_eq!(to_text(&[0xff], 10), ("-1".into(), false));
        let big = BigInt::from(10).pow(4299);
        assert!(!to_text(&big.to_signed_bytes_le(), 4300).1);
        let bigger = BigInt::from(10).pow(4300);
        let (text, hexadecimal) = to_text(&bigger.to_signed_bytes_le(), 4300);
        assert!(hexadecimal && text.starts_with("0x"));
    }
}
