//! The walk over a document's values that writes each where CPython writes it. It does not recurse.

use std::collections::HashMap;

use super::later::OpenCalls;
use super::memo::{self, Memo, MemoPolicy, State};
use super::out::Out;
use super::pickler::Hooks;
use super::razorvine::Checks;
use super::rules::{EightBit, Rules};
use super::run::{Run, RunKind};
use super::{atoms, path};
use crate::document::{DataKind, Document, ItemsKind, Node, Ref, RefMap, RefSet, Store, Unpacked};
use crate::error::{Error, ErrorKind, Result};
use crate::names::Known;
use crate::opcode::Opcode;

/// Something still to be written.
#[derive(Debug, Clone, Copy)]
pub(super) enum Task {
    /// Items one after another.
    Run(Run),
    /// A value.
    Save(Ref),
    /// The value that is pickled.
    Root(Ref),
    /// The persistent id of an object.
    SaveId(Ref),
    /// The tuple of arguments of the call that made an object.
    Args { object: Ref, args: Ref },
    /// An opcode.
    Op(Opcode),
    /// A tuple that no value is, of so many elements.
    Tuple(usize),
    /// The topmost value is this one.
    Made(Ref),
    /// What was done to an object, from this step on.
    Steps { object: Ref, step: u32 },
    /// A value that was left, by its number.
    Again(u32),
    /// `INST` with the name of an object's class.
    Inst(Ref),
    /// `getattr(class, '__new__')`, whose arguments are on the stack.
    NewMethod(Ref),
    /// The same method of a class once more.
    NewMethodAgain(Ref),
    /// A call of `functools.partial` with what is on the stack.
    Partial,
    /// The text of a name.
    Text(&'static str),
    /// A dict of the items of this one, which is none of the document.
    OwnDict(Ref),
}

/// How many bytes count as one value when they are written once more.
pub(super) const BYTES_OF_A_VALUE: u64 = 64;

/// One pickle being written.
pub(super) struct Walk<'d, 'p, 'w> {
    pub(super) document: &'d Document<'d>,
    pub(super) store: &'d Store,
    pub(super) rules: &'p Rules,
    pub(super) hooks: &'p mut Hooks,
    pub(super) memo: &'p mut Memo,
    pub(super) tasks: &'p mut Vec<Task>,
    pub(super) out: &'p mut Out<'w>,
    /// Numbers of texts, where equal texts are one.
    pub(super) equal_texts: HashMap<&'d [u8], u32>,
    /// Values that are referred to more than once, as far as that matters.
    pub(super) shared: RefSet,
    /// Globals by module and name, once they are needed.
    pub(super) globals: Option<HashMap<(&'d str, &'d str), Ref>>,
    /// Parts of long names that have been written.
    pub(super) long_names: RefSet,
    /// Numbers of the methods `__new__`, by their classes.
    pub(super) methods: RefMap<u32>,
    /// What is known of the values for Razorvine's reader.
    pub(super) razorvine: Checks,
    /// Calls whose arguments are being written.
    pub(super) calls: OpenCalls,
    /// How many values are open around this one.
    pub(super) depth: usize,
    /// What may still be written more than once.
    pub(super) expansion: u64,
    /// A value that is inside itself.
    pub(super) cycle: Option<Ref>,
    /// Out-of-band buffers so far.
    pub(super) buffers: usize,
}

impl<'d, 'p, 'w> Walk<'d, 'p, 'w> {
    pub(super) fn new(
        document: &'d Document<'d>,
        rules: &'p Rules,
        hooks: &'p mut Hooks,
        memo: &'p mut Memo,
        tasks: &'p mut Vec<Task>,
        out: &'p mut Out<'w>,
    ) -> Self {
        tasks.clear();
        Self {
            document,
            store: &document.store,
            rules,
            hooks,
            memo,
            tasks,
            out,
            equal_texts: HashMap::new(),
            shared: RefSet::default(),
            globals: None,
            long_names: RefSet::default(),
            methods: RefMap::default(),
            razorvine: Checks::default(),
            cycle: None,
            calls: OpenCalls::default(),
            depth: 0,
            expansion: rules.limits.expansion,
            buffers: 0,
        }
    }
}

impl<'d> Walk<'d, '_, '_> {
    /// Writes a value, the header before and STOP behind it. Other values are written and dropped again, for the calls that make them.
    pub(super) fn pickle(&mut self, root: Ref, others: &[Vec<Ref>; 2]) -> Result<()> {
        self.start();
        self.values(root, others)?;
        self.end()
    }

