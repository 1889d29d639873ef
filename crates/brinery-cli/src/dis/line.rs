//! A line for each opcode, printed when it is over: only then is known what it did.

use std::fmt::Write as _;
use std::io::{self, Write};

use brinery::handler::Place;
use brinery::{Opcode, Result};
use serde_json::json;

use super::value::{Values, cut, kind};
use crate::args::Reading;
use crate::output::{Output, style};
use crate::sites::{Act, Site, Trace, Watch};

/// How lines look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) json: bool,
    /// Columns, if long lines are cut.
    pub(crate) width: Option<usize>,
    /// Digits of offsets.
    pub(crate) digits: usize,
}

/// An opcode that has begun.
struct Pending {
    opcode: Opcode,
    offset: usize,
    next: usize,
    /// Marks before it.
    marks: usize,
    act: Option<Act>,
    memo: Option<(u64, Site)>,
}

/// Prints opcodes.
pub(crate) struct Listing<'w> {
    out: Output,
    /// The pickles' bytes: what stands at a value's offset is not repeated elsewhere.
    window: &'w [u8],
    values: Values,
    look: Look,
    pending: Option<Pending>,
    error: Option<io::Error>,
    /// The pickle is not one of those to be listed.
    unwanted: bool,
    /// Memory for a line.
    line: String,
}

/// How long a description of a value is at most, if lines are cut.
const DESCRIPTION: usize = 40;
/// Deeper marks are not indented any more.
const MOST_INDENTED: usize = 16;

impl<'w> Listing<'w> {
    pub(crate) fn new(window: &'w [u8], out: Output, reading: &Reading, look: Look) -> Self {
        let values = Values::new(reading);
        Self { out, window, values, look, pending: None, error: None, unwanted: false, line: String::new() }
    }

    fn heading(&mut self, text: &str) -> io::Result<()> {
        if self.look.json { Ok(()) } else { self.out.heading(text) }
    }

    /// The names of the columns.
    pub(crate) fn columns(&mut self) -> io::Result<()> {
        let digits = self.look.digits;
        self.heading(&format!("{:>1$}  op  stack  memo  opcode", "offset", digits - 2))
    }

    /// Begins a pickle.
    pub(crate) fn begin_pickle(&mut self, nth: usize, start: usize, wanted: bool) -> io::Result<()> {
        self.unwanted = !wanted;
        if wanted && nth > 0 { self.heading(&format!("pickle {nth}, from offset {start}")) } else { Ok(()) }
    }

    /// Ends the last line of a pickle. If the opcode failed, what it would have left on the stack is not known.
    pub(crate) fn end_pickle(&mut self, trace: &Trace, failed_at: Option<u64>) -> io::Result<()> {
        // an opcode that could not even be read has not begun
        let failed = self.pending.as_ref().is_some_and(|pending| failed_at == Some(pending.offset as u64));
        self.finish(trace, failed);
        let flushed = self.out.flush();
        match self.error.take() {
            Some(error) => Err(error),
            None => flushed,
        }
    }

    fn finish(&mut self, trace: &Trace, failed: bool) {
        let Some(pending) = self.pending.take() else { return };
        if self.error.is_some() {
            return;
        }
        let result = if self.look.json { self.json(&pending, trace, failed) } else { self.text(&pending, trace, failed) };
        self.error = result.err();
    }

    fn text(&mut self, pending: &Pending, trace: &Trace, failed: bool) -> io::Result<()> {
        let window = self.window;
        let at = Place { window, offset: pending.offset, next: pending.next };
        let limit = self.look.width.unwrap_or(usize::MAX);
        let byte = pending.opcode.byte();
        self.line.clear();
        let line = &mut self.line;
        // writing to a string does not fail
        let _ = match byte {
            b'!'..=b'~' => write!(line, "{:>1$}  {2:<2}", pending.offset, self.look.digits, char::from(byte)),
            _ => write!(line, "{:>1$}  {2:02x}", pending.offset, self.look.digits, byte),
        };
        let _ = if failed { write!(line, "  {:>5}", "-") } else { write!(line, "  {:>5}", trace.depth) };
        let _ = match pending.memo {
            Some((index, _)) => write!(line, "  {index:>4}  "),
            None => write!(line, "  {:>4}  ", ""),
        };
        let indent = pending.marks.min(trace.marks.len()).min(MOST_INDENTED);
        line.extend(std::iter::repeat_n("  ", indent));
        let before_name = line.len();
        line.push_str(pending.opcode.name());
        let after_name = line.len();
        let room = limit.saturating_sub(after_name + 1).max(16);
        let argument = self.values.argument(at, room);
        if !argument.is_empty() {
            line.push(' ');
            line.push_str(&argument);
        }
        let described = limit.min(DESCRIPTION.max(limit / 3));
        let note = note(&mut self.values, pending, trace, window, described);
        if !note.is_empty() {
            // notes stand below each other where opcodes are short
            let column = before_name + 24;
            line.extend(std::iter::repeat_n(" ", column.saturating_sub(line.chars().count()).max(2)));
        }
        let [start, name, argument] =
            [0..before_name, before_name..after_name, after_name..line.len()].map(|range| line.get(range).unwrap_or_default());
        self.out.styled(style::HEADING, start)?;
        self.out.styled(style::OPCODE, name)?;
        self.out.write_all(argument.as_bytes())?;
        let room = limit.saturating_sub(line.chars().count()).max(16);
        self.out.styled(style::CUT, &cut(&note, room))?;
        self.out.write_all(b"\n")
    }

