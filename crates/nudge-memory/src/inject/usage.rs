//! `injection_usage`: what was injected and what of it was used, by day and by session.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use nudge_context::Section;
use nudge_core::{Fault, Tier, Timestamp};
use nudge_store::{Durability, InjectionLine, InjectionRow, Reader, RecentRow, SessionId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::uncommitted;
use crate::capture::EventBody;
use crate::capture::reaction::Committed;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::session_called;

const DEFAULT_DAYS: u32 = 7;

const MAX_DAYS: u32 = 3_650;

/// How many injections are counted at most: two years of ten a day.
const MAX_INJECTIONS: u32 = 8_000;

/// How many sessions are listed.
const MAX_SESSIONS: usize = 20;

/// Parameters of `injection_usage`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UsageParams {
    /// Number of days to count back. Default: 7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// Only this session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only this project: name, id or directory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// Answer of `injection_usage`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageAnswer {
    /// Totals.
    pub total: Sum,
    /// By day, newest first.
    pub days: Vec<UsageDay>,
    /// By session, newest first; at most 20.
    pub sessions: Vec<UsageSession>,
}

/// What was injected and used in a period.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Sum {
    /// Number of injections.
    pub injections: u32,
    /// Number of lines injected.
    pub lines: u32,
    /// Tokens injected.
    pub tokens: u32,
    /// Number of injected lines that were used.
    pub used_lines: u32,
    /// Tokens of the lines that were used.
    pub used_tokens: u32,
}

/// One day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageDay {
    /// The day in UTC.
    pub day: String,
    /// What was injected and used.
    #[serde(flatten)]
    pub sum: Sum,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UsageSession {
    /// Session id.
    pub session: String,
    /// The agent.
    pub agent: String,
    /// Name of the project.
    pub project: String,
    /// Time of its last injection.
    pub at: String,
    /// What was injected and used.
    #[serde(flatten)]
    pub sum: Sum,
}

/// The `injection_usage` operation.
pub struct InjectionUsage;

impl Op for InjectionUsage {
    const NAME: &'static str = "injection_usage";
    const ALIASES: &'static [&'static str] = &["usage", "nudge.usage"];
    const TITLE: &'static str = "Injection usage";
    const DOC: &'static str = "Count what was injected into agents' sessions, what it cost, and how much \
        of it they used.";
    const REFERENCE: &'static str = "Count what was injected into agents' sessions, what it cost in \
        tokens, and how much of it the agents used.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    type Params = UsageParams;
    type Answer = UsageAnswer;

    fn run(ctx: &OpContext<'_>, params: UsageParams) -> Result<UsageAnswer, Fault> {
        let days = params.days.unwrap_or(DEFAULT_DAYS).clamp(1, MAX_DAYS);
        let since = ctx.now().minus(Duration::from_secs(u64::from(days) * 24 * 60 * 60));
        let reader = ctx.store();
        let found = match &params.session {
            Some(name) => reader.injections_of_session(session_called(ctx, name)?.id, MAX_INJECTIONS)?,
            None => reader.injections_since(since, MAX_INJECTIONS)?,
        };
        let project = params.project.as_deref().map(|name| ctx.project(name)).transpose()?;
        let hidden = ctx.hidden()?;
        let wanted = |row: &InjectionRow| {
            row.at >= since
                && !hidden.hide(row.project)
                && project.as_ref().is_none_or(|project| project.id == row.project)
        };
        count(reader, found.into_iter().filter(wanted))
    }
}

fn count(reader: &Reader<'_>, found: impl Iterator<Item = InjectionRow>) -> Result<UsageAnswer, Fault> {
    let mut answer = UsageAnswer::default();
    let mut days: BTreeMap<String, Sum> = BTreeMap::new();
    let mut sessions: Vec<(SessionId, Timestamp, Sum)> = Vec::new();
    for row in found {
        let sum = sum_of(reader, &row)?;
        answer.total.add(sum);
        days.entry(row.at.to_string().chars().take(10).collect()).or_default().add(sum);
        match sessions.iter_mut().find(|(id, _, _)| *id == row.session) {
            Some((_, _, known)) => known.add(sum),
            None => sessions.push((row.session, row.at, sum)),
        }
    }
    answer.days = days.into_iter().rev().map(|(day, sum)| UsageDay { day, sum }).collect();
    for (id, at, sum) in sessions.into_iter().take(MAX_SESSIONS) {
        let Some(session) = reader.agent_session(id)? else { continue };
        answer.sessions.push(UsageSession {
            session: session.name,
            agent: session.harness,
            project: reader.project_label(session.project)?.unwrap_or_default().0,
            at: at.to_string(),
            sum,
        });
    }
    Ok(answer)
}

