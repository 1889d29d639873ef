//! The pickle virtual machine: a stack, marks and a memo.
//!
//! This is the only place that says what an opcode does. Its rules are those of CPython's C unpickler (`Modules/_pickle.c`, Python
//! 3.11): values below the topmost mark are out of reach, `POP` takes a mark where one is on top, and an opcode that appends nothing does
//! not look at what it would append to. Frames follow PEP 3154.

use crate::bigint;
use crate::error::{Error, ErrorKind, Result};
use crate::handler::{Data, Handler, Place};
use crate::input::Input;
use crate::lexer::{Lack, Op, decode, lack_error};
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
        Self { stack: Vec::new(), marks: Vec::new(), memo: Memo::new(), frame_end: NO_FRAME }
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
                Pause::Lack(lack) => self.refill(input, lack, at, start)?,
                Pause::Failed(error) => return Err(located(error)),
                Pause::Frame { length, next } => {
                    self.enter_frame(input, length, next, rules).map_err(located)?;
                    at = next;
                }
                Pause::Stop { next } => {
                    if self.frame_end != NO_FRAME {
                        return Err(located(ErrorKind::FrameUnfinished { end: self.frame_end as u64 }.into()));
                    }
                    let [value] = self.top_values().map_err(located)?;
                    self.stack.pop();
                    return Ok(End { value, offset: next });
                }
            }
        }
    }

    /// One opcode; where the next one is.
    ///
    /// What most pickles consist of is compiled once for each opcode, so that a step costs one jump; the rest shares one compilation.
    #[inline(always)]
    fn advance<H: Handler<Ref = R>>(&mut self, window: &[u8], at: usize, handler: &mut H, rules: &Rules) -> Result<usize, Pause> {
        let byte = *window.get(at).ok_or(Pause::Lack(Lack::Bytes(1)))?;
        macro_rules! frequent {
            ($($name:ident)*) => {{
                $( #[allow(non_upper_case_globals)] const $name: u8 = Opcode::$name as u8; )*
                match byte {
                    $( $name => self.one(Opcode::$name, window, at, handler, rules), )*
                    _ => self.any(byte, window, at, handler, rules),
                }
            }};
        }
        frequent! {
            Binint1 Binint2 Binint Binfloat None Newtrue Newfalse
            ShortBinunicode Binunicode ShortBinbytes ShortBinstring
            Memoize Binput LongBinput Binget LongBinget
            Mark EmptyList Append Appends EmptyTuple Tuple Tuple1 Tuple2 Tuple3 EmptyDict Setitem Setitems
        }
    }

    #[inline(never)]
    fn any<H: Handler<Ref = R>>(&mut self, byte: u8, window: &[u8], at: usize, handler: &mut H, rules: &Rules) -> Result<usize, Pause> {
        match Opcode::from_byte(byte) {
            Some(opcode) => self.one(opcode, window, at, handler, rules),
            None => Err(Pause::Lack(Lack::Wrong(ErrorKind::UnknownOpcode(byte)))),
        }
    }

    #[inline(always)]
    fn one<H: Handler<Ref = R>>(
        &mut self,
        opcode: Opcode,
        window: &[u8],
        at: usize,
        handler: &mut H,
        rules: &Rules,
    ) -> Result<usize, Pause> {
        let (op, next) = decode(opcode, window, at).map_err(Pause::Lack)?;
        let place = Place { window, offset: at, next };
        handler.opcode(opcode, place);
        if next >= self.frame_end {
            self.leave_frame(next, &op).map_err(Pause::Failed)?;
        }
        match op {
            Op::Frame(length) => return Err(Pause::Frame { length, next }),
            Op::Stop => return Err(Pause::Stop { next }),
            op => self.step(op, place, handler, rules).map_err(Pause::Failed)?,
        }
        Ok(next)
    }

    /// Opens a frame. All of it must be there before any of it is believed.
    #[cold]
    fn enter_frame<I: Input>(&mut self, input: &mut I, length: u64, next: usize, rules: &Rules) -> Result<()> {
        let end = frame_end(next, length)?;
        if !rules.lax_frames && self.frame_end != NO_FRAME {
            return Err(ErrorKind::FrameNested { end: self.frame_end as u64 }.into());
        }
        if !input.fill(end)? {
            let found = (input.window().len() - next) as u64;
            return Err(ErrorKind::FrameTruncated { promised: length, found }.into());
        }
        if !rules.lax_frames && length > 0 {
            self.frame_end = end as usize;
        }
        Ok(())
    }

    /// Everything but FRAME and STOP.
    #[inline(always)]
    fn step<H: Handler<Ref = R>>(&mut self, op: Op<'_>, at: Place<'_>, handler: &mut H, rules: &Rules) -> Result<()> {
        // bytes that end where the opcode does, as all counted data do
        let counted = |bytes| Data { bytes, offset: Some(at.next - <[u8]>::len(bytes)) };
        let value = match op {
            Op::Frame(_) | Op::Stop => return Ok(()),
            Op::Proto(protocol) => {
                if protocol > HIGHEST_PROTOCOL {
                    return Err(ErrorKind::UnsupportedProtocol(protocol).into());
                }
                handler.protocol(protocol);
                return Ok(());
            }
            Op::Mark => {
                self.marks.push(self.stack.len());
                return self.check_depth(rules);
            }
            Op::Pop => {
                if self.marks.last() == Some(&self.stack.len()) {
                    self.marks.pop();
                } else {
                    let values: [R; 1] = self.top_values()?;
                    handler.pop(&values, at);
                    self.stack.pop();
                }
                return Ok(());
            }
            Op::PopMark => {
                let mark = self.mark()?;
                handler.pop(self.above(mark), at);
                self.stack.truncate(mark);
                return Ok(());
            }
            Op::Dup => self.top()?,

            Op::None => handler.none()?,
            Op::Newtrue => handler.bool(true)?,
            Op::Newfalse => handler.bool(false)?,
            Op::Binint1(value) => handler.int(value.into())?,
            Op::Binint2(value) => handler.int(value.into())?,
            Op::Binint(value) => handler.int(value.into())?,
            Op::Int(line) => integer(handler, &text::int(non_empty(line)?, rules.limits.digits)?)?,
            Op::Long(line) => integer(handler, &text::long(non_empty(line)?, rules.limits.digits)?)?,
            Op::Long1(bytes) | Op::Long4(bytes) => match bigint::to_i64(bytes) {
                Some(value) => handler.int(value)?,
                None => {
                    let offset = Some(at.next - bytes.len());
                    handler.big_int(Data { bytes: bigint::minimal(bytes), offset })?
                }
            },
            Op::Float(line) => handler.float(text::float(non_empty(line)?)?)?,
            Op::Binfloat(value) => handler.float(value)?,

            Op::String(line) => {
                let bytes = text::string(line)?;
                let offset = matches!(bytes, std::borrow::Cow::Borrowed(_)).then_some(at.offset + 2);
                handler.str8(Data { bytes: &bytes, offset })?
            }
            Op::Binstring(bytes) | Op::ShortBinstring(bytes) => handler.str8(counted(bytes))?,
            Op::Unicode(line) => {
                let bytes = text::unicode(line)?;
                let offset = matches!(bytes, std::borrow::Cow::Borrowed(_)).then_some(at.offset + 1);
                handler.str(Data { bytes: &bytes, offset })?
            }
            Op::ShortBinunicode(bytes) | Op::Binunicode(bytes) | Op::Binunicode8(bytes) => handler.str(counted(bytes))?,
            Op::ShortBinbytes(bytes) | Op::Binbytes(bytes) | Op::Binbytes8(bytes) => handler.bytes(counted(bytes))?,
            Op::Bytearray8(bytes) => handler.bytearray(counted(bytes))?,
            Op::NextBuffer => handler.next_buffer()?,
            Op::ReadonlyBuffer => self.replace(|[buffer]| handler.readonly_buffer(buffer))?,

            Op::EmptyList => handler.list(&[])?,
            Op::List => self.collect(|items| handler.list(items))?,
            Op::Append => {
                let [list, item] = self.top_values()?;
                handler.append(list, &[item], at)?;
                self.stack.pop();
                return Ok(());
            }
            Op::Appends => return self.extend(|list, items| handler.append(list, items, at)),
            Op::EmptyTuple => handler.tuple(&[])?,
            Op::Tuple => self.collect(|items| handler.tuple(items))?,
            Op::Tuple1 => self.replace(|items: [R; 1]| handler.tuple(&items))?,
            Op::Tuple2 => self.replace(|items: [R; 2]| handler.tuple(&items))?,
            Op::Tuple3 => self.replace(|items: [R; 3]| handler.tuple(&items))?,
            Op::EmptyDict => handler.dict(&[], at)?,
            Op::Dict => self.collect(|items| handler.dict(pairs(items)?, at))?,
            Op::Setitem => {
                let [dict, key, value] = self.top_values()?;
                handler.set_items(dict, &[key, value], at)?;
                self.stack.truncate(self.stack.len() - 2);
                return Ok(());
            }
            Op::Setitems => return self.extend(|dict, items| handler.set_items(dict, pairs(items)?, at)),
            Op::EmptySet => handler.empty_set()?,
            Op::Additems => return self.extend(|set, items| handler.add_items(set, items, at)),
            Op::Frozenset => self.collect(|items| handler.frozenset(items, at))?,

            Op::Get(line) => self.get(text::memo_index(non_empty(line)?, rules.limits.digits)?, handler, at)?,
            Op::Binget(index) => self.get(index.into(), handler, at)?,
            Op::LongBinget(index) => self.get(index.into(), handler, at)?,
            Op::Put(line) => return self.put(text::memo_index(non_empty(line)?, rules.limits.digits)?, handler),
            Op::Binput(index) => return self.put(index.into(), handler),
            Op::LongBinput(index) => return self.put(index.into(), handler),
            Op::Memoize => {
                let value = self.top()?;
                let index = self.memo.memoize(value);
                handler.put(index, value);
                return Ok(());
            }

            Op::Global((module, name)) => global(module, name, handler, at)?,
            Op::StackGlobal => self.replace(|[module, name]| handler.stack_global(module, name, at))?,
            Op::Ext1(code) => extension(code.into(), handler)?,
            Op::Ext2(code) => extension(code.into(), handler)?,
            Op::Ext4(code) => extension(code.into(), handler)?,
            Op::Inst((module, name)) => {
                let mark = self.mark()?;
                let class = global(module, name, handler, at)?;
                let value = handler.inst(class, self.above(mark), at)?;
                self.stack.truncate(mark);
                value
            }
            Op::Obj => {
                let mark = self.mark()?;
                let Some((&class, args)) = self.above(mark).split_first() else {
                    return Err(ErrorKind::StackUnderflow.into());
                };
                let value = handler.obj(class, args, at)?;
                self.stack.truncate(mark);
                value
            }
            Op::Newobj => self.replace(|[class, args]| handler.new_object(class, args, at))?,
            Op::NewobjEx => self.replace(|[class, args, kwargs]| handler.new_object_ex(class, args, kwargs, at))?,
            Op::Reduce => self.replace(|[callable, args]| handler.reduce(callable, args, at))?,
            Op::Build => {
                let [object, state] = self.top_values()?;
                handler.build(object, state, at)?;
                self.stack.pop();
                return Ok(());
            }
            Op::Persid(line) => handler.persistent_text(Data { bytes: line, offset: Some(at.offset + 1) })?,
            Op::Binpersid => self.replace(|[id]| handler.persistent(id))?,
        };
        self.stack.push(value);
        self.check_depth(rules)
    }

    /// Gets what a half opcode lacks, or says why it cannot be had.
    #[cold]
    fn refill<I: Input>(&self, input: &mut I, lack: Lack, at: usize, start: usize) -> Result<()> {
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
                Err(Error::from(error).locate(input.base() + at as u64, opcode))
            }
        }
    }

    /// An opcode ends at the frame's end or behind it.
    #[cold]
    fn leave_frame(&mut self, next: usize, op: &Op<'_>) -> Result<()> {
        if self.frame_end == NO_FRAME {
            return Ok(());
        }
        if next > self.frame_end {
            let end = self.frame_end as u64;
            return Err(match op {
                Op::Frame(_) => ErrorKind::FrameNested { end },
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
    let end = (next as u64).checked_add(length).filter(|&end| end <= i64::MAX as u64);
    end.ok_or(ErrorKind::FrameTooLong(length))
}

fn non_empty(line: &[u8]) -> Result<&[u8], ErrorKind> {
    if line.is_empty() { Err(text::invalid("a text", line)) } else { Ok(line) }
}

fn pairs<R>(items: &[R]) -> Result<&[R], ErrorKind> {
    if items.len().is_multiple_of(2) { Ok(items) } else { Err(ErrorKind::OddItems(items.len())) }
}

fn integer<H: Handler>(handler: &mut H, value: &Integer) -> Result<H::Ref> {
    match value {
        Integer::Bool(value) => handler.bool(*value),
        Integer::Small(value) => handler.int(*value),
        Integer::Big(bytes) => handler.big_int(Data { bytes, offset: None }),
    }
}

fn global<H: Handler>(module: &[u8], name: &[u8], handler: &mut H, at: Place<'_>) -> Result<H::Ref> {
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
