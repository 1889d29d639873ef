//! Keys, field names, and what else Python has as one object wherever it is equal.

use std::collections::HashMap;

/// Numbers of what is written once.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// Keys, and with a memo by value all text.
    pub(super) texts: HashMap<Box<str>, u32>,
    /// Keys that are bytes.
    pub(super) bytes: HashMap<Box<[u8]>, u32>,
    /// Text without characters, or of one of Latin-1; and bytes likewise. The last of each is that without any.
    pub(super) short_texts: Short,
    pub(super) short_bytes: Short,
    /// Members of enums, by class and value.
    pub(super) members: HashMap<(&'static str, &'static str), u32>,
}

/// Numbers of texts or bytes of length 1 and 0, which Python has as one object each.
#[derive(Debug, Default)]
pub(super) struct Short(Vec<u32>);

/// The place of what has no characters.
pub(super) const EMPTY: usize = 256;

impl Short {
    pub(super) fn get(&self, at: usize) -> Option<u32> {
        self.0.get(at).and_then(|number| number.checked_sub(1))
    }

    pub(super) fn set(&mut self, at: usize, number: u32) {
        if self.0.is_empty() {
            self.0.resize(EMPTY + 1, 0);
        }
        if let Some(place) = self.0.get_mut(at) {
            *place = number + 1;
        }
    }
}
