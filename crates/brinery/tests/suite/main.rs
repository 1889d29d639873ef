//! The codec's tests: one binary, a module for each subject.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, clippy::large_stack_arrays, missing_docs)]

mod allocations;
mod builder;
mod depth;
mod documents;
mod found;
mod hostile;
mod inputs;
mod later;
mod memory;
mod optimize;
mod python;
mod razorvine;
mod repr;
#[cfg(feature = "serde")]
mod typed;
mod values;
mod writing;

/// A pickle of these pieces.
fn pickle(pieces: &[&[u8]]) -> Vec<u8> {
    pieces.concat()
}

/// What `Item::repr` prints for the first pickle.
fn repr(bytes: &[u8]) -> String {
    brinery::Document::from_slice(bytes).unwrap_or_else(|error| panic!("{error}")).root().repr().to_string()
}

/// The error of a pickle that cannot be read.
fn error(bytes: &[u8]) -> brinery::Error {
    match brinery::Document::from_slice(bytes) {
        Ok(document) => panic!("read as {}", document.root().repr()),
        Err(error) => error,
    }
}
