//! Where text goes: data to stdout, talk to stderr.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

use anstream::AutoStream;
use anstyle::{AnsiColor, Style};
use clap::ColorChoice;

/// How things look at a terminal.
pub(crate) mod style {
    use super::{AnsiColor, Style};

    pub(crate) const TEXT: Style = AnsiColor::Green.on_default();
    pub(crate) const NUMBER: Style = AnsiColor::Cyan.on_default();
    pub(crate) const CONSTANT: Style = AnsiColor::Magenta.on_default();
    pub(crate) const NAME: Style = AnsiColor::Yellow.on_default();
    pub(crate) const LABEL: Style = AnsiColor::BrightRed.on_default();
    pub(crate) const CUT: Style = Style::new().dimmed();
    pub(crate) const HEADING: Style = Style::new().dimmed();
    pub(crate) const OPCODE: Style = AnsiColor::Blue.on_default();
    pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
    pub(crate) const PLAIN: Style = Style::new();
}

/// Makes the choice of `--color` known to both streams.
pub(crate) fn choose_color(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
}

/// Buffered standard output, and whether it is to be coloured.
///
/// Uncoloured text is never given escapes, rather than having them stripped again: output may be gigabytes.
pub(crate) struct Output {
    out: BufWriter<StdoutLock<'static>>,
    pub(crate) colored: bool,
}

impl Output {
    pub(crate) fn new() -> Self {
        let stdout = io::stdout();
        let colored = AutoStream::choice(&stdout) != anstream::ColorChoice::Never;
        Self { out: BufWriter::with_capacity(64 << 10, stdout.lock()), colored }
    }

    /// Writes text in a style.
    pub(crate) fn styled(&mut self, style: Style, text: &str) -> io::Result<()> {
        if self.colored && style != Style::new() { write!(self.out, "{style}{text}{style:#}") } else { self.out.write_all(text.as_bytes()) }
    }

    /// A line that begins with `#`, as what is no data does.
    pub(crate) fn heading(&mut self, text: &str) -> io::Result<()> {
        self.styled(style::HEADING, &format!("# {text}"))?;
        self.out.write_all(b"\n")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes).map_err(told)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes).map_err(told)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush().map_err(told)
    }
}

/// The error, saying what it is about.
#[cold]
fn told(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::BrokenPipe => error,
        kind => io::Error::new(kind, format!("standard output cannot be written: {error}")),
    }
}

/// Columns of the screen that stdout goes to; 100 where it goes elsewhere.
pub(crate) fn width() -> usize {
    let stdout = io::stdout();
    if stdout.is_terminal()
        && let Some((width, _)) = terminal_size::terminal_size_of(&stdout)
    {
        return usize::from(width.0).max(20);
    }
    100
}

/// A line on stderr about an error.
pub(crate) fn complain(text: &str) {
    let mut err = anstream::stderr().lock();
    let _ = writeln!(err, "{0}brinery: {0:#}{text}", style::ERROR);
}

/// A line on stderr about what is worth knowing.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "brinery: {text}");
}

/// Whether what went wrong is only that nobody reads any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|error| error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe))
}

/// A number with commas between its thousands.
pub(crate) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted: `1 pickle`, `2 pickles`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}
