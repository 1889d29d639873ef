//! What has been written already, and under which number.

use std::collections::HashMap;

use super::out::Out;
use crate::document::Ref;
use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;

/// Which values are written once and referred to after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MemoPolicy {
    /// Each value that has an identity, as CPython writes it.
    #[default]
    Identity,
    /// The same, and equal text is one text.
    EqualText,
    /// None, as with `Pickler.fast` of CPython: a value is written wherever it is referred to, and one inside itself is an error. What
    /// sharing multiplies is bounded by [`Limits::expansion`](crate::Limits::expansion).
    Off,
}

/// The value is being written.
const OPEN: u32 = u32::MAX;

/// What the memo knows of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Not written.
    New,
    /// Being written, and so without a number.
    Open,
    /// Written under this number.
    Written(u32),
}

/// Numbers of values, and of names that no value of the document has.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// By node.
    slots: Vec<u32>,
    /// How many numbers are given away.
    next: u32,
    /// Texts of one Latin-1 character that the writer itself needed, or that values have: Python has one object for each.
    chars: Vec<Char>,
    /// Names of globals that the writer itself needed, by module and name.
    globals: HashMap<(String, String), u32>,
    /// Names of modules, and of encodings, that the writer itself needed.
    texts: HashMap<String, u32>,
}

/// Where the text of one character is.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Char {
    /// One more than the number.
    number: u32,
    /// Whether the writer itself needed the text; else a value of the document is it.
    pub(super) is_own: bool,
}

impl Memo {
    /// Forgets everything, and makes room for so many nodes.
    pub(super) fn clear(&mut self, nodes: usize) {
        self.slots.clear();
        self.slots.resize(nodes, 0);
        self.next = 0;
        self.chars.clear();
        self.globals.clear();
        self.texts.clear();
    }

    /// Makes room for the nodes of another document, and gives what is known of this one's, for [`end_document`](Self::end_document).
    #[cfg(feature = "serde")]
    pub(super) fn begin_document(&mut self, nodes: usize) -> Vec<u32> {
        std::mem::replace(&mut self.slots, vec![0; nodes])
    }

    #[cfg(feature = "serde")]
    pub(super) fn end_document(&mut self, slots: Vec<u32>) {
        self.slots = slots;
    }

    #[inline(always)]
    pub(super) fn state(&self, value: Ref) -> State {
        match value.index().and_then(|index| self.slots.get(index)) {
            None | Some(0) => State::New,
            Some(&OPEN) => State::Open,
            Some(number) => State::Written(number - 1),
        }
    }

    fn set(&mut self, value: Ref, slot: u32) {
        if let Some(place) = value.index().and_then(|index| self.slots.get_mut(index)) {
            *place = slot;
        }
    }

    /// The value is being written.
    pub(super) fn open(&mut self, value: Ref) {
        self.set(value, OPEN);
    }

    /// The value is written, and has no number.
    pub(super) fn forget(&mut self, value: Ref) {
        self.set(value, 0);
    }

    /// The value has this number.
    #[inline(always)]
    pub(super) fn number(&mut self, value: Ref, number: u32) {
        self.set(value, number + 1);
    }

    /// Gives the topmost value the next number.
    #[inline(always)]
    pub(super) fn put(&mut self, out: &mut Out<'_>, protocol: u8) -> Result<u32> {
        let number = self.next;
        // one number is the sign for a value being written
        if number >= OPEN - 1 {
            return Err(Error::new(ErrorKind::LimitExceeded { limit: "nodes", at: number.into() }));
        }
        self.next += 1;
        match (protocol, u8::try_from(number)) {
            (4.., _) => out.op(Opcode::Memoize),
            (0, _) => out.line(Opcode::Put, |line| line.extend_from_slice(number.to_string().as_bytes())),
            (_, Ok(short)) => out.op_with(Opcode::Binput, [short]),
            _ => out.op_with(Opcode::LongBinput, number.to_le_bytes()),
        }
        Ok(number)
    }

    /// The number that the next value gets.
    pub(super) fn next_number(&self) -> u32 {
        self.next
    }

    pub(super) fn char(&self, char: u8) -> Option<(u32, Char)> {
        self.chars.get(usize::from(char)).filter(|found| found.number > 0).map(|&found| (found.number - 1, found))
    }

    /// The text of one character has this number, if it has none yet.
    pub(super) fn set_char(&mut self, char: u8, number: u32, is_own: bool) {
        if self.chars.is_empty() {
            self.chars.resize(256, Char::default());
        }
        if let Some(place) = self.chars.get_mut(usize::from(char)).filter(|place| place.number == 0) {
            *place = Char { number: number + 1, is_own };
        }
    }

    pub(super) fn global(&self, module: &str, name: &str) -> Option<u32> {
        if self.globals.is_empty() { None } else { self.globals.get(&(module.to_owned(), name.to_owned())).copied() }
    }

    pub(super) fn set_global(&mut self, module: &str, name: &str, number: u32) {
        self.globals.insert((module.to_owned(), name.to_owned()), number);
    }

    pub(super) fn text(&self, text: &str) -> Option<u32> {
        self.texts.get(text).copied()
    }

    pub(super) fn set_text(&mut self, text: &str, number: u32) {
        self.texts.insert(text.to_owned(), number);
    }
}

/// Pushes the value of a number.
#[inline(always)]
pub(super) fn get(out: &mut Out<'_>, protocol: u8, number: u32) {
    match (protocol, u8::try_from(number)) {
        (0, _) => out.line(Opcode::Get, |line| line.extend_from_slice(number.to_string().as_bytes())),
        (_, Ok(short)) => out.op_with(Opcode::Binget, [short]),
        _ => out.op_with(Opcode::LongBinget, number.to_le_bytes()),
    }
}
