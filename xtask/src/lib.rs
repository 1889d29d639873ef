//! The project's own checks: agreement with CPython, and the tidiness of the workspace.

pub mod agree;
pub mod canonical;
pub mod cases;
pub mod check;
pub mod differences;
pub mod inputs;
pub mod tidy;
