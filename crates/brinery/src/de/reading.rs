//! What one typed reading keeps in mind: how deep it is, and how much it has read more than once.

use crate::document::{Document, Item, Kind, Ref, RefSet};
use crate::error::{Error, ErrorKind, Result};
use crate::limits::Limits;
use crate::value::Value;

/// How many bytes count as one value when they are read once more.
const BYTES_OF_A_VALUE: u64 = 64;

/// How often an object is looked at until it is read: by the kind of value that is asked for, for its class, for what is in it.
const LOOKS: u64 = 4;

/// What typed reading makes of values that no type asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Choices {
    pub(crate) globals_as_none: bool,
    pub(crate) cycles_as_none: bool,
}

/// From where text and bytes can be borrowed for as long as the result lives.
pub(super) trait Lend<'a, 'de>: Copy {
    fn bytes(self, bytes: &'a [u8]) -> Option<&'de [u8]>;
    fn text(self, text: &'a str) -> Option<&'de str>;
}

/// From the document itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole;

impl<'de> Lend<'de, 'de> for Whole {
    fn bytes(self, bytes: &'de [u8]) -> Option<&'de [u8]> {
        Some(bytes)
    }

    fn text(self, text: &'de str) -> Option<&'de str> {
        Some(text)
    }
}

/// From nowhere: what is read is moved on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Nowhere;

impl<'a, 'de> Lend<'a, 'de> for Nowhere {
    fn bytes(self, _: &'a [u8]) -> Option<&'de [u8]> {
        None
    }

    fn text(self, _: &'a str) -> Option<&'de str> {
        None
    }
}

/// From the input, which outlives the document; what had to be decoded is not in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Input<'de>(pub(super) &'de [u8]);

impl<'a, 'de> Lend<'a, 'de> for Input<'de> {
    #[inline]
    fn bytes(self, bytes: &'a [u8]) -> Option<&'de [u8]> {
        let start = (bytes.as_ptr().addr()).checked_sub(self.0.as_ptr().addr())?;
        self.0.get(start..start.checked_add(bytes.len())?)
    }

    #[inline]
    fn text(self, text: &'a str) -> Option<&'de str> {
        self.bytes(text.as_bytes()).map(crate::document::checked)
    }
}

/// One typed reading.
#[derive(Debug)]
pub(crate) struct Reading {
    /// Containers and objects that are open, the innermost last.
    open: Vec<Ref>,
    /// Levels that are open: those, and values that are passed on whole, such as by `Option`.
    depth: usize,
    deepest: usize,
    /// What may still be read.
    left: u64,
    expansion: u64,
    pub(super) choices: Choices,
    /// Whether the integer key at hand has the digits of a text key beside it, and is not to be taken for that.
    pub(super) names_another: bool,
}

impl Reading {
    /// What a document holds may be read once, and as much more as the limit says.
    pub(super) fn new(document: &Document<'_>, limits: &Limits, choices: Choices) -> Self {
        let (values, bytes) = document.store.extent(&document.source);
        let once = LOOKS * values + (bytes + document.buffer_bytes()) / BYTES_OF_A_VALUE;
        let left = once.saturating_add(limits.expansion);
        Self { open: Vec::new(), depth: 0, deepest: limits.serde_depth, left, expansion: limits.expansion, choices, names_another: false }
    }

    /// Goes one level deeper.
    pub(super) fn deepen(&mut self) -> Result<()> {
        if self.depth >= self.deepest {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    pub(super) fn rise(&mut self) {
        self.depth -= 1;
    }

    /// What is too deep may be inside itself.
    #[cold]
    fn too_deep(&self) -> Error {
        let mut seen = RefSet::default();
        let is_cyclic = !self.open.iter().all(|&value| value.index().is_none() || seen.insert(value));
        Error::new(if is_cyclic { ErrorKind::Cyclic } else { ErrorKind::LimitExceeded { limit: "serde_depth", at: self.deepest as u64 } })
    }

    /// Opens a container or an object.
    pub(super) fn open(&mut self, value: Ref) -> Result<()> {
        self.deepen()?;
        self.open.push(value);
        Ok(())
    }

    pub(super) fn close(&mut self) {
        self.open.pop();
        self.rise();
    }

    /// Whether a value is open, and to be taken for `None` for that.
    pub(super) fn is_none_here(&self, value: Ref) -> bool {
        self.choices.cycles_as_none && value.index().is_some() && self.open.contains(&value)
    }

    /// The tree of a value.
    pub(super) fn tree(&mut self, item: Item<'_>) -> Result<Value> {
        Value::from_item_within(item, &mut self.left, self.expansion)
    }

    /// Pays for looking at what makes an object.
    pub(super) fn pay_for_object(&mut self, item: Item<'_>) -> Result<()> {
        match item.kind() {
            Kind::Object => self.pay_for(item.steps_and_items()),
            _ => Ok(()),
        }
    }

    /// Pays for bytes.
    #[inline]
    pub(super) fn pay_for_bytes(&mut self, len: usize) -> Result<()> {
        self.pay_for(len as u64 / BYTES_OF_A_VALUE)
    }

    /// Pays for values.
    #[inline]
    pub(super) fn pay_for(&mut self, price: u64) -> Result<()> {
        match self.left.checked_sub(price) {
            Some(left) => self.left = left,
            None => return Err(Error::new(ErrorKind::LimitExceeded { limit: "expansion", at: self.expansion })),
        }
        Ok(())
    }
}
