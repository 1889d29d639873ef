//! What steps do with classes, functions and the objects that calls of them make.

use super::builder::Builder;
use super::refmap::RefSet;
use super::store::{DataKind, END, How, ItemsKind, KEYWORDS, LOOKED_AT, Node, Object, Ref, StepKind};
use crate::error::Result;
use crate::handler::{Data, Handler as _, Place};
use crate::names::{self, Known};

/// Names longer than this together are not looked up.
pub(super) const LONGEST_NAME: usize = 256;

/// A call whose result was dropped at once.
#[derive(Debug, Clone, Copy)]
pub(super) struct DroppedCall {
    call: Ref,
    /// Where the opcode after `POP` is.
    next: usize,
    /// The object that it was done to, and the last step before it.
    target: Option<(Ref, u32)>,
}

impl Builder {
    pub(super) fn made(&mut self, how: How, callable: Ref, args: Ref, kwargs: Option<Ref>) -> Result<Ref> {
        let known = Known::Other;
        self.add_object(Object {
            how,
            known,
            callable,
            args,
            kwargs,
            first: END,
            last: END,
            python2: false,
            repeated: false,
            same_args: false,
        })
    }

    fn add_object(&mut self, object: Object) -> Result<Ref> {
        let value = self.push(Node::Object(self.store.objects.len() as u32))?;
        self.store.objects.push(object);
        Ok(value)
    }

    pub(super) fn new_global(&mut self, module: Ref, name: Ref, known: Known) -> Result<Ref> {
        let (how, python2) = (How::Global, self.python2);
        let global = self.add_object(Object {
            how,
            known,
            callable: module,
            args: name,
            kwargs: None,
            first: END,
            last: END,
            python2,
            repeated: false,
            same_args: false,
        })?;
        if known != Known::Other {
            self.store.named.entry(known).or_insert(global);
        }
        Ok(global)
    }

    /// The global of this name: one object, however often it is named, as in Python.
    pub(super) fn global_of(&mut self, module: &[u8], name: &[u8], parts: impl FnOnce(&mut Self) -> Result<(Ref, Ref)>) -> Result<Ref> {
        // a long name that is named over and over must not be hashed each time; there is none in practice
        let is_short = module.len() + name.len() <= LONGEST_NAME;
        if is_short
            && let Some(&global) = self.globals.get(module).and_then(|names| names.get(name))
            && self.store.object(global).is_some_and(|object| object.python2 == self.python2)
        {
            return Ok(global);
        }
        let (module_part, name_part) = parts(self)?;
        let global = self.new_global(module_part, name_part, names::known(module, name))?;
        if is_short {
            self.globals.entry(module.into()).or_default().insert(name.into(), global);
        }
        Ok(global)
    }

    /// A value that stands for the module of this name: the same for all globals that are named by text, as in Python.
    pub(super) fn module_of(&mut self, module: Data<'_>) -> Result<Ref> {
        let named = self.globals.get(module.bytes).and_then(|names| names.values().next().copied());
        match named.and_then(|global| self.store.object(global)) {
            Some(object) => Ok(object.callable),
            None => self.str(module),
        }
    }

    /// Refuses to call what is certainly not callable. What an unknown class can do is not known, so it may be.
    pub(super) fn check_call(&self, callable: Ref, args: Ref) -> Result<()> {
        if self.store.object(callable).is_none() {
            return Err(self.wrong("a callable", callable));
        }
        let is_tuple = matches!(self.store.items(args), Some((ItemsKind::Tuple, _)));
        if !is_tuple && self.store.object(args).is_none() {
            return Err(self.wrong("a tuple of arguments", args));
        }
        Ok(())
    }

    /// Refuses what cannot be keyword arguments. The keys of a dict are looked at once, however often it is used.
    pub(super) fn check_keywords(&mut self, kwargs: Ref) -> Result<()> {
        match self.store.node(kwargs) {
            Some(Node::Items { kind: ItemsKind::Dict, flags, .. }) if *flags & KEYWORDS != 0 => return Ok(()),
            Some(Node::Items { kind: ItemsKind::Dict, .. }) => {}
            Some(Node::Object(_)) => return Ok(()),
            _ => return Err(self.wrong("a dict of keyword arguments", kwargs)),
        }
        let items = self.store.items(kwargs).map_or(&[][..], |(_, items)| items);
        if let Some(&key) = items.iter().step_by(2).find(|&&key| !self.is_str(key)) {
            return Err(self.wrong("a str as keyword", key));
        }
        if let Some(Node::Items { flags, .. }) = self.store.node_mut(kwargs) {
            *flags |= KEYWORDS;
        }
        Ok(())
    }

