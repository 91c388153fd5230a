//! What is kept of a command: its text, what it was for, and what git says it made.

use std::borrow::Cow;

use nudge_core::event::ToolKind;
use nudge_core::{ObservationKind, Outcome};
use nudge_harness::tool::ToolUse;
use serde_json::{Map, Value};

use super::sketch::Sketch;
use super::{git, text};
use crate::marks::part::parts;
use crate::marks::{HIDDEN_ERROR, blame, signature};
use crate::outcomes::{self, RUN, Verdict};

/// In how many lines an error is looked for that an exit status hid, and how long one may be.
const FIRST_LINES: usize = 2;
const LONGEST_LINE: usize = 300;

/// Longer commands are programs of their own; their beginning tells what they are about.
const COMMAND_MOST: usize = 4_000;

/// Agents describe a command in a line.
const DESCRIPTION_MOST: usize = 200;

/// How a command ended: by its exit status where that counts, else by what its output says.
#[derive(Debug)]
pub(in crate::capture) struct CommandEnd {
    pub(in crate::capture) outcome: Outcome,
    /// What a test or build run came to.
    pub(super) run: Option<Value>,
    /// The error that an exit status of 0 hid.
    pub(super) hidden_error: Option<String>,
    /// What was said of a failure that the exit status does not tell.
    pub(super) failure: Option<String>,
}

impl CommandEnd {
    /// How the call of a tool ended; only of commands is the output looked at.
    pub(super) fn of(used: &ToolUse<'_>) -> Self {
        let command = used.command.as_deref().filter(|_| used.kind == ToolKind::Command && has_run(used));
        let Some(command) = command.filter(|_| !was_interrupted(used)) else {
            return Self::as_told(used.outcome);
        };
        let output = match &used.failure {
            Some(said) => Some(Cow::Borrowed(said.as_ref())),
            None => used.output(),
        };
        Self::read(command, output.as_deref().unwrap_or_default(), used.outcome)
    }

    /// How a command ended that printed this and ended so, as far as its exit status tells.
    pub(in crate::capture) fn read(command: &str, output: &str, outcome: Outcome) -> Self {
        let output = text::clean(output).into_owned();
        if signature::is_of_the_agent(&output) {
            return Self::as_told(outcome);
        }
        let exit = match outcome {
            Outcome::Success => Some(0),
            Outcome::Failed { exit } => exit.or(Some(1)),
            Outcome::Unknown => None,
        };
        let run = outcomes::read(command, &output, exit);
        let outcome = match (run.as_ref().map(|run| run.verdict), outcome) {
            (None | Some(Verdict::Unknown), _) | (Some(Verdict::Failed), Outcome::Failed { .. }) => outcome,
            (Some(Verdict::Failed), _) => Outcome::Failed { exit: None },
            (Some(Verdict::Passed), _) => Outcome::Success,
        };
        let is_failed = matches!(outcome, Outcome::Failed { .. });
        let hidden_error = if is_failed { None } else { hidden_error(command, &output) };
        let failure = is_failed.then_some(output);
        Self { outcome, run: run.map(|run| run.told()), hidden_error, failure }
    }

    pub(in crate::capture) const fn as_told(outcome: Outcome) -> Self {
        Self { outcome, run: None, hidden_error: None, failure: None }
    }

    /// What is kept of it beside the command.
    pub(in crate::capture) fn metadata(self) -> Map<String, Value> {
        let mut metadata = Map::new();
        let failure = self.failure.as_deref().and_then(super::failure).map(Value::from);
        let hidden = self.hidden_error.map(Value::from);
        let facts = [("response", failure), (HIDDEN_ERROR, hidden), (RUN, self.run)];
        metadata.extend(facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?))));
        metadata
    }
}

/// Whether somebody stopped it: what it printed until then says nothing of how it would have ended.
fn was_interrupted(used: &ToolUse<'_>) -> bool {
    used.response.is_some_and(|response| response["interrupted"] == true)
}

/// Whether the call is over: one that is only announced has no output.
fn has_run(used: &ToolUse<'_>) -> bool {
    used.response.is_some() || used.failure.is_some() || used.outcome != Outcome::Unknown
}

/// The error with which the output of a pipe begins: its exit status is that of the last command.
fn hidden_error(command: &str, output: &str) -> Option<String> {
    let parts = parts(command);
    if parts.iter().all(|part| part.decides) {
        return None;
    }
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    // Where nothing else was printed, the error needs not say whose it is.
    let is_all = lines().nth(FIRST_LINES).is_none();
    let is_hidden = |line: &&str| blame::is_evident(&parts, line) || is_all && blame::is_as_typed(line);
    let line = lines().take(FIRST_LINES).filter(|line| line.len() <= LONGEST_LINE).find(is_hidden)?;
    Some(text::head(line, LONGEST_LINE).text)
}

/// A command that failed is an error, whatever it was to do; otherwise a push counts over a commit over the rest.
pub(super) fn sketch(used: &ToolUse<'_>, outcome: Outcome) -> Option<Sketch> {
    let command = text::clean(used.command.as_deref()?);
    let mut kept = Sketch::new(ObservationKind::Command, &command, COMMAND_MOST)?;
    kept.put_words("description", used.description, DESCRIPTION_MOST);
    let failed = matches!(outcome, Outcome::Failed { .. });
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
