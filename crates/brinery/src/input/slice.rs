//! Bytes in memory.

use super::{Input, sealed::Sealed};
use crate::error::Result;

/// The whole input, in memory.
#[derive(Debug)]
pub struct SliceInput<'de>(&'de [u8]);

impl<'de> SliceInput<'de> {
    /// An input that is all there.
    #[must_use]
    pub const fn new(input: &'de [u8]) -> Self {
        Self(input)
    }
}

impl Sealed for SliceInput<'_> {}

impl Input for SliceInput<'_> {
    #[inline(always)]
    fn window(&self) -> &[u8] {
        self.0
    }

    fn fill(&mut self, len: u64) -> Result<bool> {
        Ok(self.0.len() as u64 >= len)
    }

    fn fill_line(&mut self, from: usize) -> Result<bool> {
        Ok(self.0.get(from..).is_some_and(|rest| memchr::memchr(b'\n', rest).is_some()))
    }

    fn base(&self) -> u64 {
        0
    }
}
