//! Bytes that arrive.

use std::fmt;
use std::io::{self, BufRead, Read};

use super::{Input, sealed::Sealed};
use crate::error::{ErrorKind, Result};

/// How bytes are fetched, and what happens to those that were fetched and not needed.
pub trait Source: Sealed + std::fmt::Debug {
    /// Appends some bytes to the buffer; 0 at the end of the input.
    fn fetch(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize>;

    /// The pickle used the buffer up to `used`; what is behind goes back to where it came from, or becomes the next buffer.
    fn finish(&mut self, buffer: &mut Vec<u8>, used: usize);
}

/// What is asked of a reader at once.
const CHUNK: usize = 64 << 10;

/// How much of what is at hand goes into a pickle's buffer at once: little at first, then as much again as is there, so that small pickles
/// are not copied and kept in large buffers.
fn portion(buffer: &[u8]) -> usize {
    const FIRST: usize = 512;
    buffer.len().clamp(FIRST, CHUNK.max(buffer.len()))
}

/// A reader that cannot take bytes back: what was read ahead is kept for the next pickle.
pub struct ReadSource<R> {
    reader: R,
    /// What the reader gave last, up to `filled`.
    chunk: Vec<u8>,
    filled: usize,
    /// How much of that has gone into a pickle's buffer.
    taken: usize,
}

impl<R> fmt::Debug for ReadSource<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadSource").field("ahead", &(self.filled - self.taken)).finish_non_exhaustive()
    }
}

impl<R: Read> ReadSource<R> {
    /// Reads from this reader.
    pub fn new(reader: R) -> Self {
        Self { reader, chunk: Vec::new(), filled: 0, taken: 0 }
    }

    /// Whether there are no more bytes. Reads some if it must, and keeps them.
    pub fn is_over(&mut self) -> io::Result<bool> {
        if self.taken == self.filled {
            self.refill()?;
        }
        Ok(self.filled == 0)
    }

    fn refill(&mut self) -> io::Result<()> {
        (self.filled, self.taken) = (0, 0);
        // zeroed once, so that a reader that gives a few bytes at a time costs no more than these
        self.chunk.resize(self.chunk.len().max(CHUNK), 0);
        self.filled = loop {
            match self.reader.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?.min(self.chunk.len()),
            }
        };
        Ok(())
    }
}

impl<R: Read> Source for ReadSource<R> {
    fn fetch(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        if self.is_over()? {
            return Ok(0);
        }
        let ahead = self.chunk.get(self.taken..self.filled).unwrap_or_default();
        let count = ahead.len().min(portion(buffer));
        buffer.extend_from_slice(ahead.get(..count).unwrap_or_default());
        self.taken += count;
        Ok(count)
    }

    fn finish(&mut self, buffer: &mut Vec<u8>, used: usize) {
        let unused = buffer.get(used..).unwrap_or_default();
        match self.taken.checked_sub(unused.len()) {
            Some(taken) => self.taken = taken,
            // more than the last chunk gave: with lax frames a pickle may end long before its frame
            None => {
                let ahead = self.chunk.get(self.taken..self.filled).unwrap_or_default();
                self.chunk = [unused, ahead].concat();
                (self.filled, self.taken) = (self.chunk.len(), 0);
            }
        }
        buffer.truncate(used);
    }
}

/// A buffered reader: what it shows is copied, and consumed only when more is needed or the pickle is over, and then exactly
/// as much as was used.
pub struct BufSource<R> {
    reader: R,
    /// Bytes at the end of the buffer that the reader still counts as its own.
    shown: usize,
}

impl<R> fmt::Debug for BufSource<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufSource").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl<R: BufRead> BufSource<R> {
    /// Reads from this reader.
    pub fn new(reader: R) -> Self {
        Self { reader, shown: 0 }
    }
}

impl<R: BufRead> Source for BufSource<R> {
    fn fetch(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        self.reader.consume(std::mem::take(&mut self.shown));
        let bytes = loop {
            match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result?,
            }
        };
        let bytes = bytes.get(..bytes.len().min(portion(buffer))).unwrap_or_default();
        buffer.extend_from_slice(bytes);
        self.shown = bytes.len();
        Ok(self.shown)
    }

    fn finish(&mut self, buffer: &mut Vec<u8>, used: usize) {
        let unused = buffer.len().saturating_sub(used).min(self.shown);
        self.reader.consume(std::mem::take(&mut self.shown) - unused);
        buffer.truncate(used);
    }
}

/// A pickle that is gathered from a source into a buffer of its own, which becomes the document's.
///
/// The source is called for large pieces only, so that one compilation of the machine serves all kinds of reader.
#[derive(Debug)]
pub struct ReaderInput<'s> {
    source: &'s mut dyn Source,
    buffer: Vec<u8>,
    base: u64,
    limit: u64,
    ended: bool,
}

impl<'s> ReaderInput<'s> {
    /// An input that gathers at most `limit` bytes for a pickle, into a buffer whose memory may have been used before. The source
    /// has given `base` bytes already.
    pub fn new(source: &'s mut dyn Source, mut buffer: Vec<u8>, base: u64, limit: u64) -> Self {
        buffer.clear();
        Self { source, buffer, base, limit, ended: false }
    }

    /// Ends a pickle of which `used` bytes were needed, and gives its buffer away.
    #[must_use]
    pub fn finish(mut self, used: usize) -> Vec<u8> {
        self.source.finish(&mut self.buffer, used);
        self.buffer
    }

    /// Gets more; whether there was more. Beyond the limit nothing is got, whatever has been read by then.
    fn fetch(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.buffer.len() as u64 > self.limit {
            return Err(ErrorKind::LimitExceeded { limit: "input", at: self.limit }.into());
        }
        self.ended = self.source.fetch(&mut self.buffer)? == 0;
        Ok(!self.ended)
    }
}

impl Sealed for ReaderInput<'_> {}
impl<R> Sealed for ReadSource<R> {}
impl<R> Sealed for BufSource<R> {}

impl Input for ReaderInput<'_> {
    #[inline(always)]
    fn window(&self) -> &[u8] {
        // the limit counts bytes of the pickle, however many were read at once
        match usize::try_from(self.limit).ok().and_then(|limit| self.buffer.get(..limit)) {
            Some(within) => within,
            None => &self.buffer,
        }
    }

    fn fill(&mut self, len: u64) -> Result<bool> {
        // a length in the pickle is not believed: memory is taken for what arrives
        while (self.window().len() as u64) < len {
            if !self.fetch()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill_line(&mut self, mut from: usize) -> Result<bool> {
        loop {
            if memchr::memchr(b'\n', self.window().get(from..).unwrap_or_default()).is_some() {
                return Ok(true);
            }
            from = from.max(self.window().len());
            if !self.fetch()? {
                return Ok(false);
            }
        }
    }

    fn base(&self) -> u64 {
        self.base
    }
}
