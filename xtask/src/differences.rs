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
pub const WRITTEN: &[WrittenDifference] = &[];

/// The rule that explains a difference in what is written.
#[must_use]
pub fn explain_written(written: &Written<'_>, word: &str) -> Option<&'static WrittenDifference> {
    WRITTEN.iter().find(|difference| (difference.explains)(written, word))
}
