//! What a command line did: its commands, how the test or build run in it ended, and the marks by
//! which the command and its error are recognised again.
//!
//! [`shell`] reads the line. [`read`] gives the verdict: the exit status decides if it is the
//! runner's own; otherwise the runner's output lines do. If neither is conclusive, the verdict is
//! unknown: a likely verdict is not enough. [`marks`] are stored and compared. [`programs()`] names
//! what a line runs.

mod judge;
pub mod marks;
mod plan;
mod programs;
mod reading;
mod run;
mod runner;
pub mod shell;
mod text;
mod tools;
mod unwrapped;
mod view;

pub use marks::fingerprint;
pub use programs::programs;
pub use run::{RUN, Run, Runner, Verdict};
use view::View;

/// The run of a command line, and how it ended; `None` if no known runner is run.
///
/// `exit` is the exit status of the whole line, if known.
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
