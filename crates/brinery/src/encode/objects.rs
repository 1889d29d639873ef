//! Objects: the call that makes one, and what is done to it after that.

use super::memo::{self, State};
use super::run::{Run, RunKind};
use super::walk::{BYTES_OF_A_VALUE, Task, Walk};
use crate::document::{END, How, Item, ItemsKind, Kind, Node, Object, Ref, RefSet, StepKind};
use crate::error::{Error, ErrorKind, Result};
use crate::names::Known;
use crate::opcode::Opcode;

impl<'d> Walk<'d, '_, '_> {
    /// The elements of a tuple, and where they are.
    fn tuple_row(&self, tuple: Ref) -> Option<(u64, usize)> {
        match self.store.node(tuple) {
            Some(&Node::Items { kind: ItemsKind::Tuple, len, start, .. }) => Some((start, len as usize)),
            None if tuple == Ref::EMPTY_TUPLE => Some((0, 0)),
            _ => None,
        }
    }

    /// What an object calls, by its meaning to the pickler.
    fn calls(&self, object: &Object) -> Known {
        self.store.object(object.callable).map_or(Known::Other, |callable| callable.known)
    }

    /// Begins an object, a global, or what else has a name or an id.
    pub(super) fn object(&mut self, value: Ref) -> Result<()> {
        let Some(object) = self.store.object(value) else { return Ok(()) };
        if self.rules.is_razorvine() {
            self.check_object(object)?;
        }
        let protocol = self.rules.protocol;
        let steps = Task::Steps { object: value, step: object.first };
        match object.how {
            How::Global | How::Extension => {
                // without a memo it is named again, but what is done to it is done once
                let has_steps = object.first != END && !matches!(self.memo.state(value), State::Written(_));
                self.enter(value, Item::new(self.document, value).data_len() / 64)?;
                if object.how == How::Global {
                    self.global(value, object)?;
                } else {
                    let code = Item::new(self.document, value).extension_code().unwrap_or_default();
                    self.extension_op(code)?;
                    if has_steps {
                        self.put(value)?;
                    }
                }
                if has_steps {
                    self.tasks.push(steps);
                } else {
                    self.leave(value);
                    if self.memo_state(value) == State::Open {
                        self.memo.forget(value);
                    }
                }
                return Ok(());
            }
            How::Persistent => return self.persistent(value, object),
            _ => {}
        }
        if self.enter(value, 1)? {
            // written as CPython writes such a call, it would be made with arguments that are not filled yet: wrong where it was not made so
            if !object.repeated {
                let reason = "it is inside its own arguments, by what cannot be done to them after its call";
                return Err(Error::new(ErrorKind::Unwritable { what: "an object", reason }));
            }
            self.forget_fresh(object)?;
            self.calls.open_again(value);
        } else if !object.repeated {
            self.calls.open(value);
        }
        self.tasks.extend([steps, Task::Made(value)]);
        match object.how {
            How::Newobj if protocol >= 2 => self.call(value, object.callable, object.args, Opcode::Newobj),
            How::Newobj => self.function_call(Known::Newobj, &[object.callable], object.args)?,
            How::NewobjEx => self.keyword_call(object.callable, object.args, object.kwargs.unwrap_or(Ref::NONE))?,
            How::Inst | How::Obj => self.old_style(object)?,
            _ => self.reduce(value, object)?,
        }
        Ok(())
    }

    /// A call is written once more inside itself, or has been: it has containers and objects of its own where CPython made them for the call.
    fn forget_fresh(&mut self, object: &Object) -> Result<()> {
        if self.store.fresh.is_empty() {
            return Ok(());
        }
        let mut open = vec![object.callable, object.args];
        open.extend(object.kwargs);
        let mut seen = RefSet::default();
        while let Some(value) = open.pop() {
            if !self.is_fresh(value) || !seen.insert(value) {
                continue;
            }
            if let State::Written(_) = self.memo_state(value) {
                self.memo.forget(value);
            }
            let before = open.len();
            self.store.refers(value, &mut open);
            self.pay(1 + (open.len() - before) as u64)?;
        }
        Ok(())
    }

    /// Whether a value was made for a call alone, and anew for each writing of it. What is referred to from elsewhere as well was not.
    pub(super) fn is_fresh(&self, value: Ref) -> bool {
        !self.store.fresh.is_empty() && self.store.fresh.contains(&value) && !self.shared.contains(&value)
    }

