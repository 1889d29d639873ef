//! The `brinery` command: shows, lists and checks pickles, and runs nothing of them.

mod args;
mod container;
mod dis;
mod exit;
mod input;
mod output;
mod pickles;
mod show;
mod sites;
mod target;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use exit::Exit;

fn main() -> ExitCode {
    let args = match args::Args::try_parse() {
        Ok(args) => args,
        Err(error) => {
            // help that nobody reads to its end is no error
            let _ = error.print();
            return if error.use_stderr() { Exit::CouldNot } else { Exit::Fine }.into();
        }
    };
    output::choose_color(args.color);
    match verbs::run(&args.verb) {
        Ok(exit) => exit.into(),
        Err(error) if output::is_closed_pipe(&error) => Exit::Fine.into(),
        Err(error) => {
            output::complain(&format!("{error:#}"));
            Exit::CouldNot.into()
        }
    }
}
