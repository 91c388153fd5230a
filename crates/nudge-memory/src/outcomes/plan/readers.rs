//! Output that goes to a file, and a later command that shows it: `make > log; tail log`.

use super::super::shell::{Stage, Step};
use super::super::unwrapped::{Unwrapped, unwrapped};
use super::super::view::{View, view};

/// Commands that show a file.
const SHOW: [&str; 14] =
    ["cat", "tail", "head", "grep", "egrep", "fgrep", "rg", "sed", "less", "more", "bat", "nl", "awk", "tac"];

/// How the output of a stage is seen if it goes to a file; empty if it does not.
pub(super) fn hidden_by_file(stage: &Stage, behind: &[Step]) -> Vec<View> {
    let Some(file) = stage.file.as_deref().filter(|file| !is_shown(file)) else { return Vec::new() };
    let mut shown = behind.iter().filter_map(|step| shown_by(step, file));
    shown.rfind(|views| !views.contains(&View::Blind)).unwrap_or_else(|| vec![View::Hidden])
}

fn is_shown(file: &str) -> bool {
    matches!(file, "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/fd/1" | "/dev/fd/2")
}

/// The filters through which a step shows a file, if it shows it.
fn shown_by(step: &Step, file: &str) -> Option<Vec<View>> {
    let (first, filters) = step.stages.split_first()?;
    let Some(Unwrapped::Program(program, arguments)) = unwrapped(&first.words) else { return None };
    if !SHOW.contains(&program) || !arguments.iter().any(|word| word == file) {
        return None;
    }
    let first = view(&first.words);
    Some(first.into_iter().chain(filters.iter().filter_map(|filter| view(&filter.words))).collect())
}
