//! `brinery show`: what is in it.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Result;
use brinery::{ErrorKind, Item};

use crate::args::Reading;
use crate::exit::Exit;
use crate::output::{self, Output, complain, count, counted, note};
use crate::pickles::{Found, Source};
use crate::show::{Asked, Page, Plan, Printer, Tally};

/// Show what is in pickles, as Python would print it
///
/// Values of builtin types print as Python's repr prints them, but indented, and cut to what is useful on a screen; each cut says in its place
/// how much it left out. Objects of other classes print as `module.Class(argument, key=value, .attribute=value, *[appended], **{key: value})`.
/// What several places refer to prints once, as `&1 [...]`, and as `*1` from then on. Of a broken pickle, everything is shown that was read
/// before the error.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  brinery show model.pkl                  what is in it, cut to the screen
  brinery show --all model.pkl | less     all of it
  brinery show --depth 2 model.pkl        two levels of containers and objects
  brinery show --items 1000 rows.pkl      up to 1,000 items of each container
  brinery show --repr cache.pkl           plain: one line for each pickle, as Python's repr
  brinery show --nth 2 rows.pkl           the third of several pickles
  brinery show --encoding latin1 old.pkl  as pickle.load(file, encoding='latin-1') reads it
  brinery show --ext 5=shapes.Point --buffer raw.bin five.pkl
  curl -s https://example.org/a.pkl | brinery show -

Exit codes:
  0  everything was shown
  2  a file could not be read, is not a pickle, or breaks off with an error; what was read before is shown")]
pub(crate) struct Show {
    /// Files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// Cut nothing
    #[arg(short, long, conflicts_with_all = ["depth", "items"])]
    all: bool,

    /// Print each pickle's value on one line, as Python's repr, and nothing else; at most 64 MiB, unless with --all
    #[arg(short, long, conflicts_with_all = ["depth", "items", "width"])]
    repr: bool,

    /// How many levels of containers and objects; by default what is useful
    #[arg(short, long, value_name = "N")]
    depth: Option<usize>,

    /// How many items of a container; by default what is useful
    #[arg(short, long, value_name = "N")]
    items: Option<usize>,

    /// How wide lines may be; by default as wide as the screen
    #[arg(short, long, value_name = "COLUMNS")]
    width: Option<usize>,

    #[command(flatten)]
    reading: Reading,
}

/// What `--repr` prints of a value at most.
const REPR_LIMIT: usize = 64 << 20;

impl Show {
    pub(crate) fn run(&self) -> Result<Exit> {
        let mut out = Output::new();
        let mut exit = Exit::Fine;
        let mut tally = Tally::default();
        for (at, file) in self.files.iter().enumerate() {
            let shown = Source::open(file, &self.reading).and_then(|source| {
                if self.files.len() > 1 && !self.repr {
                    if at > 0 {
                        writeln!(out)?;
                    }
                    out.heading(&source.name)?;
                }
                self.show(&source, &mut out, &mut tally)
            });
            let shown = match shown {
                Err(error) if !output::is_closed_pipe(&error) => {
                    out.flush()?;
                    complain(&format!("{error:#}"));
                    Exit::CouldNot
                }
                shown => shown?,
            };
            if exit == Exit::Fine {
                exit = shown;
            }
        }
        out.flush()?;
        if let Some(cut) = tally.cut() {
            note(&format!("left out: {cut} (--all shows everything)"));
        }
        if tally.hexadecimal > 0 {
            let integers = counted(tally.hexadecimal as u64, "integer");
            note(&format!("{integers} of more digits than Python prints (4,300) in hexadecimal"));
        }
        Ok(exit)
    }

    fn show(&self, source: &Source, out: &mut Output, tally: &mut Tally) -> Result<Exit> {
        let mut too_long = false;
        let ending = source.visit(&self.reading, |found| {
            if self.repr {
                too_long |= !self.print_repr(source, found, out, tally)?;
            } else {
                self.print(found, out, tally)?;
            }
            Ok(())
        })?;
        // in order with what follows on stderr
        out.flush()?;
        let exit = source.report(&ending);
        Ok(if too_long { Exit::CouldNot } else { exit })
    }

