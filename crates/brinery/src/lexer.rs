//! Bytes to opcodes with their arguments.
//!
//! [`Op`] is an opcode with its argument, still as it stands in the input. The machine runs on these, the disassembler prints them;
//! neither reads bytes by itself. `decode` looks at a window of the input and either finds a whole opcode or says what it lacks, so
//! that one loop serves inputs that are all there and inputs that still arrive.

use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;

macro_rules! ops {
    ($( $name:ident $(($arg:ty))?, )*) => {
        /// An opcode with its argument, borrowed from the input.
        ///
        /// Texts are as they stand in the input, without their newline: quotes and escapes unresolved, numbers unread.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[expect(missing_docs, reason = "the variants are those of `Opcode`")]
        pub enum Op<'b> { $( $name $(($arg))?, )* }

        impl Op<'_> {
            /// Which opcode it is.
            #[must_use]
            pub fn opcode(&self) -> Opcode {
                match self { $( ops!(@pattern $name $($arg)?) => Opcode::$name, )* }
            }
        }
    };
    (@pattern $name:ident $arg:ty) => { Self::$name(_) };
    (@pattern $name:ident) => { Self::$name };
}

ops! {
    Mark, Stop, Pop, PopMark, Dup,
    None, Newtrue, Newfalse,
    Int(&'b [u8]), Long(&'b [u8]), Binint(i32), Binint1(u8), Binint2(u16), Long1(&'b [u8]), Long4(&'b [u8]),
    Float(&'b [u8]), Binfloat(f64),
    String(&'b [u8]), Binstring(&'b [u8]), ShortBinstring(&'b [u8]),
    Unicode(&'b [u8]), Binunicode(&'b [u8]), ShortBinunicode(&'b [u8]), Binunicode8(&'b [u8]),
    Binbytes(&'b [u8]), ShortBinbytes(&'b [u8]), Binbytes8(&'b [u8]), Bytearray8(&'b [u8]),
    NextBuffer, ReadonlyBuffer,
    EmptyList, List, Append, Appends,
    EmptyTuple, Tuple, Tuple1, Tuple2, Tuple3,
    EmptyDict, Dict, Setitem, Setitems,
    EmptySet, Additems, Frozenset,
    Get(&'b [u8]), Binget(u8), LongBinget(u32), Put(&'b [u8]), Binput(u8), LongBinput(u32), Memoize,
    Global((&'b [u8], &'b [u8])), StackGlobal, Ext1(u8), Ext2(u16), Ext4(i32),
    Inst((&'b [u8], &'b [u8])), Obj, Newobj, NewobjEx, Reduce, Build,
    Persid(&'b [u8]), Binpersid,
    Proto(u8), Frame(u64),
}

impl<'b> Op<'b> {
    /// The argument's text or data, for opcodes that have one of one piece.
    #[must_use]
    pub fn data(&self) -> Option<&'b [u8]> {
        Some(match *self {
            Self::Int(data)
            | Self::Long(data)
            | Self::Long1(data)
            | Self::Long4(data)
            | Self::Float(data)
            | Self::String(data)
            | Self::Binstring(data)
            | Self::ShortBinstring(data)
            | Self::Unicode(data)
            | Self::Binunicode(data)
            | Self::ShortBinunicode(data)
            | Self::Binunicode8(data)
            | Self::Binbytes(data)
            | Self::ShortBinbytes(data)
            | Self::Binbytes8(data)
            | Self::Bytearray8(data)
            | Self::Get(data)
            | Self::Put(data)
            | Self::Persid(data) => data,
            _ => return None,
        })
    }
}

/// Why there is no whole opcode in the window.
#[derive(Debug)]
pub(crate) enum Lack {
    /// So many bytes are needed from the opcode on.
    Bytes(u64),
    /// A newline is needed, at this place of the window or after it.
    Line(usize),
    /// More bytes would not help.
    Wrong(ErrorKind),
}

/// The opcode at `at` of a window.
pub(crate) fn opcode_at(window: &[u8], at: usize) -> Result<Opcode, Lack> {
    let byte = *window.get(at).ok_or(Lack::Bytes(1))?;
    Opcode::from_byte(byte).ok_or(Lack::Wrong(ErrorKind::UnknownOpcode(byte)))
}

/// The argument of an opcode that stands at `at`, and where the next opcode is.
#[inline(always)]
pub(crate) fn decode(opcode: Opcode, window: &[u8], at: usize) -> Result<(Op<'_>, usize), Lack> {
    let after = at + 1;
    let rest = window.get(after..).unwrap_or_default();
    // the arguments, by form; each gives the argument and where the next opcode is
    macro_rules! fixed {
        ($type:ty, $variant:ident) => {{
            let (bytes, _) = rest.split_first_chunk().ok_or(Lack::Bytes(1 + size_of::<$type>() as u64))?;
            (Op::$variant(<$type>::from_le_bytes(*bytes)), after + size_of::<$type>())
        }};
    }
    macro_rules! data {
        ($length:ty, $variant:ident) => {{
            let (data, next) = data::<{ size_of::<$length>() }>(rest, after, |bytes| Ok(<$length>::from_le_bytes(bytes).into()))?;
            (Op::$variant(data), next)
        }};
    }
    macro_rules! signed_data {
        ($variant:ident) => {{
            let (data, next) = data::<4>(rest, after, |bytes| {
                let length = i32::from_le_bytes(bytes);
                u64::try_from(length).map_err(|_| ErrorKind::NegativeLength(length.into()))
            })?;
            (Op::$variant(data), next)
        }};
    }
    macro_rules! line {
        ($variant:ident) => {{
            let (line, next) = line(window, after)?;
            (Op::$variant(line), next)
        }};
    }
    macro_rules! two_lines {
        ($variant:ident) => {{
            let (module, next) = line(window, after)?;
            let (name, next) = line(window, next)?;
            (Op::$variant((module, name)), next)
        }};
    }
    Ok(match opcode {
        Opcode::Mark => (Op::Mark, after),
        Opcode::Stop => (Op::Stop, after),
        Opcode::Pop => (Op::Pop, after),
        Opcode::PopMark => (Op::PopMark, after),
        Opcode::Dup => (Op::Dup, after),
        Opcode::None => (Op::None, after),
        Opcode::Newtrue => (Op::Newtrue, after),
        Opcode::Newfalse => (Op::Newfalse, after),
        Opcode::Int => line!(Int),
        Opcode::Long => line!(Long),
        Opcode::Binint => fixed!(i32, Binint),
        Opcode::Binint1 => fixed!(u8, Binint1),
        Opcode::Binint2 => fixed!(u16, Binint2),
        Opcode::Long1 => data!(u8, Long1),
        Opcode::Long4 => signed_data!(Long4),
        Opcode::Float => line!(Float),
        Opcode::Binfloat => {
            let (bytes, _) = rest.split_first_chunk().ok_or(Lack::Bytes(9))?;
            (Op::Binfloat(f64::from_be_bytes(*bytes)), after + 8)
        }
        Opcode::String => line!(String),
        Opcode::Binstring => signed_data!(Binstring),
        Opcode::ShortBinstring => data!(u8, ShortBinstring),
        Opcode::Unicode => line!(Unicode),
        Opcode::Binunicode => data!(u32, Binunicode),
        Opcode::ShortBinunicode => data!(u8, ShortBinunicode),
        Opcode::Binunicode8 => data!(u64, Binunicode8),
        Opcode::Binbytes => data!(u32, Binbytes),
        Opcode::ShortBinbytes => data!(u8, ShortBinbytes),
        Opcode::Binbytes8 => data!(u64, Binbytes8),
        Opcode::Bytearray8 => data!(u64, Bytearray8),
        Opcode::NextBuffer => (Op::NextBuffer, after),
        Opcode::ReadonlyBuffer => (Op::ReadonlyBuffer, after),
        Opcode::EmptyList => (Op::EmptyList, after),
        Opcode::List => (Op::List, after),
        Opcode::Append => (Op::Append, after),
        Opcode::Appends => (Op::Appends, after),
        Opcode::EmptyTuple => (Op::EmptyTuple, after),
        Opcode::Tuple => (Op::Tuple, after),
        Opcode::Tuple1 => (Op::Tuple1, after),
        Opcode::Tuple2 => (Op::Tuple2, after),
        Opcode::Tuple3 => (Op::Tuple3, after),
        Opcode::EmptyDict => (Op::EmptyDict, after),
        Opcode::Dict => (Op::Dict, after),
        Opcode::Setitem => (Op::Setitem, after),
        Opcode::Setitems => (Op::Setitems, after),
        Opcode::EmptySet => (Op::EmptySet, after),
        Opcode::Additems => (Op::Additems, after),
        Opcode::Frozenset => (Op::Frozenset, after),
        Opcode::Get => line!(Get),
        Opcode::Binget => fixed!(u8, Binget),
        Opcode::LongBinget => fixed!(u32, LongBinget),
        Opcode::Put => line!(Put),
        Opcode::Binput => fixed!(u8, Binput),
        Opcode::LongBinput => fixed!(u32, LongBinput),
        Opcode::Memoize => (Op::Memoize, after),
        Opcode::Global => two_lines!(Global),
        Opcode::StackGlobal => (Op::StackGlobal, after),
        Opcode::Ext1 => fixed!(u8, Ext1),
        Opcode::Ext2 => fixed!(u16, Ext2),
        Opcode::Ext4 => fixed!(i32, Ext4),
        Opcode::Inst => two_lines!(Inst),
        Opcode::Obj => (Op::Obj, after),
        Opcode::Newobj => (Op::Newobj, after),
        Opcode::NewobjEx => (Op::NewobjEx, after),
        Opcode::Reduce => (Op::Reduce, after),
        Opcode::Build => (Op::Build, after),
        Opcode::Persid => line!(Persid),
        Opcode::Binpersid => (Op::Binpersid, after),
        Opcode::Proto => fixed!(u8, Proto),
        Opcode::Frame => fixed!(u64, Frame),
    })
}

/// Data after a length of `N` bytes, and where the next opcode is.
#[inline(always)]
fn data<const N: usize>(rest: &[u8], after: usize, length: impl FnOnce([u8; N]) -> Result<u64, ErrorKind>) -> Result<(&[u8], usize), Lack> {
    let header = 1 + N as u64;
    let (bytes, rest) = rest.split_first_chunk::<N>().ok_or(Lack::Bytes(header))?;
    let length = length(*bytes).map_err(Lack::Wrong)?;
    match usize::try_from(length).ok().and_then(|length| rest.get(..length)) {
        Some(data) => Ok((data, after + N + data.len())),
        // 2^63 - 1 is also what CPython can take at most
        None if length > i64::MAX as u64 - header => Err(Lack::Wrong(ErrorKind::LengthTooLong(length))),
        None => Err(Lack::Bytes(header + length)),
    }
}

/// The line that begins at `from`, without its newline, and where the next one begins.
#[inline(always)]
fn line(window: &[u8], from: usize) -> Result<(&[u8], usize), Lack> {
    let rest = window.get(from..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest).ok_or(Lack::Line(window.len().max(from)))?;
    Ok((rest.get(..end).unwrap_or_default(), from + end + 1))
}

/// An opcode, where it stands, and how long it is with its argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token<'b> {
    /// Bytes from the start of the input.
    pub offset: usize,
    /// Bytes of the opcode and its argument.
    pub size: usize,
    /// The opcode with its argument.
    pub op: Op<'b>,
}

/// An iterator over the opcodes of a pickle in memory, as `pickletools.genops`: it knows no stack and no memo, and ends after
/// STOP or the first error.
///
/// ```
/// let names: Vec<_> = brinery::Lexer::new(b"\x80\x04K\x01.").map(|token| token.unwrap().op.opcode().name()).collect();
/// assert_eq!(names, ["PROTO", "BININT1", "STOP"]);
/// ```
#[derive(Debug, Clone)]
pub struct Lexer<'b> {
    input: &'b [u8],
    at: usize,
    start: usize,
    done: bool,
}

