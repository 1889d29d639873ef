//! The pickle virtual machine: a stack, marks and a memo.
//!
//! This is the only place that says what an opcode does. Its rules are those of CPython's C unpickler (`Modules/_pickle.c`, Python
//! 3.11): values below the topmost mark are out of reach, `POP` takes a mark where one is on top, and an opcode that appends nothing does
//! not look at what it would append to. Frames follow PEP 3154.

use std::borrow::Cow;

use crate::bigint;
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{Data, Handler, Place};
use crate::input::Input;
use crate::lexer::{Lack, lack_error, opcode_at, read};
use crate::limits::Limits;
use crate::memo::Memo;
use crate::opcode::{HIGHEST_PROTOCOL, Opcode};
use crate::text::{self, Integer};

/// The stack, the marks and the memo. One machine runs any number of pickles and keeps its memory between them.
#[derive(Debug)]
pub struct Machine<R> {
    stack: Vec<R>,
    /// Heights of the stack at which a mark stands.
    marks: Vec<usize>,
    memo: Memo<R>,
    /// Where the open frame ends.
    frame_end: usize,
    /// Bytes of the input before the window.
    base: u64,
    /// The error of a frame that promises more than there is. It is reported when what there is of the frame has been read, in place of
    /// whatever stops the machine there.
    short_frame: Option<Error>,
}

/// How a pickle ended.
#[derive(Debug, Clone, Copy)]
pub struct End<R> {
    /// The pickle's value.
    pub value: R,
    /// Where in the window the first byte behind STOP is.
    pub offset: usize,
}

/// What of the machine's rules can be chosen.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Every limit.
    pub limits: Limits,
    /// Read frames as CPython 3.11's C unpickler does, which only looks whether a frame's bytes are all there.
    pub lax_frames: bool,
}

const NO_FRAME: usize = usize::MAX;

impl From<Lack> for Pause {
    #[inline(always)]
    fn from(lack: Lack) -> Self {
        Self::Lack(lack)
    }
}

impl From<Error> for Pause {
    #[inline(always)]
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<ErrorKind> for Pause {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self::Failed(kind.into())
    }
}

/// Why the machine does not simply go on with the next opcode.
enum Pause {
    Lack(Lack),
    Failed(Error),
    Frame { length: u64, next: usize },
    Stop { next: usize },
}

impl<R: Copy> Default for Machine<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Copy> Machine<R> {
    /// An empty machine.
    #[must_use]
    pub fn new() -> Self {
        Self { stack: Vec::new(), marks: Vec::new(), memo: Memo::new(), frame_end: NO_FRAME, base: 0, short_frame: None }
    }

    /// Empties the memo. It outlives a pickle otherwise, as that of a `pickle.Unpickler` does.
    pub fn forget(&mut self) {
        self.memo.clear();
    }

    /// What stands on the stack: after a failure, what was read before it; after STOP, what the pickle left behind.
    #[must_use]
    pub fn stack(&self) -> &[R] {
        &self.stack
    }

    /// Runs one pickle, which begins at `start` of the input's window.
    pub fn run<I: Input, H: Handler<Ref = R>>(&mut self, input: &mut I, start: usize, handler: &mut H, rules: &Rules) -> Result<End<R>> {
        self.stack.clear();
        self.marks.clear();
        self.frame_end = NO_FRAME;
        self.short_frame = None;
        self.base = input.base();
        let result = self.run_opcodes(input, start, handler, rules);
        match self.short_frame.take() {
            Some(error) => Err(error),
            None => result,
        }
    }

