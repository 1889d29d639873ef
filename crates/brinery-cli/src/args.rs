//! The command line: verbs and the options they share.

use std::path::PathBuf;

use brinery::machine::Rules;
use brinery::{Encoding, Unpickler};
use clap::{ColorChoice, Parser, ValueEnum};

use crate::verbs::Verb;

/// See what is inside a Python pickle, without Python and without running anything
#[derive(Debug, Parser)]
#[command(name = "brinery", version, after_help = crate::verbs::EXAMPLES, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Args {
    /// When to use colours. `auto`: at a terminal, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorChoice,

    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// How files are opened and their pickles read.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// How 8-bit strings of Python 2 read. `auto`: as text where they are ASCII, else as bytes
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub(crate) encoding: EncodingName,

    /// Only pickle N of those that follow one another in the file, counted from 0
    #[arg(long, value_name = "N")]
    pub(crate) nth: Option<usize>,

    /// The pickles of the file share one memo, as those that one `pickle.Pickler` wrote
    #[arg(long)]
    pub(crate) shared_memo: bool,

    /// What an extension code of `copyreg.add_extension` stands for; repeatable
    #[arg(long = "ext", value_name = "CODE=MODULE.NAME", value_parser = extension)]
    pub(crate) extensions: Vec<(u32, (String, String))>,

    /// The data of an out-of-band buffer; repeat it for one after another
    #[arg(long = "buffer", value_name = "FILE")]
    pub(crate) buffers: Vec<PathBuf>,

    /// Read frames as `CPython` 3.11 does, which looks only whether their bytes are all there
    #[arg(long)]
    pub(crate) lax_frames: bool,

    /// Read files instead of mapping them into memory. If another program writes to a mapped file meanwhile, what is printed may be
    /// garbled, and if it cuts the file short, this one ends with a bus error
    #[arg(long)]
    pub(crate) no_mmap: bool,
}

/// The names that `--encoding` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EncodingName {
    Auto,
    Ascii,
    #[value(alias = "latin-1")]
    Latin1,
    #[value(name = "utf-8", alias = "utf8")]
    Utf8,
    Bytes,
}

impl Reading {
    /// An unpickler with these options.
    pub(crate) fn unpickler(&self) -> Unpickler {
        let mut unpickler = Unpickler::new();
        unpickler
            .encoding(match self.encoding {
                EncodingName::Auto => Encoding::Auto,
                EncodingName::Ascii => Encoding::Ascii,
                EncodingName::Latin1 => Encoding::Latin1,
                EncodingName::Utf8 => Encoding::Utf8,
                EncodingName::Bytes => Encoding::Bytes,
            })
            .extensions(self.extensions.iter().cloned())
            .lax_frames(self.lax_frames)
            .shared_memo(self.shared_memo);
        unpickler
    }

    /// Rules with these options, for handlers other than the document's.
    pub(crate) fn rules(&self) -> Rules {
        Rules { lax_frames: self.lax_frames, ..Rules::default() }
    }
}

/// `CODE=module.name`; the name begins behind the last dot, or behind a colon if there is one.
fn extension(text: &str) -> Result<(u32, (String, String)), String> {
    let (code, name) = text.split_once('=').ok_or("expected CODE=MODULE.NAME, such as 5=shapes.Point")?;
    let code = code.parse().ok().filter(|code| (1..=0x7fff_ffff).contains(code));
    let code = code.ok_or("expected a code from 1 to 2147483647 before `=`")?;
    let names = name.split_once(':').or_else(|| name.rsplit_once('.'));
    match names {
        Some((module, name)) if !module.is_empty() && !name.is_empty() => Ok((code, (module.to_owned(), name.to_owned()))),
        _ => Err("expected MODULE.NAME behind `=`, such as shapes.Point".to_owned()),
    }
}