    /// What stands before a value.
    pub(super) fn start(&mut self) {
        let protocol = self.rules.protocol;
        if protocol >= 2 {
            self.out.op_with(Opcode::Proto, [protocol]);
        }
        if protocol >= 4 {
            self.out.begin_frames();
        }
    }

    /// What stands behind a value.
    pub(super) fn end(&mut self) -> Result<()> {
        self.out.op(Opcode::Stop);
        self.out.finish()
    }

    /// Writes a value, and others that are dropped again.
    pub(super) fn values(&mut self, root: Ref, [before, after]: &[Vec<Ref>; 2]) -> Result<()> {
        self.find_shared(before.iter().chain([&root]).chain(after).copied().collect());
        let dropped = |other: &Ref| [Task::Op(Opcode::Pop), Task::Save(*other)];
        self.tasks.extend(after.iter().rev().flat_map(dropped));
        self.tasks.push(Task::Root(root));
        self.tasks.extend(before.iter().rev().flat_map(dropped));
        while let Some(task) = self.tasks.pop() {
            if let Err(error) = self.step(task) {
                // that a writer failed is not about the value
                let is_about_value = !matches!(error.kind(), ErrorKind::Write(_));
                return Err(if is_about_value { error.with_path(path::of(self)) } else { error });
            }
        }
        Ok(())
    }

    fn step(&mut self, task: Task) -> Result<()> {
        match task {
            Task::Run(run) => return self.run(run),
            Task::Save(value) => {
                if !self.atom(value)? {
                    self.open(value)?;
                }
            }
            Task::Root(root) => {
                if !self.item(root, Ref::NONE)? {
                    self.open(root)?;
                }
            }
            Task::SaveId(id) => {
                if self.rules.is_razorvine() {
                    self.check_item(id, Ref::NONE)?;
                }
                if !self.plain_atom(id)? {
                    self.open(id)?;
                }
            }
            Task::Args { object, args } => self.args(object, args)?,
            Task::Op(opcode) => self.out.op(opcode),
            Task::Tuple(len) => {
                self.tuple_op(len);
                self.put_own()?;
            }
            Task::Made(value) => self.made(value)?,
            Task::Steps { object, step } => self.steps(object, step)?,
            Task::Again(number) => self.again(number)?,
            Task::Inst(class) => self.inst_line(class)?,
            Task::NewMethod(class) => self.new_method(class)?,
            Task::NewMethodAgain(class) => self.new_method_again(class),
            Task::Partial => self.partial()?,
            Task::Text(text) => self.own_text(text.as_bytes())?,
            Task::OwnDict(dict) => self.own_dict(dict)?,
        }
        Ok(())
    }

    /// Writes items until one of them is more than an opcode.
    fn run(&mut self, mut run: Run) -> Result<()> {
        let refs = self.store.slice(run.start, run.len);
        // looked at once, and not for each item
        let is_watched = self.hooks.persistent_id.is_some() || self.rules.is_razorvine();
        let later = self.earliest_later(&run);
        loop {
            if later != usize::MAX && self.run_later(&mut run, refs, later) {
                return Ok(());
            }
            if run.at == run.batch_end {
                let (closing, goes_on, is_marked) = run.next_batch(self.rules);
                if let Some(opcode) = closing {
                    self.out.op(opcode);
                }
                if !goes_on {
                    return self.end_run(run);
                }
                if is_marked {
                    self.out.op(Opcode::Mark);
                }
                continue;
            }
            let Some(&item) = refs.get(run.at) else { return self.end_run(run) };
            run.at += 1;
            let written = if is_watched { self.item(item, run.owner) } else { self.plain_atom(item) };
            match written {
                Ok(true) => {}
                Ok(false) => {
                    self.tasks.push(Task::Run(run));
                    return self.open(item);
                }
                Err(error) => {
                    // for the error's path
                    self.tasks.push(Task::Run(run));
                    return Err(error);
                }
            }
        }
    }