    /// Looks once at the keys of every dict that is the state of something, since that decides how each object with it is shown.
    pub(crate) fn mark_attributes(&mut self) {
        for at in 0..self.store.steps.len() {
            let Some(StepKind::Build(state)) = self.store.steps.get(at).map(|step| step.what) else { continue };
            let dicts = match self.store.items(state) {
                Some((ItemsKind::Tuple, &[dict, slots])) => [dict, slots],
                _ => [state, state],
            };
            for dict in dicts {
                let Some(&Node::Items { kind: ItemsKind::Dict, flags, .. }) = self.store.node(dict) else { continue };
                if flags & (KEYWORDS | LOOKED_AT) != 0 {
                    continue;
                }
                let items = self.store.items(dict).map_or(&[][..], |(_, items)| items);
                let found = if items.iter().step_by(2).all(|&key| self.is_str(key)) { KEYWORDS | LOOKED_AT } else { LOOKED_AT };
                if let Some(Node::Items { flags, .. }) = self.store.node_mut(dict) {
                    *flags |= found;
                }
            }
        }
    }

    /// `None`, or `None` with an empty dict of slots.
    pub(super) fn is_no_state(&self, state: Ref) -> bool {
        let empty = |slots| matches!(self.store.items(slots), Some((ItemsKind::Dict, [])));
        match self.store.items(state) {
            Some((ItemsKind::Tuple, &[dict, slots])) => dict == Ref::NONE && empty(slots),
            _ => state == Ref::NONE,
        }
    }

    pub(super) fn call_by_stack(&mut self, how: How, class: Ref, args: &[Ref], at: Place<'_>) -> Result<Ref> {
        let args = self.tuple_of(args)?;
        self.check_call(class, args)?;
        if args != Ref::EMPTY_TUPLE
            && let Some(folded) = self.fold_call(class, args, at)?
        {
            return Ok(folded);
        }
        self.made(how, class, args, None)
    }

    /// A call whose result is dropped at once: a state setter called on its first argument, or the repetition of a call that
    /// made a recursive object, which CPython writes when it finds the object memoised after writing its arguments.
    pub(super) fn drop_call(&mut self, call: Ref, next: usize) -> Result<()> {
        let args = self.store.object(call).map_or(Ref::EMPTY_TUPLE, |call| call.args);
        let first = self.store.items(args).and_then(|(_, args)| args.first().copied());
        // a function is called with a class for many reasons; only an object is given state so
        let is_made = |how| !matches!(how, How::Global | How::Extension);
        let is_reduce = self.store.object(call).is_some_and(|call| call.how == How::Reduce);
        let first = first.filter(|_| is_reduce);
        let target = first.and_then(|first| Some((first, self.store.object(first).filter(|object| is_made(object.how))?.last)));
        if let Some((target, _)) = target {
            self.store.add_step(target, StepKind::Call(call))?;
        }
        self.dropped.push(call);
        self.dropped_call = Some(DroppedCall { call, next, target });
        Ok(())
    }

    #[cold]
    pub(super) fn forget_repetition(&mut self, dropped: DroppedCall, kept: Ref, at: Place<'_>) {
        if at.offset != dropped.next || kept == dropped.call {
            return;
        }
        let calls = self.store.object(dropped.call).copied().zip(self.store.object(kept).copied());
        let Some((first, second)) = calls.filter(|(first, second)| first.how == second.how) else { return };
        let mut fresh = Vec::new();
        if !self.same_call(&first, &second, at, &mut fresh) || !self.is_inside(kept, &first, at) {
            return;
        }
        let same_args = first.args == second.args;
        if let Some(kept) = self.store.object_mut(kept) {
            kept.repeated = true;
            kept.same_args = same_args;
        }
        self.store.fresh.extend(fresh);
        if let Some((target, last)) = dropped.target {
            self.store.steps.pop();
            if let Some(step) = self.store.steps.get_mut(last as usize) {
                step.next = END;
            }
            if let Some(object) = self.store.object_mut(target) {
                object.last = last;
                if last == END {
                    object.first = END;
                }
            }
        }
        self.dropped.pop();
    }

