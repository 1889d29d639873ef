//! A program's own types: how they become Python objects, and what Python objects become.

mod constructors;
mod types;

pub use constructors::Constructors;
pub use types::Instance;
pub(crate) use types::Types;
