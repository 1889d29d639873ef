//! The lines of `dis`: what an opcode says, and what it did.

mod line;
mod value;

pub(crate) use line::{Listing, Look};
