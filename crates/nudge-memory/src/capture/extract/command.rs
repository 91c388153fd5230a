//! What is kept of a command: its text, what it was for, and what git says it made.

use nudge_core::{ObservationKind, Outcome};
use nudge_harness::tool::ToolUse;

use super::sketch::Sketch;
use super::{git, text};

/// Longer commands are programs of their own; their beginning tells what they are about.
const COMMAND_MOST: usize = 4_000;

/// Agents describe a command in a line.
const DESCRIPTION_MOST: usize = 200;

/// A command that failed is an error, whatever it was to do; otherwise a push counts over a commit over the rest.
pub(super) fn sketch(used: &ToolUse<'_>) -> Option<Sketch> {
    let command = text::clean(used.command.as_deref()?);
    let mut kept = Sketch::new(ObservationKind::Command, &command, COMMAND_MOST)?;
    kept.put_words("description", used.description, DESCRIPTION_MOST);
    let failed = matches!(used.outcome, Outcome::Failed { .. });
    if let Some(act) = git_act(&command, used) {
        // A commit may have been made by a command that failed later on.
        if !failed || act.facts.contains_key("commit_hash") {
            kept.metadata.extend(act.facts);
        }
        kept.kind = act.kind;
    }
    if failed {
        kept.kind = ObservationKind::CommandError;
    }
    Some(kept)
}

/// Outputs can be large, so that of other commands is not looked at.
fn git_act(command: &str, used: &ToolUse<'_>) -> Option<git::GitAct> {
    command.contains("git").then(|| {
        let output = used.output();
        git::act(command, output.as_deref().map(text::clean).as_deref())
    })?
}
