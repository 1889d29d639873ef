//! Builtin values for which a protocol has no opcode: as the calls that CPython writes for them.

use super::atoms;
use super::memo::{self, State};
use super::pickler::Placement;
use super::run::{Run, RunKind};
use super::walk::{Task, Walk};
use crate::document::{Item, Node, Ref};
use crate::error::{Error, ErrorKind, Result};
use crate::names::{BYTEARRAY_ENCODING, BYTES_ENCODING, Known};
use crate::opcode::Opcode;
use crate::text::push_utf8;

impl<'d> Walk<'d, '_, '_> {
    /// A text that is no value of the document. Python has one object for each Latin-1 character, so that such a text may have been written.
    pub(super) fn own_text(&mut self, text: &[u8]) -> Result<()> {
        self.out.boundary()?;
        let protocol = self.rules.protocol;
        let char = latin1_char(text).filter(|_| protocol < 4);
        if let Some((number, _)) = char.and_then(|char| self.memo.char(char)) {
            memo::get(self.out, protocol, number);
            return Ok(());
        }
        atoms::text(self.out, protocol, text)?;
        let number = self.put_own()?;
        if let Some((char, number)) = char.zip(number) {
            self.memo.set_char(char, number, true);
        }
        Ok(())
    }

    /// Whether a text of the document is a character that the writer itself has written. Where the document says which text spells its bytes of
    /// one byte, nothing has to be guessed.
    pub(super) fn same_char(&mut self, value: Ref, text: &[u8]) -> bool {
        let Some(char) = latin1_char(text).filter(|_| self.rules.has_memo()) else { return false };
        match self.memo.char(char) {
            Some((number, found)) if found.is_own && self.store.spelled.is_empty() => {
                memo::get(self.out, self.rules.protocol, number);
                self.memo.number(value, number);
                return true;
            }
            None => self.memo.set_char(char, self.memo.next_number(), false),
            _ => {}
        }
        false
    }

    /// The name of an encoding.
    fn encoding(&mut self, encoding: &'static str) -> Result<()> {
        if let Some(value) = self.store.encoding_name.filter(|_| encoding == BYTES_ENCODING) {
            self.plain_atom(value)?;
            return Ok(());
        }
        self.shared_own_text(encoding)
    }

    /// A text that is no value of the document and is one object wherever the writer needs it.
    pub(super) fn shared_own_text(&mut self, text: &str) -> Result<()> {
        self.out.boundary()?;
        if let Some(number) = self.memo.text(text) {
            memo::get(self.out, self.rules.protocol, number);
            return Ok(());
        }
        atoms::text(self.out, self.rules.protocol, text.as_bytes())?;
        if let Some(number) = self.put_own()? {
            self.memo.set_text(text, number);
        }
        Ok(())
    }

    /// Bytes.
    pub(super) fn bytes(&mut self, value: Ref, bytes: &[u8]) -> Result<()> {
        self.bytes_ops(bytes, self.store.spelled.get(&value).copied())?;
        self.put(value)
    }

    /// Bytes without a number; before protocol 3 spelled by a text of the document, if there is one.
    pub(super) fn bytes_ops(&mut self, bytes: &[u8], spelled: Option<Ref>) -> Result<()> {
        if self.rules.protocol >= 3 { atoms::bytes(self.out, self.rules.protocol, bytes) } else { self.bytes_call(bytes, spelled) }
    }

    /// Bytes before protocol 3: `bytes()`, or `_codecs.encode` of the Latin-1 text. Not every release of Razorvine knows the former.
    fn bytes_call(&mut self, bytes: &[u8], spelled: Option<Ref>) -> Result<()> {
        if bytes.is_empty() && !self.rules.is_razorvine() {
            self.known(Known::Bytes)?;
            self.empty_tuple();
        } else {
            self.known(Known::Encode)?;
            self.mark_below(2);
            match spelled {
                Some(text) => {
                    self.plain_atom(text)?;
                }
                None => self.own_text(&latin1_to_utf8(bytes))?,
            }
            self.encoding(BYTES_ENCODING)?;
            self.tuple_op(2);
            self.put_own()?;
        }
        self.out.op(Opcode::Reduce);
        Ok(())
    }

