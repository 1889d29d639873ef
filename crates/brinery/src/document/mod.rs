//! [`Document`]: what a pickle holds, with sharing and cycles kept and every class known by its name alone.

mod build;
mod builder;
mod calls;
mod containers;
mod eq;
mod fold;
mod item;
mod keys;
mod object;
mod refmap;
mod steps;
pub(crate) mod store;
mod text;

use std::borrow::Cow;
use std::io::{BufRead, Read};

pub use build::DocumentBuilder;
pub(crate) use builder::Builder;
pub(crate) use fold::utf8_to_latin1;
pub use item::{Entries, Id, Item, Items, Kind};
pub use object::{Action, Part};
pub(crate) use refmap::{RefMap, RefSet};
pub use store::How;
pub(crate) use store::{DataKind, END, ItemsKind, Node, Object, Ref, Row, StepKind, Store, Unpacked};
#[cfg(feature = "serde")]
pub(crate) use text::checked;

use crate::error::Result;
use crate::unpickler::Unpickler;

/// How 8-bit strings of Python 2 read: the `encoding` of `pickle.loads`, and one more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// As text where they are ASCII, else as bytes. Refuses nothing.
    #[default]
    Auto,
    /// As ASCII text; others are refused. The default of `pickle.loads`.
    Ascii,
    /// As Latin-1 text.
    Latin1,
    /// As UTF-8 text; others are refused.
    Utf8,
    /// As bytes.
    Bytes,
}

/// Everything that one or several pickles hold.
///
/// Values are seen through [`Item`]s, which are as cheap to copy as a reference. The document borrows text and bytes from the slice
/// that it was read from; read from a reader, it owns them.
///
/// ```
/// let document = brinery::Document::from_slice(b"\x80\x04}\x94\x8c\x01a\x94K\x01s.")?;
/// assert_eq!(document.root().get("a").and_then(|item| item.as_i64()), Some(1));
/// assert_eq!(document.root().repr().to_string(), "{'a': 1}");
/// # Ok::<(), brinery::Error>(())
/// ```
#[derive(Debug)]
pub struct Document<'a> {
    pub(crate) source: Cow<'a, [u8]>,
    pub(crate) store: Store,
    pub(crate) pickles: Vec<Loaded>,
    buffers: Vec<Cow<'a, [u8]>>,
}

/// One pickle of a document.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) pickle: Pickle,
    pub(crate) root: Ref,
    /// Values left on the stack below the root; after an error, all that stood there.
    pub(crate) left: Vec<Ref>,
    /// Values that were made and dropped, and that nothing refers to.
    pub(crate) dropped: Vec<Ref>,
}

/// Where a pickle stands in its input, and what it says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pickle {
    /// Its first byte, counted from the start of the input.
    pub start: u64,
    /// The byte after its STOP; after an error, where that happened.
    pub end: u64,
    /// What its first PROTO says; `None` without one, as in protocols 0 and 1.
    pub protocol: Option<u8>,
}

impl<'a> Document<'a> {
    /// Reads the first pickle of a slice, with the options that an [`Unpickler`] has at first.
    pub fn from_slice(input: &'a [u8]) -> Result<Self> {
        Unpickler::new().load(input)
    }

    pub(crate) fn new(source: Cow<'a, [u8]>, store: Store, pickles: Vec<Loaded>) -> Self {
        Self { source, store, pickles, buffers: Vec::new() }
    }

    /// Gives the document its out-of-band buffers (PEP 574), in their order.
    ///
    /// Without them a buffer is still shown, but reading its data is an error.
    #[must_use]
    pub fn with_buffers<B: Into<Cow<'a, [u8]>>>(mut self, buffers: impl IntoIterator<Item = B>) -> Self {
        self.buffers = buffers.into_iter().map(Into::into).collect();
        self
    }

    /// How many out-of-band buffers the pickles ask for.
    #[must_use]
    pub fn buffers_needed(&self) -> usize {
        self.store.buffers as usize
    }

    /// Bytes of the out-of-band buffers that are there.
    #[cfg(feature = "serde")]
    pub(crate) fn buffer_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.len() as u64).sum()
    }

    pub(crate) fn buffer(&self, index: u32) -> Option<&[u8]> {
        self.buffers.get(index as usize).map(|buffer| &**buffer)
    }

    /// The value of the first pickle. After an error ([`Unpickler::load_partial`]) it is the topmost value read, or `None` if there
    /// is no value at all.
    #[must_use]
    pub fn root(&self) -> Item<'_> {
        let root = self.pickles.first().map_or(Ref::NONE, |loaded| loaded.root);
        Item::new(self, root)
    }

    /// The values of all pickles.
    #[must_use]
    pub fn roots(&self) -> impl ExactSizeIterator<Item = Item<'_>> {
        self.pickles.iter().map(|loaded| Item::new(self, loaded.root))
    }

    /// Where the pickles stand.
    #[must_use]
    pub fn pickles(&self) -> impl ExactSizeIterator<Item = Pickle> + '_ {
        self.pickles.iter().map(|loaded| loaded.pickle)
    }

    /// Values that pickle `nth` left on the stack below its own, or after an error all that stood there, the topmost last.
    #[must_use]
    pub fn left_on_stack(&self, nth: usize) -> impl ExactSizeIterator<Item = Item<'_>> {
        let left = self.pickles.get(nth).map_or(&[][..], |loaded| &loaded.left);
        left.iter().map(|&value| Item::new(self, value))
    }

    /// Values that pickle `nth` made and dropped, and that no value of the document refers to: calls for their side effect among them.
    #[must_use]
    pub fn dropped(&self, nth: usize) -> impl ExactSizeIterator<Item = Item<'_>> {
        let dropped = self.pickles.get(nth).map_or(&[][..], |loaded| &loaded.dropped);
        dropped.iter().map(|&value| Item::new(self, value))
    }

    /// How many values have storage of their own.
    #[must_use]
    pub fn node_count(&self) -> usize {
        self.store.nodes.len()
    }
}

impl Document<'static> {
    /// Reads one pickle from a reader. Bytes behind it may have been read as well; to keep them, use
    /// [`from_buf_reader`](Self::from_buf_reader) or [`Unpickler::stream`].
    pub fn from_reader<R: Read>(reader: R) -> Result<Self> {
        Unpickler::new().load_reader(reader)
    }

    /// Reads one pickle from a buffered reader, and not a byte more.
    pub fn from_buf_reader<R: BufRead>(reader: R) -> Result<Self> {
        Unpickler::new().load_buf_reader(reader)
    }
}