    fn run_opcodes<I: Input, H: Handler<Ref = R>>(
        &mut self,
        input: &mut I,
        start: usize,
        handler: &mut H,
        rules: &Rules,
    ) -> Result<End<R>> {
        let base = input.base();
        let mut at = start;
        loop {
            let window = input.window();
            let pause = match self.advance(window, at, handler, rules) {
                Ok(next) => {
                    at = next;
                    continue;
                }
                Err(pause) => pause,
            };
            let opcode = window.get(at).and_then(|&byte| Opcode::from_byte(byte));
            let located = |error: Error| error.locate(base + at as u64, opcode);
            match pause {
                Pause::Lack(lack) => Self::refill(input, lack, at, start)?,
                Pause::Failed(error) => return Err(located(error)),
                Pause::Frame { length, next } => {
                    if let Some(short) = self.enter_frame(input, length, next, rules).map_err(located)? {
                        self.short_frame.get_or_insert(located(short));
                    }
                    at = next;
                }
                Pause::Stop { next } => {
                    if self.frame_end != NO_FRAME {
                        return Err(located(ErrorKind::FrameUnfinished { end: self.base + self.frame_end as u64 }.into()));
                    }
                    let [value] = self.top_values().map_err(located)?;
                    self.stack.pop();
                    return Ok(End { value, offset: next });
                }
            }
        }
    }

