//! Asking the person before something is done.

use std::io::{BufRead, IsTerminal};

use nudge_core::Fault;

use crate::exit::Exit;
use crate::invocation::Invocation;
use crate::pages::Page;

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

/// Shows what is going to be changed and asks; an error where nobody can be asked.
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
        Answer::Nobody => {
            Err(Fault::invalid("not_confirmed", "nobody is there to be asked; nothing was changed")
                .next("pass --yes to do it without a question, or --dry-run to see what would change"))
        }
    }
}

/// What is said when the person says no.
pub(crate) fn declined(invocation: &Invocation) -> Exit {
    invocation.output.aside(|page| {
        page.text("nothing was changed").end();
    });
    Exit::Failed
}
