//! `handoff`: what the next agent or the user should know about a session.

use nudge_context::{clean, clean_text, path_named, quoted};
use nudge_core::Speaker;
use nudge_core::hypothesis::Status;
use nudge_core::text::{age, one_line_of_chars};
use nudge_core::{Fault, ObservationKind, Outcome, Timestamp};
use nudge_store::SessionRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::journal::next_steps;
use super::view::{no_session, view};
use crate::context_sets::{SessionParam, Sets, session_to_read};
use crate::hypotheses::{active_of, of_session};
use crate::inject::uncommitted;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::error_line;
use crate::sessions::summary::keywords;

/// How many of each are listed.
const MAX_CONCLUSIONS: usize = 3;
const MAX_FILES: usize = 15;
const MAX_RULED_OUT: usize = 5;

/// How many prompts and steps of a session are read.
const MAX_PROMPTS: u32 = 5;
const MAX_STEPS: u32 = 300;

/// How much of each text is shown, in characters.
const MAX_GOAL_CHARS: usize = 300;
const MAX_CONCLUSION_CHARS: usize = 600;
const MAX_ERROR_CHARS: usize = 200;

/// Selects the session.
pub type HandoffParams = SessionParam;

/// Answer of `handoff`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffAnswer {
    /// The whole handoff in Markdown.
    pub markdown: String,
    /// Session id.
    pub session_id: String,
    /// The user's first and last request.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub goal: Vec<String>,
    /// The agent's conclusions, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conclusions: Vec<String>,
    /// Files that were changed but not committed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_in_flight: Vec<String>,
    /// Hypotheses that were confirmed, with the result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub confirmed: Vec<String>,
    /// Hypotheses that were wrong, with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ruled_out: Vec<String>,
    /// The hypothesis that is still being tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_hypothesis: Option<String>,
    /// The last command and how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_command: Option<HandoffCommand>,
    /// Next steps from the session's journal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// Context sets of the session.
    #[serde(default, skip_serializing_if = "Sets::is_empty")]
    pub context: Sets,
}

/// A command, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HandoffCommand {
    /// The command line.
    pub command: String,
    /// How it ended.
    pub outcome: String,
    /// Its output, if it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// The `handoff` operation.
pub struct Handoff;

impl Op for Handoff {
    const NAME: &'static str = "handoff";
    const TITLE: &'static str = "Handoff";
    const DOC: &'static str = "Return what the next agent or the user should know about a session: goal, \
        conclusions, uncommitted files, what was ruled out, the last command and its outcome, context \
        sets.";
    const REFERENCE: &'static str = "Summarise a session for the agent or person who continues it: goal, \
        conclusions, uncommitted files, hypotheses, the last command and the next steps.";
    const EFFECT: Effect = Effect::Read;
    type Params = HandoffParams;
    type Answer = HandoffAnswer;

    fn run(ctx: &OpContext<'_>, params: HandoffParams) -> Result<HandoffAnswer, Fault> {
        let session = session_to_read(ctx, params.session.as_deref())?.ok_or_else(no_session)?;
        let reader = ctx.store();
        let shown = view(ctx, &session)?;
        let steps = reader.actions_in_session(session.id, session.project, MAX_STEPS)?;
        let files = uncommitted(reader, &steps)?.map(|(_, files)| files).unwrap_or_default();
        let last = steps.iter().find(|step| step.kind.is_command());
        let last_command = match last {
            Some(step) => {
                let full = reader.observation(step.entry)?;
                let said = full.and_then(|row| Some(row.attributes.get("response")?.as_str()?.to_owned()));
                let has_failed = matches!(step.outcome, Outcome::Failed { .. });
                Some(HandoffCommand {
                    command: one_line_of_chars(&clean_text(&step.text), MAX_GOAL_CHARS),
                    outcome: ended(step.outcome),
                    said: said.filter(|_| has_failed).map(|said| quoted(error_line(&said), MAX_ERROR_CHARS)),
                })
            }
            None => None,
        };
        let mut answer = HandoffAnswer {
            markdown: String::new(),
            session_id: shown.id.clone(),
            goal: goal(ctx, &session)?,
            conclusions: conclusions(ctx, &session)?,
            files_in_flight: files
                .iter()
                .take(MAX_FILES)
                .map(|file| path_named(file, MAX_GOAL_CHARS))
                .collect(),
            confirmed: confirmed(ctx, &session)?,
            ruled_out: ruled_out(ctx, &session)?,
            open_hypothesis: active_of(reader, session.id)?.map(|stored| {
                let record = stored.record;
                let expected = quoted(&record.prediction, MAX_ERROR_CHARS);
                format!("\"{}\"; expected: \"{expected}\"", quoted(&record.hypothesis, MAX_ERROR_CHARS))
            }),
            last_command,
            next_steps: next_steps(ctx.store(), &session)?,
            context: shown.meta.context.clone(),
        };
        answer.markdown = written(&answer, &shown.agent, &shown.meta.name, &shown.state, {
            age(last_at(ctx, &session)?, ctx.now())
        });
        Ok(answer)
    }
}

