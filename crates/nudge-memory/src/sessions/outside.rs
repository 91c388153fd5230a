//! Outside text: what a session reads that neither its user nor its project wrote. This is the one
//! list of what counts.

use nudge_core::{Fault, ObservationKind};
use nudge_outcomes::programs;
use nudge_store::SessionRow;

use crate::capture::reaction::Stored;
use crate::capture::{Action, EventBody};

/// What brings outside text whatever its target: calls of other MCP servers, and the web. Calls of
/// Nudge's own tools are not stored.
const KINDS: [ObservationKind; 3] =
    [ObservationKind::McpCall, ObservationKind::WebFetch, ObservationKind::WebSearch];

/// The kinds that hold a command line.
const COMMANDS: [ObservationKind; 4] = [
    ObservationKind::Command,
    ObservationKind::CommandError,
    ObservationKind::GitCommit,
    ObservationKind::GitPush,
];

/// Programs that bring outside text, each with the words that have to follow in this order. Options
/// may stand between them.
const PROGRAMS: [&[&str]; 4] = [&["curl"], &["wget"], &["gh", "issue", "view"], &["gh", "pr", "view"]];

/// How many sessions above a subagent's are marked with it.
const MAX_PARENTS: usize = 5;

/// Whether the agent of a session has read outside text.
pub(crate) const fn has_read_outside(session: &SessionRow) -> bool {
    session.outside_at.is_some()
}

/// Marks the session of an action that brought outside text, and one that goes on with a session
/// that is not known. What a subagent read, its parent gets.
pub(crate) fn note_outside(stored: &Stored<'_>) -> Result<(), Fault> {
    let brings = match &stored.event.what {
        EventBody::Action(action) => brings_outside(action),
        EventBody::Start { source, .. } => has_unknown_past(source, stored),
        _ => false,
    };
    if has_read_outside(stored.session) || !brings {
        return Ok(());
    }
    stored.writer.note_outside(stored.session.id, stored.at)?;
    let mut parent = stored.session.parent.clone();
    for _ in 0..MAX_PARENTS {
        let Some(name) = parent else { break };
        let Some(session) = stored.writer.agent_session_by_name(&name)? else { break };
        stored.writer.note_outside(session.id, stored.at)?;
        parent = session.parent;
    }
    Ok(())
}

/// Whether the context of a session that starts holds what an unknown session read: a fork does not
/// say whose it is, and a session may be resumed under another name.
fn has_unknown_past(source: &str, stored: &Stored<'_>) -> bool {
    match source {
        "fork" => true,
        "resume" => stored.session.started_at >= stored.at,
        _ => false,
    }
}

fn brings_outside(action: &Action) -> bool {
    KINDS.contains(&action.kind) || (COMMANDS.contains(&action.kind) && runs_outside(&action.body))
}

/// Whether a command line runs one of the programs.
fn runs_outside(line: &str) -> bool {
    // Most lines name none of them and need no parsing.
    let is_named = PROGRAMS.iter().any(|words| words.iter().all(|word| line.contains(word)));
    is_named && programs(line).iter().any(|words| PROGRAMS.iter().any(|program| begins(words, program)))
}

fn begins(words: &[String], program: &[&str]) -> bool {
    let Some((name, verbs)) = program.split_first() else { return false };
    let mut arguments = words.iter().skip(1);
    words.first().is_some_and(|first| first == name)
        && verbs.iter().all(|verb| arguments.any(|argument| argument == verb))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_brings_outside_text_is_recognised_in_any_line() {
        for line in [
            "curl -sL https://a.b | head",
            "cd x && wget -qO- https://a.b",
            "sh -c 'gh issue view 12 --comments'",
            "gh pr -R a/b view 7; true",
            "echo \"$(curl https://a.b)\"",
        ] {
            assert!(runs_outside(line), "{line}");
        }
        for line in
            ["gh pr create --title 'view of an issue'", "grep -rn curl src", "gh issue list", "cargo test"]
        {
            assert!(!runs_outside(line), "{line}");
        }
    }
}