    /// `callable(*args)`. What CPython writes as such a call only before a protocol has an opcode gets the opcode after that.
    fn reduce(&mut self, value: Ref, object: &Object) -> Result<()> {
        let protocol = self.rules.protocol;
        let args = self.store.items(object.args).map_or(&[][..], |(_, args)| args);
        match (self.calls(object), args) {
            (Known::Newobj, &[class, ..]) if protocol >= 2 && self.store.object(class).is_some() => {
                let (start, len) = self.tuple_row(object.args).unwrap_or_default();
                self.tasks.push(Task::Op(Opcode::Newobj));
                self.own_tuple(start + 1, len - 1);
                self.tasks.push(Task::Save(class));
            }
            (Known::NewobjEx, &[class, args, kwargs]) if protocol >= 2 && self.are_keywords(class, args, kwargs) => {
                self.keyword_call(class, args, kwargs)?;
            }
            _ => self.call(value, object.callable, object.args, Opcode::Reduce),
        }
        Ok(())
    }

    /// Whether `NEWOBJ_EX` takes these.
    fn are_keywords(&self, class: Ref, args: Ref, kwargs: Ref) -> bool {
        let is_text = |key: &Ref| Item::new(self.document, *key).kind() == Kind::Str;
        let has_text_keys = match self.store.items(kwargs) {
            Some((ItemsKind::Dict, items)) => items.iter().step_by(2).all(is_text),
            _ => false,
        };
        self.store.object(class).is_some() && self.tuple_row(args).is_some() && has_text_keys
    }

    fn call(&mut self, object: Ref, callable: Ref, args: Ref, opcode: Opcode) {
        self.tasks.extend([Task::Op(opcode), Task::Args { object, args }, Task::Save(callable)]);
    }

    /// A tuple, which is none of the document, of some refs.
    fn own_tuple(&mut self, start: u64, len: usize) {
        if len == 0 {
            self.tasks.push(Task::Save(Ref::EMPTY_TUPLE));
            return;
        }
        self.tasks.extend([Task::Tuple(len), Task::Run(Run::new(RunKind::Plain, Ref::NONE, start, len))]);
        if self.rules.protocol < 2 || len > 3 {
            self.tasks.push(Task::Op(Opcode::Mark));
        }
    }

    /// A function of the pickler's own, called with some values and then the elements of a tuple.
    fn function_call(&mut self, function: Known, first: &[Ref], rest: Ref) -> Result<()> {
        let Some((start, len)) = self.tuple_row(rest) else {
            let reason = "its arguments are an object, which needs a newer protocol";
            return Err(Error::new(ErrorKind::Unwritable { what: "an object", reason }));
        };
        self.known(function)?;
        let all = first.len() + len;
        if self.rules.protocol < 2 || all > 3 {
            self.out.op(Opcode::Mark);
        }
        self.tasks.extend([Task::Op(Opcode::Reduce), Task::Tuple(all), Task::Run(Run::new(RunKind::Plain, Ref::NONE, start, len))]);
        self.tasks.extend(first.iter().rev().map(|&value| Task::Save(value)));
        Ok(())
    }

    /// `class.__new__(class, *args, **kwargs)`: from protocol 4 on by an opcode; before that as a `functools.partial` of the method, called
    /// with nothing; before protocol 2 by `copyreg`'s function.
    fn keyword_call(&mut self, class: Ref, args: Ref, kwargs: Ref) -> Result<()> {
        match self.rules.protocol {
            4.. => self.tasks.extend([Task::Op(Opcode::NewobjEx), Task::Save(kwargs), Task::Save(args), Task::Save(class)]),
            2.. => {
                let Some((start, len)) = self.tuple_row(args).filter(|_| self.rules.has_memo()) else {
                    let reason = "a call with keyword arguments needs protocol 4 here";
                    return Err(Error::new(ErrorKind::Unwritable { what: "an object", reason }));
                };
                self.known(Known::Partial)?;
                let is_new = !self.methods.contains_key(&class);
                if is_new {
                    self.known(Known::Getattr)?;
                }
                // the partial has a copy of the keyword arguments
                self.tasks.extend([
                    Task::Op(Opcode::Reduce),
                    Task::Save(Ref::EMPTY_TUPLE),
                    // the partial's state: the method, its arguments, keyword arguments, and no attributes
                    Task::Op(Opcode::Build),
                    Task::Tuple(4),
                    Task::Save(Ref::NONE),
                    Task::OwnDict(kwargs),
                    Task::Tuple(1 + len),
                    Task::Run(Run::new(RunKind::Plain, Ref::NONE, start, len)),
                    Task::Save(class),
                ]);
                if len > 2 {
                    self.tasks.push(Task::Op(Opcode::Mark));
                }
                self.tasks.extend([Task::NewMethodAgain(class), Task::Op(Opcode::Mark), Task::Partial]);
                if is_new {
                    self.tasks.extend([Task::NewMethod(class), Task::Text("__new__"), Task::Save(class)]);
                } else {
                    self.tasks.push(Task::NewMethodAgain(class));
                }
            }
            _ => {
                self.known(Known::NewobjEx)?;
                self.out.op(Opcode::Mark);
                self.tasks.extend([Task::Op(Opcode::Reduce), Task::Tuple(3), Task::Save(kwargs), Task::Save(args), Task::Save(class)]);
            }
        }
        Ok(())
    }

