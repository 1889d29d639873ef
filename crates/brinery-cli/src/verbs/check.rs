//! `brinery check`: is it well-formed?

use std::fmt;
use std::io::Write;
use std::path::PathBuf;

use anyhow::Result;
use brinery::Opcode;
use serde_json::{Value, json};

use crate::args::Reading;
use crate::exit::{CAUSES, Exit};
use crate::output::{self, Output, counted};
use crate::pickles::{Ending, Source};

/// Say whether pickles are well-formed, and if not, where and why
///
/// Every pickle is read to its end as Python's unpickler would read it: opcodes, stack, memo, frames, kinds and keys. What the classes that
/// it names would do is not looked at, and nothing is run.
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Check {
    /// Files; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,

    /// One JSON object a line for each file
    #[arg(long)]
    json: bool,

    /// Print only what is wrong
    #[arg(short, long, conflicts_with = "json")]
    quiet: bool,

    #[command(flatten)]
    reading: Reading,
}

fn after_help() -> String {
    let mut text = "\
Examples:
  brinery check model.pkl                 model.pkl: ok (1 pickle, 4,096 bytes, protocol 4)
  brinery check *.pkl                     a line for each file
  brinery check --quiet *.pkl             a line for each file with an error
  brinery check --json a.pkl | jq .cause  the cause in one word
  brinery check --encoding ascii a.pkl    as strict with strings of Python 2 as pickle.load is
  brinery check --lax-frames a.pkl        as lax with frames as CPython 3.11 is
  brinery check - < a.pkl                 standard input

Exit codes, by the cause of the first error:
   0  every pickle is well-formed (bytes behind the last one are reported, and are no error)
   2  a file could not be read, or the usage is wrong
"
    .to_owned();
    for (exit, word, meaning) in CAUSES {
        // writing to a string does not fail
        let _ = fmt::Write::write_fmt(&mut text, format_args!("  {:2}  {word:9}  {meaning}\n", exit.code()));
    }
    text.truncate(text.trim_end().len());
    text
}

/// Counts over a file's pickles.
#[derive(Debug, Default)]
struct Sums {
    protocols: Vec<Option<u8>>,
}

impl Check {
    pub(crate) fn run(&self) -> Result<Exit> {
        let mut out = Output::new();
        let mut exit = Exit::Fine;
        for file in &self.files {
            let found = match Source::open(file, &self.reading) {
                Ok(source) => self.check(&source, &mut out),
                Err(error) => Err(error),
            };
            let found = match found {
                Err(error) if !output::is_closed_pipe(&error) => {
                    // the other files are still worth checking
                    out.flush()?;
                    output::complain(&format!("{error:#}"));
                    Exit::CouldNot
                }
                found => found?,
            };
            if exit == Exit::Fine {
                exit = found;
            }
        }
        out.flush()?;
        Ok(exit)
    }

    fn check(&self, source: &Source, out: &mut Output) -> Result<Exit> {
        let mut sums = Sums::default();
        let ending = source.visit(&self.reading, |found| {
            if found.error.is_none() && !sums.protocols.contains(&found.pickle.protocol) {
                sums.protocols.push(found.pickle.protocol);
            }
            Ok(())
        })?;
        sums.protocols.sort_unstable();
        let exit = match (&ending.container, &ending.failure) {
            (Some(_), _) => Exit::Container,
            (None, Some(failure)) => Exit::of(&failure.error, failure.start),
            (None, None) => Exit::Fine,
        };
        if self.json {
            writeln!(out, "{}", json_line(source, &sums, &ending, exit))?;
        } else if exit != Exit::Fine || !self.quiet {
            writeln!(out, "{}: {}", source.name, line(&sums, &ending))?;
        }
        Ok(exit)
    }
}

fn line(sums: &Sums, ending: &Ending) -> String {
    if let Some(container) = ending.container {
        return format!("not a raw pickle: {container}");
    }
    if let Some(failure) = &ending.failure {
        let whole = match ending.whole {
            0 => String::new(),
            whole => format!(" (after {} up to offset {})", counted(whole as u64, "whole pickle"), failure.start),
        };
        return format!("{}{whole}", failure.message());
    }
    let pickles = counted(ending.whole as u64, "pickle");
    let bytes = counted(ending.end, "byte");
    let mut line = format!("ok ({pickles}, {bytes}{})", protocols(&sums.protocols));
    if let Some(trailing) = &ending.trailing {
        line.push_str("; ");
        line.push_str(&trailing.message());
    }
    line
}

fn protocols(protocols: &[Option<u8>]) -> String {
    let names: Vec<_> =
        protocols.iter().map(|protocol| protocol.map_or("none stated".to_owned(), |protocol| protocol.to_string())).collect();
    match &*names {
        [] => String::new(),
        [one] if one == "none stated" => ", no protocol stated".to_owned(),
        [one] => format!(", protocol {one}"),
        several => format!(", protocols {}", several.join(", ")),
    }
}

fn json_line(source: &Source, sums: &Sums, ending: &Ending, exit: Exit) -> Value {
    let mut line = json!({
        "file": source.name,
        "ok": exit == Exit::Fine,
        "pickles": ending.whole,
        "bytes": ending.end,
        "protocols": sums.protocols,
    });
    if exit != Exit::Fine {
        line["cause"] = exit.word().into();
        line["exit"] = exit.code().into();
    }
    if let Some(container) = ending.container {
        line["container"] = container.into();
    }
    if let Some(failure) = &ending.failure {
        line["error"] = json!({
            "message": failure.message(),
            "pickle": failure.nth,
            "offset": failure.error.offset(),
            "opcode": failure.error.opcode().map(Opcode::name),
        });
    }
    if let Some(trailing) = &ending.trailing {
        line["trailing"] = json!({ "offset": trailing.offset, "bytes": trailing.len, "message": trailing.message() });
    }
    line
}