fn last_at(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Timestamp, Fault> {
    Ok(ctx.store().last_activity(session)?)
}

fn ended(outcome: Outcome) -> String {
    match outcome {
        Outcome::Success => "passed".to_owned(),
        Outcome::Failed { exit: Some(status) } => format!("failed, exit {status}"),
        Outcome::Failed { exit: None } => "failed".to_owned(),
        Outcome::Unknown => "outcome not known".to_owned(),
    }
}

/// The user's first and last request.
fn goal(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Vec<String>, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    // "yes" and "go on" ask for nothing.
    let asks = |text: &str| keywords(text).len() > 1;
    let mut said: Vec<String> = Vec::new();
    for prompt in reader.prompts_of_session(session.id, MAX_PROMPTS)? {
        let is_first = said.is_empty() && prompt.speaker == Speaker::Person && asks(&prompt.body);
        if is_first && !hidden.hide_entry(reader, prompt.id)? {
            said.push(quoted(&prompt.body, MAX_GOAL_CHARS));
        }
    }
    let newest =
        reader.recent_prompts(session.id, MAX_PROMPTS)?.into_iter().find(|prompt| asks(&prompt.text));
    if let Some(prompt) = newest {
        let text = quoted(&prompt.text, MAX_GOAL_CHARS);
        if !said.contains(&text) && !hidden.hide_entry(reader, prompt.entry)? {
            said.push(text);
        }
    }
    Ok(said)
}

fn conclusions(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Vec<String>, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    let mut said = Vec::new();
    let rows = reader.observations_of_session(session.id, u32::MAX >> 1)?;
    for row in rows.iter().rev().filter(|row| row.kind == ObservationKind::Conclusion) {
        if said.len() < MAX_CONCLUSIONS && !hidden.hide_entry(reader, row.id)? {
            said.push(quoted(&row.body, MAX_CONCLUSION_CHARS));
        }
    }
    Ok(said)
}

fn confirmed(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Vec<String>, Fault> {
    let held = of_session(ctx.store(), session.id, Status::Confirmed)?.into_iter().take(MAX_RULED_OUT);
    let lines = held.map(|stored| {
        let record = stored.record;
        let seen = record.outcome.map(|outcome| clean(&outcome.result, MAX_ERROR_CHARS)).unwrap_or_default();
        format!("\"{}\": {seen}", quoted(&record.hypothesis, MAX_ERROR_CHARS))
    });
    Ok(lines.collect())
}

fn ruled_out(ctx: &OpContext<'_>, session: &SessionRow) -> Result<Vec<String>, Fault> {
    let mut lines = Vec::new();
    for stored in of_session(ctx.store(), session.id, Status::Falsified)?.into_iter().take(MAX_RULED_OUT) {
        let record = stored.record;
        let cause = record.root_cause.map(|cause| quoted(&cause.description, MAX_ERROR_CHARS));
        let because = cause.map_or_else(String::new, |cause| format!(", because: \"{cause}\""));
        lines.push(format!("\"{}\"{because}", quoted(&record.hypothesis, MAX_ERROR_CHARS)));
    }
    Ok(lines)
}

fn written(answer: &HandoffAnswer, agent: &str, name: &str, state: &str, last: String) -> String {
    let called = if name.is_empty() { answer.session_id.clone() } else { name.to_owned() };
    let mut text = format!("# Handoff: {called}\n\n{agent}, {state}, last active {last}\n");
    let mut section = |title: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("\n## {title}\n"));
            lines.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
        }
    };
    let quotes = |all: &[String]| all.iter().map(|said| format!("\"{said}\"")).collect::<Vec<_>>();
    section("Goal", quotes(&answer.goal));
    section("Concluded", quotes(&answer.conclusions));
    section("Files in flight", answer.files_in_flight.clone());
    section("Being tried", answer.open_hypothesis.iter().cloned().collect());
    section("Confirmed", answer.confirmed.clone());
    section("Ruled out", answer.ruled_out.clone());
    let command = answer.last_command.iter().map(|command| {
        let said = command.said.as_ref().map_or_else(String::new, |said| format!(": \"{said}\""));
        format!("`{}` {}{said}", command.command.replace('`', "'"), command.outcome)
    });
    section("Last command", command.collect());
    section("Next", answer.next_steps.clone());
    let sets = answer.context.iter().map(|(name, items)| format!("{name}: {}", items.join(", ")));
    section("Relevant", sets.collect());
    text
}