    /// Prints a pickle's value, and what else it made.
    fn print(&self, found: Found<'_>, out: &mut Output, tally: &mut Tally) -> Result<()> {
        let pickle = found.pickle;
        if found.among_others {
            if found.nth > 0 {
                writeln!(out)?;
            }
            let protocol = pickle.protocol.map_or("no protocol stated".to_owned(), |protocol| format!("protocol {protocol}"));
            out.heading(&format!("pickle {}: offset {} to {}, {protocol}", found.nth, pickle.start, pickle.end))?;
        }
        let asked = Asked { all: self.all, depth: self.depth, items: self.items, width: self.width.unwrap_or_else(output::width).max(20) };
        let most = if self.all { usize::MAX } else { self.items.unwrap_or(100) };
        let left = Heap::take(found.left(), most);
        let dropped = Heap::take(found.dropped(), most);
        let values = if found.error.is_some() { Vec::new() } else { vec![found.root()] };
        let all: Vec<_> = values.iter().chain(&left.values).chain(&dropped.values).copied().collect();
        let plan = Plan::new(&all, asked);
        let mut printer = Printer::new(&plan);
        for value in values {
            print_value(&mut printer, out, value)?;
        }
        let left_heading = match (found.error, left.len()) {
            (None, 0) => None,
            (None, _) => Some("left on the stack, the topmost last:".to_owned()),
            (Some(_), 0) => Some("nothing was read before the error".to_owned()),
            (Some(_), _) => Some("what stood on the stack when it failed, the topmost last:".to_owned()),
        };
        let dropped_heading = (dropped.len() > 0).then(|| "made and dropped:".to_owned());
        for (heap, heading) in [(left, left_heading), (dropped, dropped_heading)] {
            let Some(heading) = heading else { continue };
            out.heading(&heading)?;
            for value in &heap.values {
                print_value(&mut printer, out, *value)?;
            }
            if heap.more > 0 {
                out.heading(&format!("... {} more values", count(heap.more as u64)))?;
                printer.tally.items += heap.more;
            }
        }
        *tally += printer.tally;
        Ok(())
    }

    /// Prints a pickle's value on one line; whether it was all.
    fn print_repr(&self, source: &Source, found: Found<'_>, out: &mut Output, tally: &mut Tally) -> Result<bool> {
        if found.error.is_some() {
            return Ok(true);
        }
        let mut writer = IoWriter { out, error: None };
        let limit = if self.all { usize::MAX } else { REPR_LIMIT };
        let written = found.root().repr().limit(limit).write_to(&mut writer);
        if let Some(error) = writer.error {
            return Err(error.into());
        }
        writeln!(out)?;
        let unseen = found.left().len() + found.dropped().len();
        if unseen > 0 {
            let values = counted(unseen as u64, "value");
            note(&format!(
                "{}: pickle {} left or dropped {values} besides its own (show without --repr prints them)",
                source.name, found.nth
            ));
        }
        match written {
            Ok(written) => tally.hexadecimal += written.hexadecimal,
            Err(error) if matches!(error.kind(), ErrorKind::LimitExceeded { .. }) => {
                out.flush()?;
                let limit = count(REPR_LIMIT as u64);
                complain(&format!("{}: pickle {}: cut after {limit} bytes of output (--all lifts the limit)", source.name, found.nth));
                return Ok(false);
            }
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}

fn print_value<'d>(printer: &mut Printer<'d, '_>, out: &mut Output, value: Item<'d>) -> io::Result<()> {
    let mut page = Page::new(out);
    let result = printer.print(&mut page, value);
    page.finish(result)
}

/// Some of the values that stand beside a pickle's own.
struct Heap<'d> {
    values: Vec<Item<'d>>,
    more: usize,
}

impl<'d> Heap<'d> {
    fn take(values: impl ExactSizeIterator<Item = Item<'d>>, most: usize) -> Self {
        let len = values.len();
        let values: Vec<_> = values.take(most).collect();
        Self { more: len - values.len(), values }
    }

    fn len(&self) -> usize {
        self.values.len() + self.more
    }
}

/// Text for a writer of bytes; what goes wrong there is kept.
struct IoWriter<'o> {
    out: &'o mut Output,
    error: Option<io::Error>,
}

impl fmt::Write for IoWriter<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.out.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
