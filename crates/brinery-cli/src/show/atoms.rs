//! Values with nothing inside: numbers, names, text. Long ones are cut.

use std::fmt;

use brinery::{Item, Kind};

use super::page::Paper;
use super::printer::Tally;
use super::shape::Cuts;
use crate::output::{count, style};

/// Writes a value that has nothing inside.
pub(super) fn atom<P: Paper>(out: &mut P, item: Item<'_>, cuts: &Cuts, tally: &mut Tally) -> fmt::Result {
    match item.kind() {
        Kind::None => out.put(style::CONSTANT, "None"),
        Kind::Bool => out.put(style::CONSTANT, if item.as_bool() == Some(true) { "True" } else { "False" }),
        Kind::Int => match item.as_i64() {
            Some(value) => out.put_with(style::NUMBER, |out| write!(out, "{value}")),
            None => big_int(out, item, cuts, tally),
        },
        Kind::Float => out.put_with(style::NUMBER, |out| whole(out, item, tally)),
        Kind::Str | Kind::Str8 | Kind::Bytes | Kind::Bytearray => text(out, item, cuts, tally),
        Kind::Buffer if item.as_bytes().is_some() => text(out, item, cuts, tally),
        Kind::Global | Kind::Extension => out.put_with(style::NAME, |out| whole(out, item, tally)),
        _ => out.put_with(style::PLAIN, |out| whole(out, item, tally)),
    }
}

/// The name of a class, whatever was done to it.
pub(super) fn global<P: Paper>(out: &mut P, item: Item<'_>, tally: &mut Tally) -> fmt::Result {
    if item.actions().next().is_none() {
        return out.put_with(style::NAME, |out| whole(out, item, tally));
    }
    let Some((module, name)) = item.global_parts() else { return Ok(()) };
    out.put_with(style::NAME, |out| {
        name_text(out, module)?;
        out.write_char('.')?;
        name_text(out, name)
    })
}

/// The name before a `=`.
pub(super) fn keyword<P: Paper>(out: &mut P, key: Item<'_>, cuts: &Cuts, tally: &mut Tally) -> fmt::Result {
    match key.as_str() {
        Some(name) if is_identifier(name) => out.write_str(name),
        _ => atom(out, key, cuts, tally),
    }
}

/// Whether a name can stand before `=` as it is. Python has more identifiers; those print in quotes.
fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_') && chars.all(|char| char.is_alphanumeric() || char == '_')
}

fn whole<P: Paper>(out: &mut P, item: Item<'_>, tally: &mut Tally) -> fmt::Result {
    let written = item.repr().limit(usize::MAX).write_to(out).map_err(|_| fmt::Error)?;
    tally.hexadecimal += written.hexadecimal;
    Ok(())
}

/// Text as its `repr` without the quotes: the names of strange globals may have anything in them.
fn name_text<P: Paper>(out: &mut P, item: Item<'_>) -> fmt::Result {
    match item.as_str() {
        Some(name) if name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.' | '<' | '>')) => out.write_str(name),
        _ => item.repr().limit(usize::MAX).write_to(out).map(|_| ()).map_err(|_| fmt::Error),
    }
}

fn big_int<P: Paper>(out: &mut P, item: Item<'_>, cuts: &Cuts, tally: &mut Tally) -> fmt::Result {
    let mut digits = String::new();
    let written = item.repr().limit(usize::MAX).write_to(&mut digits).map_err(|_| fmt::Error)?;
    tally.hexadecimal += written.hexadecimal;
    let shown = cuts.bytes;
    match digits.get(..shown) {
        // the note itself takes some columns
        Some(head) if digits.len() > shown.saturating_add(20) => {
            out.put(style::NUMBER, head)?;
            more(out, digits.len() - shown, "digit", tally)
        }
        _ => out.put(style::NUMBER, &digits),
    }
}

fn more<P: Paper>(out: &mut P, number: usize, noun: &str, tally: &mut Tally) -> fmt::Result {
    tally.texts += 1;
    out.put_with(style::CUT, |out| write!(out, "... {} more {noun}{}", count(number as u64), if number == 1 { "" } else { "s" }))
}

/// Text or bytes, cut after so many columns.
fn text<P: Paper>(out: &mut P, item: Item<'_>, cuts: &Cuts, tally: &mut Tally) -> fmt::Result {
    // text is characters, bytes are bytes
    let (limit, length, noun) = match (item.as_text_bytes(), item.as_bytes()) {
        (Some(text), _) => (cuts.text, text.len(), "character"),
        (None, bytes) => (cuts.bytes, bytes.unwrap_or_default().len(), "byte"),
    };
    if limit == usize::MAX {
        return out.put_with(style::TEXT, |out| whole(out, item, tally));
    }
    if length / 4 > limit && out.is_narrower_than(limit) {
        return Err(fmt::Error);
    }
    let mut head = String::new();
    if item.repr().limit(limit.saturating_add(30)).write_to(&mut head).is_ok() {
        return out.put(style::TEXT, &head);
    }
    let (prefix, quote) = match head.find(['\'', '"']) {
        Some(at) => (at + 1, head.get(at..=at).unwrap_or("'").to_owned()),
        None => (0, String::new()),
    };
    let (end, shown) = whole_characters(head.get(prefix..).unwrap_or_default(), limit);
    head.truncate(prefix + end);
    out.put_with(style::TEXT, |out| {
        out.write_str(&head)?;
        out.write_str(&quote)
    })?;
    let all = match item.as_text_bytes() {
        Some(text) => text.iter().filter(|&&byte| byte & 0xc0 != 0x80).count(),
        None => length,
    };
    more(out, all.saturating_sub(shown), noun, tally)?;
    if item.kind() == Kind::Bytearray { out.put(style::TEXT, ")") } else { Ok(()) }
}

/// How much of an escaped text is whole within so many columns, and how many characters that stands for.
fn whole_characters(text: &str, limit: usize) -> (usize, usize) {
    let (mut end, mut shown, mut columns) = (0, 0, 0);
    while let Some(rest) = text.get(end..) {
        let escape = match rest.as_bytes() {
            [b'\\', b'x', ..] => Some(4),
            [b'\\', b'u', ..] => Some(6),
            [b'\\', b'U', ..] => Some(10),
            [b'\\', ..] => Some(2),
            _ => None,
        };
        let Some(char) = rest.chars().next() else { break };
        let (bytes, width) = escape.map_or((char.len_utf8(), 1), |width| (width, width));
        if bytes > rest.len() || columns + width > limit {
            break;
        }
        end += bytes;
        columns += width;
        shown += 1;
    }
    (end, shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_not_cut_apart() {
        assert_eq!(whole_characters("abc", 2), (2, 2));
        assert_eq!(whole_characters("a\\x0", 9), (1, 1));
        assert_eq!(whole_characters("a\\x00b", 5), (5, 2));
        assert_eq!(whole_characters("a\\x00b", 4), (1, 1));
        assert_eq!(whole_characters("\u{e9}\\n\\U0001f600", 12), (4, 2));
        assert_eq!(whole_characters("", 5), (0, 0));
    }
}
