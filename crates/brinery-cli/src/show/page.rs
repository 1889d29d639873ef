//! What the printer writes on: the output, or a line that may turn out too short.

use std::fmt::{self, Write};
use std::io::{self, Write as _};

use anstyle::Style;

use crate::output::Output;

/// Text with styles. Columns are counted as characters.
pub(super) trait Paper: Write {
    /// Writes in a style.
    fn put(&mut self, style: Style, text: &str) -> fmt::Result;

    /// Writes with a function, all in a style.
    fn put_with(&mut self, style: Style, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result;

    /// Whether there is certainly no room for so many columns.
    fn is_narrower_than(&self, columns: usize) -> bool;
}

/// The output.
pub(crate) struct Page<'o> {
    out: &'o mut Output,
    column: usize,
    error: Option<io::Error>,
}

impl<'o> Page<'o> {
    pub(crate) fn new(out: &'o mut Output) -> Self {
        Self { out, column: 0, error: None }
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    pub(super) fn colored(&self) -> bool {
        self.out.colored
    }

    pub(super) fn newline(&mut self, indent: usize) -> fmt::Result {
        const SPACES: &str = "                                                                ";
        self.raw("\n")?;
        let mut left = indent;
        while left > 0 {
            let some = left.min(SPACES.len());
            self.raw(SPACES.get(..some).unwrap_or_default())?;
            left -= some;
        }
        self.column = indent;
        Ok(())
    }

    /// Adds what was written on a line.
    pub(super) fn append(&mut self, line: &Line) -> fmt::Result {
        self.column += line.column;
        self.raw(&line.text)
    }

    fn raw(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }

    /// The result of writing, with the reason of a failure.
    pub(crate) fn finish(&mut self, result: fmt::Result) -> io::Result<()> {
        match (result, self.error.take()) {
            (_, Some(error)) => Err(error),
            (Err(fmt::Error), None) => Err(io::Error::other("the text could not be written")),
            (Ok(()), None) => Ok(()),
        }
    }
}

impl Write for Page<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.column += text.chars().count();
        self.raw(text)
    }
}

impl Paper for Page<'_> {
    fn put(&mut self, style: Style, text: &str) -> fmt::Result {
        self.put_with(style, |page| page.write_str(text))
    }

    fn put_with(&mut self, style: Style, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        let styled = self.out.colored && style != Style::new();
        if styled {
            self.raw(&style.to_string())?;
        }
        write(self)?;
        if styled { self.raw(&style.render_reset().to_string()) } else { Ok(()) }
    }

    fn is_narrower_than(&self, _columns: usize) -> bool {
        false
    }
}

/// A line that takes so many columns and no more: writing over its end is an error.
pub(super) struct Line {
    text: String,
    column: usize,
    room: usize,
    colored: bool,
}

impl Line {
    pub(super) fn new(colored: bool) -> Self {
        Self { text: String::new(), column: 0, room: 0, colored }
    }

    /// Empties it, and gives it so many columns.
    pub(super) fn begin(&mut self, room: usize) {
        self.text.clear();
        self.column = 0;
        self.room = room;
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// Columns that are left.
    pub(super) fn room(&self) -> usize {
        self.room - self.column
    }
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // no character is wider than four bytes, so much of a long text need not be counted
        if text.len() / 4 > self.room() {
            return Err(fmt::Error);
        }
        let columns = text.chars().count();
        if columns > self.room() {
            return Err(fmt::Error);
        }
        self.column += columns;
        self.text.push_str(text);
        Ok(())
    }
}

impl Paper for Line {
    fn put(&mut self, style: Style, text: &str) -> fmt::Result {
        self.put_with(style, |line| line.write_str(text))
    }

    fn put_with(&mut self, style: Style, write: impl FnOnce(&mut Self) -> fmt::Result) -> fmt::Result {
        let styled = self.colored && style != Style::new();
        if styled {
            // escapes take no columns
            self.text.push_str(&style.to_string());
        }
        write(self)?;
        if styled {
            self.text.push_str(&style.render_reset().to_string());
        }
        Ok(())
    }

    fn is_narrower_than(&self, columns: usize) -> bool {
        self.room() < columns
    }
}
