//! `brinery convert`: the same value, written anew.

use std::path::PathBuf;

use anyhow::{Context, Result};
use brinery::{Dialect, EightBit, ErrorKind, Lexer, MemoPolicy, Op, Pickler, Placement, optimize};

use crate::args::{EncodingName, Reading};
use crate::exit::Exit;
use crate::output;
use crate::pickles::{Found, Source};
use crate::target::Target;

/// Write the pickles of a file anew, in another protocol
///
/// What is written is, byte for byte, what Python's pickler would write for the same value with the same sharing. No class is needed: an object
/// keeps its class's name, arguments, state and items, whatever they are. Each pickle that comes out has a memo of its own, also where those of the
/// file shared one.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the command")]
#[command(after_help = "\
Examples:
  brinery convert --protocol 2 new.pkl -o old.pkl        for Python 2, or for a reader that knows no newer protocol
  brinery convert --protocol 5 old.pkl -o new.pkl
  brinery convert --optimize a.pkl -o b.pkl              as pickletools.optimize: without the memo slots that nothing reads
  brinery convert --share-strings rows.pkl -o small.pkl  equal texts are written once
  brinery convert --encoding latin1 py2.pkl -o py3.pkl   the 8-bit strings of Python 2 become text
  brinery convert --razorvine rows.pkl -o spark.pkl      for Apache Spark's JVM side and other readers of Razorvine Pickle
  brinery convert --protocol 0 a.pkl -o - | less

Exit codes:
  0  everything was written
  2  a pickle could not be read, its value cannot be written so, or bytes behind the last one would be lost; the output is not touched")]
pub(crate) struct Convert {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Where the pickles go; `-` is standard output. A file that is there is replaced once everything has been written
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// The protocol to write, 0 to 5; by default each pickle's own
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=5))]
    protocol: Option<u8>,

    /// Leave out the memo slots that nothing reads, as `pickletools.optimize` does. Each pickle is then held in memory twice
    #[arg(long)]
    optimize: bool,

    /// Write equal texts once
    #[arg(long, conflicts_with = "no_memo")]
    share_strings: bool,

    /// Write no memo at all: a shared value is written wherever it is referred to, and one inside itself is an error
    #[arg(long)]
    no_memo: bool,

    /// Keep Python 3's names of modules before protocol 3, where Python would write Python 2's
    #[arg(long)]
    no_fix_imports: bool,

    /// Write out-of-band buffers, given by --buffer, into the pickle. Before protocol 5 they always go there
    #[arg(long)]
    in_band: bool,

    /// Write what this version of Python would write, 3.8 or later. Since 3.13 classes around nested ones are not memoised before protocol
    /// 4, and since 3.15 there are no empty batches, and none of one
    #[arg(long, value_name = "VERSION", default_value = "3.11", value_parser = dialect)]
    python: Dialect,

    /// Write for readers of Razorvine Pickle, such as Apache Spark's JVM side: protocol 2 in its manner, and an error for what its reader would take
    /// for something else
    #[arg(long, conflicts_with_all = ["protocol", "python"])]
    razorvine: bool,

    /// Leave out bytes behind the last pickle that are none; without this they are an error, and nothing is written
    #[arg(long)]
    drop_trailing: bool,

    #[command(flatten)]
    reading: Reading,
}

impl Convert {
    pub(crate) fn run(&self) -> Result<Exit> {
        let source = Source::open(&self.file, &self.reading)?;
        let mut pickler = self.pickler();
        let mut target = Target::new(&self.output)?;
        let ending = source.visit(&self.reading, |found| {
            if found.error.is_some() {
                return Ok(());
            }
            self.convert(&source, &found, &mut pickler, &mut target)
        })?;
        let is_left_out = ending.trailing.is_some() && !self.drop_trailing;
        if ending.whole == 0 || ending.failure.is_some() || ending.container.is_some() || is_left_out {
            source.report(&ending);
            if is_left_out {
                output::complain(&format!("{}: they would be lost: --drop-trailing leaves them out", source.name));
            }
            target.give_up();
            return Ok(Exit::CouldNot);
        }
        target.finish()?;
        Ok(source.report(&ending))
    }

    fn pickler(&self) -> Pickler {
        let mut pickler = Pickler::new();
        pickler.fix_imports(!self.no_fix_imports).extensions(self.reading.extensions.iter().cloned());
        pickler.dialect(if self.razorvine { Dialect::Razorvine } else { self.python });
        if self.share_strings {
            pickler.memo(MemoPolicy::EqualText);
        }
        if self.no_memo {
            pickler.memo(MemoPolicy::Off);
        }
        if self.in_band {
            pickler.on_buffer(|_| Placement::InBand);
        }
        // who says how these strings read wants them so
        if self.reading.encoding != EncodingName::Auto {
            pickler.eight_bit(EightBit::AsRead);
        }
        pickler
    }

    fn convert(&self, source: &Source, found: &Found<'_>, pickler: &mut Pickler, target: &mut Target) -> Result<()> {
        let where_it_is = || format!("{}: pickle {}", source.name, found.nth);
        let bytes = source.bytes();
        let start = usize::try_from(found.pickle.start)?;
        pickler.protocol(self.protocol.unwrap_or_else(|| protocol(bytes, start)));
        if self.optimize {
            let pickle = pickler.dump(found.source()).with_context(where_it_is)?;
            std::io::Write::write_all(target, &optimize(&pickle)?)?;
        } else {
            match pickler.dump_to(found.source(), &mut *target) {
                // the writer's own words are enough
                Err(error) if matches!(error.kind(), ErrorKind::Write(_)) => return Err(std::io::Error::from(error).into()),
                result => result.with_context(where_it_is)?,
            }
        }
        let left = found.left().filter(|left| left.id() != found.root().id()).count();
        if left > 0 {
            let left = output::counted(left as u64, "value");
            output::note(&format!("{}: {left} left on the stack beside its own: only calls among them are written", where_it_is()));
        }
        Ok(())
    }
}

/// `3.N`.
fn dialect(version: &str) -> Result<Dialect, String> {
    let minor = version.strip_prefix("3.").and_then(|minor| minor.parse::<u8>().ok());
    match minor {
        Some(8..=12) => Ok(Dialect::Python),
        Some(13..=14) => Ok(Dialect::Python313),
        Some(15..) => Ok(Dialect::Python315),
        _ => Err("expected a version such as 3.11, from 3.8 on".to_owned()),
    }
}

/// The protocol of a pickle: what it says, or the newest that one of its opcodes needs.
fn protocol(bytes: &[u8], start: usize) -> u8 {
    let mut newest = 0;
    for token in Lexer::new_at(bytes, start).map_while(Result::ok) {
        if let Op::Proto(protocol) = token.op {
            return protocol;
        }
        // CPython writes state setters with TUPLE2 in protocols 0 and 1 as well
        if !matches!(token.op, Op::Tuple2) {
            newest = newest.max(token.op.opcode().protocol());
        }
    }
    newest
}