impl<'b> Lexer<'b> {
    /// Starts at the first byte.
    #[must_use]
    pub fn new(input: &'b [u8]) -> Self {
        Self::new_at(input, 0)
    }

    /// Starts at the given byte; offsets still count from the first.
    #[must_use]
    pub fn new_at(input: &'b [u8], start: usize) -> Self {
        Self { input, at: start, start, done: false }
    }

    /// Where the next opcode begins: after STOP, the end of the pickle.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.at
    }
}

impl<'b> Iterator for Lexer<'b> {
    type Item = Result<Token<'b>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match opcode_at(self.input, self.at).and_then(|opcode| decode(opcode, self.input, self.at)) {
            Ok((op, next)) => {
                let token = Token { offset: self.at, size: next - self.at, op };
                self.at = next;
                self.done = matches!(op, Op::Stop);
                Some(Ok(token))
            }
            Err(lack) => {
                self.done = true;
                Some(Err(lack_error(lack, self.input, self.at, self.start)))
            }
        }
    }
}

/// The error for an opcode at `at` that will never be whole, in a pickle that begins at `start`.
#[cold]
pub(crate) fn lack_error(lack: Lack, window: &[u8], at: usize, start: usize) -> Error {
    let found = window.len().saturating_sub(at) as u64;
    let opcode = window.get(at).and_then(|&byte| Opcode::from_byte(byte));
    let kind = match lack {
        Lack::Bytes(_) if found == 0 && at == start => ErrorKind::Empty,
        Lack::Bytes(_) if found == 0 => ErrorKind::MissingStop,
        Lack::Bytes(needed) => ErrorKind::Truncated { needed: Some(needed), found },
        Lack::Line(_) => ErrorKind::Truncated { needed: None, found },
        Lack::Wrong(kind) => kind,
    };
    Error::at(kind, at as u64, opcode)
}
