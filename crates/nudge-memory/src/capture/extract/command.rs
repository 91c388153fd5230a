//! What is kept of a command: its text, its purpose, and what git says it made.

use std::borrow::Cow;

use nudge_core::event::ToolKind;
use nudge_core::{ObservationKind, Outcome};
use nudge_harness::tool::ToolUse;
use nudge_outcomes::marks::part::parts;
use nudge_outcomes::marks::{HIDDEN_ERROR, blame, signature};
use nudge_outcomes::{RUN, Verdict};
use serde_json::{Map, Value};

use super::text::ActionParts;
use super::{git, text};

/// In how many lines to look for an error that the exit status hid, and how long that error may be.
const MAX_SEARCHED_LINES: usize = 2;
const MAX_LINE_BYTES: usize = 300;

/// Longer commands are programs in their own right; the beginning shows what they do.
const MAX_COMMAND_CHARS: usize = 4_000;

/// Agents describe a command in one line.
const MAX_DESCRIPTION_CHARS: usize = 200;

/// How a command ended: by its exit status where that is reliable, otherwise by its output.
#[derive(Debug)]
pub(in crate::capture) struct CommandEnd {
    pub(in crate::capture) outcome: Outcome,
    /// The result of a test or build run.
    pub(super) run: Option<Value>,
    /// The error hidden by an exit status of 0.
    pub(super) hidden_error: Option<String>,
    /// The message of a failure that the exit status does not show.
    pub(super) failure: Option<String>,
}

impl CommandEnd {
    /// How a tool call ended. Output is only read for commands.
    pub(super) fn of(used: &ToolUse<'_>) -> Self {
        let command = used.command.as_deref().filter(|_| used.kind == ToolKind::Command && has_run(used));
        let Some(command) = command.filter(|_| !was_interrupted(used)) else {
            return Self::as_reported(used.outcome);
        };
        let output = match &used.failure {
            Some(said) => Some(Cow::Borrowed(said.as_ref())),
            None => used.output(),
        };
        Self::read(command, output.as_deref().unwrap_or_default(), used.outcome)
    }

    /// How a command with this output and outcome ended. `outcome` is what its exit status shows.
    pub(in crate::capture) fn read(command: &str, output: &str, outcome: Outcome) -> Self {
        let output = text::clean(output).into_owned();
        if signature::is_agent_error(&output) {
            return Self::as_reported(outcome);
        }
        let exit = match outcome {
            Outcome::Success => Some(0),
            Outcome::Failed { exit } => exit.or(Some(1)),
            Outcome::Unknown => None,
        };
        let run = nudge_outcomes::read(command, &output, exit);
        let outcome = match (run.as_ref().map(|run| run.verdict), outcome) {
            (None | Some(Verdict::Unknown), _) | (Some(Verdict::Failed), Outcome::Failed { .. }) => outcome,
            (Some(Verdict::Failed), _) => Outcome::Failed { exit: None },
            (Some(Verdict::Passed), _) => Outcome::Success,
        };
        let is_failed = matches!(outcome, Outcome::Failed { .. });
        let hidden_error = if is_failed { None } else { hidden_error(command, &output) };
        let failure = is_failed.then_some(output);
        Self { outcome, run: run.map(|run| run.reported()), hidden_error, failure }
    }

    pub(in crate::capture) const fn as_reported(outcome: Outcome) -> Self {
        Self { outcome, run: None, hidden_error: None, failure: None }
    }

    /// What is stored with the command.
    pub(in crate::capture) fn metadata(self) -> Map<String, Value> {
        let mut metadata = Map::new();
        let failure = self.failure.as_deref().and_then(super::text::failure).map(Value::from);
        let hidden = self.hidden_error.map(Value::from);
        let facts = [("response", failure), (HIDDEN_ERROR, hidden), (RUN, self.run)];
        metadata.extend(facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))));
        metadata
    }
}

/// Whether the command was interrupted: its output then does not show how it would have ended.
fn was_interrupted(used: &ToolUse<'_>) -> bool {
    used.response.is_some_and(|response| response["interrupted"] == true)
}

/// Whether the call is finished; one that is only announced has no output.
fn has_run(used: &ToolUse<'_>) -> bool {
    used.response.is_some() || used.failure.is_some() || used.outcome != Outcome::Unknown
}

/// The error at the beginning of a pipeline's output: the exit status is that of the last command
/// only.
fn hidden_error(command: &str, output: &str) -> Option<String> {
    let parts = parts(command);
    if parts.iter().all(|part| part.decides) {
        return None;
    }
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    // If nothing else was printed, the error need not name its command.
    let is_all = lines().nth(MAX_SEARCHED_LINES).is_none();
    let is_hidden =
        |line: &&str| blame::shows_typed_error(&parts, line) || is_all && blame::recurs_when_retyped(line);
    let line =
        lines().take(MAX_SEARCHED_LINES).filter(|line| line.len() <= MAX_LINE_BYTES).find(is_hidden)?;
    Some(text::head(line, MAX_LINE_BYTES).text)
}

/// A failed command is an error, whatever it was for; otherwise a push takes precedence over a
/// commit, and a commit over the rest.
pub(super) fn sketch(used: &ToolUse<'_>, outcome: Outcome) -> Option<ActionParts> {
    let command = text::clean(used.command.as_deref()?);
    let mut parts = ActionParts::new(ObservationKind::Command, &command, MAX_COMMAND_CHARS)?;
    parts.put_text("description", used.description, MAX_DESCRIPTION_CHARS);
    let failed = matches!(outcome, Outcome::Failed { .. });
    if let Some(act) = git_act(&command, used) {
        // A command that failed later may still have made a commit.
        if !failed || act.facts.contains_key("commit_hash") {
            parts.metadata.extend(act.facts);
        }
        parts.kind = act.kind;
    }
    if failed {
        parts.kind = ObservationKind::CommandError;
    }
    Some(parts)
}

/// The git action of a command. Outputs can be large, so the output of other commands is not read.
fn git_act(command: &str, used: &ToolUse<'_>) -> Option<git::GitAction> {
    command.contains("git").then(|| {
        let output = used.output();
        git::act(command, output.as_deref().map(text::clean).as_deref())
    })?
}
