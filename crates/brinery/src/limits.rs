//! Every limit, in one place.

/// Bounds on what a pickle may make Brinery do. What the input itself bounds needs no limit: a length in a pickle never
/// allocates more than has arrived, and memory stays in proportion to the number of opcodes.
///
/// ```
/// use brinery::{Limits, Unpickler};
/// let mut unpickler = Unpickler::new();
/// let mut limits = Limits::default();
/// limits.nodes = 1_000;
/// unpickler.limits(limits);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many values a document may hold that need storage of their own. At most and by default 2^31 - 1.
    pub nodes: u32,
    /// How many marks and values may stand on the stack at once; in writing, how many values may be inside each other. Unlimited by default,
    /// since nothing here recurses.
    pub depth: usize,
    /// Bytes of the input that one load from a reader may gather; unlimited by default.
    pub input: u64,
    /// Bytes that may be copied or looked through beyond what the input explains, such as by a thousand calls of `set` on one long
    /// list: their sum is at most what of the input has been read, plus this. By default 256 MiB.
    pub copied: u64,
    /// Decimal digits of an integer given as text (`INT`, `LONG`, `GET`, `PUT`), read or written. By default 4,300, as in CPython since 3.11.
    /// Binary integers may be of any size.
    pub digits: usize,
    /// How many values an owned tree ([`Value`](crate::Value)) or a typed value may hold more than once, since it has a shared value in each place that
    /// refers to it, and how many a pickle may hold more than once, where no memo is written or a call is inside its own arguments; 64 bytes of text
    /// count as a value. By default 2^20.
    pub expansion: u64,
    /// How many values may be inside each other in typed reading and writing, which goes through a program's own types and so recurses. By default
    /// 128, as in other formats of serde.
    pub serde_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: (1 << 31) - 1,
            depth: usize::MAX,
            input: u64::MAX,
            copied: 256 << 20,
            digits: 4_300,
            expansion: 1 << 20,
            serde_depth: 128,
        }
    }
}
