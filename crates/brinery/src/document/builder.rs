//! What is built of a [`Document`](super::Document) while the machine runs.
//!
//! The steps themselves are in `steps.rs`; what they do with containers is in `containers.rs`, with objects in `calls.rs`.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls::DroppedCall;
use super::keys::Keys;
use super::refmap::RefSet;
use super::store::{DataKind, How, ItemsKind, Node, Ref, Store, UNSETTLED, Unpacked};
use super::{Encoding, Loaded};
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{Place, wrong_kind};
use crate::limits::Limits;

/// Extension codes and the module and name that each stands for.
pub(crate) type Extensions = Arc<HashMap<u32, (String, String)>>;

/// The globals of one module.
pub(super) type Names = HashMap<Box<[u8]>, Ref>;

#[derive(Debug)]
pub(crate) struct Builder {
    pub(super) store: Store,
    pub(super) encoding: Encoding,
    pub(super) extensions: Extensions,
    pub(super) node_limit: u32,
    pub(super) copied_limit: u64,
    /// Bytes copied that the input's length does not explain.
    copied: u64,
    pub(super) protocol: Option<u8>,
    /// Whether names are Python 2's, as in protocols 0 to 2.
    pub(super) python2: bool,
    /// Globals by module and name.
    pub(super) globals: HashMap<Box<[u8]>, Names>,
    /// Containers whose equal keys are still to be found.
    pub(super) unsettled: Vec<Ref>,
    /// Values dropped from the stack.
    pub(super) dropped: Vec<Ref>,
    /// The result of a call, and where the next opcode is: a `POP` there is part of how CPython writes objects.
    pub(super) fresh_call: Option<(Ref, usize)>,
    /// A call whose result was dropped at once, until it is clear that it does not repeat another.
    pub(super) dropped_call: Option<DroppedCall>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self {
            store: Store::default(),
            encoding: Encoding::default(),
            extensions: Extensions::default(),
            node_limit: u32::MAX,
            copied_limit: u64::MAX,
            copied: 0,
            protocol: None,
            python2: true,
            globals: HashMap::new(),
            unsettled: Vec::new(),
            dropped: Vec::new(),
            fresh_call: None,
            dropped_call: None,
        }
    }

    pub(crate) fn set_limits(&mut self, limits: &Limits) {
        self.node_limit = limits.nodes.min((1 << 31) - 1);
        self.copied_limit = limits.copied;
    }

    pub(crate) fn set_encoding(&mut self, encoding: Encoding) {
        self.encoding = encoding;
    }

    pub(crate) fn set_extensions(&mut self, extensions: Extensions) {
        self.extensions = extensions;
    }

    /// Takes names for Python 3's, which a pickle without PROTO does not do.
    pub(crate) fn name_as_python3(&mut self) {
        self.python2 = false;
    }

    /// What the first PROTO said.
    /// How many values have storage of their own so far.
    #[cfg(feature = "serde")]
    pub(crate) fn node_count(&self) -> usize {
        self.store.nodes.len()
    }

    pub(crate) fn stated_protocol(&self) -> Option<u8> {
        self.protocol
    }

    pub(crate) fn take_store(&mut self) -> Store {
        std::mem::take(&mut self.store)
    }

    /// Finds equal keys in what was built.
    pub(crate) fn settle(&mut self, window: &[u8]) {
        if !self.unsettled.is_empty() {
            Keys::new().settle(&mut self.store, window, &mut self.unsettled);
        }
    }

    /// The values that the pickle dropped from the stack.
    pub(crate) fn take_dropped(&mut self) -> Vec<Ref> {
        std::mem::take(&mut self.dropped)
    }

    /// Of the values that pickles dropped, keeps those that nothing reaches, be it a pickle's value, what it left, or another of them.
    pub(crate) fn keep_unreachable(&self, pickles: &mut [Loaded]) {
        if pickles.iter().all(|loaded| loaded.dropped.is_empty()) {
            return;
        }
        let mut seen = RefSet::default();
        for loaded in &*pickles {
            self.store.reach(loaded.root, &mut seen);
            for &value in &loaded.left {
                self.store.reach(value, &mut seen);
            }
        }
        // a later value may hold an earlier one
        for loaded in pickles.iter_mut().rev() {
            loaded.dropped.reverse();
            loaded.dropped.retain(|&value| {
                let is_new = !seen.contains(&value);
                self.store.reach(value, &mut seen);
                is_new
            });
            loaded.dropped.reverse();
        }
    }

    /// Begins a pickle. What was built before stays.
    pub(crate) fn begin(&mut self) {
        self.protocol = None;
        self.python2 = true;
        self.dropped.clear();
        // what is done to a class in one pickle is not done in the next
        self.globals.clear();
        self.fresh_call = None;
        self.dropped_call = None;
    }

    /// Forgets everything that was built.
    pub(crate) fn reset(&mut self, store: Store) {
        self.store = store;
        self.store.clear();
        self.copied = 0;
        self.unsettled.clear();
        self.begin();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, node: Node) -> Result<Ref> {
        self.store.push(node, self.node_limit)
    }

    #[inline(always)]
    pub(super) fn new_data(&mut self, kind: DataKind, bytes: &[u8], offset: Option<usize>) -> Result<Ref> {
        let node = self.store.data_node(kind, bytes, offset);
        self.push(node)
    }

    /// Pays for a copy.
    pub(super) fn charge(&mut self, bytes: usize, at: Place<'_>) -> Result<()> {
        self.copied = self.copied.saturating_add(bytes as u64);
        // what has been read so far, and not what is at hand, which depends on how the input was cut
        let limit = self.copied_limit.saturating_add(at.next as u64);
        if self.copied > limit {
            return Err(ErrorKind::LimitExceeded { limit: "copied", at: limit }.into());
        }
        Ok(())
    }

    /// A set or frozenset of these items.
    pub(super) fn set_of(&mut self, kind: ItemsKind, items: &[Ref]) -> Result<Ref> {
        for &item in items {
            self.check_hashable(item)?;
        }
        let node = self.store.items_node(kind, items)?;
        let set = self.push(node)?;
        self.unsettle(set);
        Ok(set)
    }

    /// Notes that a container may hold equal keys.
    #[inline(always)]
    pub(super) fn unsettle(&mut self, container: Ref) {
        if let Some(Node::Items { flags, len: 2.., .. }) = self.store.node_mut(container)
            && *flags & UNSETTLED == 0
        {
            *flags |= UNSETTLED;
            self.unsettled.push(container);
        }
    }

    /// The Python type of a value, for errors.
    #[cold]
    pub(super) fn kind_name(&self, value: Ref) -> &'static str {
        kind_name(&self.store, value)
    }

    #[cold]
    pub(super) fn wrong(&self, expected: &'static str, found: Ref) -> Error {
        wrong_kind(expected, self.kind_name(found))
    }
}