    /// One opcode; where the next one is.
    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "one row for each opcode")]
    fn advance<H: Handler<Ref = R>>(&mut self, window: &[u8], at: usize, handler: &mut H, rules: &Rules) -> Result<usize, Pause> {
        // an opcode that pushes a value, and one that does something else
        macro_rules! push {
            ($name:ident, |$argument:pat_param, $place:pat_param| $value:expr) => {{
                let ($argument, next) = read::$name(window, at)?;
                let $place = self.begin(Opcode::$name, Place { window, offset: at, next }, handler)?;
                let value: R = $value;
                self.stack.push(value);
                self.check_depth(rules)?;
                Ok(next)
            }};
        }
        macro_rules! act {
            ($name:ident, |$argument:pat_param, $place:pat_param| $action:expr) => {{
                let ($argument, next) = read::$name(window, at)?;
                let $place = self.begin(Opcode::$name, Place { window, offset: at, next }, handler)?;
                $action;
                Ok(next)
            }};
        }
        match opcode_at(window, at)? {
            Opcode::Proto => act!(Proto, |protocol, _| state_protocol(protocol, handler)?),
            Opcode::Frame => {
                let (length, next) = read::Frame(window, at)?;
                self.begin(Opcode::Frame, Place { window, offset: at, next }, handler)?;
                Err(Pause::Frame { length, next })
            }
            Opcode::Stop => {
                let ((), next) = read::Stop(window, at)?;
                self.begin(Opcode::Stop, Place { window, offset: at, next }, handler)?;
                Err(Pause::Stop { next })
            }
            Opcode::Mark => act!(Mark, |(), _| {
                self.marks.push(self.stack.len());
                self.check_depth(rules)?;
            }),
            Opcode::Pop => act!(Pop, |(), at| self.drop_top(handler, at)?),
            Opcode::PopMark => act!(PopMark, |(), at| {
                let mark = self.mark()?;
                handler.pop(self.above(mark), at);
                self.stack.truncate(mark);
            }),
            Opcode::Dup => push!(Dup, |(), _| self.top()?),

            Opcode::None => push!(None, |(), _| handler.none()?),
            Opcode::Newtrue => push!(Newtrue, |(), _| handler.bool(true)?),
            Opcode::Newfalse => push!(Newfalse, |(), _| handler.bool(false)?),
            Opcode::Binint1 => push!(Binint1, |value, _| handler.int(value.into())?),
            Opcode::Binint2 => push!(Binint2, |value, _| handler.int(value.into())?),
            Opcode::Binint => push!(Binint, |value, _| handler.int(value.into())?),
            Opcode::Int => push!(Int, |line, _| integer(&text::int(non_empty(line)?, rules.limits.digits)?, handler)?),
            Opcode::Long => push!(Long, |line, _| integer(&text::long(non_empty(line)?, rules.limits.digits)?, handler)?),
            Opcode::Long1 => push!(Long1, |bytes, at| binary_integer(bytes, handler, at)?),
            Opcode::Long4 => push!(Long4, |bytes, at| binary_integer(bytes, handler, at)?),
            Opcode::Float => push!(Float, |line, _| handler.float(text::float(non_empty(line)?)?)?),
            Opcode::Binfloat => push!(Binfloat, |value, _| handler.float(value)?),

            Opcode::String => push!(String, |line, at| {
                let bytes = text::string(line)?;
                handler.str8(read_text(&bytes, at.offset + 2))?
            }),
            Opcode::Binstring => push!(Binstring, |bytes, at| handler.str8(counted(bytes, at))?),
            Opcode::ShortBinstring => push!(ShortBinstring, |bytes, at| handler.str8(counted(bytes, at))?),
            Opcode::Unicode => push!(Unicode, |line, at| {
                let bytes = text::unicode(line)?;
                handler.str(read_text(&bytes, at.offset + 1))?
            }),
            Opcode::ShortBinunicode => push!(ShortBinunicode, |bytes, at| handler.str(counted(bytes, at))?),
            Opcode::Binunicode => push!(Binunicode, |bytes, at| handler.str(counted(bytes, at))?),
            Opcode::Binunicode8 => push!(Binunicode8, |bytes, at| handler.str(counted(bytes, at))?),
            Opcode::ShortBinbytes => push!(ShortBinbytes, |bytes, at| handler.bytes(counted(bytes, at))?),
            Opcode::Binbytes => push!(Binbytes, |bytes, at| handler.bytes(counted(bytes, at))?),
            Opcode::Binbytes8 => push!(Binbytes8, |bytes, at| handler.bytes(counted(bytes, at))?),
            Opcode::Bytearray8 => push!(Bytearray8, |bytes, at| handler.bytearray(counted(bytes, at))?),
            Opcode::NextBuffer => push!(NextBuffer, |(), _| handler.next_buffer()?),
            Opcode::ReadonlyBuffer => push!(ReadonlyBuffer, |(), _| self.replace(|[buffer]| handler.readonly_buffer(buffer))?),

            Opcode::EmptyList => push!(EmptyList, |(), _| handler.list(&[])?),
            Opcode::List => push!(List, |(), _| self.collect(|items| handler.list(items))?),
            Opcode::Append => act!(Append, |(), at| {
                let [list, item] = self.top_values()?;
                handler.append(list, &[item], at)?;
                self.stack.pop();
            }),
            Opcode::Appends => act!(Appends, |(), at| self.extend(|list, items| handler.append(list, items, at))?),
            Opcode::EmptyTuple => push!(EmptyTuple, |(), _| handler.tuple(&[])?),
            Opcode::Tuple => push!(Tuple, |(), _| self.collect(|items| handler.tuple(items))?),
            Opcode::Tuple1 => push!(Tuple1, |(), _| self.replace(|items: [R; 1]| handler.tuple(&items))?),
            Opcode::Tuple2 => push!(Tuple2, |(), _| self.replace(|items: [R; 2]| handler.tuple(&items))?),
            Opcode::Tuple3 => push!(Tuple3, |(), _| self.replace(|items: [R; 3]| handler.tuple(&items))?),
            Opcode::EmptyDict => push!(EmptyDict, |(), at| handler.dict(&[], at)?),
            Opcode::Dict => push!(Dict, |(), at| self.collect(|items| handler.dict(pairs(items)?, at))?),
            Opcode::Setitem => act!(Setitem, |(), at| {
                let [dict, key, value] = self.top_values()?;
                handler.set_items(dict, &[key, value], at)?;
                self.stack.truncate(self.stack.len() - 2);
            }),
            Opcode::Setitems => act!(Setitems, |(), at| self.extend(|dict, items| handler.set_items(dict, pairs(items)?, at))?),
            Opcode::EmptySet => push!(EmptySet, |(), _| handler.empty_set()?),
            Opcode::Additems => act!(Additems, |(), at| self.extend(|set, items| handler.add_items(set, items, at))?),
            Opcode::Frozenset => push!(Frozenset, |(), at| self.collect(|items| handler.frozenset(items, at))?),

            Opcode::Get => push!(Get, |line, at| self.get(text::memo_index(non_empty(line)?, rules.limits.digits)?, handler, at)?),
            Opcode::Binget => push!(Binget, |index, at| self.get(index.into(), handler, at)?),
            Opcode::LongBinget => push!(LongBinget, |index, at| self.get(index.into(), handler, at)?),
            Opcode::Put => act!(Put, |line, _| self.put(text::memo_index(non_empty(line)?, rules.limits.digits)?, handler)?),
            Opcode::Binput => act!(Binput, |index, _| self.put(index.into(), handler)?),
            Opcode::LongBinput => act!(LongBinput, |index, _| self.put(index.into(), handler)?),
            Opcode::Memoize => act!(Memoize, |(), _| {
                let value = self.top()?;
                let index = self.memo.memoize(value);
                handler.put(index, value);
            }),

            Opcode::Global => push!(Global, |names, at| global(names, handler, at)?),
            Opcode::StackGlobal => push!(StackGlobal, |(), at| self.replace(|[module, name]| handler.stack_global(module, name, at))?),
            Opcode::Ext1 => push!(Ext1, |code, _| extension(code.into(), handler)?),
            Opcode::Ext2 => push!(Ext2, |code, _| extension(code.into(), handler)?),
            Opcode::Ext4 => push!(Ext4, |code, _| extension(code.into(), handler)?),
            Opcode::Inst => push!(Inst, |names, at| self.collect(|args| {
                let class = global(names, handler, at)?;
                handler.inst(class, args, at)
            })?),
            Opcode::Obj => push!(Obj, |(), at| self.collect(|items| match items.split_first() {
                Some((&class, args)) => handler.obj(class, args, at),
                None => Err(ErrorKind::StackUnderflow.into()),
            })?),
            Opcode::Newobj => push!(Newobj, |(), at| self.replace(|[class, args]| handler.new_object(class, args, at))?),
            Opcode::NewobjEx => {
                push!(NewobjEx, |(), at| self.replace(|[class, args, kwargs]| handler.new_object_ex(class, args, kwargs, at))?)
            }
            Opcode::Reduce => push!(Reduce, |(), at| self.replace(|[callable, args]| handler.reduce(callable, args, at))?),
            Opcode::Build => act!(Build, |(), at| {
                let [object, state] = self.top_values()?;
                handler.build(object, state, at)?;
                self.stack.pop();
            }),
            Opcode::Persid => {
                push!(Persid, |line, at| handler.persistent_text(Data { bytes: line, offset: Some(at.offset + 1) })?)
            }
            Opcode::Binpersid => push!(Binpersid, |(), _| self.replace(|[id]| handler.persistent(id))?),
        }
    }

    /// The opcode and its argument are there: what comes before its step.
    #[inline(always)]
    fn begin<'w, H: Handler<Ref = R>>(&mut self, opcode: Opcode, at: Place<'w>, handler: &mut H) -> Result<Place<'w>> {
        handler.opcode(opcode, at);
        if at.next >= self.frame_end {
            self.leave_frame(at.next, opcode)?;
        }
        Ok(at)
    }

    /// Takes the top of the stack away, be it a value or a mark.
    fn drop_top<H: Handler<Ref = R>>(&mut self, handler: &mut H, at: Place<'_>) -> Result<()> {
        if self.marks.last() == Some(&self.stack.len()) {
            self.marks.pop();
            return Ok(());
        }
        let values: [R; 1] = self.top_values()?;
        handler.pop(&values, at);
        self.stack.pop();
        Ok(())
    }

    /// Opens a frame, of which all must be there. If it is not, its error comes back, and what there is may be read for the document that a
    /// failure leaves.
    #[cold]
    fn enter_frame<I: Input>(&mut self, input: &mut I, length: u64, next: usize, rules: &Rules) -> Result<Option<Error>> {
        let end = frame_end(next, length)?;
        if !rules.lax_frames && self.frame_end != NO_FRAME {
            return Err(ErrorKind::FrameNested { end: self.base + self.frame_end as u64 }.into());
        }
        let is_whole = input.fill(end)?;
        if !rules.lax_frames && length > 0 {
            self.frame_end = usize::try_from(end).unwrap_or(NO_FRAME);
        }
        let found = input.window().len().saturating_sub(next) as u64;
        Ok((!is_whole).then(|| ErrorKind::FrameTruncated { promised: length, found }.into()))
    }

    /// Gets what a half opcode lacks, or says why it cannot be had.
    #[cold]
    fn refill<I: Input>(input: &mut I, lack: Lack, at: usize, start: usize) -> Result<()> {
        let filled = match lack {
            Lack::Bytes(count) => input.fill(at as u64 + count),
            Lack::Line(from) => input.fill_line(from),
            Lack::Wrong(_) => Ok(false),
        };
        match filled {
            Ok(true) => Ok(()),
            Ok(false) => Err(lack_error(lack, input.window(), at, start).shift(input.base())),
            Err(error) => {
                let opcode = input.window().get(at).and_then(|&byte| Opcode::from_byte(byte));
                Err(error.locate(input.base() + at as u64, opcode))
            }
        }
    }

    /// An opcode ends at the frame's end or behind it.
    #[cold]
    fn leave_frame(&mut self, next: usize, opcode: Opcode) -> Result<()> {
        if self.frame_end == NO_FRAME {
            return Ok(());
        }
        if next > self.frame_end {
            let end = self.base + self.frame_end as u64;
            return Err(match opcode {
                Opcode::Frame => ErrorKind::FrameNested { end },
                _ => ErrorKind::FrameStraddled { end },
            }
            .into());
        }
        self.frame_end = NO_FRAME;
        Ok(())
    }

    #[inline(always)]
    fn check_depth(&self, rules: &Rules) -> Result<()> {
        if self.stack.len() + self.marks.len() > rules.limits.depth {
            return Err(ErrorKind::LimitExceeded { limit: "depth", at: rules.limits.depth as u64 }.into());
        }
        Ok(())
    }

    /// The height below which the stack is out of reach.
    #[inline(always)]
    fn fence(&self) -> usize {
        self.marks.last().copied().unwrap_or(0)
    }

    #[cold]
    fn underflow(&self) -> Error {
        if self.marks.is_empty() { ErrorKind::StackUnderflow } else { ErrorKind::UnexpectedMark }.into()
    }

    /// The topmost values, the topmost last. They stay until a step is done, so that a failure leaves all that was read.
    #[inline(always)]
    fn top_values<const N: usize>(&self) -> Result<[R; N]> {
        match self.stack.last_chunk::<N>() {
            Some(values) if self.stack.len() - N >= self.fence() => Ok(*values),
            _ => Err(self.underflow()),
        }
    }

    #[inline(always)]
    fn top(&self) -> Result<R> {
        self.top_values().map(|[value]| value)
    }

    /// Makes one value of the topmost, in whose place it will stand.
    #[inline(always)]
    fn replace<const N: usize>(&mut self, make: impl FnOnce([R; N]) -> Result<R>) -> Result<R> {
        let value = make(self.top_values()?)?;
        self.stack.truncate(self.stack.len() - N);
        Ok(value)
    }

    /// Takes the topmost mark away; where it stood.
    #[inline(always)]
    fn mark(&mut self) -> Result<usize> {
        self.marks.pop().ok_or_else(|| ErrorKind::MissingMark.into())
    }

    #[inline(always)]
    fn above(&self, height: usize) -> &[R] {
        self.stack.get(height..).unwrap_or_default()
    }

    /// Makes one value of everything above the mark.
    #[inline(always)]
    fn collect(&mut self, make: impl FnOnce(&[R]) -> Result<R>) -> Result<R> {
        let mark = self.mark()?;
        let value = make(self.above(mark))?;
        self.stack.truncate(mark);
        Ok(value)
    }

    /// Does something with everything above the mark to the value below it.
    #[inline(always)]
    fn extend(&mut self, act: impl FnOnce(R, &[R]) -> Result<()>) -> Result<()> {
        let mark = self.mark()?;
        let target = match mark.checked_sub(1).and_then(|below| self.stack.get(below)) {
            Some(&target) if mark > self.fence() => target,
            _ => return Err(self.underflow()),
        };
        let items = self.above(mark);
        if !items.is_empty() {
            act(target, items)?;
        }
        self.stack.truncate(mark);
        Ok(())
    }

    #[inline(always)]
    fn get<H: Handler<Ref = R>>(&mut self, index: u64, handler: &mut H, at: Place<'_>) -> Result<R> {
        let value = self.memo.get(index).ok_or_else(|| Error::new(ErrorKind::MemoMissing(index)))?;
        handler.get(index, value, at);
        Ok(value)
    }

    #[inline(always)]
    fn put<H: Handler<Ref = R>>(&mut self, index: u64, handler: &mut H) -> Result<()> {
        let value = self.top()?;
        self.memo.put(index, value);
        handler.put(index, value);
        Ok(())
    }
}

