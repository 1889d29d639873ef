//! Bytes that arrive.

use std::fmt;
use std::io::{self, BufRead, Read};

use super::{Input, sealed::Sealed};

/// How bytes are fetched, and what happens to those that were fetched and not needed.
pub trait Source: Sealed + std::fmt::Debug {
    /// Appends some bytes to the buffer; 0 at the end of the input.
    fn fetch(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize>;

    /// The pickle used the buffer up to `used`; what is behind goes back to where it came from, or becomes the next buffer.
    fn finish(&mut self, buffer: &mut Vec<u8>, used: usize);
}

/// A reader that cannot take bytes back: what was read ahead is kept for the next pickle.
pub struct ReadSource<R> {
    reader: R,
    /// What the reader reads into.
    chunk: Vec<u8>,
    ahead: Vec<u8>,
}

impl<R> fmt::Debug for ReadSource<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadSource").field("ahead", &self.ahead.len()).finish_non_exhaustive()
    }
}

impl<R: Read> ReadSource<R> {
    /// Reads from this reader.
    pub fn new(reader: R) -> Self {
        Self { reader, chunk: Vec::new(), ahead: Vec::new() }
    }
}

impl<R: Read> ReadSource<R> {
    /// Whether there are no more bytes. Reads some if it must, and keeps them.
    pub fn is_over(&mut self) -> io::Result<bool> {
        if self.ahead.is_empty() {
            let mut buffer = Vec::new();
            self.fetch(&mut buffer)?;
            self.ahead = buffer;
        }
        Ok(self.ahead.is_empty())
    }
}

/// What is asked of a reader at once.
const CHUNK: usize = 64 << 10;

impl<R: Read> Source for ReadSource<R> {
    fn fetch(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        if !self.ahead.is_empty() {
            let count = self.ahead.len();
            buffer.append(&mut self.ahead);
            return Ok(count);
        }
        // zeroed once: a reader that gives a few bytes at a time costs no more than these
        self.chunk.resize(CHUNK, 0);
        loop {
            match self.reader.read(&mut self.chunk) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(count) => {
                    buffer.extend_from_slice(self.chunk.get(..count).unwrap_or_default());
                    return Ok(count);
                }
            }
        }
    }

    fn finish(&mut self, buffer: &mut Vec<u8>, used: usize) {
        // bytes from an earlier read-ahead are always taken whole, so nothing is lost here
        self.ahead = buffer.split_off(used.min(buffer.len()));
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

    fn fetch(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        if self.buffer.len() as u64 >= self.limit {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the pickle is longer than the limit on input allows"));
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
        &self.buffer
    }

    fn fill(&mut self, len: u64) -> io::Result<bool> {
        // a length in the pickle is not believed: memory is taken for what arrives
        while (self.buffer.len() as u64) < len {
            if !self.fetch()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn fill_line(&mut self, mut from: usize) -> io::Result<bool> {
        loop {
            if memchr::memchr(b'\n', self.buffer.get(from..).unwrap_or_default()).is_some() {
                return Ok(true);
            }
            from = from.max(self.buffer.len());
            if !self.fetch()? {
                return Ok(false);
            }
        }
    }

    fn base(&self) -> u64 {
        self.base
    }
}
