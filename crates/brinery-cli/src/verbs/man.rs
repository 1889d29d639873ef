//! `brinery man`: the manual page.

use std::io::Write;

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_mangen::Man as Page;
use clap_mangen::roff::{Roff, roman};

use crate::args::Args;
use crate::exit::Exit;
use crate::output::Output;

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  brinery man | man -l -                                   read it
  brinery man > ~/.local/share/man/man1/brinery.1          install it")]
pub(crate) struct Man {}

impl Man {
    #[expect(clippy::unused_self, reason = "verbs are run alike")]
    pub(crate) fn run(&self) -> Result<Exit> {
        let mut command = Args::command();
        command.build();
        let mut text = Vec::new();
        let page = Page::new(command.clone());
        page.render_title(&mut text)?;
        page.render_name_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_description_section(&mut text)?;
        page.render_options_section(&mut text)?;
        for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
            render_verb(verb, &mut text)?;
        }
        page.render_extra_section(&mut text)?;
        let mut out = Output::new();
        out.write_all(&text)?;
        out.flush()?;
        Ok(Exit::Fine)
    }
}

/// All verbs are on one page, a section each.
fn render_verb(verb: &Command, text: &mut Vec<u8>) -> Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [format!("BRINERY {}", verb.get_name()).to_uppercase().as_str()]);
    if let Some(about) = verb.get_long_about().or_else(|| verb.get_about()) {
        roff.text([roman(about.to_string())]);
    }
    roff.to_writer(text)?;
    let mut page = Vec::new();
    let verb_page = Page::new(verb.clone());
    verb_page.render_synopsis_section(&mut page)?;
    verb_page.render_options_section(&mut page)?;
    verb_page.render_extra_section(&mut page)?;
    // sections of a verb are subsections of the page; preambles of the parts are not needed again
    for line in String::from_utf8_lossy(&page).lines() {
        let line = line.strip_prefix(".SH ").map_or_else(|| line.to_owned(), |title| format!(".SS {title}"));
        writeln!(text, "{line}")?;
    }
    Ok(())
}