fn sum_of(reader: &Reader<'_>, row: &InjectionRow) -> Result<Sum, Fault> {
    let lines = used_lines(reader, row)?;
    let used = lines.iter().filter(|line| line.is_injected() && line.used_at.is_some());
    let (used_lines, used_tokens) =
        used.fold((0, 0), |(lines, tokens), line| (lines + 1, tokens + line.tokens));
    Ok(Sum { injections: 1, lines: row.lines, tokens: row.tokens, used_lines, used_tokens })
}

impl Sum {
    const fn add(&mut self, other: Self) {
        self.injections += other.injections;
        self.lines += other.lines;
        self.tokens += other.tokens;
        self.used_lines += other.used_lines;
        self.used_tokens += other.used_tokens;
    }
}

// Whether injected lines were used: the session later touched the line's file or ran its command.

/// How many of a session's steps are read.
const MAX_STEPS: u32 = 2_000;

/// How many injections of one session are settled. A session gets a block once, and again each time
/// its context is emptied.
const MAX_SETTLED: u32 = 50;

/// Records, when a session has ended, which lines it used.
pub(crate) fn settle_use(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event, .. } = *committed;
    if !matches!(event.what, EventBody::End { .. }) {
        return Ok(());
    }
    let uses = store.read(|reader| {
        let Some(session) = reader.agent_session_by_name(&event.session)? else {
            return Ok::<_, Fault>(Vec::new());
        };
        let mut uses = Vec::new();
        for injection in reader.injections_of_session(session.id, MAX_SETTLED)? {
            for line in used_lines(reader, &injection)? {
                uses.extend(line.used_at.map(|at| (injection.id, line.entry, at)));
            }
        }
        Ok(uses)
    })?;
    if uses.is_empty() {
        return Ok(());
    }
    store.write(Durability::Passive, |writer| {
        for (injection, entry, at) in uses {
            writer.mark_used(injection, entry, at)?;
        }
        Ok(())
    })
}

/// The lines of an injection with what is known about their use: as settled when the session ended,
/// or derived from its actions. An end may be reported without anything being settled, or never be
/// reported at all.
pub(super) fn used_lines(reader: &Reader<'_>, injection: &InjectionRow) -> Result<Vec<InjectionLine>, Fault> {
    let mut lines = reader.injection_lines(injection.id)?;
    if lines.iter().all(|line| !line.is_injected() || line.used_at.is_some()) {
        return Ok(lines);
    }
    let deeds = SessionActions::after(reader, injection, MAX_STEPS)?;
    for line in lines.iter_mut().filter(|line| line.is_injected() && line.used_at.is_none()) {
        line.used_at = deeds.use_of_line(reader, line)?;
    }
    Ok(lines)
}

/// A session's actions after an injection: each file and each command with the time of its first
/// use.
pub(super) struct SessionActions {
    files: HashMap<String, Timestamp>,
    commands: HashMap<String, Timestamp>,
}

impl SessionActions {
    /// The actions after an injection, from at most this many steps.
    pub(super) fn after(reader: &Reader<'_>, injection: &InjectionRow, most: u32) -> Result<Self, Fault> {
        let mut deeds = Self { files: HashMap::new(), commands: HashMap::new() };
        reader.visit_actions_after(injection.session, injection.at, most, |at, command, file| {
            for (done, what) in [(&mut deeds.files, file), (&mut deeds.commands, command)] {
                what.map(|what| done.entry(what).or_insert(at));
            }
        })?;
        Ok(deeds)
    }

    /// When the session first touched the file or ran the command of a row.
    pub(super) fn use_of(&self, row: &RecentRow) -> Option<Timestamp> {
        let touched = row.file.as_ref().and_then(|file| self.files.get(file));
        let ran = row.kind.is_command().then(|| self.commands.get(&row.text)).flatten();
        touched.into_iter().chain(ran).min().copied()
    }

    /// The same for a line. A line about changed files may name more than one file.
    fn use_of_line(&self, reader: &Reader<'_>, line: &InjectionLine) -> Result<Option<Timestamp>, Fault> {
        if self.files.is_empty() && self.commands.is_empty() {
            return Ok(None);
        }
        let Some(row) = reader.recent_row(line.entry)? else { return Ok(None) };
        let mut first = self.use_of(&row);
        let files = match Section::from_number(line.section) {
            Some(Section::Recovery) if row.kind.is_file_change() => reader.touched_by(line.entry)?,
            Some(Section::Stopped) if row.kind.is_file_change() => uncommitted::named_by(reader, &row)?,
            _ => Vec::new(),
        };
        if !files.is_empty() {
            first = files.iter().filter_map(|file| self.files.get(file)).copied().chain(first).min();
        }
        Ok(first)
    }
}