fn frame_end(next: usize, length: u64) -> Result<u64, ErrorKind> {
    let end = (next as u64).checked_add(length).filter(|&end| i64::try_from(end).is_ok());
    end.ok_or(ErrorKind::FrameTooLong(length))
}

fn non_empty(line: &[u8]) -> Result<&[u8], ErrorKind> {
    if line.is_empty() { Err(text::invalid("a text", line)) } else { Ok(line) }
}

fn pairs<R>(items: &[R]) -> Result<&[R], ErrorKind> {
    if items.len().is_multiple_of(2) { Ok(items) } else { Err(ErrorKind::OddItems(items.len())) }
}

fn state_protocol<H: Handler>(protocol: u8, handler: &mut H) -> Result<()> {
    if protocol > HIGHEST_PROTOCOL {
        return Err(ErrorKind::UnsupportedProtocol(protocol).into());
    }
    handler.protocol(protocol);
    Ok(())
}

/// Data that end where the opcode does.
#[inline(always)]
fn counted<'w>(bytes: &'w [u8], at: Place<'_>) -> Data<'w> {
    Data { bytes, offset: Some(at.next - bytes.len()) }
}

/// A text that stands at `offset` as it is, if it has no escapes.
#[expect(clippy::ptr_arg, reason = "whether it is borrowed tells whether it has escapes")]
fn read_text<'t>(text: &'t Cow<'_, [u8]>, offset: usize) -> Data<'t> {
    Data { bytes: text, offset: matches!(text, Cow::Borrowed(_)).then_some(offset) }
}

