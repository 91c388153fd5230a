//! Asks one question for each proposal; one key answers it, without Enter.

use std::io;

use nudge_core::Fault;
use nudge_memory::review::ProposalView;
use serde_json::Value;

use super::{accept, drop_one, page};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, read_answer};
use crate::keys::{self, line};
use crate::pages::Page;

/// Asks about each proposal. Skipped ones stay open.
pub(super) fn each(invocation: &Invocation, proposals: &[ProposalView]) -> Result<Exit, Failure> {
    for (place, proposal) in proposals.iter().enumerate() {
        let ask = |show: fn(&mut Page, &ProposalView)| {
            let mut is_cut = false;
            invocation.output.answer(&Value::Null, |page| {
                is_cut = page::is_cut(proposal, page.columns());
                show(page, proposal);
                page::question(page, proposal, place + 1, proposals.len());
            });
            answer().map(|answer| (answer, is_cut)).map_err(key_read_failed)
        };
        let (mut answer, is_cut) = ask(page::one)?;
        if answer == Answer::Accept && is_cut {
            say(invocation, "a part of it was not shown; this is all of it:");
            answer = ask(page::in_full)?.0;
        }
        let decided = match answer {
            Answer::Accept => accept(invocation, proposal.id, None),
            Answer::Edit if proposal.text.is_none() => {
                say(invocation, "only statements, commands and calls can be reworded; skipped");
                continue;
            }
            Answer::Edit => match line("in your words: ").map_err(key_read_failed)? {
                Some(text) => accept(invocation, proposal.id, Some(text)),
                None => continue,
            },
            Answer::Drop => drop_one(invocation, proposal.id),
            Answer::Skip => continue,
            Answer::Quit => break,
        };
        match decided {
            Ok(answer) => {
                let typed = read_answer(&answer)?;
                invocation.output.answer(&answer, |page| page::decided(page, &typed));
            }
            // A proposal that cannot be decided does not block the others.
            Err(fault) => say(invocation, &fault.message),
        }
    }
    Ok(Exit::Ok)
}

fn say(invocation: &Invocation, what: &str) {
    invocation.output.answer(&Value::Null, |page| {
        page.warning("note:").text(" ").line(what).end();
    });
}

fn key_read_failed(error: std::io::Error) -> Failure {
    let why = format!("cannot read the terminal: {error}");
    Fault::invalid("terminal", why).next("use `nudge review accept ID` and `nudge review drop ID`").into()
}

/// The user's answer to a proposal.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Accept,
    Edit,
    Drop,
    Skip,
    Quit,
}

impl Answer {
    /// The answer for a key; `None` if the key is not an answer.
    fn of(key: u8) -> Option<Self> {
        Some(match key.to_ascii_lowercase() {
            b'a' | b'y' => Self::Accept,
            b'e' => Self::Edit,
            b'd' | b'n' => Self::Drop,
            b's' | b'\n' | b'\r' | b' ' => Self::Skip,
            // Ctrl-C, Ctrl-D and Escape.
            b'q' | 0x03 | 0x04 | 0x1b => Self::Quit,
            _ => return None,
        })
    }
}

/// Waits for the next key that is an answer, and ignores other keys.
pub(super) fn answer() -> io::Result<Answer> {
    keys::read(Answer::of).map(|answer| answer.unwrap_or(Answer::Quit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_an_answer_and_others_are_passed_over() {
        let typed = |typed: &str| {
            keys::read_in(&mut typed.as_bytes(), Answer::of).expect("readable").unwrap_or(Answer::Quit)
        };
        assert_eq!(typed("a"), Answer::Accept);
        assert_eq!(typed("xzD"), Answer::Drop);
        assert_eq!(typed("e"), Answer::Edit);
        assert_eq!(typed("\r"), Answer::Skip);
        assert_eq!(typed("\u{3}"), Answer::Quit);
        assert_eq!(typed("xyz"), Answer::Accept, "y stands for yes");
        assert_eq!(typed("x"), Answer::Quit, "nothing more is typed");
    }
}
