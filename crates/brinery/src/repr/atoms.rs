//! How Python prints numbers, text and bytes.

use std::fmt::{self, Write};

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

/// A float as `repr` prints it: the shortest digits that read back the same, an exponent outside 1e-4 to 1e16.
pub(crate) fn float(out: &mut impl Write, value: f64) -> fmt::Result {
    if value.is_nan() {
        return out.write_str("nan");
    }
    if value.is_infinite() {
        return out.write_str(if value < 0.0 { "-inf" } else { "inf" });
    }
    // `{:e}` has the shortest digits, as `d.ddde-7`. Where two texts of that length are equally near, Python takes the even one, as rounding to
    // that many digits does
    let shortest = format!("{value:e}");
    let digits = shortest.bytes().take_while(|&byte| byte != b'e').filter(u8::is_ascii_digit).count();
    let rounded = format!("{value:.*e}", digits - 1);
    // below a power of two doubles are nearer to each other than above it, so that rounding may land on another one
    let text = if rounded.parse() == Ok(value) { rounded } else { shortest };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |rest| ("-", rest));
    out.write_str(sign)?;
    let (first, rest) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !(-4..16).contains(&exponent) {
        out.write_str(first)?;
        if !rest.is_empty() {
            write!(out, ".{rest}")?;
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        return write!(out, "e{sign}{:02}", exponent.unsigned_abs());
    }
    let places = exponent.unsigned_abs() as usize;
    if exponent < 0 {
        return write!(out, "0.{first:0>places$}{rest}");
    }
    match rest.split_at_checked(places) {
        Some((whole, "")) => write!(out, "{first}{whole}.0"),
        Some((whole, part)) => write!(out, "{first}{whole}.{part}"),
        None => write!(out, "{first}{rest:0<places$}.0"),
    }
}

/// The quote that Python chooses: single, unless that would need escapes and double would not.
fn quote(text: &[u8]) -> char {
    if memchr::memchr(b'\'', text).is_some() && memchr::memchr(b'"', text).is_none() { '"' } else { '\'' }
}

/// Text as `repr` prints it. It is UTF-8, in which surrogates may stand alone.
pub(crate) fn str(out: &mut impl Write, text: &[u8]) -> fmt::Result {
    let quote = quote(text);
    out.write_char(quote)?;
    str_inside(out, text, Some(quote))?;
    out.write_char(quote)
}

/// Text with everything escaped that `repr` escapes, and the quote if there is one.
pub(crate) fn str_inside(out: &mut impl Write, mut text: &[u8], quote: Option<char>) -> fmt::Result {
    loop {
        match std::str::from_utf8(text) {
            Ok(text) => return chars(out, text, quote),
            Err(error) => {
                let (good, rest) = text.split_at(error.valid_up_to());
                chars(out, std::str::from_utf8(good).unwrap_or_default(), quote)?;
                let Some((&[lead, middle, last], rest)) = rest.split_first_chunk() else { return Ok(()) };
                let code = (u32::from(lead & 0xf) << 12) | (u32::from(middle & 0x3f) << 6) | u32::from(last & 0x3f);
                write!(out, "\\u{code:04x}")?;
                text = rest;
            }
        }
    }
}

fn chars(out: &mut impl Write, text: &str, quote: Option<char>) -> fmt::Result {
    // what needs no escape is written in one piece
    let mut plain = 0;
    for (at, char) in text.char_indices() {
        if matches!(char, ' '..='~') && char != '\\' && Some(char) != quote {
            continue;
        }
        if !char.is_ascii() && is_printable(char) {
            continue;
        }
        out.write_str(text.get(plain..at).unwrap_or_default())?;
        plain = at + char.len_utf8();
        match char {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\r' => out.write_str("\\r")?,
            '\t' => out.write_str("\\t")?,
            ' '..='~' => write!(out, "\\{char}")?,
            '\0'..='\u{ff}' => write!(out, "\\x{:02x}", u32::from(char))?,
            '\u{100}'..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(char))?,
            _ => write!(out, "\\U{:08x}", u32::from(char))?,
        }
    }
    out.write_str(text.get(plain..).unwrap_or_default())
}

/// `str.isprintable` of a character beyond ASCII: anything but the categories "other" and "separator".
fn is_printable(char: char) -> bool {
    !matches!(
        char.general_category(),
        GeneralCategory::Control
            | GeneralCategory::Format
            | GeneralCategory::Surrogate
            | GeneralCategory::PrivateUse
            | GeneralCategory::Unassigned
            | GeneralCategory::LineSeparator
            | GeneralCategory::ParagraphSeparator
            | GeneralCategory::SpaceSeparator
    )
}

/// Bytes as `repr` prints them.
pub(crate) fn bytes(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    quoted_bytes(out, bytes, false)
}

/// A bytearray as `repr` prints it. Unlike that of bytes, it escapes single quotes between double ones, too.
pub(crate) fn bytearray(out: &mut impl Write, bytes: &[u8]) -> fmt::Result {
    out.write_str("bytearray(")?;
    quoted_bytes(out, bytes, true)?;
    out.write_char(')')
}

fn quoted_bytes(out: &mut impl Write, bytes: &[u8], escape_single: bool) -> fmt::Result {
    let quote = quote(bytes);
    let escaped = |byte: u8| byte == b'\\' || char::from(byte) == quote || (escape_single && byte == b'\'');
    write!(out, "b{quote}")?;
    let mut rest = bytes;
    while let Some((&first, tail)) = rest.split_first() {
        let plain = rest.iter().position(|&byte| !matches!(byte, b' '..=b'~') || escaped(byte)).unwrap_or(rest.len());
        if let (1.., Some((head, tail))) = (plain, rest.split_at_checked(plain)) {
            out.write_str(std::str::from_utf8(head).unwrap_or_default())?;
            rest = tail;
            continue;
        }
        match first {
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            b' '..=b'~' => write!(out, "\\{}", char::from(first))?,
            _ => write!(out, "\\x{first:02x}")?,
        }
        rest = tail;
    }
    out.write_char(quote)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn float_text(value: f64) -> String {
        let mut out = String::new();
        float(&mut out, value).unwrap();
        out
    }

    #[test]
    fn floats_as_python_prints_them() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568e+17"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-05"),
            (1e22, "1e+22"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (12.5, "12.5"),
            (100.0, "100.0"),
            (-1.5e-7, "-1.5e-07"),
            (697_982_244_973_150.0 + 0.25, "697982244973150.2"),
            (5e-324, "5e-324"),
        ] {
            assert_eq!(float_text(value), text);
        }
    }
}
