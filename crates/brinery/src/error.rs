//! What can go wrong, where, and how it is told.

use std::fmt;
use std::io;

use crate::opcode::{HIGHEST_PROTOCOL, Opcode};

/// A result with Brinery's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a pickle could not be read or written: what was found ([`kind`](Self::kind)), where in the pickle ([`offset`](Self::offset)) and by
/// which opcode, or where in the value ([`path`](Self::path)). It is one machine word wide.
///
/// ```
/// let error = brinery::Document::from_slice(b"\x80\x04h\x07.").unwrap_err();
/// assert_eq!(error.to_string(), "offset 2: BINGET 7: memo slot 7 was never filled");
/// assert_eq!(error.offset(), Some(2));
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    offset: Option<u64>,
    opcode: Option<Opcode>,
    path: Option<Box<str>>,
    /// Which value of a document it is about.
    #[cfg(feature = "serde")]
    place: Option<crate::de::Place>,
}

impl Inner {
    fn new(kind: ErrorKind) -> Self {
        Self {
            kind,
            offset: None,
            opcode: None,
            path: None,
            #[cfg(feature = "serde")]
            place: None,
        }
    }
}

/// What went wrong.
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// There is nothing: the input ends where a pickle should begin.
    Empty,
    /// The input ends before STOP, between two opcodes.
    MissingStop,
    /// The input ends inside an opcode's argument.
    Truncated {
        /// Bytes that the opcode and its argument need; `None` for a line without an end.
        needed: Option<u64>,
        /// Bytes that there are from the opcode on.
        found: u64,
    },
    /// A byte that is no opcode.
    UnknownOpcode(u8),
    /// A protocol newer than [`HIGHEST_PROTOCOL`].
    UnsupportedProtocol(u8),
    /// An opcode takes more values than stand on the stack.
    StackUnderflow,
    /// A mark stands where a value is needed.
    UnexpectedMark,
    /// An opcode takes everything above a mark, and there is none.
    MissingMark,
    /// A GET of a memo slot that was never filled.
    MemoMissing(u64),
    /// A frame promises more bytes than there are.
    FrameTruncated {
        /// Bytes promised.
        promised: u64,
        /// Bytes there are.
        found: u64,
    },
    /// A frame's length is over what any machine could hold.
    FrameTooLong(u64),
    /// An opcode or its argument stands across the end of a frame.
    FrameStraddled {
        /// Where the frame ends.
        end: u64,
    },
    /// A frame begins inside another.
    FrameNested {
        /// Where the outer frame ends.
        end: u64,
    },
    /// The pickle ends before its frame does.
    FrameUnfinished {
        /// Where the frame ends.
        end: u64,
    },
    /// A length is negative.
    NegativeLength(i64),
    /// A length is over what any machine could hold.
    LengthTooLong(u64),
    /// A text argument that is not what the opcode needs.
    InvalidText {
        /// What the opcode needs.
        expected: &'static str,
        /// What there was, shortened.
        found: String,
    },
    /// Text that is not UTF-8 (surrogates may stand alone).
    InvalidUtf8 {
        /// Bytes of the text that are right.
        valid_up_to: usize,
    },
    /// An 8-bit string that the chosen encoding cannot read.
    InvalidEncoding {
        /// The encoding.
        encoding: &'static str,
        /// Bytes of the string that are right.
        valid_up_to: usize,
    },
    /// An opcode got a value of a kind that it cannot work on.
    WrongKind {
        /// What is needed, such as `a list`.
        expected: &'static str,
        /// What there is, such as `int`.
        found: &'static str,
    },
    /// A key without a value.
    OddItems(usize),
    /// A list, dict, set or bytearray (or a tuple with one of them inside) as a key or an element of a set.
    Unhashable(&'static str),
    /// An item of a list is set whose place does not exist.
    IndexOutOfRange,
    /// An extension code below 1.
    InvalidExtension(i64),
    /// A limit of [`Limits`](crate::Limits) was met.
    LimitExceeded {
        /// The limit's name in [`Limits`](crate::Limits).
        limit: &'static str,
        /// The limit.
        at: u64,
    },
    /// Two values that refer to each other cannot become a tree.
    Cyclic,
    /// The data of an out-of-band buffer is not there.
    BufferAbsent(usize),
    /// Nothing is registered for a type, or for a class.
    Unregistered(String),
    /// A value is not what a type needs.
    Unexpected {
        /// What is needed, such as `a string`.
        expected: String,
        /// What there is, such as `int 5`.
        found: String,
    },
    /// So many bytes stand behind the pickle.
    TrailingBytes(u64),
    /// What a program's own function says.
    Custom(String),
    /// An [`Id`](crate::Id) is not of this document.
    UnknownId,
    /// The reader failed.
    Io(io::Error),
    /// The writer failed.
    Write(io::Error),
    /// A value cannot be written as asked.
    Unwritable {
        /// The value, such as `a buffer`.
        what: &'static str,
        /// Why not.
        reason: &'static str,
    },
}

