//! Bytes to opcodes with their arguments.
//!
//! [`Op`] is an opcode with its argument, still as it stands in the input. The machine runs on these, the disassembler prints them;
//! neither reads bytes by itself. The functions of `read` look at a window of the input and either find a whole argument or say what it lacks, so
//! that one loop serves inputs that are all there and inputs that still arrive.

use crate::error::{Error, ErrorKind, Result};
use crate::opcode::Opcode;

macro_rules! ops {
    ($( $name:ident $(($type:ty))? = $read:expr; )*) => {
        /// An opcode with its argument, borrowed from the input.
        ///
        /// Texts are as they stand in the input, without their newline: quotes and escapes unresolved, numbers unread.
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[expect(missing_docs, reason = "the variants are those of `Opcode`")]
        pub enum Op<'b> { $( $name $(($type))?, )* }

        impl Op<'_> {
            /// Which opcode it is.
            #[must_use]
            pub fn opcode(&self) -> Opcode {
                match self { $( ops!(@any $name $($type)?) => Opcode::$name, )* }
            }
        }

        /// How the argument of each opcode is read: given a window of the input and where the opcode stands in it, the argument and
        /// where the next opcode is.
        pub(crate) mod read {
            #![expect(non_snake_case, reason = "the functions have the names of the opcodes")]
            #![expect(clippy::needless_lifetimes, reason = "only arguments that borrow need them")]
            use super::{Lack, big_endian, data, fixed, line, nothing, signed, two_lines};

            $(
                #[inline(always)]
                pub(crate) fn $name<'b>(window: &'b [u8], at: usize) -> Result<(ops!(@type 'b $($type)?), usize), Lack> {
                    $read(window, at)
                }
            )*
        }

        /// The opcode at `at` of a window, and where the next one is.
        fn decode(window: &[u8], at: usize) -> Result<(Op<'_>, usize), Lack> {
            Ok(match opcode_at(window, at)? {
                $( Opcode::$name => { let (argument, next) = read::$name(window, at)?; (ops!(@make $name argument $($type)?), next) } )*
            })
        }
    };
    (@any $name:ident $type:ty) => { Self::$name(_) };
    (@any $name:ident) => { Self::$name };
    (@type $life:lifetime $type:ty) => { $type };
    (@type $life:lifetime) => { () };
    (@make $name:ident $argument:ident $type:ty) => { Op::$name($argument) };
    (@make $name:ident $argument:ident) => {{ let () = $argument; Op::$name }};
}

