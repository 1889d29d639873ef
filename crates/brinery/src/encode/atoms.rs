//! Numbers, text and bytes, as each protocol writes them.

use super::out::Out;
use crate::bigint;
use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;
use crate::repr::{write_bytes, write_float};
use crate::text::code_points;

/// A boolean.
#[inline(always)]
pub(super) fn bool(out: &mut Out<'_>, protocol: u8, value: bool) {
    if protocol >= 2 {
        out.op(if value { Opcode::Newtrue } else { Opcode::Newfalse });
    } else {
        out.line(Opcode::Int, |line| line.extend_from_slice(if value { b"01" } else { b"00" }));
    }
}

/// An integer of 64 bits.
#[inline(always)]
pub(super) fn int(out: &mut Out<'_>, protocol: u8, value: i64) {
    let Ok(narrow) = i32::try_from(value) else { return long(out, protocol, value) };
    if protocol == 0 {
        out.line(Opcode::Int, |line| line.extend_from_slice(narrow.to_string().as_bytes()));
    } else if let Ok(byte) = u8::try_from(narrow) {
        out.op_with(Opcode::Binint1, [byte]);
    } else if let Ok(two) = u16::try_from(narrow) {
        out.op_with(Opcode::Binint2, two.to_le_bytes());
    } else {
        out.op_with(Opcode::Binint, narrow.to_le_bytes());
    }
}

#[cold]
fn long(out: &mut Out<'_>, protocol: u8, value: i64) {
    if protocol < 2 {
        out.line(Opcode::Long, |line| line.extend_from_slice(format!("{value}L").as_bytes()));
        return;
    }
    let bytes = value.to_le_bytes();
    let bytes = bigint::minimal(&bytes);
    out.op_with(Opcode::Long1, [bytes.len() as u8]);
    out.bytes(bytes);
}

/// A wider integer: two's complement, little-endian, without redundant bytes.
#[cold]
pub(super) fn big_int(out: &mut Out<'_>, protocol: u8, bytes: &[u8], digits: usize) -> Result<()> {
    if protocol < 2 {
        let (text, is_longer) = bigint::to_text(bytes, digits);
        if is_longer {
            return Err(Error::new(ErrorKind::LimitExceeded { limit: "digits", at: digits as u64 }));
        }
        out.line(Opcode::Long, |line| {
            line.extend_from_slice(text.as_bytes());
            line.push(b'L');
        });
        return Ok(());
    }
    if let Ok(length) = u8::try_from(bytes.len()) {
        out.op_with(Opcode::Long1, [length]);
    } else {
        let length = i32::try_from(bytes.len()).map_err(|_| too_long("an int", "LONG4 holds less than 2 GiB"))?;
        out.op_with(Opcode::Long4, length.to_le_bytes());
    }
    out.bytes(bytes);
    Ok(())
}

/// A float.
#[inline(always)]
pub(super) fn float(out: &mut Out<'_>, protocol: u8, value: f64) {
    if protocol >= 1 {
        out.op_with(Opcode::Binfloat, value.to_be_bytes());
    } else {
        let mut text = String::new();
        let _ = write_float(&mut text, value);
        out.line(Opcode::Float, |line| line.extend_from_slice(text.as_bytes()));
    }
}

/// Text: UTF-8, in which surrogates may stand alone.
#[inline(always)]
pub(super) fn text(out: &mut Out<'_>, protocol: u8, text: &[u8]) -> Result<()> {
    if protocol == 0 {
        out.line(Opcode::Unicode, |line| raw_unicode_escape(line, text));
        return Ok(());
    }
    match (u8::try_from(text.len()), u32::try_from(text.len())) {
        (Ok(length), _) if protocol >= 4 => out.data(Opcode::ShortBinunicode, [length], text),
        (_, Ok(length)) => out.data(Opcode::Binunicode, length.to_le_bytes(), text),
        _ if protocol >= 4 => out.data(Opcode::Binunicode8, (text.len() as u64).to_le_bytes(), text),
        _ => Err(too_long("text of 4 GiB", "that needs protocol 4")),
    }
}

/// Bytes, from protocol 3 on.
#[inline(always)]
pub(super) fn bytes(out: &mut Out<'_>, protocol: u8, bytes: &[u8]) -> Result<()> {
    match (u8::try_from(bytes.len()), u32::try_from(bytes.len())) {
        (Ok(length), _) => out.data(Opcode::ShortBinbytes, [length], bytes),
        (_, Ok(length)) => out.data(Opcode::Binbytes, length.to_le_bytes(), bytes),
        _ if protocol >= 4 => out.data(Opcode::Binbytes8, (bytes.len() as u64).to_le_bytes(), bytes),
        _ => Err(too_long("bytes of 4 GiB", "they need protocol 4")),
    }
}

/// A bytearray, from protocol 5 on.
pub(super) fn bytearray(out: &mut Out<'_>, bytes: &[u8]) -> Result<()> {
    out.data(Opcode::Bytearray8, (bytes.len() as u64).to_le_bytes(), bytes)
}

/// An 8-bit string of Python 2.
pub(super) fn str8(out: &mut Out<'_>, protocol: u8, bytes: &[u8]) -> Result<()> {
    if protocol == 0 {
        let mut text = String::new();
        let _ = write_bytes(&mut text, bytes);
        out.line(Opcode::String, |line| line.extend_from_slice(text.get(1..).unwrap_or_default().as_bytes()));
        return Ok(());
    }
    match (u8::try_from(bytes.len()), i32::try_from(bytes.len())) {
        (Ok(length), _) => out.data(Opcode::ShortBinstring, [length], bytes),
        (_, Ok(length)) => out.data(Opcode::Binstring, length.to_le_bytes(), bytes),
        _ => Err(too_long("an 8-bit string of 2 GiB", "no opcode holds as much")),
    }
}

/// Text as `UNICODE` has it: Latin-1, with everything else, and what would end the line or look like an escape, as `\u` or `\U` and
/// four or eight hexadecimal digits.
fn raw_unicode_escape(line: &mut Vec<u8>, text: &[u8]) {
    for code in code_points(text) {
        match code {
            0 | 0x0a | 0x0d | 0x1a | 0x5c | 0x100..=0xffff => line.extend_from_slice(format!("\\u{code:04x}").as_bytes()),
            0x1_0000.. => line.extend_from_slice(format!("\\U{code:08x}").as_bytes()),
            _ => line.push(code as u8),
        }
    }
}

#[cold]
fn too_long(what: &'static str, reason: &'static str) -> Error {
    Error::new(ErrorKind::Unwritable { what, reason })
}
