//! The text forms of arguments, as CPython's C unpickler reads them (`Modules/_pickle.c`, Python 3.11).
//!
//! They are odder than they look: `INT` goes through C's `strtol` with base 0 before Python's own integer parser, so `010` is
//! eight, `0x10` sixteen, and any two characters of value zero or one are a boolean.

use std::borrow::Cow;

use crate::bigint;
use crate::error::ErrorKind;

/// An integer read from text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Integer {
    Bool(bool),
    Small(i64),
    /// Two's complement, little-endian, as short as can be.
    Big(Vec<u8>),
}

/// The value of an `INT` line (without its newline).
pub(crate) fn int(line: &[u8], digits: usize) -> Result<Integer, ErrorKind> {
    let text = until_nul(line);
    let value = if text.is_empty() { Some(0) } else { strtol(text) };
    match value {
        Some(value @ (0 | 1)) if line.len() == 2 => Ok(Integer::Bool(value == 1)),
        Some(value) => Ok(Integer::Small(value)),
        None => python_int(line, 0, digits),
    }
}

/// The value of a `LONG` line (without its newline).
pub(crate) fn long(line: &[u8], digits: usize) -> Result<Integer, ErrorKind> {
    python_int(line.strip_suffix(b"L").unwrap_or(line), 0, digits)
}

/// The slot of a `GET` or `PUT` line (without its newline).
pub(crate) fn memo_index(line: &[u8], digits: usize) -> Result<u64, ErrorKind> {
    match python_int(line, 10, digits)? {
        Integer::Small(value) if value >= 0 => Ok(value.unsigned_abs()),
        _ => Err(invalid("a memo index from 0 to 2^63 - 1", line)),
    }
}

/// A text up to a NUL, as C takes it.
fn until_nul(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == 0).next().unwrap_or(line)
}

/// C's `strtol` with base 0, where it takes the whole line and the number fits 64 bits.
fn strtol(line: &[u8]) -> Option<i64> {
    let (negative, text) = sign(skip_space(line));
    let (base, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] if rest.first().is_some_and(u8::is_ascii_hexdigit) => (16, rest),
        [b'0', ..] => (8, text),
        _ => (10, text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value: i64 = 0;
    for &byte in digits {
        let digit = i64::from((byte as char).to_digit(base)?);
        value = value.checked_mul(i64::from(base))?;
        value = if negative { value.checked_sub(digit)? } else { value.checked_add(digit)? };
    }
    Some(value)
}

/// CPython's `PyLong_FromString`: white space around, a sign, a prefix if `base` is 0, single underscores between digits. The
/// text ends at a NUL, as in C.
fn python_int(line: &[u8], base: u32, limit: usize) -> Result<Integer, ErrorKind> {
    let error = || invalid("an integer", line);
    let text = until_nul(line);
    let (negative, text) = sign(skip_space(text));
    let text = text.trim_ascii_end().strip_suffix(b"\x0b").map_or(text.trim_ascii_end(), trim_end);
    let (radix, digits, must_be_zero) = match text {
        [b'0', prefix, rest @ ..] if base == 0 => match prefix {
            b'x' | b'X' => (16, rest.strip_prefix(b"_").unwrap_or(rest), false),
            b'o' | b'O' => (8, rest.strip_prefix(b"_").unwrap_or(rest), false),
            b'b' | b'B' => (2, rest.strip_prefix(b"_").unwrap_or(rest), false),
            _ => (10, text, true),
        },
        _ => (10, text, false),
    };
    if digits.is_empty() || digits.first() == Some(&b'_') || digits.last() == Some(&b'_') {
        return Err(error());
    }
    if radix == 10 && digits.iter().filter(|&&byte| byte != b'_').count() > limit {
        return Err(ErrorKind::LimitExceeded { limit: "digits", at: limit as u64 });
    }
    let mut clean = Vec::with_capacity(digits.len());
    let mut after_underscore = false;
    for &byte in digits {
        if byte == b'_' {
            if after_underscore {
                return Err(error());
            }
            after_underscore = true;
        } else {
            if !(byte as char).is_digit(radix) {
                return Err(error());
            }
            after_underscore = false;
            clean.push(byte);
        }
    }
    if must_be_zero && clean.iter().any(|&digit| digit != b'0') {
        return Err(error());
    }
    bigint::parse(negative, &clean, radix).ok_or_else(error)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn skip_space(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    text.get(start..).unwrap_or_default()
}

fn trim_end(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    text.get(..end).unwrap_or_default()
}

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// The value of a `FLOAT` line (without its newline): decimal text, `inf`, `infinity` or `nan` in any case, no white space.
/// A finite text beyond the largest double is refused, as CPython refuses it. The text ends at a NUL, as in C.
pub(crate) fn float(line: &[u8]) -> Result<f64, ErrorKind> {
    let error = || invalid("a float", line);
    let text = until_nul(line);
    let text = std::str::from_utf8(text).map_err(|_| error())?;
    let value: f64 = text.parse().map_err(|_| error())?;
    if value.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit()) {
        return Err(error());
    }
    Ok(value)
}

/// The bytes of a `STRING` line: its quotes taken off and its escapes (those of a Python bytes literal) resolved.
pub(crate) fn string(line: &[u8]) -> Result<Cow<'_, [u8]>, ErrorKind> {
    let inner = match line {
        [first @ (b'\'' | b'"'), inner @ .., last] if first == last => inner,
        _ => return Err(invalid("a quoted string", line)),
    };
    if memchr::memchr(b'\\', inner).is_none() {
        return Ok(Cow::Borrowed(inner));
    }
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = bytes.next() else {
            return Err(invalid("an escape after the final backslash", line));
        };
        match escape {
            b'\\' | b'\'' | b'"' => out.push(escape),
            b'a' => out.push(0x07),
            b'b' => out.push(0x08),
            b't' => out.push(b'\t'),
            b'n' => out.push(b'\n'),
            b'v' => out.push(0x0b),
            b'f' => out.push(0x0c),
            b'r' => out.push(b'\r'),
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    let Some(digit) = bytes.next_if(|byte| matches!(byte, b'0'..=b'7')) else { break };
                    value = value * 8 + u32::from(digit - b'0');
                }
                // CPython keeps the low eight bits of `\400` to `\777`
                out.push((value & 0xff) as u8);
            }
            b'x' => {
                let mut digit = || bytes.next().and_then(|byte| (byte as char).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => out.push((high * 16 + low) as u8),
                    _ => return Err(invalid("two hexadecimal digits after \\x", line)),
                }
            }
            // an unknown escape stays as it is
            other => out.extend([b'\\', other]),
        }
    }
    Ok(Cow::Owned(out))
}

