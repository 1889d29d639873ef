//! Where Brinery rightly differs from CPython 3.11. Everything else that differs is a fault.

/// A rule: a name, the reason, and which pickles it is about.
#[derive(Debug)]
pub struct Difference {
    /// A short name.
    pub name: &'static str,
    /// Why the difference is right.
    pub reason: &'static str,
    /// Whether it explains this: what CPython said, and what Brinery said.
    pub explains: fn(cpython: &Result<String, String>, brinery: &Result<String, String>) -> bool,
}

/// All rules.
pub const DIFFERENCES: &[Difference] = &[
    Difference {
        name: "extension",
        reason: "an extension code that is not registered is kept as what it is: reading needs no class, and so no registry",
        explains: |cpython, brinery| {
            cpython.as_ref().is_err_and(|error| error.contains("unregistered extension code"))
                && brinery.as_ref().is_ok_and(|value| value.contains("extension("))
        },
    },
    Difference {
        name: "buffer",
        reason: "an out-of-band buffer is kept as what it is without its data: only reading the data is an error",
        explains: |cpython, brinery| {
            cpython.as_ref().is_err_and(|error| {
                error.contains("out-of-band data but no *buffers* argument") || error.contains("not enough out-of-band buffers")
            }) && brinery.as_ref().is_ok_and(|value| value.contains("buffer"))
        },
    },
    Difference {
        name: "frame",
        reason: "frames are as PEP 3154 has them: CPython's C unpickler looks only whether a frame's bytes are there, so that what it reads from a \
                 file may differ from what it reads from memory",
        explains: |cpython, brinery| cpython.is_ok() && brinery.as_ref().is_err_and(|error| error.contains("frame")),
    },
    Difference {
        name: "huge-slot",
        reason: "a memo slot with a huge number is held sparsely, where CPython asks for memory up to it",
        explains: |cpython, brinery| cpython.as_ref().is_err_and(|error| error.starts_with("MemoryError")) && brinery.is_ok(),
    },
    Difference {
        name: "crash",
        reason: "CPython overflows its stack when it hashes a very deep key",
        explains: |cpython, brinery| cpython.as_ref().is_err_and(|error| error.starts_with("Crash:")) && brinery.is_ok(),
    },
    Difference {
        name: "memoised-setter",
        reason: "a call whose result is stored in the memo before it is dropped may be read from there: it is not taken for a state setter, but \
                 shown with what was dropped. CPython stores no setter's result",
        explains: |cpython, brinery| match (cpython, brinery) {
            (Ok(cpython), Ok(brinery)) => cpython.contains("; call(") && !brinery.contains("; call("),
            _ => false,
        },
    },
    Difference {
        name: "keywords-later",
        reason: "keyword arguments are shown as the dict that they are in the pickle, where CPython copies the dict when it makes the call; it may be \
                 filled after that",
        explains: |cpython, brinery| match (cpython, brinery) {
            (Ok(cpython), Ok(brinery)) => !cpython.contains("**{") && brinery.contains("**{"),
            _ => false,
        },
    },
];

/// The rule that explains a difference.
#[must_use]
pub fn explain(cpython: &Result<String, String>, brinery: &Result<String, String>) -> Option<&'static Difference> {
    DIFFERENCES.iter().find(|difference| (difference.explains)(cpython, brinery))
}

/// A pickle read at one protocol and written at another.
#[derive(Debug)]
pub struct Written<'a> {
    /// The object's name.
    pub name: &'a str,
    /// The protocol that was read.
    pub from: usize,
    /// The protocol that was written.
    pub to: usize,
    /// What was read.
    pub original: &'a [u8],
    /// What CPython writes at the other protocol.
    pub expected: Option<&'a [u8]>,
    /// What Brinery writes, or its error.
    pub result: Result<&'a [u8], &'a str>,
}

