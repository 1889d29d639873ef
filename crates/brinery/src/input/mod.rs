//! Where bytes come from.
//!
//! The machine looks at a *window*: all bytes of the input that have been gathered. A slice is all there from the start; a reader's
//! window grows as the machine asks for more. The machine is compiled once for each kind, so that reading from memory costs an index
//! and a slice.

mod reader;
mod slice;

use crate::error::Result;
pub use reader::{BufSource, ReadSource, ReaderInput, Source};
pub use slice::SliceInput;

mod sealed {
    pub trait Sealed {}
}

/// A source of bytes for the [`Machine`](crate::machine::Machine). It is sealed: its kinds are
/// [`SliceInput`] and [`ReaderInput`].
pub trait Input: sealed::Sealed {
    /// What has been gathered. Places in it never move.
    fn window(&self) -> &[u8];

    /// Tries to make the window at least `len` bytes long; whether it is.
    fn fill(&mut self, len: u64) -> Result<bool>;

    /// Tries to have a newline at or after place `from`; whether there is one.
    fn fill_line(&mut self, from: usize) -> Result<bool>;

    /// How many bytes of the input came before the window.
    fn base(&self) -> u64;
}
