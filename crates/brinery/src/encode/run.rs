//! Items one after another, in the batches in which CPython writes them.

use super::rules::{Dialect, Rules};
use crate::document::Ref;
use crate::opcode::Opcode;

/// Most items that one opcode adds.
const BATCH: usize = 1_000;

/// What a run of items is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunKind {
    /// Items of a list.
    List,
    /// Keys and values of a dict.
    Dict,
    /// Elements of a set that `ADDITEMS` adds.
    Set,
    /// The list that a set is called with before protocol 4.
    SetList,
    /// Elements of a frozenset, up to `FROZENSET`.
    Frozenset,
    /// Elements of a tuple.
    Tuple,
    /// Arguments of a call. CPython has a new tuple for each call, so that one that is being written already is written once more.
    FreshArgs,
    /// Values that stand one after another, with nothing around them.
    Plain,
    /// Items appended to an object.
    Appended,
    /// Keys and values set in an object.
    SetItems,
}

/// A batch that is being written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Batch {
    /// None yet.
    Before,
    /// One item, with the opcode for one.
    Single,
    /// Any number of items above a mark.
    Marked,
    /// Nothing is written around the items.
    Bare,
}

/// Items of a container or of a step that are being written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run {
    /// Whose items they are.
    pub(super) owner: Ref,
    pub(super) kind: RunKind,
    batch: Batch,
    /// Where the refs are, and how many.
    pub(super) start: u64,
    pub(super) len: usize,
    /// The next of them.
    pub(super) at: usize,
    /// Where the batch ends, and how many items it has.
    pub(super) batch_end: usize,
    batch_size: usize,
}

impl Run {
    pub(super) fn new(kind: RunKind, owner: Ref, start: u64, len: usize) -> Self {
        Self { owner, kind, batch: Batch::Before, start, len, at: 0, batch_end: 0, batch_size: 0 }
    }

    /// Refs of one item.
    pub(super) fn unit(&self) -> usize {
        if matches!(self.kind, RunKind::Dict | RunKind::SetItems) { 2 } else { 1 }
    }

    /// The opcodes that add one item, and several.
    fn adders(&self) -> (Opcode, Opcode) {
        match self.kind {
            RunKind::Dict | RunKind::SetItems => (Opcode::Setitem, Opcode::Setitems),
            RunKind::Set => (Opcode::Additems, Opcode::Additems),
            _ => (Opcode::Append, Opcode::Appends),
        }
    }

    /// Ends the batch before the next item, which comes in another batch later: the opcode that ends this one.
    pub(super) fn suspend(&mut self) -> Option<Opcode> {
        let closing = self.closing();
        self.batch = Batch::Before;
        self.batch_end = self.at;
        self.batch_size = 0;
        closing
    }

    /// Whether the batch, of which no more is to come, has the form for one item.
    #[cfg(feature = "serde")]
    pub(super) fn is_single(&self, rules: &Rules) -> bool {
        let size = self.batch_size - (self.batch_end - self.at) / self.unit();
        self.batch == Batch::Marked && size == 1 && self.has_single_form(rules, self.len / self.unit(), 1)
    }

    /// The batch has no mark any more.
    #[cfg(feature = "serde")]
    pub(super) fn unmark(&mut self) {
        self.batch = Batch::Single;
    }

    /// What is known to be a list or dict has the single form only if it has one item in all.
    fn has_single_form(&self, rules: &Rules, total: usize, left: usize) -> bool {
        match self.kind {
            RunKind::Set => false,
            RunKind::Appended | RunKind::SetItems => left == 1,
            _ => left == 1 && (total == 1 || rules.dialect == Dialect::Python315),
        }
    }

    /// The opcode that ends the batch.
    fn closing(&self) -> Option<Opcode> {
        let (one, several) = self.adders();
        match self.batch {
            Batch::Before | Batch::Bare => None,
            Batch::Single => Some(one),
            Batch::Marked => Some(several),
        }
    }

    /// Between two batches: the opcode that ends the one before, whether there is another, and the mark that begins it.
    pub(super) fn next_batch(&mut self, rules: &Rules) -> (Option<Opcode>, bool, bool) {
        let closing = self.closing();
        let is_first = self.batch == Batch::Before;
        let unit = self.unit();
        let (total, left) = (self.len / unit, (self.len - self.at) / unit);
        let was_full = self.batch_size == BATCH;
        let (batch, size) = self.choose(rules, is_first, was_full, total, left);
        let Some(batch) = batch else { return (closing, false, false) };
        self.batch = batch;
        self.batch_end = self.at + size * unit;
        self.batch_size = size;
        (closing, true, batch == Batch::Marked)
    }

    /// The next batch, if there is one, and how many items it has.
    fn choose(&self, rules: &Rules, is_first: bool, was_full: bool, total: usize, left: usize) -> (Option<Batch>, usize) {
        let none = (None, 0);
        if matches!(self.kind, RunKind::Frozenset | RunKind::Tuple | RunKind::FreshArgs | RunKind::Plain) {
            return if is_first { (Some(Batch::Bare), left) } else { none };
        }
        if rules.is_razorvine() {
            return if is_first { (Some(Batch::Marked), left) } else { none };
        }
        if rules.protocol == 0 {
            return if left > 0 { (Some(Batch::Single), 1) } else { none };
        }
        // lists end with their items; dicts and sets look for more whenever a batch is full
        let looks_for_more = matches!(self.kind, RunKind::Dict | RunKind::Set) && was_full && rules.dialect != Dialect::Python315;
        if left == 0 && !looks_for_more {
            return none;
        }
        if self.has_single_form(rules, total, left) { (Some(Batch::Single), 1) } else { (Some(Batch::Marked), left.min(BATCH)) }
    }
}
