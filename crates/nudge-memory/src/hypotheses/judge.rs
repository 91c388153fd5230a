//! Judges a session's hypothesis by a test or build run.
//!
//! A run that the hypothesis names confirms or contradicts it. Any other run is only a suggestion:
//! the agent says what it means. A run without a known verdict is ignored.

use nudge_core::hypothesis::Status;
use nudge_core::text::one_line_of_chars;
use nudge_core::{EntryId, Fault, Provenance, Source, Tier, Timestamp};
use nudge_outcomes::{RUN, Verdict};
use nudge_store::{Reader, SecretPolicy, SessionId};
use serde_json::Value;

use super::naming::{expects_failure, expects_success, is_about_another, is_within, names, says_no_more};
use super::record::{Contradiction, GhapRecord};
use super::stored::{Stored, active_of, last_of};
use crate::capture::CapturedVia;
use crate::capture::reaction::Ended;

/// How much of a command is shown, in characters.
const COMMAND: usize = 80;

/// A run, as recorded in its observation.
struct Ran<'r> {
    verdict: Verdict,
    run: &'r Value,
}

impl<'r> Ran<'r> {
    /// Reads the run from a command's metadata; `None` if there is no run or no verdict.
    fn of(run: Option<&'r Value>) -> Option<Self> {
        let run = run?;
        let verdict = Verdict::from_name(run["verdict"].as_str()?)?;
        // A filter that matches no test also passes.
        let ran_nothing = verdict == Verdict::Passed && run["passed"] == 0;
        (verdict != Verdict::Unknown && !ran_nothing).then_some(Self { verdict, run })
    }

    /// For example: `cargo test` passed (42 passed).
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

/// Judges the session's hypothesis by one of the session's runs.
pub(crate) fn judge(ended: &Ended<'_>) -> Result<(), Fault> {
    let Some(ran) = Ran::of(ended.metadata.get(RUN)) else { return Ok(()) };
    // A subagent tests its own hypothesis, and an imported run is in the past.
    if ended.event.agent.is_some() || ended.event.via == CapturedVia::Import {
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

/// Whether a run of this command decides a hypothesis: the prediction names the command, and says
/// only that it succeeds.
fn decides(record: &GhapRecord, command: &str) -> bool {
    let prediction = &record.prediction;
    names(prediction, command)
        && expects_success(prediction)
        && says_no_more(prediction, command)
        && !is_about_another(prediction, command)
}

/// The effect of a run on its session's hypothesis.
pub(crate) struct OutcomeOfRun {
    pub(crate) entry: EntryId,
    pub(crate) at: Timestamp,
    /// Whether the run itself changed the hypothesis.
    pub(crate) has_changed: bool,
    /// Whether the run ended as the hypothesis predicts, as far as is known.
    pub(crate) passed: bool,
    /// A description of the run's result.
    pub(crate) result: String,
    pub(crate) record: GhapRecord,
}

/// The effect of a run that has just ended, to report to the agent. `None` if the session has no
/// hypothesis that the run could be about.
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
