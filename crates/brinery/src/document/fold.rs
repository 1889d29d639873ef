//! Calls that CPython writes where a protocol has no opcode for a builtin type. They become the builtin value.
//!
//! Python's value of such a call is the builtin, whatever else refers to its arguments: `set` copies its list, and the text of a byte
//! string is only a spelling. So the argument stays a value of its own if something refers to it, and the call folds all the same.

use super::builder::Builder;
use super::store::{DataKind, ItemsKind, Node, Ref, Unpacked};
use crate::error::{Error, ErrorKind, Result};
use crate::handler::Place;
use crate::names::{BYTEARRAY_ENCODING, BYTES_ENCODING, Known};

impl Builder {
    /// The builtin value of a call, if its callable is one of those that the pickler knows.
    pub(super) fn fold_call(&mut self, callable: Ref, args: Ref, at: Place<'_>) -> Result<Option<Ref>> {
        let known = self.store.object(callable).map_or(Known::Other, |object| object.known);
        if known == Known::Other { Ok(None) } else { self.fold(known, args, at) }
    }

    /// The builtin value of a call, if it is one that CPython's pickler writes for a builtin value.
    fn fold(&mut self, known: Known, args: Ref, at: Place<'_>) -> Result<Option<Ref>> {
        let Some((ItemsKind::Tuple, args)) = self.store.items(args) else { return Ok(None) };
        match (known, args) {
            (Known::Set, &[list]) => self.fold_set(ItemsKind::Set, list, at),
            (Known::Frozenset, &[list]) => self.fold_set(ItemsKind::Frozenset, list, at),
            (Known::Bytes, []) => self.new_data(DataKind::Bytes, &[], Some(at.offset)).map(Some),
            (Known::Bytes, &[list]) => self.fold_byte_list(list, at),
            (Known::Bytearray, []) => self.new_data(DataKind::Bytearray, &[], Some(at.offset)).map(Some),
            (Known::Encode, &[text, encoding]) if self.is_text(encoding, BYTES_ENCODING, at) => {
                self.store.encoding_name.get_or_insert(encoding);
                self.fold_text(DataKind::Bytes, text, at)
            }
            (Known::Bytearray, &[text, encoding]) if self.is_text(encoding, BYTEARRAY_ENCODING, at) => {
                self.fold_text(DataKind::Bytearray, text, at)
            }
            (Known::Bytearray, &[bytes]) => match self.store.node(bytes) {
                Some(&Node::Data { kind: DataKind::Bytes, len, offset }) => {
                    // Python copies them, and so does what writes the document
                    self.charge(self.store.data(at.window, len, offset).len(), at)?;
                    let bytearray = self.push(Node::Data { kind: DataKind::Bytearray, len, offset })?;
                    if let Some(&text) = self.store.spelled.get(&bytes) {
                        self.store.spelled.insert(bytearray, text);
                    }
                    Ok(Some(bytearray))
                }
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    fn fold_set(&mut self, kind: ItemsKind, list: Ref, at: Place<'_>) -> Result<Option<Ref>> {
        let Some((ItemsKind::List, items)) = self.store.items(list) else { return Ok(None) };
        let items = items.to_vec();
        self.charge(size_of_val(&*items), at)?;
        self.set_of(kind, &items).map(Some)
    }

    /// `bytes([1, 2])`: how CPython 3.0 to 3.2 wrote bytes before protocol 3.
    fn fold_byte_list(&mut self, list: Ref, at: Place<'_>) -> Result<Option<Ref>> {
        let Some((ItemsKind::List, items)) = self.store.items(list) else { return Ok(None) };
        self.charge(items.len(), at)?;
        let Some((_, items)) = self.store.items(list) else { return Ok(None) };
        let byte = |&item: &Ref| match item.unpack() {
            Unpacked::Int(value) => u8::try_from(value).ok(),
            _ => None,
        };
        let Some(bytes) = items.iter().map(byte).collect::<Option<Vec<u8>>>() else { return Ok(None) };
        self.new_data(DataKind::Bytes, &bytes, None).map(Some)
    }

    fn fold_text(&mut self, kind: DataKind, text: Ref, at: Place<'_>) -> Result<Option<Ref>> {
        // looking through the text is paid for as well: it may be named over and over
        let length = self.store.bytes_of(at.window, text).map_or(0, |(_, bytes)| bytes.len());
        self.charge(length, at)?;
        let folded = match self.store.node(text) {
            Some(&Node::Data { kind: DataKind::Str | DataKind::Str8Text | DataKind::Str8Latin1, len, offset }) => {
                let bytes = self.store.data(at.window, len, offset);
                if bytes.is_ascii() {
                    self.push(Node::Data { kind, len, offset })?
                } else {
                    let latin1 = utf8_to_latin1(bytes)?;
                    self.new_data(kind, &latin1, None)?
                }
            }
            Some(&Node::Data { kind: DataKind::StrSurrogates, .. }) => return Err(not_latin1(0)),
            _ => return Ok(None),
        };
        if matches!(self.store.node(folded), Some(Node::Data { len: 1, .. })) {
            self.store.spelled.insert(folded, text);
        }
        Ok(Some(folded))
    }

    /// Whether the value is text and reads so.
    fn is_text(&self, value: Ref, text: &str, at: Place<'_>) -> bool {
        let kinds = [DataKind::Str, DataKind::Str8Text];
        self.store.bytes_of(at.window, value).is_some_and(|(kind, bytes)| kinds.contains(&kind) && bytes == text.as_bytes())
    }
}

/// The Latin-1 bytes of a text.
pub(crate) fn utf8_to_latin1(text: &[u8]) -> Result<Vec<u8>> {
    let text = std::str::from_utf8(text).map_err(|error| not_latin1(error.valid_up_to()))?;
    text.char_indices().map(|(at, char)| u8::try_from(u32::from(char)).map_err(|_| not_latin1(at))).collect()
}

fn not_latin1(valid_up_to: usize) -> Error {
    Error::new(ErrorKind::InvalidEncoding { encoding: "Latin-1", valid_up_to })
}
