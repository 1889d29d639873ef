//! `brinery completions`: what a shell needs to complete command lines.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Args;
use crate::exit::Exit;
use crate::output::Output;

/// Print a shell's completions
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  brinery completions bash > ~/.local/share/bash-completion/completions/brinery
  brinery completions zsh > ~/.zfunc/_brinery
  brinery completions fish > ~/.config/fish/completions/brinery.fish
  brinery completions powershell >> $PROFILE
  source <(brinery completions bash)      for this shell only")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(&self) -> Result<Exit> {
        // the generator takes failed writes for impossible, so it writes to memory
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Args::command(), "brinery", &mut text);
        let mut out = Output::new();
        out.write_all(&text)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}