    /// A dict that is none of the document, with the items of one that is.
    pub(super) fn own_dict(&mut self, dict: Ref) -> Result<()> {
        let Some(&Node::Items { kind: ItemsKind::Dict, start, len, .. }) = self.store.node(dict) else {
            self.tasks.push(Task::Save(dict));
            return Ok(());
        };
        self.out.boundary()?;
        self.empty(Opcode::EmptyDict, Opcode::Dict);
        self.put_own()?;
        if len > 0 {
            self.tasks.push(Task::Run(Run::new(RunKind::Dict, Ref::NONE, start, 2 * len as usize)));
        }
        Ok(())
    }

    /// `getattr(class, '__new__')`, which Python has as one object for each class.
    pub(super) fn new_method(&mut self, class: Ref) -> Result<()> {
        self.tuple_op(2);
        self.put_own()?;
        self.out.op(Opcode::Reduce);
        if let Some(number) = self.put_own()? {
            self.methods.insert(class, number);
        }
        Ok(())
    }

    /// `functools.partial(method)`.
    pub(super) fn partial(&mut self) -> Result<()> {
        self.tuple_op(1);
        self.put_own()?;
        self.out.op(Opcode::Reduce);
        self.put_own().map(|_| ())
    }

    pub(super) fn new_method_again(&mut self, class: Ref) {
        if let Some(&number) = self.methods.get(&class) {
            memo::get(self.out, self.rules.protocol, number);
        }
    }

    /// An instance of an old-style class of Python 2: by `INST` in protocol 0, by `OBJ` after that.
    fn old_style(&mut self, object: &Object) -> Result<()> {
        let Some((start, len)) = self.tuple_row(object.args) else {
            return Err(Error::new(ErrorKind::Unwritable { what: "an old-style instance", reason: "its arguments are no tuple" }));
        };
        let args = Task::Run(Run::new(RunKind::Plain, Ref::NONE, start, len));
        let is_plain_name = self.store.object(object.callable).is_some_and(|class| class.how == How::Global && class.first == END);
        self.out.op(Opcode::Mark);
        if self.rules.protocol == 0 && is_plain_name {
            self.tasks.extend([Task::Inst(object.callable), args]);
        } else {
            self.tasks.extend([Task::Op(Opcode::Obj), args, Task::Save(object.callable)]);
        }
        Ok(())
    }

    /// A call has made an object.
    pub(super) fn made(&mut self, value: Ref) -> Result<()> {
        let later = self.calls.close(value);
        if self.store.object(value).is_some_and(|object| object.how == How::Persistent) {
            if let State::Written(_) = self.memo_state(value) {
                // it was inside its own id
                self.put_or_drop(value)?;
                self.tasks.pop();
                self.leave(value);
                self.tasks.extend(later.into_iter().rev());
                return Ok(());
            }
            let has_steps = self.store.object(value).is_some_and(|object| object.first != END);
            if has_steps || self.shared.contains(&value) {
                self.put(value)?;
            } else {
                self.memo.forget(value);
            }
            self.tasks.extend(later.into_iter().rev());
            return Ok(());
        }
        if let Some(object) = self.store.object(value) {
            self.forget_fresh(object)?;
        }
        if !self.put_or_drop(value)? {
            // what was done to the object is written already
            self.tasks.pop();
            self.leave(value);
        }
        self.tasks.extend(later.into_iter().rev());
        Ok(())
    }