fn integer<H: Handler>(value: &Integer, handler: &mut H) -> Result<H::Ref> {
    match value {
        Integer::Bool(value) => handler.bool(*value),
        Integer::Small(value) => handler.int(*value),
        Integer::Big(bytes) => handler.big_int(Data { bytes, offset: None }),
    }
}

fn binary_integer<H: Handler>(bytes: &[u8], handler: &mut H, at: Place<'_>) -> Result<H::Ref> {
    match bigint::to_i64(bytes) {
        Some(value) => handler.int(value),
        None => handler.big_int(Data { bytes: bigint::minimal(bytes), ..counted(bytes, at) }),
    }
}

fn global<H: Handler>((module, name): (&[u8], &[u8]), handler: &mut H, at: Place<'_>) -> Result<H::Ref> {
    let (module, name) = (non_empty(module)?, non_empty(name)?);
    let offset = at.offset + 1;
    let name_offset = offset + module.len() + 1;
    handler.global(Data { bytes: module, offset: Some(offset) }, Data { bytes: name, offset: Some(name_offset) }, at)
}

fn extension<H: Handler>(code: i64, handler: &mut H) -> Result<H::Ref> {
    match u32::try_from(code) {
        Ok(code) if code > 0 => handler.extension(code),
        _ => Err(ErrorKind::InvalidExtension(code).into()),
    }
}