    /// A bytearray; before protocol 5 as a call with bytes.
    pub(super) fn bytearray(&mut self, value: Ref, bytes: &[u8]) -> Result<()> {
        self.bytearray_ops(bytes, self.store.spelled.get(&value).copied())?;
        self.put(value)
    }

    /// A bytearray without a number.
    pub(super) fn bytearray_ops(&mut self, bytes: &[u8], spelled: Option<Ref>) -> Result<()> {
        let protocol = self.rules.protocol;
        if protocol >= 5 {
            return atoms::bytearray(self.out, bytes);
        }
        self.known(Known::Bytearray)?;
        if self.rules.is_razorvine() {
            self.own_text(&latin1_to_utf8(bytes))?;
            self.own_text(BYTEARRAY_ENCODING.as_bytes())?;
            self.tuple_op(2);
        } else if bytes.is_empty() {
            self.out.boundary()?;
            self.empty_tuple();
        } else {
            self.out.boundary()?;
            self.mark_below(2);
            self.out.boundary()?;
            self.bytes_ops(bytes, spelled)?;
            self.put_own()?;
            self.tuple_op(1);
            self.put_own()?;
        }
        self.out.op(Opcode::Reduce);
        Ok(())
    }

    /// A mark where a protocol has no tuples of one to three.
    pub(super) fn mark_below(&mut self, protocol: u8) {
        if self.rules.protocol < protocol {
            self.out.op(Opcode::Mark);
        }
    }

    /// A set or frozenset before protocol 4: a call with a list.
    pub(super) fn set_call(&mut self, value: Ref, class: Known, start: u64, len: usize) -> Result<()> {
        self.known(class)?;
        self.mark_below(2);
        self.empty(Opcode::EmptyList, Opcode::List);
        self.put_own()?;
        self.tasks.push(Task::Run(Run::new(RunKind::SetList, value, start, len)));
        Ok(())
    }

    pub(super) fn end_set_call(&mut self, value: Ref) -> Result<()> {
        self.tuple_op(1);
        self.put_own()?;
        self.out.op(Opcode::Reduce);
        self.put_or_drop(value).map(|_| ())
    }

    /// What a call made gets its number. If the call was written inside itself, what it made there is used, and this goes.
    pub(super) fn put_or_drop(&mut self, value: Ref) -> Result<bool> {
        if let State::Written(number) = self.memo_state(value) {
            self.out.op(Opcode::Pop);
            memo::get(self.out, self.rules.protocol, number);
            return Ok(false);
        }
        self.put(value)?;
        Ok(true)
    }

    /// An out-of-band buffer: as such from protocol 5 on, if that is wanted; else its data.
    pub(super) fn buffer(&mut self, value: Ref) -> Result<()> {
        let Some(&Node::Buffer { readonly, index }) = self.store.node(value) else { return Ok(()) };
        let placement = match &mut self.hooks.on_buffer {
            _ if self.rules.protocol < 5 => Placement::InBand,
            Some(hook) => hook(Item::new(self.document, value)),
            // without a hook the reader gets the buffers of the document, in their order
            None if index as usize == self.buffers => Placement::OutOfBand,
            None => {
                let reason = "it is not the next one of the document's, and no hook takes buffers";
                return Err(Error::new(ErrorKind::Unwritable { what: "an out-of-band buffer", reason }));
            }
        };
        if placement == Placement::OutOfBand {
            self.buffers += 1;
            self.out.op(Opcode::NextBuffer);
            if readonly {
                self.out.op(Opcode::ReadonlyBuffer);
            }
            return if self.shared.contains(&value) { self.put(value) } else { Ok(()) };
        }
        let data = self.document.buffer(index).ok_or_else(|| Error::new(ErrorKind::BufferAbsent(index as usize)))?;
        if readonly { self.bytes(value, data) } else { self.bytearray(value, data) }
    }
}

/// The character, if a text is one of Latin-1.
pub(super) fn latin1_char(text: &[u8]) -> Option<u8> {
    match *text {
        [char @ 0..0x80] => Some(char),
        [lead @ (0xc2 | 0xc3), low] => Some((lead << 6) | (low & 0x3f)),
        _ => None,
    }
}

/// Latin-1 text as UTF-8.
fn latin1_to_utf8(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len() + bytes.iter().filter(|byte| !byte.is_ascii()).count());
    for &byte in bytes {
        push_utf8(&mut text, byte.into());
    }
    text
}