/// A coarse division of [`ErrorKind`], as of `serde_json::error::Category`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Category {
    /// The reader failed.
    Io,
    /// The input ends too early.
    Eof,
    /// The bytes are not a pickle.
    Syntax,
    /// The bytes are opcodes, which ask for something that cannot be.
    Data,
    /// A limit was met.
    Limit,
}

impl Error {
    #[cold]
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner::new(kind)))
    }

    /// An error of a program's own, such as of a function that makes something of an object.
    #[cold]
    pub fn custom(message: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Custom(message.to_string()))
    }

    #[cold]
    pub(crate) fn at(kind: ErrorKind, offset: u64, opcode: Option<Opcode>) -> Self {
        Self(Box::new(Inner { offset: Some(offset), opcode, ..Inner::new(kind) }))
    }

    /// Adds where it happened, where that is not known yet.
    #[cold]
    pub(crate) fn locate(mut self, offset: u64, opcode: Option<Opcode>) -> Self {
        if self.0.offset.is_none() {
            self.0.offset = Some(offset);
            self.0.opcode = opcode;
        }
        self
    }

    /// Adds where in a value it happened.
    #[cold]
    pub(crate) fn with_path(mut self, path: String) -> Self {
        if !path.is_empty() {
            self.0.path.get_or_insert(path.into_boxed_str());
        }
        self
    }

    /// Adds a part of the way to the value, in front of those that are there.
    #[cfg(feature = "serde")]
    #[cold]
    pub(crate) fn within(mut self, part: fmt::Arguments<'_>) -> Self {
        let path = self.0.path.take().unwrap_or_default();
        self.0.path = Some(format!("{part}{path}").into_boxed_str());
        self
    }

    /// Adds which value it is about, or more of where that is; a value that is new to the error may change its words.
    #[cfg(feature = "serde")]
    #[cold]
    pub(crate) fn placed(mut self, place: crate::de::Place, reword: impl FnOnce(&mut ErrorKind)) -> Self {
        match &mut self.0.place {
            Some(known) => known.add(place),
            None => {
                self.0.place = Some(place);
                reword(&mut self.0.kind);
            }
        }
        self
    }

    /// Which value of a document it is about.
    #[cfg(feature = "serde")]
    pub(crate) fn place(&self) -> Option<crate::de::Place> {
        self.0.place
    }

    /// Counts the offset from the start of the input instead of that of the window.
    #[cold]
    pub(crate) fn shift(mut self, base: u64) -> Self {
        self.0.offset = self.0.offset.map(|offset| offset + base);
        self
    }

    /// What went wrong.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// A coarse division of [`kind`](Self::kind).
    #[must_use]
    pub fn classify(&self) -> Category {
        self.0.kind.category()
    }

    /// Where the opcode stands that failed, in bytes from the start of the input.
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset
    }

    /// Where in the value it happened: as a Python expression has it, such as `['users'][3]`, and with the fields of structs as attributes, such as
    /// `.users[3].email`, where the types are a program's own.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.0.path.as_deref()
    }

    /// The opcode that failed.
    #[must_use]
    pub fn opcode(&self) -> Option<Opcode> {
        self.0.opcode
    }
}

