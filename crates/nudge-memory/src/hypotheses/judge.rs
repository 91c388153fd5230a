//! What a test or build run means for the hypothesis of its session.
//!
//! A run that the hypothesis names resolves it, or speaks against it. Any other run only suggests:
//! what it means is for the agent to say. A run whose verdict is not known means nothing.

use nudge_core::hypothesis::Status;
use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, Fault, Provenance, Source, Tier, Timestamp};
use nudge_store::{Reader, SecretPolicy, SessionId};
use serde_json::Value;

use super::naming::{expects_failure, expects_success, is_about_another, is_within, names, says_no_more};
use super::record::{Contradiction, GhapRecord};
use super::stored::{Stored, active_of, last_of};
use crate::capture::Via;
use crate::capture::reaction::Ended;
use crate::outcomes::{RUN, Verdict};

/// How much of a command is shown, in characters.
const COMMAND: usize = 80;

/// A run, as its observation tells it.
struct Ran<'r> {
    verdict: Verdict,
    run: &'r Value,
}

impl<'r> Ran<'r> {
    /// The run among what is known of a command; `None` where it is none, or says nothing.
    fn of(run: Option<&'r Value>) -> Option<Self> {
        let run = run?;
        let verdict = Verdict::from_name(run["verdict"].as_str()?)?;
        // A filter that matches no test passes too.
        let ran_nothing = verdict == Verdict::Passed && run["passed"] == 0;
        (verdict != Verdict::Unknown && !ran_nothing).then_some(Self { verdict, run })
    }

    /// `cargo test` passed (42 passed)
    fn result(&self, command: &str) -> String {
        let command = one_line_of_chars(command, COMMAND).replace('`', "'");
        let counts: Vec<String> = ["failed", "passed"]
            .iter()
            .filter_map(|name| Some((self.run[*name].as_u64().filter(|count| *count > 0)?, name)))
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let counts = if counts.is_empty() { String::new() } else { format!(" ({})", counts.join(", ")) };
        format!("`{command}` {}{counts}", self.verdict.name())
    }
}

/// Judges the hypothesis of a session by a run of it.
pub(crate) fn judge(ended: &Ended<'_>) -> Result<(), Fault> {
    let Some(ran) = Ran::of(ended.metadata.get(RUN)) else { return Ok(()) };
    // A subagent has its own idea of what it tries, and what is imported happened before.
    if ended.event.agent.is_some() || ended.event.via == Via::Import {
        return Ok(());
    }
    let Some(mut stored) = active_of(ended.writer, ended.session)? else { return Ok(()) };
    let is_here = stored.row.project == ended.project && is_within(ended.body, &ended.event.project.root);
    if !is_here || ended.at < stored.record.since() || !decides(&stored.record, ended.body) {
        return Ok(());
    }
    let result = ran.result(ended.body);
    if ran.verdict == Verdict::Failed && stored.record.contradicted.is_some() {
        return Ok(());
    }
    if ran.verdict == Verdict::Passed {
        stored.record.end(Status::Confirmed, result, Some(ended.entry.0), ended.at);
    } else {
        stored.record.contradicted =
            Some(Contradiction { run: ended.entry.0, result, at: ended.at.to_string() });
    }
    let by = Provenance {
        source: Source::ToolOutput,
        tier: Tier::System,
        client: Some(ended.event.harness.clone()),
        session: Some(ended.event.session.clone()),
        project: Some(ended.event.project.key.clone()),
        machine: None,
    };
    stored.put(ended.writer, &by, SecretPolicy::Redact, ended.at)
}

/// Whether a run of this command decides about a hypothesis: the hypothesis names it, and says that it goes well and nothing
/// more.
fn decides(record: &GhapRecord, command: &str) -> bool {
    let prediction = &record.prediction;
    names(prediction, command)
        && expects_success(prediction)
        && says_no_more(prediction, command)
        && !is_about_another(prediction, command)
}

/// What a run means for the hypothesis of its session.
pub(crate) struct OutcomeOfRun {
    pub(crate) entry: EntryId,
    pub(crate) at: Timestamp,
    /// Whether the run itself changed it.
    pub(crate) has_changed: bool,
    /// Whether it ended as the hypothesis predicts, as far as that can be told.
    pub(crate) passed: bool,
    /// What the run did.
    pub(crate) result: String,
    pub(crate) record: GhapRecord,
}

/// What a run that has just ended means, to be said to the agent; `None` where the session has no
/// hypothesis that it could be about.
pub(crate) fn outcome_of_run(
    reader: &Reader<'_>,
    session: SessionId,
    command: &str,
    run: Option<&Value>,
    at: Timestamp,
) -> Result<Option<OutcomeOfRun>, Fault> {
    let Some(ran) = Ran::of(run) else { return Ok(None) };
    let passed = ran.verdict == Verdict::Passed;
    let found = |stored: Stored, has_changed: bool| OutcomeOfRun {
        entry: stored.row.entry,
        at,
        has_changed,
        passed: passed
            != (names(&stored.record.prediction, command) && expects_failure(&stored.record.prediction)),
        result: ran.result(command),
        record: stored.record,
    };
    if let Some(active) = active_of(reader, session)? {
        if is_about_another(&active.record.prediction, command) {
            return Ok(None);
        }
        let is_by_this = active.record.contradicted.as_ref().is_some_and(|run| run.at == at.to_string());
        return Ok(Some(found(active, is_by_this)));
    }
    let by_this = last_of(reader, session)?.filter(|stored| {
        stored.row.resolved_at == Some(at)
            && stored.record.outcome.as_ref().is_some_and(|outcome| outcome.auto_captured)
    });
    Ok(by_this.map(|stored| found(stored, true)))
}
