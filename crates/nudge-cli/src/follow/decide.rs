//! A change, a command or a plugin's call of a run, and the user's decision: one key.

use std::io;
use std::process::Command;

use nudge_agent::runs::{HistoryRow, Resolution};
use nudge_core::Fault;
use nudge_memory::review::{ListProposals, ProposalsParams};
use serde_json::Value;

use crate::context_args::here;
use crate::exit::Failure;
use crate::invocation::Invocation;
use crate::keys::{self, line};
use crate::pages::run;

/// What a key means.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Key {
    Accept,
    Reject,
    Edit,
    Refuse,
    AllEdits,
    Program,
    Tool,
    Interrupt,
}

/// Whether the user decides on this, and does not answer it with words.
pub(super) fn is_proposal(waiting: &HistoryRow) -> bool {
    waiting.tool != "ask_user"
}

/// How a question was settled.
pub(super) enum Settled {
    /// The user decided here.
    Here(Resolution),
    /// It was decided elsewhere, or is another question by now.
    Elsewhere,
    /// The user pressed Ctrl-C.
    Interrupted,
}

/// Shows the proposal and waits for a decision, as long as the question stands.
pub(super) fn ask(
    invocation: &Invocation,
    waiting: &HistoryRow,
    mut stands: impl FnMut() -> bool,
) -> Result<Settled, Failure> {
    let asked = run::Asked::of(waiting);
    keys::forget_typed();
    invocation.output.note(|page| run::proposal(page, waiting, &facts(waiting)));
    loop {
        invocation.output.note(|page| run::keys(page, asked));
        let key = keys::read_while(|key| of(key, asked), &mut stands).map_err(unreadable)?;
        if key.is_none() && !stands() {
            return Ok(Settled::Elsewhere);
        }
        let accept = Resolution { action: "accept".to_owned(), ..Resolution::default() };
        let decided = match key.unwrap_or(Key::Interrupt) {
            Key::Accept => accept,
            Key::Reject => Resolution { action: "reject".to_owned(), ..Resolution::default() },
            Key::AllEdits => Resolution { allow: Some("edits".to_owned()), ..accept },
            Key::Program => Resolution { allow: Some("program".to_owned()), ..accept },
            Key::Tool => Resolution { allow: Some("tool".to_owned()), ..accept },
            Key::Interrupt => return Ok(Settled::Interrupted),
            Key::Refuse => match line("why not: ").map_err(unreadable)? {
                Some(why) => {
                    Resolution { action: "error".to_owned(), output: Some(why), ..Resolution::default() }
                }
                None => continue,
            },
            Key::Edit => match edited(invocation, waiting)? {
                Some(text) => Resolution { text: Some(text), ..accept },
                None => continue,
            },
        };
        return Ok(Settled::Here(Resolution { path: Some(waiting.record.clone()), ..decided }));
    }
}

fn of(key: u8, asked: run::Asked) -> Option<Key> {
    Some(match key.to_ascii_lowercase() {
        b'y' => Key::Accept,
        b'n' => Key::Reject,
        b'e' => Key::Edit,
        b'r' => Key::Refuse,
        b'a' if asked == run::Asked::Change => Key::AllEdits,
        b'p' if asked == run::Asked::Command => Key::Program,
        b't' if asked == run::Asked::Call => Key::Tool,
        // Ctrl-C, Ctrl-D and Escape.
        0x03 | 0x04 | 0x1b => Key::Interrupt,
        _ => return None,
    })
}

/// The attributes of a row.
pub(super) fn facts(waiting: &HistoryRow) -> Value {
    serde_json::from_str(&waiting.attributes).unwrap_or_default()
}

/// Another command or other arguments, typed in one line, or another text for the file, from the
/// user's editor.
fn edited(invocation: &Invocation, waiting: &HistoryRow) -> Result<Option<String>, Failure> {
    match run::Asked::of(waiting) {
        run::Asked::Command => return line("run instead: ").map_err(unreadable),
        run::Asked::Call => return arguments(invocation).map_err(unreadable),
        run::Asked::Change => {}
    }
    let id =
        facts(waiting)["proposals"].as_array().filter(|ids| ids.len() == 1).and_then(|ids| ids[0].as_i64());
    let listed = invocation.ask::<ListProposals>(&ProposalsParams::default(), here())?;
    let proposal = listed.proposals.into_iter().find(|proposal| Some(proposal.id) == id);
    let Some(text) = proposal.and_then(|proposal| proposal.new_text) else {
        invocation.output.note(|page| {
            page.warning("note:").text(" only a short text of one file can be edited").end();
        });
        return Ok(None);
    };
    in_editor(&text, &waiting.target).map_err(unreadable)
}

/// Other arguments for a call; `None` if the user typed none, or no object of JSON.
fn arguments(invocation: &Invocation) -> io::Result<Option<String>> {
    let Some(text) = line("call it with: ")? else { return Ok(None) };
    match serde_json::from_str::<serde_json::Map<String, Value>>(&text) {
        Ok(_) => Ok(Some(text)),
        Err(error) => {
            invocation.output.note(|page| {
                page.warning("note:").line(format!(" the arguments are no object of JSON: {error}")).end();
            });
            Ok(None)
        }
    }
}

/// The text as the user leaves it in `$VISUAL` or `$EDITOR`; `None` if the editor failed.
fn in_editor(text: &str, name: &str) -> io::Result<Option<String>> {
    let ending = name.rsplit('.').next().filter(|ending| !ending.contains('/')).unwrap_or("txt");
    let file = tempfile::Builder::new().prefix("nudge-edit-").suffix(&format!(".{ending}")).tempfile()?;
    std::fs::write(file.path(), text)?;
    let variable = |name: &str| std::env::var(name).ok().filter(|editor| !editor.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let Some(program) = words.next() else { return Ok(None) };
    let status = Command::new(program).args(words).arg(file.path()).status()?;
    Ok(if status.success() { Some(std::fs::read_to_string(file.path())?) } else { None })
}

fn unreadable(error: io::Error) -> Failure {
    let why = format!("cannot read the terminal: {error}");
    Fault::invalid("terminal", why).next("decide with `nudge review`").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_means_what_its_row_says() {
        use run::Asked::{Call, Change, Command};
        assert_eq!((of(b'Y', Command), of(b'n', Change)), (Some(Key::Accept), Some(Key::Reject)));
        assert_eq!((of(b'a', Change), of(b'a', Command)), (Some(Key::AllEdits), None));
        assert_eq!((of(b'p', Command), of(b'p', Change)), (Some(Key::Program), None));
        assert_eq!((of(b't', Call), of(b't', Command), of(b'p', Call)), (Some(Key::Tool), None, None));
        assert_eq!((of(3, Command), of(b'\r', Call)), (Some(Key::Interrupt), None));
    }
}