impl ErrorKind {
    /// A coarse division.
    #[must_use]
    pub fn category(&self) -> Category {
        match self {
            Self::Io(_) | Self::Write(_) => Category::Io,
            Self::Empty | Self::MissingStop | Self::Truncated { .. } | Self::FrameTruncated { .. } => Category::Eof,
            Self::UnknownOpcode(_)
            | Self::UnsupportedProtocol(_)
            | Self::FrameTooLong(_)
            | Self::FrameStraddled { .. }
            | Self::FrameNested { .. }
            | Self::FrameUnfinished { .. }
            | Self::NegativeLength(_)
            | Self::LengthTooLong(_)
            | Self::InvalidText { .. }
            | Self::InvalidUtf8 { .. } => Category::Syntax,
            Self::StackUnderflow
            | Self::UnexpectedMark
            | Self::MissingMark
            | Self::MemoMissing(_)
            | Self::InvalidEncoding { .. }
            | Self::WrongKind { .. }
            | Self::OddItems(_)
            | Self::Unhashable(_)
            | Self::IndexOutOfRange
            | Self::InvalidExtension(_)
            | Self::Cyclic
            | Self::Unwritable { .. }
            | Self::UnknownId
            | Self::Unregistered(_)
            | Self::Custom(_)
            | Self::Unexpected { .. }
            | Self::TrailingBytes(_)
            | Self::BufferAbsent(_) => Category::Data,
            Self::LimitExceeded { .. } => Category::Limit,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, opcode, path, .. } = &*self.0;
        if let Some(path) = path {
            write!(f, "{path}: ")?;
        }
        // what is wrong with a value of the pickle comes first, and then where it is
        if let Some(offset) = offset
            && (path.is_some() || matches!(kind, ErrorKind::Unexpected { .. } | ErrorKind::Custom(_)))
        {
            return write!(f, "{kind} at offset {offset}");
        }
        if let Some(offset) = offset {
            write!(f, "offset {offset}: ")?;
        }
        if let Some(opcode) = opcode {
            write!(f, "{opcode}")?;
            match kind {
                ErrorKind::MemoMissing(index) => write!(f, " {index}: ")?,
                _ => f.write_str(": ")?,
            }
        }
        fmt::Display::fmt(kind, f)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the input is empty: expected a pickle"),
            Self::MissingStop => f.write_str("the input ends without STOP: expected an opcode"),
            Self::Truncated { needed: Some(needed), found } => {
                write!(f, "the input ends inside the argument: expected {needed} bytes from here, found {found}")
            }
            Self::Truncated { needed: None, found } => {
                write!(f, "the input ends inside the argument: expected a newline, found none in {found} bytes")
            }
            Self::UnknownOpcode(byte) => {
                write!(f, "byte 0x{byte:02x}")?;
                if byte.is_ascii_graphic() {
                    write!(f, " ('{}')", *byte as char)?;
                }
                f.write_str(" is no opcode")
            }
            Self::UnsupportedProtocol(protocol) => {
                write!(f, "protocol {protocol} is unknown: expected 0 to {HIGHEST_PROTOCOL}")
            }
            Self::StackUnderflow => f.write_str("the stack holds too few values"),
            Self::UnexpectedMark => f.write_str("found a mark where a value is needed"),
            Self::MissingMark => f.write_str("no mark is on the stack"),
            Self::MemoMissing(index) => write!(f, "memo slot {index} was never filled"),
            Self::FrameTruncated { promised, found } => {
                write!(f, "the frame promises {promised} bytes, the input holds {found} more")
            }
            Self::FrameTooLong(length) => write!(f, "the frame's length {length} is over 2^63 - 1"),
            Self::FrameStraddled { end } => write!(f, "the opcode stands across the frame's end at offset {end}"),
            Self::FrameNested { end } => write!(f, "a frame begins inside the one that ends at offset {end}"),
            Self::FrameUnfinished { end } => write!(f, "the pickle ends inside the frame that ends at offset {end}"),
            Self::NegativeLength(length) => write!(f, "the length {length} is negative"),
            Self::LengthTooLong(length) => write!(f, "the length {length} is over 2^63 - 1"),
            Self::InvalidText { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::InvalidUtf8 { valid_up_to } => {
                write!(f, "the text is not UTF-8: byte {valid_up_to} of it is wrong")
            }
            Self::InvalidEncoding { encoding, valid_up_to } => {
                write!(f, "the 8-bit string is not {encoding}: byte {valid_up_to} of it is wrong")
            }
            Self::WrongKind { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::OddItems(count) => write!(f, "expected keys and values, found {count} items"),
            Self::Unhashable(kind) => write!(f, "a {kind} cannot be a key or an element of a set"),
            Self::IndexOutOfRange => f.write_str("the list has no such item"),
            Self::InvalidExtension(code @ ..1) => write!(f, "extension code {code} is below 1"),
            Self::InvalidExtension(code) => write!(f, "extension code {code} is over 2^31 - 1"),
            Self::LimitExceeded { limit, at } => write!(f, "the limit on {limit} ({at}) is exceeded"),
            Self::Cyclic => f.write_str("the value is inside itself, which neither a tree nor a pickle without a memo can be"),
            Self::BufferAbsent(index) => write!(f, "the data of out-of-band buffer {index} is not there"),
            Self::Unregistered(what) => write!(f, "nothing is registered for {what}"),
            Self::Custom(message) => f.write_str(message),
            Self::Unexpected { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::TrailingBytes(count) => write!(f, "{count} bytes stand behind the pickle"),
            Self::UnknownId => f.write_str("the id is of another document"),
            Self::Io(error) => write!(f, "reading failed: {error}"),
            Self::Write(error) => write!(f, "writing failed: {error}"),
            Self::Unwritable { what, reason } => write!(f, "{what} cannot be written: {reason}"),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, offset, opcode, path, .. } = &*self.0;
        f.debug_struct("Error").field("kind", kind).field("offset", offset).field("opcode", opcode).field("path", path).finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.kind {
            ErrorKind::Io(error) | ErrorKind::Write(error) => Some(error),
            _ => None,
        }
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::new(ErrorKind::Io(error))
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        let kind = match error.classify() {
            Category::Io => match error.0.kind {
                ErrorKind::Io(inner) | ErrorKind::Write(inner) => return inner,
                _ => io::ErrorKind::Other,
            },
            Category::Eof => io::ErrorKind::UnexpectedEof,
            Category::Syntax | Category::Data | Category::Limit => io::ErrorKind::InvalidData,
        };
        Self::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_one_word() {
        assert_eq!(size_of::<Error>(), size_of::<usize>());
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }
}
