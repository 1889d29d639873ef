//! Documents and values to bytes, as CPython's C pickler writes them.

mod atoms;
mod globals;
mod later;
mod memo;
mod objects;
mod optimize;
mod out;
mod path;
mod pickler;
mod razorvine;
mod rules;
mod run;
mod spell;
#[cfg(feature = "serde")]
mod typed;
mod walk;

pub use memo::MemoPolicy;
pub use optimize::optimize;
pub use pickler::{Pickler, Placement, Source};
pub use rules::{Dialect, EightBit};
#[cfg(feature = "serde")]
pub use typed::{to_value, to_vec, to_writer};