    /// Whether two calls are one call written twice: of the same values, but for those that are written anew, which are numbers, text, bytes, and
    /// containers and objects made for the call alone. The second call's among these are listed. Looking stops after a few values: it must
    /// cost no more than an opcode may.
    fn same_call(&self, first: &Object, second: &Object, at: Place<'_>, fresh: &mut Vec<Ref>) -> bool {
        const VALUES: usize = 256;
        const BYTES: usize = 1024;
        let (mut values, mut bytes) = (VALUES, BYTES);
        let mut open = Vec::new();
        if !Self::pair_calls(first, second, &mut open) {
            return false;
        }
        while let Some((first, second)) = open.pop() {
            if first == second {
                continue;
            }
            match (self.store.node(first), self.store.node(second)) {
                (Some(Node::Int(first)), Some(Node::Int(second))) if first == second => continue,
                (Some(Node::Float(first)), Some(Node::Float(second))) if first.to_bits() == second.to_bits() => continue,
                (Some(&Node::Data { kind, len, offset }), Some(&Node::Data { kind: other, len: other_len, offset: other_offset }))
                    if kind == other && kind != DataKind::Bytearray =>
                {
                    let first = self.store.data(at.window, len, offset);
                    let second = self.store.data(at.window, other_len, other_offset);
                    if first.len() > bytes || first != second {
                        return false;
                    }
                    bytes -= first.len();
                    continue;
                }
                (Some(Node::Items { kind, len, .. }), Some(Node::Items { kind: other, len: other_len, .. }))
                    if kind == other && len == other_len && *len as usize <= values =>
                {
                    values -= *len as usize;
                    let (Some((_, left)), Some((_, right))) = (self.store.items(first), self.store.items(second)) else { return false };
                    open.extend(left.iter().copied().zip(right.iter().copied()));
                }
                (Some(Node::Object(_)), Some(Node::Object(_))) if values > 0 => {
                    values -= 1;
                    let (Some(left), Some(right)) = (self.store.object(first), self.store.object(second)) else { return false };
                    if !Self::pair_calls(left, right, &mut open) || !self.pair_states(left, right, &mut open) {
                        return false;
                    }
                }
                _ => return false,
            }
            fresh.push(second);
        }
        true
    }

    /// Whether a value is inside what a call was made with. Looking through that is paid for; what is not paid for is not found.
    fn is_inside(&mut self, value: Ref, call: &Object, at: Place<'_>) -> bool {
        let mut open = vec![call.callable, call.args];
        open.extend(call.kwargs);
        let mut seen = RefSet::default();
        while let Some(next) = open.pop() {
            if next == value {
                return true;
            }
            if next.index().is_some() && seen.insert(next) {
                let rows = self.store.object(next).map_or(0, |object| {
                    self.store.steps(object).map(|step| 1 + step.row().map_or(0, |row| self.store.row(row).len())).sum()
                });
                let looked_at = self.store.items(next).map_or(rows, |(_, items)| items.len());
                if self.charge((1 + looked_at) * size_of::<Ref>(), at).is_err() {
                    return false;
                }
                self.store.refers(next, &mut open);
            }
        }
        false
    }

    /// What must be the same for two calls to be.
    fn pair_calls(first: &Object, second: &Object, open: &mut Vec<(Ref, Ref)>) -> bool {
        open.extend([(first.callable, second.callable), (first.args, second.args)]);
        open.extend(first.kwargs.zip(second.kwargs));
        first.how == second.how && !matches!(first.how, How::Global | How::Extension | How::Persistent)
    }

    /// What must be the same for two objects that have at most a state to be.
    fn pair_states(&self, first: &Object, second: &Object, open: &mut Vec<(Ref, Ref)>) -> bool {
        let mut left = self.store.steps(first);
        let mut right = self.store.steps(second);
        match (left.next(), right.next()) {
            (None, None) => true,
            (Some(StepKind::Build(first)), Some(StepKind::Build(second))) => {
                open.push((first, second));
                left.next().is_none() && right.next().is_none()
            }
            _ => false,
        }
    }

    /// Whether the value is text as Python sees it.
    pub(super) fn is_str(&self, value: Ref) -> bool {
        matches!(
            self.store.node(value),
            Some(Node::Data { kind: DataKind::Str | DataKind::StrSurrogates | DataKind::Str8Text | DataKind::Str8Latin1, .. })
        )
    }
}