ops! {
    Mark = nothing;
    Stop = nothing;
    Pop = nothing;
    PopMark = nothing;
    Dup = nothing;
    None = nothing;
    Newtrue = nothing;
    Newfalse = nothing;
    Int(&'b [u8]) = line;
    Long(&'b [u8]) = line;
    Binint(i32) = fixed::<i32, 4>;
    Binint1(u8) = fixed::<u8, 1>;
    Binint2(u16) = fixed::<u16, 2>;
    Long1(&'b [u8]) = data::<u8, 1>;
    Long4(&'b [u8]) = signed;
    Float(&'b [u8]) = line;
    Binfloat(f64) = big_endian;
    String(&'b [u8]) = line;
    Binstring(&'b [u8]) = signed;
    ShortBinstring(&'b [u8]) = data::<u8, 1>;
    Unicode(&'b [u8]) = line;
    Binunicode(&'b [u8]) = data::<u32, 4>;
    ShortBinunicode(&'b [u8]) = data::<u8, 1>;
    Binunicode8(&'b [u8]) = data::<u64, 8>;
    Binbytes(&'b [u8]) = data::<u32, 4>;
    ShortBinbytes(&'b [u8]) = data::<u8, 1>;
    Binbytes8(&'b [u8]) = data::<u64, 8>;
    Bytearray8(&'b [u8]) = data::<u64, 8>;
    NextBuffer = nothing;
    ReadonlyBuffer = nothing;
    EmptyList = nothing;
    List = nothing;
    Append = nothing;
    Appends = nothing;
    EmptyTuple = nothing;
    Tuple = nothing;
    Tuple1 = nothing;
    Tuple2 = nothing;
    Tuple3 = nothing;
    EmptyDict = nothing;
    Dict = nothing;
    Setitem = nothing;
    Setitems = nothing;
    EmptySet = nothing;
    Additems = nothing;
    Frozenset = nothing;
    Get(&'b [u8]) = line;
    Binget(u8) = fixed::<u8, 1>;
    LongBinget(u32) = fixed::<u32, 4>;
    Put(&'b [u8]) = line;
    Binput(u8) = fixed::<u8, 1>;
    LongBinput(u32) = fixed::<u32, 4>;
    Memoize = nothing;
    Global((&'b [u8], &'b [u8])) = two_lines;
    StackGlobal = nothing;
    Ext1(u8) = fixed::<u8, 1>;
    Ext2(u16) = fixed::<u16, 2>;
    Ext4(i32) = fixed::<i32, 4>;
    Inst((&'b [u8], &'b [u8])) = two_lines;
    Obj = nothing;
    Newobj = nothing;
    NewobjEx = nothing;
    Reduce = nothing;
    Build = nothing;
    Persid(&'b [u8]) = line;
    Binpersid = nothing;
    Proto(u8) = fixed::<u8, 1>;
    Frame(u64) = fixed::<u64, 8>;
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
#[inline(always)]
pub(crate) fn opcode_at(window: &[u8], at: usize) -> Result<Opcode, Lack> {
    let byte = *window.get(at).ok_or(Lack::Bytes(1))?;
    Opcode::from_byte(byte).ok_or(Lack::Wrong(ErrorKind::UnknownOpcode(byte)))
}

/// No argument.
#[inline(always)]
#[expect(clippy::unnecessary_wraps, reason = "it is one of the ways to read an argument")]
fn nothing(_window: &[u8], at: usize) -> Result<((), usize), Lack> {
    Ok(((), at + 1))
}

/// The first bytes of an argument.
#[inline(always)]
fn bytes<const N: usize>(window: &[u8], at: usize) -> Result<[u8; N], Lack> {
    let argument = window.get(at + 1..).and_then(<[u8]>::first_chunk);
    argument.copied().ok_or(Lack::Bytes(1 + N as u64))
}

/// A number that is little-endian.
trait LittleEndian<const N: usize>: Sized {
    fn from_bytes(bytes: [u8; N]) -> Self;
}

macro_rules! little_endian {
    ($($type:ident $size:literal),*) => { $(
        impl LittleEndian<$size> for $type {
            #[inline(always)]
            fn from_bytes(bytes: [u8; $size]) -> Self {
                Self::from_le_bytes(bytes)
            }
        }
    )* };
}

little_endian!(u8 1, u16 2, u32 4, u64 8, i32 4);

#[inline(always)]
fn fixed<T: LittleEndian<N>, const N: usize>(window: &[u8], at: usize) -> Result<(T, usize), Lack> {
    Ok((T::from_bytes(bytes(window, at)?), at + 1 + N))
}

#[inline(always)]
fn big_endian(window: &[u8], at: usize) -> Result<(f64, usize), Lack> {
    Ok((f64::from_be_bytes(bytes(window, at)?), at + 9))
}

/// Data after their length.
#[inline(always)]
fn data<T: LittleEndian<N> + Into<u64>, const N: usize>(window: &[u8], at: usize) -> Result<(&[u8], usize), Lack> {
    let (length, from) = fixed::<T, N>(window, at)?;
    counted(window, from, length.into(), 1 + N as u64)
}

/// Data after a length of four bytes that Python reads as signed.
#[inline(always)]
fn signed(window: &[u8], at: usize) -> Result<(&[u8], usize), Lack> {
    let (length, from) = fixed::<i32, 4>(window, at)?;
    match u64::try_from(length) {
        Ok(length) => counted(window, from, length, 5),
        Err(_) => Err(Lack::Wrong(ErrorKind::NegativeLength(length.into()))),
    }
}

#[inline(always)]
fn counted(window: &[u8], from: usize, length: u64, header: u64) -> Result<(&[u8], usize), Lack> {
    let data = usize::try_from(length).ok().and_then(|length| window.get(from..)?.get(..length));
    match data {
        Some(data) => Ok((data, from + data.len())),
        // 2^63 - 1 is also what CPython can take at most
        None if length > i64::MAX as u64 - header => Err(Lack::Wrong(ErrorKind::LengthTooLong(length))),
        None => Err(Lack::Bytes(header + length)),
    }
}

/// A module and a name.
type TwoLines<'b> = (&'b [u8], &'b [u8]);

/// A line, without its newline.
#[inline(always)]
fn line(window: &[u8], at: usize) -> Result<(&[u8], usize), Lack> {
    line_from(window, at + 1)
}

#[inline(always)]
fn two_lines(window: &[u8], at: usize) -> Result<(TwoLines<'_>, usize), Lack> {
    let (module, next) = line_from(window, at + 1)?;
    let (name, next) = line_from(window, next)?;
    Ok(((module, name), next))
}

#[inline(always)]
fn line_from(window: &[u8], from: usize) -> Result<(&[u8], usize), Lack> {
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
        match decode(self.input, self.at) {
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