    fn end_run(&mut self, run: Run) -> Result<()> {
        let owner = run.owner;
        match run.kind {
            RunKind::Plain | RunKind::Appended | RunKind::SetItems => return Ok(()),
            RunKind::Set if self.store.object(owner).is_some() => return Ok(()),
            RunKind::Dict if owner == Ref::NONE => return Ok(()),
            RunKind::List | RunKind::Dict | RunKind::Set => {}
            RunKind::SetList => self.end_set_call(owner)?,
            RunKind::Frozenset => match self.memo_state(owner) {
                State::Written(number) => {
                    self.out.op(Opcode::PopMark);
                    memo::get(self.out, self.rules.protocol, number);
                }
                _ => {
                    self.out.op(Opcode::Frozenset);
                    self.put(owner)?;
                }
            },
            RunKind::Tuple => self.end_tuple(owner, run.len)?,
            RunKind::FreshArgs => {
                self.tuple_op(run.len);
                if !self.rules.is_razorvine() {
                    self.put(owner)?;
                }
            }
        }
        self.leave(owner);
        Ok(())
    }

    /// A value begins: it is open until [`leave`](Self::leave). To open it again inside itself is right where its call or tuple is written
    /// once more, as CPython does, and it counts; the result says so.
    pub(super) fn enter(&mut self, value: Ref, len: usize) -> Result<bool> {
        let state = self.memo.state(value);
        match state {
            State::New => {}
            State::Open if !self.rules.has_memo() => {
                self.cycle = Some(value);
                return Err(Error::new(ErrorKind::Cyclic));
            }
            State::Open | State::Written(_) => self.pay(len as u64)?,
        }
        self.memo.open(value);
        self.deepen()?;
        Ok(state == State::Open)
    }

    /// What follows is one level deeper.
    pub(super) fn deepen(&mut self) -> Result<()> {
        if self.depth >= self.rules.limits.depth {
            return Err(Error::new(ErrorKind::LimitExceeded { limit: "depth", at: self.rules.limits.depth as u64 }));
        }
        self.depth += 1;
        Ok(())
    }

    /// A value is written.
    pub(super) fn leave(&mut self, value: Ref) {
        self.depth -= 1;
        if self.rules.is_razorvine() {
            self.close_container(value);
        }
        if !self.rules.has_memo() {
            self.memo.number(value, 0);
        }
    }

    /// Pays for writing something once more.
    pub(super) fn pay(&mut self, price: u64) -> Result<()> {
        let at = self.rules.limits.expansion;
        let left = self.expansion.checked_sub(price);
        self.expansion = left.ok_or_else(|| Error::new(ErrorKind::LimitExceeded { limit: "expansion", at }))?;
        Ok(())
    }

    /// What the memo that a reader has knows of a value.
    #[inline(always)]
    pub(super) fn memo_state(&self, value: Ref) -> State {
        match self.memo.state(value) {
            State::Written(_) if !self.rules.has_memo() => State::New,
            state => state,
        }
    }

    /// The topmost value gets a number.
    #[inline(always)]
    pub(super) fn put(&mut self, value: Ref) -> Result<()> {
        if self.rules.has_memo() {
            let number = self.memo.put(self.out, self.rules.protocol)?;
            self.memo.number(value, number);
        }
        Ok(())
    }

    /// The topmost value, which is none of the document, gets a number.
    pub(super) fn put_own(&mut self) -> Result<Option<u32>> {
        if self.rules.has_memo() && !self.rules.is_razorvine() {
            return self.memo.put(self.out, self.rules.protocol).map(Some);
        }
        Ok(None)
    }

    /// Writes one of the items of something, if it is no more than a few opcodes; whether it is.
    #[inline(never)]
    fn item(&mut self, item: Ref, owner: Ref) -> Result<bool> {
        if self.hooks.persistent_id.is_some() && self.by_persistent_id(item)? {
            return Ok(true);
        }
        if self.rules.is_razorvine() {
            self.check_item(item, owner)?;
        }
        self.plain_atom(item)
    }

    /// Writes a value that is no more than a few opcodes; whether it is one.
    #[inline(always)]
    pub(super) fn atom(&mut self, value: Ref) -> Result<bool> {
        if self.hooks.persistent_id.is_some() && self.by_persistent_id(value)? {
            return Ok(true);
        }
        self.plain_atom(value)
    }