    /// Writes what was done to an object.
    pub(super) fn steps(&mut self, object: Ref, at: u32) -> Result<()> {
        let Some(&step) = self.store.steps.get(at as usize) else {
            self.leave(object);
            return Ok(());
        };
        if self.step_later(object, at, &step.what) {
            return Ok(());
        }
        self.tasks.push(Task::Steps { object, step: step.next });
        match step.what {
            StepKind::Append(row) => self.row(RunKind::Appended, object, row),
            StepKind::SetItems(row) => self.row(RunKind::SetItems, object, row),
            StepKind::Add(row) if self.rules.protocol >= 4 => self.row(RunKind::Set, object, row),
            StepKind::Add(_) => {
                let reason = "items are added to it as to a set, which needs protocol 4";
                return Err(Error::new(ErrorKind::Unwritable { what: "an object", reason }));
            }
            StepKind::Build(state) => {
                self.check_state(state)?;
                self.tasks.extend([Task::Op(Opcode::Build), Task::Save(state)]);
            }
            StepKind::Call(call) => self.setter(object, call),
        }
        Ok(())
    }

    fn row(&mut self, kind: RunKind, object: Ref, row: crate::document::Row) {
        let (start, len) = row.place();
        self.tasks.push(Task::Run(Run::new(kind, object, start, len)));
    }

    /// A call whose result is dropped: a state setter, as CPython writes it, or any other.
    fn setter(&mut self, object: Ref, call: Ref) {
        let made = self.store.object(call);
        let setter = made.filter(|call| call.first == END && call.how == How::Reduce && self.memo_state(call.args) == State::New);
        let args = setter.and_then(|call| self.store.items(call.args));
        self.tasks.push(Task::Op(Opcode::Pop));
        match (setter, args) {
            (Some(call), Some((ItemsKind::Tuple, &[first, state]))) if first == object => self.tasks.extend([
                Task::Op(Opcode::Reduce),
                Task::Op(Opcode::Tuple2),
                Task::Save(state),
                Task::Save(object),
                Task::Save(call.callable),
            ]),
            _ => self.tasks.push(Task::Save(call)),
        }
    }

    /// An object outside the pickle, by its id.
    fn persistent(&mut self, value: Ref, object: &Object) -> Result<()> {
        if !self.enter(value, 0)? {
            self.calls.open(value);
        }
        let steps = Task::Steps { object: value, step: object.first };
        let text = Item::new(self.document, object.callable).as_str();
        let has_line = text.is_some_and(|text| text.is_ascii() && !text.contains('\n'));
        if self.rules.protocol == 0 || self.rules.is_razorvine() && has_line {
            self.persistent_line(text)?;
            if self.shared.contains(&object.callable) {
                self.pay(text.map_or(0, str::len) as u64 / BYTES_OF_A_VALUE)?;
            }
            self.tasks.extend([steps, Task::Made(value)]);
        } else {
            self.tasks.extend([steps, Task::Made(value), Task::Op(Opcode::Binpersid), Task::SaveId(object.callable)]);
        }
        Ok(())
    }

    /// `PERSID`, which has the id each time.
    pub(super) fn persistent_line(&mut self, text: Option<&str>) -> Result<()> {
        let Some(text) = text.filter(|text| text.is_ascii() && !text.contains('\n')) else {
            let reason = "protocol 0 has them as a line of ASCII text";
            return Err(Error::new(ErrorKind::Unwritable { what: "a persistent id", reason }));
        };
        self.out.line(Opcode::Persid, |line| line.extend_from_slice(text.as_bytes()));
        Ok(())
    }

    /// Whether a value is outside the pickle by the hook's word.
    #[cold]
    pub(super) fn by_persistent_id(&mut self, value: Ref) -> Result<bool> {
        let Some(hook) = &mut self.hooks.persistent_id else { return Ok(false) };
        let Some(id) = hook(Item::new(self.document, value)) else { return Ok(false) };
        self.out.boundary()?;
        if self.rules.protocol == 0 || self.rules.is_razorvine() {
            self.persistent_line(Some(&id))?;
        } else {
            self.own_text(id.as_bytes())?;
            self.out.op(Opcode::Binpersid);
        }
        Ok(true)
    }

    /// Looks for values that are referred to more than once, if that matters: CPython gives some no number, and makes others for one call alone.
    pub(super) fn find_shared(&mut self, mut open: Vec<Ref>) {
        let is_needed = self.store.has_persistent || self.store.buffers > 0 || !self.store.fresh.is_empty() || self.rules.is_razorvine();
        if !is_needed {
            return;
        }
        let mut seen = RefSet::default();
        while let Some(value) = open.pop() {
            if value.index().is_none() {
                continue;
            }
            if seen.insert(value) {
                self.store.refers(value, &mut open);
            } else {
                self.shared.insert(value);
            }
        }
    }
}