/// The Python type of a value, for errors.
pub(super) fn kind_name(store: &Store, value: Ref) -> &'static str {
    match value.unpack() {
        Unpacked::None => return "None",
        Unpacked::Bool(_) => return "bool",
        Unpacked::Int(_) => return "int",
        Unpacked::EmptyTuple => return "tuple",
        Unpacked::Node(_) => {}
    }
    match store.node(value) {
        Some(Node::Int(_)) => "int",
        Some(Node::Float(_)) => "float",
        Some(Node::Data { kind, .. }) => match kind {
            DataKind::Int => "int",
            DataKind::Str | DataKind::StrSurrogates => "str",
            DataKind::Str8Text | DataKind::Str8Latin1 | DataKind::Str8Bytes => "8-bit str",
            DataKind::Bytes => "bytes",
            DataKind::Bytearray => "bytearray",
        },
        Some(Node::Items { kind, .. }) => match kind {
            ItemsKind::List => "list",
            ItemsKind::Tuple => "tuple",
            ItemsKind::Dict => "dict",
            ItemsKind::Set => "set",
            ItemsKind::Frozenset => "frozenset",
        },
        Some(Node::Object(_)) => match store.object(value).map(|object| object.how) {
            Some(How::Global) => "global",
            Some(How::Extension) => "extension",
            Some(How::Persistent) => "persistent object",
            _ => "object",
        },
        Some(Node::Buffer { .. }) => "buffer",
        None => "nothing",
    }
}