    #[inline(always)]
    pub(super) fn plain_atom(&mut self, value: Ref) -> Result<bool> {
        self.out.boundary()?;
        let protocol = self.rules.protocol;
        match value.unpack() {
            Unpacked::None => self.out.op(Opcode::None),
            Unpacked::Bool(value) => atoms::bool(self.out, protocol, value),
            Unpacked::Int(value) => atoms::int(self.out, protocol, value),
            Unpacked::EmptyTuple => self.empty_tuple(),
            Unpacked::Node(index) => {
                // a value that is not written would leave a pickle of something else
                let node = self.store.nodes.get(index).ok_or_else(|| Error::new(ErrorKind::UnknownId))?;
                return self.node(value, node);
            }
        }
        Ok(true)
    }

    #[inline(always)]
    fn node(&mut self, value: Ref, node: &'d Node) -> Result<bool> {
        let protocol = self.rules.protocol;
        match *node {
            Node::Float(float) => {
                atoms::float(self.out, protocol, float);
                return Ok(true);
            }
            Node::Int(int) => {
                atoms::int(self.out, protocol, int);
                if self.rules.is_razorvine() && i32::try_from(int).is_err() {
                    self.put(value)?;
                }
                return Ok(true);
            }
            _ => {}
        }
        if let State::Written(number) = self.memo_state(value) {
            memo::get(self.out, protocol, number);
            return Ok(true);
        }
        match *node {
            Node::Data { kind, len, offset } => {
                let bytes = self.store.data(&self.document.source, len, offset);
                if !self.rules.has_memo() {
                    self.pay_again(value, bytes.len())?;
                }
                self.data(value, kind, bytes)?;
            }
            Node::Buffer { .. } => self.buffer(value)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Without a memo: pays for long data that was written before. What is short takes no more room than the reference to it.
    fn pay_again(&mut self, value: Ref, len: usize) -> Result<()> {
        if let State::Written(_) = self.memo.state(value) {
            self.pay(len as u64 / BYTES_OF_A_VALUE)?;
        }
        self.memo.number(value, 0);
        Ok(())
    }

    fn data(&mut self, value: Ref, kind: DataKind, bytes: &'d [u8]) -> Result<()> {
        let as_read = self.rules.eight_bit == EightBit::AsRead;
        match kind {
            DataKind::StrSurrogates if self.rules.is_razorvine() => {
                let reason = "Razorvine's reader takes lone surrogates for other characters";
                Err(Error::new(ErrorKind::Unwritable { what: "a text", reason }))
            }
            DataKind::Str8Text if self.rules.is_razorvine() && !as_read && !bytes.is_ascii() => {
                let reason = "Razorvine's reader takes it for Latin-1";
                Err(Error::new(ErrorKind::Unwritable { what: "an 8-bit string", reason }))
            }
            DataKind::Str | DataKind::StrSurrogates => self.text(value, bytes),
            DataKind::Str8Text | DataKind::Str8Latin1 if as_read => self.text(value, bytes),
            DataKind::Str8Bytes if as_read => self.bytes(value, bytes),
            DataKind::Str8Text | DataKind::Str8Bytes => {
                atoms::str8(self.out, self.rules.protocol, bytes)?;
                self.put(value)
            }
            DataKind::Str8Latin1 => {
                let latin1 = crate::document::utf8_to_latin1(bytes)?;
                atoms::str8(self.out, self.rules.protocol, &latin1)?;
                self.put(value)
            }
            DataKind::Bytes => self.bytes(value, bytes),
            DataKind::Bytearray => self.bytearray(value, bytes),
            DataKind::Int => {
                atoms::big_int(self.out, self.rules.protocol, bytes, self.rules.limits.digits)?;
                if self.rules.is_razorvine() { self.put(value) } else { Ok(()) }
            }
        }
    }

    /// Writes a text that is a value of the document.
    #[inline]
    fn text(&mut self, value: Ref, text: &'d [u8]) -> Result<()> {
        let protocol = self.rules.protocol;
        if protocol < 4 && text.len() <= 2 && self.same_char(value, text) {
            return Ok(());
        }
        if self.rules.memo == MemoPolicy::EqualText {
            if let Some(&number) = self.equal_texts.get(text) {
                memo::get(self.out, protocol, number);
                return Ok(());
            }
            self.equal_texts.insert(text, self.memo.next_number());
        }
        atoms::text(self.out, protocol, text)?;
        self.put(value)
    }

    /// Begins a value that has others inside.
    pub(super) fn open(&mut self, value: Ref) -> Result<()> {
        let Some(&node) = self.store.node(value) else { return Ok(()) };
        let Node::Items { kind, len, start, .. } = node else { return self.object(value) };
        let protocol = self.rules.protocol;
        let len = len as usize;
        let refs = if kind == ItemsKind::Dict { 2 * len } else { len };
        if self.rules.is_razorvine() {
            self.check_container(value, kind)?;
        }
        self.enter(value, refs)?;
        let run_kind = match kind {
            ItemsKind::List | ItemsKind::Dict => {
                let (empty, closing, run_kind) = match kind {
                    ItemsKind::List => (Opcode::EmptyList, Opcode::List, RunKind::List),
                    _ => (Opcode::EmptyDict, Opcode::Dict, RunKind::Dict),
                };
                self.empty(empty, closing);
                self.put(value)?;
                run_kind
            }
            ItemsKind::Tuple => {
                if protocol < 2 || len > 3 {
                    self.out.op(Opcode::Mark);
                }
                RunKind::Tuple
            }
            ItemsKind::Set if protocol >= 4 => {
                self.out.op(Opcode::EmptySet);
                self.put(value)?;
                RunKind::Set
            }
            ItemsKind::Frozenset if protocol >= 4 => {
                self.out.op(Opcode::Mark);
                RunKind::Frozenset
            }
            ItemsKind::Set => return self.set_call(value, Known::Set, start, len),
            ItemsKind::Frozenset => return self.set_call(value, Known::Frozenset, start, len),
        };
        self.tasks.push(Task::Run(Run::new(run_kind, value, start, refs)));
        Ok(())
    }

    /// An empty list or dict: by an opcode of its own, or as those of nothing above a mark.
    pub(super) fn empty(&mut self, empty: Opcode, closing: Opcode) {
        if self.rules.protocol >= 1 {
            self.out.op(empty);
        } else {
            self.out.op(Opcode::Mark);
            self.out.op(closing);
        }
    }

    pub(super) fn empty_tuple(&mut self) {
        if self.rules.protocol >= 1 {
            self.out.op(Opcode::EmptyTuple);
        } else {
            self.out.op(Opcode::Mark);
            self.out.op(Opcode::Tuple);
        }
    }

    /// Makes a tuple of what is on the stack.
    pub(super) fn tuple_op(&mut self, len: usize) {
        self.out.op(match len {
            0 if self.rules.protocol >= 1 => Opcode::EmptyTuple,
            1 if self.rules.protocol >= 2 => Opcode::Tuple1,
            2 if self.rules.protocol >= 2 => Opcode::Tuple2,
            3 if self.rules.protocol >= 2 => Opcode::Tuple3,
            _ => Opcode::Tuple,
        });
    }

    /// Ends a tuple. If it was written inside itself, its elements go, and what was written is used.
    fn end_tuple(&mut self, tuple: Ref, len: usize) -> Result<()> {
        let protocol = self.rules.protocol;
        let State::Written(number) = (if self.is_fresh(tuple) { State::New } else { self.memo_state(tuple) }) else {
            self.tuple_op(len);
            return self.put(tuple);
        };
        match (protocol, len) {
            (0, _) => (0..=len).for_each(|_| self.out.op(Opcode::Pop)),
            (2.., ..=3) => (0..len).for_each(|_| self.out.op(Opcode::Pop)),
            _ => self.out.op(Opcode::PopMark),
        }
        memo::get(self.out, protocol, number);
        Ok(())
    }

    /// The tuple of arguments of the call that made an object.
    fn args(&mut self, object: Ref, args: Ref) -> Result<()> {
        let same_args = self.store.object(object).is_some_and(|object| object.same_args);
        let is_written = matches!(self.memo_state(args), State::Written(_));
        let Some(&Node::Items { kind: ItemsKind::Tuple, len, start, .. }) = self.store.node(args).filter(|_| !same_args && !is_written)
        else {
            self.tasks.push(Task::Save(args));
            return Ok(());
        };
        self.out.boundary()?;
        let len = len as usize;
        self.enter(args, len)?;
        if self.rules.protocol < 2 || len > 3 {
            self.out.op(Opcode::Mark);
        }
        if self.rules.is_razorvine() {
            self.expect_class(object, args);
        }
        let kind = if self.rules.is_razorvine() && self.shared.contains(&args) { RunKind::Tuple } else { RunKind::FreshArgs };
        self.tasks.push(Task::Run(Run::new(kind, args, start, len)));
        Ok(())
    }
}
