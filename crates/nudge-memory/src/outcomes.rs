//! How a test or build run ended, from its command line and its output.
//!
//! The exit status decides where it is that of the runner; else the runner's own lines do. What
//! neither tells is unknown: a verdict that is only likely is none.

mod judge;
mod plan;
mod reading;
mod run;
mod runner;
pub(crate) mod shell;
mod text;
mod tools;
mod unwrapped;
mod view;

pub(crate) use run::RUN;
pub use run::{Run, Runner, Verdict};
use view::View;

/// What run a command line is, and how it ended; `None` when it is no run of a known runner.
///
/// `exit` is the status of the whole line, where it is known.
///
/// ```
/// # use nudge_memory::outcomes::{Verdict, read};
/// let run = read("cd api && pytest -q | tail -1", "1 failed, 41 passed in 0.12s", Some(0));
/// assert_eq!(run.map(|run| (run.verdict, run.failed)), Some((Verdict::Failed, Some(1))));
/// ```
pub fn read(command: &str, output: &str, exit: Option<i32>) -> Option<Run> {
    let found = plan::runs(command);
    if found.is_empty() {
        return None;
    }
    let plain = text::plain(output);
    let numbered =
        found.iter().flat_map(|run| &run.views).any(|view| matches!(view, View::Grep(grep) if grep.numbered));
    let scripted = found.iter().any(|run| run.call.is_script());
    let mut lines: Vec<&str> = plain.lines().collect();
    for line in &mut lines {
        *line = if numbered { text::without_number(line) } else { line };
        *line = if scripted { text::without_package(line) } else { line };
    }
    judge::judge(&found, &lines, exit)
}

#[cfg(test)]
mod tests;
