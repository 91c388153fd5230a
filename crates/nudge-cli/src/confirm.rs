//! Asks the user for confirmation.

use std::io::{BufRead, IsTerminal};

use nudge_core::Fault;

use crate::exit::Exit;
use crate::invocation::Invocation;
use crate::pages::Page;

/// The user's answer.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    No,
    /// Nobody can answer: there is no terminal.
    Nobody,
}

/// Asks a yes/no question. Enter means no.
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

/// Shows the planned changes and asks. Returns an error if nobody can answer.
pub(crate) fn agreed(
    invocation: &Invocation,
    question: &str,
    show: impl FnOnce(&mut Page),
) -> Result<bool, Fault> {
    invocation.output.aside(|page| {
        show(page);
        page.end();
    });
    match ask(invocation, question) {
        Answer::Yes => Ok(true),
        Answer::No => Ok(false),
        Answer::Nobody => Err(Fault::invalid(
            "not_confirmed",
            "this needs a confirmation, and there is no terminal to ask in; nothing was changed",
        )
        .next("pass --yes to confirm, or --dry-run to see what would change")),
    }
}

/// Reports that the user said no.
pub(crate) fn declined(invocation: &Invocation) -> Exit {
    invocation.output.aside(|page| {
        page.text("not confirmed; nothing was changed").end();
    });
    Exit::NotAllowed
}
