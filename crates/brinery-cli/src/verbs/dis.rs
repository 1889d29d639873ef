//! `brinery dis`: opcode by opcode.

use std::path::PathBuf;

use anyhow::Result;

use crate::args::Reading;
use crate::dis::{Listing, Look};
use crate::exit::Exit;
use crate::output::{self, Output};
use crate::pickles::{Source, Stage};
use crate::sites::Tracer;

/// List the opcodes of pickles, and what each of them does
///
/// Columns: the offset; the opcode's byte, as a character or in hexadecimal; how many values stand on the stack after it; the memo slot that it
/// reads or fills; its name, indented by marks, and its argument; then what it did or refers to: `list from 12` is the list that the opcode at
/// offset 12 pushed. The machine's stack, marks and memo are real ones; whether values are of the right kind is what `check` tells.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  brinery dis model.pkl                    every opcode, cut to the screen's width
  brinery dis --all model.pkl              long texts and bytes in full
  brinery dis broken.pkl                   everything up to where it breaks, and why it does
  brinery dis model.pkl | grep -E 'GLOBAL|REDUCE'
  brinery dis --nth 2 rows.pkl             the third of several pickles
  brinery dis --json model.pkl | jq -r 'select(.opcode == \"REDUCE\") | .callable.global'
  printf 'cos\\nsystem\\n.' | brinery dis -

Exit codes:
  0  everything was listed
  2  the file could not be read, is not a pickle, or breaks off with an error; what came before is listed")]
pub(crate) struct Dis {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Cut nothing
    #[arg(short, long)]
    all: bool,

    /// How wide lines may be; by default as wide as the screen
    #[arg(short, long, value_name = "COLUMNS", conflicts_with = "all")]
    width: Option<usize>,

    /// One JSON object a line for each opcode; nothing is cut
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: Reading,
}

impl Dis {
    pub(crate) fn run(&self) -> Result<Exit> {
        let source = Source::open(&self.file, &self.reading)?;
        let width = self.width.unwrap_or_else(output::width).max(40);
        let look = Look {
            json: self.json,
            width: if self.all { None } else { Some(width) },
            digits: source.bytes().len().to_string().len().max(8),
        };
        let listing = Listing::new(source.bytes(), Output::new(), &self.reading, look);
        let mut tracer = Tracer::new(listing);
        tracer.watch.columns()?;
        let ending = source.trace(&self.reading, &mut tracer, |Tracer { trace, watch }, stage| {
            match stage {
                Stage::Begin { nth, start, wanted } => watch.begin_pickle(nth, start, wanted)?,
                Stage::End { failed_at } => watch.end_pickle(trace, failed_at)?,
            }
            Ok(())
        })?;
        Ok(source.report(&ending))
    }
}
