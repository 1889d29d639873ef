//! What was done to values after a call that has them among its arguments, and that therefore is written after the call.
//!
//! A value in a call's arguments can be changed once the call is made: an item is appended to a list, an object gets its state. What is put
//! in then may be made with what the call made, so that it cannot be written where the value is. CPython's own pickler writes no such thing
//! (it writes the call once more inside its arguments); programs that write opcodes by their own order do, and dill does for classes that
//! refer to themselves. A document's nodes are in the order in which they were made, which tells the two apart.

use super::memo::{self, State};
use super::run::{Run, RunKind};
use super::walk::{Task, Walk};
use crate::document::{Ref, StepKind};
use crate::error::Result;
use crate::opcode::Opcode;

/// Calls whose arguments are being written, the innermost last.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Vec<OpenCall>);

#[derive(Debug)]
struct OpenCall {
    object: Ref,
    /// The outermost call that counts from here.
    first: usize,
    /// The earliest node of the calls that count.
    earliest: usize,
    /// What is written after the call.
    later: Vec<Task>,
}

impl OpenCalls {
    /// The arguments of the call that makes an object begin.
    pub(super) fn open(&mut self, object: Ref) {
        let (first, earliest) = self.0.last().map_or((0, usize::MAX), |outer| (outer.first, outer.earliest));
        let earliest = earliest.min(object.index().unwrap_or(usize::MAX));
        self.0.push(OpenCall { object, first, earliest, later: Vec::new() });
    }

    /// A call is written once more inside itself, where the order of the nodes says nothing: they are those of the other time.
    pub(super) fn open_again(&mut self, object: Ref) {
        self.0.push(OpenCall { object, first: self.0.len() + 1, earliest: usize::MAX, later: Vec::new() });
    }

    /// A call has made an object: what is to be written now.
    pub(super) fn close(&mut self, object: Ref) -> Vec<Task> {
        self.0.pop_if(|call| call.object == object).map_or_else(Vec::new, |call| call.later)
    }

    /// The earliest node that may have been made after one of the calls.
    #[inline]
    pub(super) fn earliest(&self) -> usize {
        self.0.last().map_or(usize::MAX, |call| call.earliest)
    }

    /// The outermost call after which a node was made.
    fn call_before(&mut self, node: usize) -> Option<&mut OpenCall> {
        let first = self.0.last()?.first;
        let calls = self.0.get_mut(first..)?;
        let at = calls.partition_point(|call| call.earliest > node);
        calls.get_mut(at)
    }
}

impl Walk<'_, '_, '_> {
    /// The earliest node of the items of a run that is written later.
    pub(super) fn earliest_later(&self, run: &Run) -> usize {
        let can_wait = match run.kind {
            RunKind::List | RunKind::Dict | RunKind::Set | RunKind::Appended | RunKind::SetItems => run.owner != Ref::NONE,
            _ => false,
        };
        if can_wait && self.rules.has_memo() && !self.rules.is_razorvine() { self.calls.earliest() } else { usize::MAX }
    }

    /// Ends a run early if its next item was made after a call that is being written; whether it was.
    pub(super) fn run_later(&mut self, run: &mut Run, refs: &[Ref], earliest: usize) -> bool {
        if !run.at.is_multiple_of(run.unit()) {
            return false;
        }
        let item = refs.iter().skip(run.at).take(run.unit());
        let Some(node) = item.filter_map(|part| part.index()).max().filter(|&node| node >= earliest) else { return false };
        let steps = match (run.kind, self.tasks.last()) {
            (RunKind::List | RunKind::Dict, _) => None,
            (RunKind::Set, _) if self.store.object(run.owner).is_none() => None,
            (_, Some(&steps @ Task::Steps { .. })) => Some(steps),
            _ => return false,
        };
        let (State::Written(number), Some(call)) = (self.memo.state(run.owner), self.calls.call_before(node)) else { return false };
        if let Some(opcode) = run.suspend() {
            self.out.op(opcode);
        }
        call.later.extend([Task::Again(number), Task::Run(*run)].into_iter().chain(steps).chain([Task::Op(Opcode::Pop)]));
        if steps.is_some() {
            self.tasks.pop();
        }
        self.leave(run.owner);
        true
    }

    /// Leaves the steps of an object from this one on, if it was done after a call that is being written; whether it was.
    pub(super) fn step_later(&mut self, object: Ref, step: u32, what: &StepKind) -> bool {
        let (StepKind::Build(value) | StepKind::Call(value)) = *what else { return false };
        let Some(node) = value.index().filter(|&node| node >= self.calls.earliest()) else { return false };
        if !self.rules.has_memo() || self.rules.is_razorvine() {
            return false;
        }
        let (State::Written(number), Some(call)) = (self.memo.state(object), self.calls.call_before(node)) else { return false };
        call.later.extend([Task::Again(number), Task::Steps { object, step }, Task::Op(Opcode::Pop)]);
        self.leave(object);
        true
    }

    /// A value that was left is opened again.
    pub(super) fn again(&mut self, number: u32) -> Result<()> {
        self.out.boundary()?;
        memo::get(self.out, self.rules.protocol, number);
        self.deepen()
    }
}
