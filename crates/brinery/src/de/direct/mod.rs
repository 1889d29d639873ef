//! Typed reading straight from the opcodes, without a document, where the layout is the usual one.
//!
//! What CPython, Spark and Brinery write of plain data is mostly a list, tuple or dict of scalars or of records. Such a pickle is read here by recursive descent: each
//! value by the opcodes that make it and nothing else. This is no second machine. Whatever is not the usual layout (another opcode, a GET of anything but text, equal keys, a
//! limit, an error of any kind) *poisons* the reading; the caller looks at that whatever the type made of it, and reads the pickle by a document, from which all
//! errors come and all other pickles are read. So there are two rules: what is accepted here means the same as by a document, and everything else is left.
//!
//! Each production takes opcodes whose effect on the machine's stack is to push one value, so that a pickle taken up to its STOP has this meaning and no other. Where the
//! opcodes do not say yet what comes (an empty list and a list to which the next value is appended begin alike), a guess is made; a wrong one ends in
//! an opcode that is not expected.

mod access;
mod keys;
mod lookahead;
mod value;

use serde_core::Deserialize;

use super::reading::Lend;
use crate::document::checked;
use crate::error::{Error, ErrorKind, Result};
use crate::input::Input;
use crate::limits::Limits;
use crate::opcode::{HIGHEST_PROTOCOL, Opcode};

/// A slot of the memo: where a text stands.
#[derive(Debug, Clone, Copy)]
struct Slot {
    start: u32,
    len: u32,
}

/// The slot has something else.
const OTHER: u32 = u32::MAX;
/// No frame is open.
const NO_FRAME: usize = usize::MAX;
/// Offsets fit a slot, and there are fewer values than a document may have.
const LONGEST_INPUT: usize = 1 << 31;
/// How many bytes count as one value when they are read once more.
const BYTES_OF_A_VALUE: usize = 64;

/// A reading.
struct Direct<'i, I, L> {
    input: &'i mut I,
    lend: L,
    at: usize,
    frame_end: usize,
    memo: &'i mut Vec<Slot>,
    depth: usize,
    deepest: usize,
    /// What may still be read more than once.
    expansion: u64,
    /// Lists whose end has not been reached.
    open_lists: usize,
    is_poisoned: bool,
    /// The reader failed: what comes of the pickle is this.
    failed: Option<Error>,
}

/// Buffers that are used again.
#[derive(Debug, Default)]
pub(crate) struct Spare(Vec<Slot>);

/// What came of a reading.
pub(super) enum Outcome<T> {
    /// The value, and where its pickle ends.
    Value(T, usize),
    /// It has to be read by a document.
    Poisoned,
    /// The reader failed.
    Failed(Error),
}

/// Whether nothing is limited that is not looked at here.
pub(super) fn is_possible(limits: &Limits) -> bool {
    let Limits { nodes, depth, copied, digits, input: _, expansion: _, serde_depth: _ } = Limits::default();
    limits.nodes == nodes && limits.depth == depth && limits.copied >= copied && limits.digits == digits
}

/// Reads the pickle at the window's start.
pub(super) fn read<'de, T, I, L>(input: &mut I, lend: L, limits: &Limits, spare: &mut Spare) -> Outcome<T>
where
    T: Deserialize<'de>,
    I: Input,
    L: for<'a> Lend<'a, 'de>,
{
    spare.0.clear();
    let mut direct = Direct {
        input,
        lend,
        at: 0,
        frame_end: NO_FRAME,
        memo: &mut spare.0,
        depth: 0,
        deepest: limits.serde_depth,
        expansion: limits.expansion,
        open_lists: 0,
        is_poisoned: false,
        failed: None,
    };
    let result = direct.start().and_then(|()| T::deserialize(&mut direct)).and_then(|value| direct.stop().map(|()| value));
    let Direct { at, is_poisoned, failed, .. } = direct;
    match (result, failed) {
        (_, Some(error)) => Outcome::Failed(error),
        (Ok(value), None) if !is_poisoned => Outcome::Value(value, at),
        _ => Outcome::Poisoned,
    }
}

