//! A question of a run, and the user's answer.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, channel};

use nudge_agent::runs::HistoryRow;
use nudge_core::{Fault, FaultKind};

use super::{Interrupt, POLL_INTERVAL};
use crate::agent_above::calling_agent;
use crate::invocation::Invocation;
use crate::keys;
use crate::pages::run;

/// What the user did.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The user typed this.
    Text(String),
    /// The user typed nothing, or closed the input.
    Nothing,
    /// The user pressed Ctrl-C.
    Interrupted,
}

/// Whether somebody can answer: the user, at a terminal.
pub(crate) fn can_ask(invocation: &Invocation) -> bool {
    !invocation.output.is_json()
        && calling_agent().is_none()
        && std::io::stdin().is_terminal()
        && std::io::stderr().is_terminal()
}

/// Asks the question and reads one line.
pub(super) fn ask(invocation: &Invocation, waiting: &HistoryRow, interrupt: &Interrupt) -> Reply {
    keys::forget_typed();
    invocation.output.note(|page| run::question(page, waiting));
    let (send, typed) = channel();
    // A thread, because reading does not end when Ctrl-C is pressed.
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().read_line(&mut line);
        let _ = send.send(read.map(|_| line));
    });
    loop {
        match typed.recv_timeout(POLL_INTERVAL) {
            Ok(line) => return reply(&line.unwrap_or_default()),
            Err(RecvTimeoutError::Disconnected) => return Reply::Nothing,
            Err(RecvTimeoutError::Timeout) if interrupt.was_pressed() => return Reply::Interrupted,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn reply(line: &str) -> Reply {
    match line.trim() {
        "" => Reply::Nothing,
        text => Reply::Text(text.to_owned()),
    }
}

/// The fault when a run waits and nobody can answer here.
pub(super) fn nobody(run: &str, waiting: &HistoryRow) -> Fault {
    let asked = run::asked(waiting).join(" ");
    Fault::new(FaultKind::Forbidden, "waits_for_user", format!("run `{run}` waits for an answer: {asked}"))
        .next(format!("answer it in a terminal with `nudge run resume {run}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_line_is_no_answer() {
        assert_eq!([reply(""), reply(" \n")], [Reply::Nothing, Reply::Nothing]);
        assert_eq!(reply("the second\n"), Reply::Text("the second".to_owned()));
    }
}
