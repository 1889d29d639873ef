//! One pickle by every input: the outcome must not depend on how the bytes came.

use std::io::{self, BufRead, Read};

use anyhow::{Result, bail};
use brinery::{Document, Unpickler};

use crate::canonical::canonical;

/// What a load gave, in comparable form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The canonical form of the value, or the error.
    pub value: Result<String, String>,
    /// Python's `repr` of the value; empty if there is none.
    pub repr: String,
    /// Bytes of the input that the pickle takes.
    pub consumed: u64,
}

/// Longest canonical form that is compared.
pub const LIMIT: usize = 4 << 20;

fn outcome(result: brinery::Result<Document<'_>>, buffers: &[Vec<u8>]) -> Outcome {
    match result {
        Ok(document) => {
            let document = document.with_buffers(buffers.iter().map(|buffer| &**buffer));
            let consumed = document.pickles().next().map_or(0, |pickle| pickle.end);
            let mut repr = String::new();
            if document.root().repr().limit(LIMIT).write_to(&mut repr).is_err() {
                repr.clear();
            }
            let value = canonical(document.root(), LIMIT).unwrap_or_else(|| "too long".into());
            Outcome { value: Ok(value), repr, consumed }
        }
        Err(error) => Outcome { value: Err(error.to_string()), repr: String::new(), consumed: 0 },
    }
}

/// Gives one byte for each call.
struct ByteByByte<'a>(&'a [u8]);

impl Read for ByteByByte<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((&first, rest)) = self.0.split_first() else { return Ok(0) };
        let Some(slot) = buffer.first_mut() else { return Ok(0) };
        *slot = first;
        self.0 = rest;
        Ok(1)
    }
}

impl BufRead for ByteByByte<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(self.0.get(..1).unwrap_or_default())
    }

    fn consume(&mut self, count: usize) {
        self.0 = &self.0[count..];
    }
}

/// Loads the first pickle of `bytes` from a slice, a reader, a buffered reader, and readers of one byte at a time; fails if they disagree.
pub fn load_all_ways(unpickler: &mut Unpickler, bytes: &[u8], buffers: &[Vec<u8>]) -> Result<Outcome> {
    let slice = outcome(unpickler.load(bytes), buffers);
    // no refcounts change hands: `&[u8]` is a reader that moves forward
    let mut rest = bytes;
    let buffered = outcome(unpickler.load_buf_reader(&mut rest), buffers);
    if buffered.value.is_ok() && (bytes.len() - rest.len()) as u64 != slice.consumed {
        bail!("a buffered reader was left at {} instead of {}", bytes.len() - rest.len(), slice.consumed);
    }
    let mut single = ByteByByte(bytes);
    let single_buffered = outcome(unpickler.load_buf_reader(&mut single), buffers);
    if single_buffered.value.is_ok() && (bytes.len() - single.0.len()) as u64 != slice.consumed {
        bail!("a reader of single bytes was left at {} instead of {}", bytes.len() - single.0.len(), slice.consumed);
    }
    for (way, other) in [
        ("a reader", outcome(unpickler.load_reader(bytes), buffers)),
        ("a buffered reader", buffered),
        ("a reader of single bytes", outcome(unpickler.load_reader(ByteByByte(bytes)), buffers)),
        ("a buffered reader of single bytes", single_buffered),
    ] {
        if other != slice {
            bail!("a slice gives {:?}, {way} gives {:?}", slice.value, other.value);
        }
    }
    Ok(slice)
}
