//! Values of a program's own types, in and out.

// types stand beside the test that they are for; values are given to checks that compare them
#![allow(clippy::items_after_statements, clippy::needless_pass_by_value, clippy::zero_sized_map_values)]

mod enums;
mod errors;
mod found;
mod limits;
mod objects;
mod property;
mod python;
mod reading;
mod streams;
mod trees;
mod writing;

use serde::Serialize;

/// What Python prints of a value that was written.
fn shown<T: Serialize + ?Sized>(value: &T) -> String {
    let bytes = brinery::to_vec(value).unwrap();
    brinery::Document::from_slice(&bytes).unwrap().root().repr().to_string()
}
