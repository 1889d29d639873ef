//! The pickles of a reader, one after another, as values of a type.

use std::io::Read;
use std::marker::PhantomData;

use serde_core::de::DeserializeOwned;

use crate::error::Result;
use crate::unpickler::{OwnedStream, Unpickler};

/// Reads the pickles of a reader one after another as values of a type, in buffers that serve them all. After an error of the reader or of the
/// pickle itself there is nothing more; where only the value is not of the type, the next pickle is read.
///
/// ```
/// use brinery::StreamDeserializer;
/// let log: &[u8] = b"\x80\x04K\x01.\x80\x04K\x02.\x80\x04\x8c\x01x.\x80\x04K\x04.";
/// let mut numbers = StreamDeserializer::<_, u8>::new(log);
/// assert_eq!(numbers.next().transpose()?, Some(1));
/// assert_eq!(numbers.byte_offset(), 5);
/// assert_eq!(numbers.next().transpose()?, Some(2));
/// assert_eq!(numbers.next().unwrap().unwrap_err().to_string(), "expected u8, found str \"x\" at offset 12");
/// assert_eq!(numbers.next().transpose()?, Some(4));
/// assert!(numbers.next().is_none());
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug)]
pub struct StreamDeserializer<R, T> {
    stream: OwnedStream<R>,
    value: PhantomData<fn() -> T>,
}

impl<R: Read, T: DeserializeOwned> StreamDeserializer<R, T> {
    /// The pickles of a reader, with default options.
    #[must_use]
    pub fn new(reader: R) -> Self {
        Self::with_options(reader, Unpickler::new())
    }

    /// The pickles of a reader, with the options of an unpickler.
    #[must_use]
    pub fn with_options(reader: R, unpickler: Unpickler) -> Self {
        Self { stream: OwnedStream::new(unpickler, reader), value: PhantomData }
    }

    /// How many bytes of the reader the pickles so far took: where the next one begins.
    #[must_use]
    pub fn byte_offset(&self) -> u64 {
        self.stream.offset()
    }
}

impl<R: Read, T: DeserializeOwned> Iterator for StreamDeserializer<R, T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        self.stream.next()
    }
}
