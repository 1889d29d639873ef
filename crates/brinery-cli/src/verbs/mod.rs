//! The verbs: a file and a row each.

mod check;
mod completions;
mod convert;
mod dis;
mod man;
mod show;
mod stats;

use anyhow::Result;

use crate::exit::Exit;

macro_rules! verbs {
    ($( $module:ident $Name:ident )*) => {
        /// What there is to do.
        #[derive(Debug, clap::Subcommand)]
        pub(crate) enum Verb {
            $( $Name($module::$Name), )*
        }

        /// Does it.
        pub(crate) fn run(verb: &Verb) -> Result<Exit> {
            match verb { $( Verb::$Name(verb) => verb.run(), )* }
        }
    };
}

verbs! {
    show Show
    dis Dis
    check Check
    stats Stats
    convert Convert
    completions Completions
    man Man
}

/// What the help of the whole command ends with.
pub(crate) const EXAMPLES: &str = "\
Examples:
  brinery show model.pkl             what is in it, cut to the screen
  brinery show --all model.pkl       all of it
  brinery show --repr cache.pkl      one line for each pickle, as Python's repr
  brinery show --nth 2 rows.pkl      the third of several pickles
  brinery check *.pkl                are they well-formed? if not: where, and why
  brinery dis broken.pkl             opcodes up to where it breaks
  brinery stats --json model.pkl     opcodes, classes and sharing, for programs
  brinery convert --protocol 2 new.pkl -o old.pkl
                                     the same value in another protocol
  gzip -dc model.pkl.gz | brinery show -

Exit codes: 0 fine, 2 could not (no such file, bad usage, not a pickle). `check` has more: see `brinery check --help`.

Nothing in a pickle is ever imported, called or run.";