    fn json(&mut self, pending: &Pending, trace: &Trace, failed: bool) -> io::Result<()> {
        let at = Place { window: self.window, offset: pending.offset, next: pending.next };
        let mut line = json!({
            "offset": pending.offset,
            "size": pending.next - pending.offset,
            "byte": pending.opcode.byte(),
            "opcode": pending.opcode.name(),
            "argument": self.values.json(pending.opcode, at),
            "stack": if failed { None } else { Some(trace.depth) },
            "marks": if failed { None } else { Some(trace.marks.len()) },
        });
        let site = |site: Site| json!({ "offset": site.offset(), "opcode": site.opcode().name(), "kind": kind(site) });
        let named = |callable: Site| {
            let mut value = site(callable);
            if let Some(name) = trace.global(callable, self.window) {
                value["global"] = name.into();
            }
            value
        };
        if let Some((index, value)) = pending.memo {
            line["memo"] = index.into();
            line["value"] = named(value);
        }
        match pending.act {
            Some(Act::Into(count, value)) => {
                line["items"] = count.into();
                line["into"] = site(value);
            }
            Some(Act::Of(count)) => line["items"] = count.into(),
            Some(Act::Call(callable)) => line["callable"] = named(callable),
            Some(Act::Global(global)) => line["global"] = trace.global(global, self.window).into(),
            Some(Act::Build(object)) => line["object"] = site(object),
            Some(Act::Drop(count, value)) => {
                line["dropped"] = count.into();
                line["value"] = site(value);
            }
            _ => {}
        }
        serde_json::to_writer(&mut self.out, &line)?;
        self.out.write_all(b"\n")
    }
}

/// What an opcode did, in words.
fn note(values: &mut Values, pending: &Pending, trace: &Trace, window: &[u8], limit: usize) -> String {
    let mut describe = |site| values.describe(site, trace, window, limit);
    let items = |count: usize| if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    if let Some((_, value)) = pending.memo {
        return describe(value);
    }
    match (pending.act, pending.opcode) {
        (Some(Act::Into(count, value)), Opcode::Setitem | Opcode::Setitems) => {
            format!("{} in {}", if count == 1 { "1 pair".to_owned() } else { format!("{count} pairs") }, describe(value))
        }
        (Some(Act::Into(count, value)), _) => format!("{} to {}", items(count), describe(value)),
        (Some(Act::Of(count)), Opcode::Dict) => {
            if count == 1 {
                "1 pair".to_owned()
            } else {
                format!("{count} pairs")
            }
        }
        // the others have their number in their name
        (Some(Act::Of(count)), Opcode::List | Opcode::Tuple | Opcode::Frozenset) => items(count),
        (Some(Act::Call(_)), Opcode::Inst) => String::new(),
        (Some(Act::Call(callable)), _) => format!("{}(...)", describe(callable)),
        (Some(Act::Global(global)), Opcode::StackGlobal) => describe(global),
        (Some(Act::Build(object)), _) => format!("state of {}", describe(object)),
        (Some(Act::Persistent(Some(id))), _) => format!("id {}", describe(id)),
        (Some(Act::Drop(1, value)), _) => format!("drops {}", describe(value)),
        (None, Opcode::Pop) => "drops the mark".to_owned(),
        (Some(Act::Drop(count, _)), _) => format!("drops {}", items(count)),
        _ => String::new(),
    }
}

impl Watch for Listing<'_> {
    fn begin(&mut self, trace: &Trace, opcode: Opcode, at: Place<'_>) {
        self.finish(trace, false);
        if self.unwanted {
            return;
        }
        self.pending = Some(Pending { opcode, offset: at.offset, next: at.next, marks: trace.marks.len(), act: None, memo: None });
    }

    fn act(&mut self, _trace: &Trace, act: Act, _at: Option<Place<'_>>) {
        let Some(pending) = &mut self.pending else { return };
        match act {
            Act::Put(index, value) | Act::Get(index, value) => pending.memo = Some((index, value)),
            act => pending.act = Some(act),
        }
    }

    fn failure(&mut self) -> Result<()> {
        // which error it was is told when the pickle is over
        if self.error.is_some() { Err(io::Error::other("the listing cannot be written").into()) } else { Ok(()) }
    }
}
