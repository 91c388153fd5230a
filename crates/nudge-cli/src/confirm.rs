//! Asking the person before something is done.

use std::io::{BufRead, IsTerminal};

use crate::invocation::Invocation;

/// What a person answered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// There is nobody to ask.
    Nobody,
}

/// Asks a question that can be answered with yes or no. No is what Enter means.
pub(crate) fn ask(invocation: &Invocation, question: &str) -> Answer {
    if invocation.output.is_json() || !std::io::stdin().is_terminal() {
        return Answer::Nobody;
    }
    invocation.output.aside(|page| {
        page.strong(question).text(" [y/N]").end();
    });
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    let yes = read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if yes { Answer::Yes } else { Answer::No }
}
