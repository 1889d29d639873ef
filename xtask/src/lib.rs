//! The project's own checks: agreement with CPython, and the tidiness of the workspace.

pub mod agree;
pub mod canonical;
pub mod cases;
pub mod check;
pub mod cookbook;
pub mod differences;
pub mod inputs;
pub mod oracle;
pub mod razorvine;
pub mod tidy;
pub mod typed;
pub mod written;

/// The examples of the repository's README are tests.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
