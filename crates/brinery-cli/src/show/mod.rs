//! The pretty printer of `show`: values as Python prints them, indented, cut to the screen, shared ones once.
//!
//! It goes in two steps. [`plan`] walks what would be shown, under tighter and tighter cuts until it is of a useful size, and finds what is
//! met there more than once. [`printer`] prints just that. Both take values apart by way of [`shape`], so that they see the same, and
//! neither recurses.

mod atoms;
mod page;
mod plan;
mod printer;
mod shape;

pub(crate) use page::Page;
pub(crate) use plan::{Asked, Plan};
pub(crate) use printer::{Printer, Tally};
