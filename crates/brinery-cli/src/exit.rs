//! How the command ends.

use std::process::ExitCode;

use brinery::{Error, ErrorKind};

/// Exit codes. From 10 on they are what `check` found, one for each cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    Fine = 0,
    CouldNot = 2,
    Empty = 10,
    Container = 11,
    NoPickle = 12,
    Truncated = 13,
    Opcode = 14,
    Protocol = 15,
    Frame = 16,
    Stack = 17,
    Memo = 18,
    Argument = 19,
    Kind = 20,
    Items = 21,
    Limit = 22,
    Extension = 23,
    Other = 24,
}

/// The causes that `check` tells apart: code, word for `--json`, meaning for `--help`.
pub(crate) const CAUSES: [(Exit, &str, &str); 15] = [
    (Exit::Empty, "empty", "the file is empty"),
    (Exit::Container, "container", "not a raw pickle: compressed, a zip file, an array file ..."),
    (Exit::NoPickle, "no-pickle", "not a pickle: the first byte is no opcode"),
    (Exit::Truncated, "truncated", "the file ends before the pickle does"),
    (Exit::Opcode, "opcode", "a byte that is no opcode"),
    (Exit::Protocol, "protocol", "a protocol that does not exist yet"),
    (Exit::Frame, "frame", "frames that overlap, or that opcodes cross"),
    (Exit::Stack, "stack", "too few values or no mark on the stack"),
    (Exit::Memo, "memo", "a memo slot that was never filled"),
    (Exit::Argument, "argument", "a number, length or text that cannot be read"),
    (Exit::Kind, "kind", "a value of the wrong kind, such as APPEND to an int"),
    (Exit::Items, "items", "an unhashable key, a key without a value"),
    (Exit::Limit, "limit", "a limit is exceeded"),
    (Exit::Extension, "extension", "an extension code that cannot be"),
    (Exit::Other, "other", "anything else"),
];

impl Exit {
    /// The cause of an error in the pickle that begins at `start`.
    pub(crate) fn of(error: &Error, start: u64) -> Self {
        match error.kind() {
            ErrorKind::Empty => Self::Empty,
            // a pickle of protocol 4 that is cut off lacks the end of its frame
            ErrorKind::MissingStop | ErrorKind::Truncated { .. } | ErrorKind::FrameTruncated { .. } => Self::Truncated,
            ErrorKind::UnknownOpcode(_) if start == 0 && error.offset() == Some(0) => Self::NoPickle,
            ErrorKind::UnknownOpcode(_) => Self::Opcode,
            ErrorKind::UnsupportedProtocol(_) => Self::Protocol,
            ErrorKind::FrameTooLong(_)
            | ErrorKind::FrameStraddled { .. }
            | ErrorKind::FrameNested { .. }
            | ErrorKind::FrameUnfinished { .. } => Self::Frame,
            ErrorKind::StackUnderflow | ErrorKind::UnexpectedMark | ErrorKind::MissingMark => Self::Stack,
            ErrorKind::MemoMissing(_) => Self::Memo,
            ErrorKind::NegativeLength(_)
            | ErrorKind::LengthTooLong(_)
            | ErrorKind::InvalidText { .. }
            | ErrorKind::InvalidUtf8 { .. }
            | ErrorKind::InvalidEncoding { .. } => Self::Argument,
            ErrorKind::WrongKind { .. } => Self::Kind,
            ErrorKind::OddItems(_) | ErrorKind::Unhashable(_) | ErrorKind::IndexOutOfRange => Self::Items,
            ErrorKind::LimitExceeded { .. } => Self::Limit,
            ErrorKind::InvalidExtension(_) => Self::Extension,
            _ => Self::Other,
        }
    }

    /// The word that stands for a cause in `--json`.
    pub(crate) fn word(self) -> &'static str {
        CAUSES.iter().find(|(exit, ..)| *exit == self).map_or("other", |(_, word, _)| word)
    }

    pub(crate) fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