/// A rule about what is written.
#[derive(Debug)]
pub struct WrittenDifference {
    /// A short name.
    pub name: &'static str,
    /// Why the difference is right.
    pub reason: &'static str,
    /// Whether it explains this, and what CPython or Brinery says of it.
    pub explains: fn(&Written<'_>, word: &str) -> bool,
}

/// All rules about what is written.
pub const WRITTEN: &[WrittenDifference] = &[
    WrittenDifference {
        name: "same-name",
        reason: "two classes that have one name in Python 2 cannot be told apart in protocols 0 to 2, and are one class when they are read",
        explains: |written, word| {
            written.from == written.to && word == "other bytes" && written.to < 3 && has_repeated_global(written.original)
        },
    },
    WrittenDifference {
        name: "single-characters",
        reason: "an ASCII character that was not decoded is not the one object that Python else has for it; which of two such texts a single byte is \
                 spelled with, protocols from 3 on do not show",
        explains: |written, word| written.from >= 3 && written.to < 3 && word == "other bytes" && has_repeated_character(written.original),
    },
    WrittenDifference {
        name: "added-items",
        reason: "ADDITEMS is an opcode of protocol 4, which CPython writes for a new set alone: before that it is refused on an object, \
                 and for what comes into a set after a call that has the set",
        explains: |written, word| {
            let is_refused = word.contains("items are added to it as to a set") || word.contains("it is inside its own arguments");
            written.to < 4 && is_refused && written.original.contains(&0x90)
        },
    },
    WrittenDifference {
        name: "dis-ascii",
        reason: "pickletools of 3.11 takes the arguments of STRING and GLOBAL for ASCII; CPython's unpickler reads the same pickle",
        explains: |written, word| [0, 3].contains(&written.to) && word.starts_with("dis: UnicodeDecodeError: 'ascii'"),
    },
    WrittenDifference {
        name: "ascii-names",
        reason: "GLOBAL takes ASCII before protocol 3: CPython refuses other names as well",
        explains: |written, word| {
            written.to < 3 && word.contains("it is not ASCII, which needs protocol 3") && !written.original.is_ascii()
        },
    },
    WrittenDifference {
        name: "persistent-text",
        reason: "protocol 0 has persistent ids as text: CPython writes str(id) of any other, which does not come back as it was",
        explains: |written, word| written.to == 0 && word.contains("a line of ASCII text") && written.original.contains(&b'Q'),
    },
    WrittenDifference {
        name: "digits",
        reason: "protocols 0 and 1 have integers as decimal text, which CPython neither writes nor reads beyond 4,300 digits",
        explains: |written, word| written.to < 2 && word.contains("the limit on digits (4300)"),
    },
    WrittenDifference {
        name: "writable-buffer",
        reason: "a buffer without READONLY_BUFFER is writable, so that it is a bytearray in band; CPython's unpickler hands out what it was given",
        explains: |written, word| written.to < 5 && word.contains("bytes, and bytearray") && written.original.contains(&0x97),
    },
    WrittenDifference {
        name: "frame",
        reason: "frames are as PEP 3154 has them, as where pickles are only read",
        explains: |written, word| word.contains("frame") && written.original.contains(&0x95),
    },
];

/// Whether a pickle names a class twice by GLOBAL.
fn has_repeated_global(pickle: &[u8]) -> bool {
    let globals: Vec<_> = brinery::Lexer::new(pickle)
        .map_while(Result::ok)
        .filter_map(|token| match token.op {
            brinery::Op::Global((module, name)) => Some((module.to_vec(), name.to_vec())),
            _ => None,
        })
        .collect();
    (1..globals.len()).any(|at| globals[..at].contains(&globals[at]))
}

/// Whether a pickle has the text of one character twice.
fn has_repeated_character(pickle: &[u8]) -> bool {
    let mut found = std::collections::HashSet::new();
    brinery::Lexer::new(pickle).map_while(Result::ok).any(|token| match token.op {
        brinery::Op::ShortBinunicode(text) | brinery::Op::Binunicode(text) if text.len() == 1 => !found.insert(text[0]),
        _ => false,
    })
}

/// The rule that explains a difference in what is written.
#[must_use]
pub fn explain_written(written: &Written<'_>, word: &str) -> Option<&'static WrittenDifference> {
    WRITTEN.iter().find(|difference| (difference.explains)(written, word))
}
