//! Where in the value something went wrong, as a Python expression has it.

use super::run::{Run, RunKind};
use super::walk::{Task, Walk};
use crate::document::{Item, Ref, StepKind};

/// Parts shown at the beginning and at the end of a longer path.
const SHOWN: usize = 8;
/// Steps of an object that are looked at.
const STEPS: usize = 100;
/// Longest text of a key.
const KEY: usize = 40;

/// The way from the pickled value to the one that is being written.
pub(super) fn of(walk: &Walk<'_, '_, '_>) -> String {
    let path = through(walk, walk.tasks);
    let Some(value) = walk.cycle else { return path };
    let is_of = |task: &Task| match task {
        Task::Run(run) => run.owner == value,
        Task::Steps { object, .. } => *object == value,
        _ => false,
    };
    let outer = walk.tasks.iter().position(is_of).and_then(|at| walk.tasks.get(..at)).unwrap_or_default();
    match &*through(walk, outer) {
        "" => format!("{path}, which is the whole value again"),
        outer => format!("{path}, which is {outer} again"),
    }
}

/// The way that open tasks have gone.
fn through(walk: &Walk<'_, '_, '_>, tasks: &[Task]) -> String {
    let mut parts = tasks.iter().filter_map(|task| part(walk, task));
    let head: String = parts.by_ref().take(SHOWN).collect();
    // a path may be a million parts long, of which the first and the last are enough
    let mut last: Vec<String> = parts.rev().take(SHOWN + 1).collect();
    let left_out = if last.len() > SHOWN && last.pop().is_some() { " ... " } else { "" };
    last.reverse();
    head + left_out + &last.concat()
}

fn part(walk: &Walk<'_, '_, '_>, task: &Task) -> Option<String> {
    match task {
        Task::Run(run) => run_part(walk, run),
        &Task::Steps { object, step } => {
            let mut at = walk.store.object(object)?.first;
            for _ in 0..STEPS {
                let found = walk.store.steps.get(at as usize)?;
                if found.next == step {
                    return matches!(found.what, StepKind::Build(_)).then(|| ".__dict__".to_owned());
                }
                at = found.next;
            }
            None
        }
        _ => None,
    }
}

fn run_part(walk: &Walk<'_, '_, '_>, run: &Run) -> Option<String> {
    let at = run.at.checked_sub(1)?;
    let refs = walk.store.slice(run.start, run.len);
    let key = |at: usize| refs.get(at).map(|&key| key_text(walk, key));
    Some(match run.kind {
        RunKind::Dict | RunKind::SetItems if at % 2 == 1 => format!("[{}]", key(at - 1)?),
        RunKind::Dict | RunKind::SetItems => format!(".keys()[{}]", at / 2),
        RunKind::FreshArgs => format!(".args[{at}]"),
        RunKind::Plain => return None,
        _ => format!("[{at}]"),
    })
}

fn key_text(walk: &Walk<'_, '_, '_>, key: Ref) -> String {
    Item::new(walk.document, key).shortened(KEY)
}
