//! Where bytes go: a vector or a writer, in frames as PEP 3154 has them.

use std::io::Write;

use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;

/// A frame ends before the first value that begins behind so many bytes; longer text and bytes stand outside of frames.
pub(super) const FRAME_TARGET: usize = 64 * 1024;
/// Fewer bytes than these have no frame around them.
const FRAME_LEAST: usize = 4;
/// `FRAME` and its length.
const HEADER: usize = 9;
/// Longest argument of a fixed length.
const LONGEST_ARGUMENT: usize = 8;
/// There is no frame.
const CLOSED: usize = usize::MAX;

/// Output. What goes to a writer is gathered until a frame ends, or without frames, until there is as much as a frame holds.
pub(super) struct Out<'w> {
    buffer: Vec<u8>,
    writer: Option<&'w mut dyn Write>,
    framing: bool,
    /// Where the open frame's header begins.
    frame: usize,
    /// With so many bytes in the buffer, a frame ends, or the writer gets them.
    full: usize,
    /// Bytes given to the writer.
    written: u64,
}

/// Where an opcode stands that may have to go again.
#[cfg(feature = "serde")]
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    at: usize,
    frame: usize,
    written: u64,
}

impl<'w> Out<'w> {
    /// Appends to a vector, or to a writer by way of the vector, which is then empty.
    pub(super) fn new(buffer: Vec<u8>, writer: Option<&'w mut dyn Write>) -> Self {
        let full = if writer.is_some() { FRAME_TARGET } else { usize::MAX };
        Self { buffer, writer, framing: false, frame: CLOSED, full, written: 0 }
    }

    /// Frames begin here.
    pub(super) fn begin_frames(&mut self) {
        self.framing = true;
        self.open();
    }

    /// Where a frame has ended, the next one begins, so that nothing has to look whether there is one. If nothing comes, it goes again.
    fn open(&mut self) {
        if self.framing {
            self.frame = self.buffer.len();
            self.buffer.extend_from_slice(&[0; HEADER]);
            self.full = self.buffer.len() + FRAME_TARGET;
        }
    }

    /// One opcode without an argument.
    #[inline(always)]
    pub(super) fn op(&mut self, opcode: Opcode) {
        self.buffer.push(opcode.byte());
    }

    /// One opcode and its argument.
    #[inline(always)]
    pub(super) fn op_with<const N: usize>(&mut self, opcode: Opcode, argument: [u8; N]) {
        // together, so that the buffer is asked for room once
        let mut bytes = [0; 1 + LONGEST_ARGUMENT];
        let [first, rest @ ..] = &mut bytes;
        *first = opcode.byte();
        rest.iter_mut().zip(argument).for_each(|(to, from)| *to = from);
        self.buffer.extend_from_slice(bytes.get(..=N).unwrap_or_default());
    }

    /// An opcode with an argument that is a line of text.
    pub(super) fn line(&mut self, opcode: Opcode, text: impl FnOnce(&mut Vec<u8>)) {
        self.buffer.push(opcode.byte());
        text(&mut self.buffer);
        self.buffer.push(b'\n');
    }

    /// More of what was begun.
    #[inline(always)]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Text or bytes behind an opcode with their length: outside of frames if they are long.
    #[inline(always)]
    pub(super) fn data<const N: usize>(&mut self, opcode: Opcode, length: [u8; N], data: &[u8]) -> Result<()> {
        if data.len() >= FRAME_TARGET {
            return self.large(opcode, &length, data);
        }
        self.op_with(opcode, length);
        self.buffer.extend_from_slice(data);
        Ok(())
    }

    #[cold]
    fn large(&mut self, opcode: Opcode, length: &[u8], data: &[u8]) -> Result<()> {
        self.close();
        self.buffer.push(opcode.byte());
        self.buffer.extend_from_slice(length);
        if self.writer.is_none() {
            self.buffer.extend_from_slice(data);
        } else {
            self.flush()?;
            self.write(data)?;
        }
        self.open();
        Ok(())
    }

    /// Where the opcode without an argument stands that was written last.
    #[cfg(feature = "serde")]
    pub(super) fn last(&self) -> Place {
        Place { at: self.buffer.len().saturating_sub(1), frame: self.frame, written: self.written }
    }

    /// Takes an opcode out again; whether that was possible: not if its frame has ended.
    #[cfg(feature = "serde")]
    pub(super) fn remove(&mut self, place: Place) -> bool {
        let is_there = place.frame == self.frame && place.written == self.written && place.at < self.buffer.len();
        if is_there {
            self.buffer.remove(place.at);
        }
        is_there
    }

    /// Opcodes that stand outside of frames.
    pub(super) fn alone(&mut self, bytes: &[u8]) {
        self.close();
        self.buffer.extend_from_slice(bytes);
        self.open();
    }

    /// Before a value begins: a frame that is long enough ends.
    #[inline(always)]
    pub(super) fn boundary(&mut self) -> Result<()> {
        if self.buffer.len() >= self.full { self.end_frame() } else { Ok(()) }
    }

    #[cold]
    fn end_frame(&mut self) -> Result<()> {
        self.close();
        self.flush()?;
        self.open();
        Ok(())
    }

    fn close(&mut self) {
        let frame = std::mem::replace(&mut self.frame, CLOSED);
        let Some(length) = self.buffer.len().checked_sub(frame.saturating_add(HEADER)) else { return };
        if length < FRAME_LEAST {
            self.buffer.drain(frame..frame + HEADER);
            return;
        }
        let length = (length as u64).to_le_bytes();
        let header = [Opcode::Frame.byte()].into_iter().chain(length);
        self.buffer.iter_mut().skip(frame).zip(header).for_each(|(slot, byte)| *slot = byte);
    }

    /// Gives the writer what was gathered.
    fn flush(&mut self) -> Result<()> {
        if self.writer.is_some() {
            let buffer = std::mem::take(&mut self.buffer);
            let result = self.write(&buffer);
            self.buffer = buffer;
            self.buffer.clear();
            return result;
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.write_all(bytes).map_err(|error| Error::new(ErrorKind::Write(error)))?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// Ends the last frame.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.framing = false;
        self.close();
        self.flush()?;
        match &mut self.writer {
            Some(writer) => writer.flush().map_err(|error| Error::new(ErrorKind::Write(error))),
            None => Ok(()),
        }
    }

    /// The vector, for use again.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.buffer
    }
}