impl<I: Input, L> Direct<'_, I, L> {
    /// This is nothing for here.
    #[cold]
    #[inline(never)]
    fn poison(&mut self) -> Error {
        self.is_poisoned = true;
        // nothing is read any more, whatever the type does with the error
        self.at = usize::MAX / 2;
        Error::new(ErrorKind::StackUnderflow)
    }

    fn start(&mut self) -> Result<()> {
        if self.peek()? == Opcode::Proto.byte() {
            let [protocol] = self.argument()?;
            if protocol > HIGHEST_PROTOCOL {
                return Err(self.poison());
            }
        }
        Ok(())
    }

    fn stop(&mut self) -> Result<()> {
        self.expect(Opcode::Stop)?;
        let is_whole = self.frame_end == NO_FRAME || self.frame_end == self.at;
        if is_whole && self.at <= LONGEST_INPUT { Ok(()) } else { Err(self.poison()) }
    }

    /// The next opcode, which stays. Frames end and begin here.
    #[inline(always)]
    fn peek(&mut self) -> Result<u8> {
        if self.at < self.frame_end
            && let Some(&byte) = self.input.window().get(self.at)
            && byte != Opcode::Frame.byte()
        {
            return Ok(byte);
        }
        self.peek_slowly()
    }

    #[cold]
    #[inline(never)]
    fn peek_slowly(&mut self) -> Result<u8> {
        if self.is_poisoned {
            return Err(self.poison());
        }
        if self.at >= self.frame_end {
            if self.at > self.frame_end {
                // an opcode stood across the frame's end
                return Err(self.poison());
            }
            self.frame_end = NO_FRAME;
        }
        self.need(1)?;
        let Some(&byte) = self.input.window().get(self.at) else { return Err(self.poison()) };
        if byte != Opcode::Frame.byte() {
            return Ok(byte);
        }
        if self.frame_end != NO_FRAME {
            return Err(self.poison());
        }
        let length = u64::from_le_bytes(self.argument()?);
        // what a frame promises has to be there before any of it is read
        match usize::try_from(length).ok().filter(|&length| length < LONGEST_INPUT) {
            Some(length) => {
                self.need(length)?;
                self.frame_end = self.at + length;
            }
            None => return Err(self.poison()),
        }
        // a frame of nothing is left to the machine, and so is a frame in it
        match self.input.window().get(self.at) {
            Some(&byte) if self.at < self.frame_end && byte != Opcode::Frame.byte() => Ok(byte),
            _ => Err(self.poison()),
        }
    }

    /// Has so many bytes from here on.
    #[inline(always)]
    fn need(&mut self, len: usize) -> Result<()> {
        if self.at + len <= self.input.window().len() { Ok(()) } else { self.fill(len) }
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, len: usize) -> Result<()> {
        if self.is_poisoned {
            return Err(self.poison());
        }
        match self.input.fill((self.at + len) as u64) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.poison()),
            Err(error) => {
                let poison = self.poison();
                self.failed = Some(error);
                Err(poison)
            }
        }
    }

    /// The argument of the opcode here, which is taken.
    #[inline(always)]
    fn argument<const N: usize>(&mut self) -> Result<[u8; N]> {
        let start = self.at + 1;
        if let Some(argument) = self.input.window().get(start..).and_then(|rest| rest.first_chunk::<N>()) {
            let argument = *argument;
            self.at = start + N;
            return Ok(argument);
        }
        self.fill(1 + N)?;
        match self.input.window().get(start..).and_then(|rest| rest.first_chunk::<N>()) {
            Some(&argument) => {
                self.at = start + N;
                Ok(argument)
            }
            None => Err(self.poison()),
        }
    }

    /// Takes an opcode without an argument.
    #[inline(always)]
    fn expect(&mut self, opcode: Opcode) -> Result<()> {
        if self.peek()? != opcode.byte() {
            return Err(self.poison());
        }
        self.at += 1;
        Ok(())
    }

    /// Takes an opcode without an argument, if it is there.
    #[inline(always)]
    fn take(&mut self, opcode: Opcode) -> Result<bool> {
        let is_there = self.peek()? == opcode.byte();
        self.at += usize::from(is_there);
        Ok(is_there)
    }

    /// Puts what stands here into the memo, if the pickle says so.
    #[inline(always)]
    fn memoise(&mut self, start: usize, len: u32) -> Result<()> {
        let index = match self.peek()? {
            0x94 => {
                self.at += 1;
                self.memo.push(Slot { start: start as u32, len });
                return Ok(());
            }
            b'q' => usize::from(self.argument::<1>()?[0]),
            b'r' => u32::from_le_bytes(self.argument()?) as usize,
            _ => return Ok(()),
        };
        if index != self.memo.len() {
            return Err(self.poison());
        }
        self.memo.push(Slot { start: start as u32, len });
        Ok(())
    }

    /// Puts what is no text into the memo.
    #[inline(always)]
    fn memoise_other(&mut self) -> Result<()> {
        self.memoise(0, OTHER)
    }

    /// The place of a text with its argument `length` of so many bytes, which is taken.
    #[inline(always)]
    fn data(&mut self, length: usize) -> Result<(usize, usize)> {
        let start = self.at;
        self.need(length)?;
        self.at += length;
        if self.at > LONGEST_INPUT {
            return Err(self.poison());
        }
        Ok((start, length))
    }

    /// A length of eight bytes.
    #[cold]
    fn long_length(&mut self) -> Result<usize> {
        let length = u64::from_le_bytes(self.argument()?);
        usize::try_from(length).ok().filter(|&length| length < LONGEST_INPUT).ok_or_else(|| self.poison())
    }

    /// A text, by the opcode that is next: where it stands. It is UTF-8.
    #[inline(always)]
    fn text(&mut self, opcode: u8) -> Result<(usize, usize)> {
        let length = match opcode {
            0x8c => usize::from(self.argument::<1>()?[0]),
            b'X' => u32::from_le_bytes(self.argument()?) as usize,
            0x8d => self.long_length()?,
            b'h' => {
                let index = usize::from(self.argument::<1>()?[0]);
                return self.get(index);
            }
            b'j' => {
                let index = u32::from_le_bytes(self.argument()?) as usize;
                return self.get(index);
            }
            _ => return Err(self.poison()),
        };
        let (start, length) = self.data(length)?;
        if !is_utf8(self.input.window(), start, length) {
            return Err(self.poison());
        }
        self.memoise(start, length as u32)?;
        Ok((start, length))
    }

    /// A text that was met before.
    #[inline(always)]
    fn get(&mut self, index: usize) -> Result<(usize, usize)> {
        let Some(&Slot { start, len }) = self.memo.get(index).filter(|slot| slot.len != OTHER) else { return Err(self.poison()) };
        let price = (len as usize / BYTES_OF_A_VALUE) as u64;
        match self.expansion.checked_sub(price) {
            Some(left) => self.expansion = left,
            None => return Err(self.poison()),
        }
        Ok((start as usize, len as usize))
    }

    /// The text at a place that [`text`](Self::text) gave.
    #[inline(always)]
    fn str(&self, (start, len): (usize, usize)) -> &str {
        checked(self.input.window().get(start..start + len).unwrap_or_default())
    }

    /// Goes one level deeper.
    #[inline(always)]
    fn deepen(&mut self) -> Result<()> {
        if self.depth >= self.deepest {
            return Err(self.poison());
        }
        self.depth += 1;
        Ok(())
    }

    #[inline(always)]
    fn rise(&mut self) {
        self.depth -= 1;
    }
}

/// Whether a text in the window is UTF-8. Short ASCII, which is nearly all, is looked at a word at a time.
#[inline(always)]
fn is_utf8(window: &[u8], start: usize, len: usize) -> bool {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let rest = window.get(start..).unwrap_or_default();
    if len <= 8
        && let Some(word) = rest.first_chunk::<8>()
    {
        let mask = if len == 0 { 0 } else { HIGH_BITS >> (64 - 8 * len) };
        if u64::from_le_bytes(*word) & mask == 0 {
            return true;
        }
    }
    rest.get(..len).is_some_and(|text| std::str::from_utf8(text).is_ok())
}
