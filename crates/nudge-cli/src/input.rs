//! What a user gives a running command: texts from a file or from standard input, byte for byte,
//! and confirmations.

use std::fs::File;
use std::io::{BufRead, IsTerminal, Read};
use std::path::Path;

use nudge_core::{Fault, FaultKind};

use crate::exit::Exit;
use crate::invocation::Invocation;
use crate::pages::Page;

/// The largest text to read, in bytes. An entry holds at most as much, and a prompt less.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// All of standard input.
pub(crate) fn stdin() -> Result<String, Fault> {
    text(std::io::stdin().lock(), "standard input")
}

/// The words of a prompt as one text. A last word of `-` stands for standard input.
pub(crate) fn prompt(words: &[String]) -> Result<String, Fault> {
    Ok(match words {
        [only] if only == "-" => stdin()?,
        [before @ .., last] if last == "-" => format!("{}\n\n{}", before.join(" "), stdin()?),
        words => words.join(" "),
    })
}

/// All of a file.
pub(crate) fn file(path: &Path) -> Result<String, Fault> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| {
        let kind = if error.kind() == std::io::ErrorKind::NotFound {
            FaultKind::NotFound
        } else {
            FaultKind::Unavailable
        };
        Fault::new(kind, "unreadable", format!("cannot read {name}: {error}"))
    })?;
    text(file, &name)
}

fn text(from: impl Read, name: &str) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Fault::invalid("unreadable_file", format!("cannot read {name}: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        let why = format!("{name} has more than {MAX_BYTES} bytes");
        return Err(Fault::new(FaultKind::TooLarge, "overflow", why).next("split it into several parts"));
    }
    String::from_utf8(bytes).map_err(|_| Fault::invalid("not_text", format!("{name} is not UTF-8 text")))
}

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
    invocation.output.note(|page| {
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
    invocation.output.note(|page| {
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
    invocation.output.note(|page| {
        page.text("not confirmed; nothing was changed").end();
    });
    Exit::NotAllowed
}