/// The text of a `UNICODE` line, as UTF-8 in which surrogates may stand alone: Latin-1 with `\uXXXX` and `\UXXXXXXXX`
/// (Python's raw-unicode-escape). A backslash before anything else stays, and takes its successor along.
pub(crate) fn unicode(line: &[u8]) -> Result<Cow<'_, [u8]>, ErrorKind> {
    if line.is_ascii() && memchr::memchr(b'\\', line).is_none() {
        return Ok(Cow::Borrowed(line));
    }
    let mut out = Vec::with_capacity(line.len() + line.len() / 2);
    let mut rest = line;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        if *byte != b'\\' {
            push_utf8(&mut out, u32::from(*byte));
            continue;
        }
        let Some((escape, tail)) = rest.split_first() else {
            out.push(b'\\');
            break;
        };
        let width = match escape {
            b'u' => 4,
            b'U' => 8,
            _ => {
                out.push(b'\\');
                push_utf8(&mut out, u32::from(*escape));
                rest = tail;
                continue;
            }
        };
        let code = tail
            .get(..width)
            .and_then(|digits| digits.iter().try_fold(0u32, |code, &byte| Some((code << 4) | (byte as char).to_digit(16)?)));
        match code {
            Some(code) if code <= 0x10_ffff => push_utf8(&mut out, code),
            Some(_) => return Err(invalid("a code point up to \\U0010ffff", line)),
            None if width == 4 => return Err(invalid("four hexadecimal digits after \\u", line)),
            None => return Err(invalid("eight hexadecimal digits after \\U", line)),
        }
        rest = tail.get(width..).unwrap_or_default();
    }
    Ok(Cow::Owned(out))
}

/// Appends a code point up to U+10FFFF, surrogates included, as UTF-8 would have it.
pub(crate) fn push_utf8(out: &mut Vec<u8>, code: u32) {
    let low = |shift: u32| 0x80 | ((code >> shift) & 0x3f) as u8;
    match code {
        0..=0x7f => out.push(code as u8),
        0x80..=0x7ff => out.extend([0xc0 | (code >> 6) as u8, low(0)]),
        0x800..=0xffff => out.extend([0xe0 | (code >> 12) as u8, low(6), low(0)]),
        _ => out.extend([0xf0 | (code >> 18) as u8, low(12), low(6), low(0)]),
    }
}

/// How a text can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Utf8 {
    /// As `&str`.
    Whole,
    /// Only as bytes: a surrogate stands alone.
    WithSurrogates,
}

/// Checks text as Python's `surrogatepass` reads it: UTF-8, in which the three-byte forms of surrogates are let through.
#[inline]
pub(crate) fn check_utf8(text: &[u8]) -> Result<Utf8, ErrorKind> {
    match std::str::from_utf8(text) {
        Ok(_) => Ok(Utf8::Whole),
        Err(error) => check_surrogates(text, error.valid_up_to()),
    }
}

#[cold]
fn check_surrogates(text: &[u8], mut at: usize) -> Result<Utf8, ErrorKind> {
    loop {
        match text.get(at..) {
            Some([0xed, 0xa0..=0xbf, 0x80..=0xbf, rest @ ..]) => match std::str::from_utf8(rest) {
                Ok(_) => return Ok(Utf8::WithSurrogates),
                Err(error) => at += 3 + error.valid_up_to(),
            },
            _ => return Err(ErrorKind::InvalidUtf8 { valid_up_to: at }),
        }
    }
}

/// The code points of checked text: UTF-8, in which surrogates may stand alone.
pub(crate) fn code_points(text: &[u8]) -> impl Iterator<Item = u32> + '_ {
    let mut rest = text.iter();
    std::iter::from_fn(move || {
        let lead = u32::from(*rest.next()?);
        let (mut code, more) = match lead {
            0..0x80 => (lead, 0),
            0x80..0xe0 => (lead & 0x1f, 1),
            0xe0..0xf0 => (lead & 0x0f, 2),
            _ => (lead & 0x07, 3),
        };
        for byte in rest.by_ref().take(more) {
            code = (code << 6) | u32::from(byte & 0x3f);
        }
        Some(code)
    })
}

pub(crate) fn invalid(expected: &'static str, found: &[u8]) -> ErrorKind {
    const SHOWN: usize = 40;
    let shown = found.get(..SHOWN).unwrap_or(found).escape_ascii();
    let more = if found.len() > SHOWN { "..." } else { "" };
    ErrorKind::InvalidText { expected, found: format!("\"{shown}{more}\"") }
}
