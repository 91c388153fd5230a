//! `explain_injection`: what was injected and why, line by line; or, for one entry, when it was
//! injected or why it was not.

use nudge_context::{Budget, Section, Trigger, named};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Fault, FaultKind, ObservationKind, Speaker, Tier, Timestamp};
use nudge_store::{InjectionRow, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cooldown::SILENCED;
use super::ledger::Decided;
use super::preview::preview_project;
use super::{ledger, usage};
use crate::operation::{Effect, Op, OpContext};
use crate::recall::{Asked, ProjectParam, session_called};
use crate::statements::{self, StatementState};

/// How many injections of one entry are listed.
const MAX_INJECTIONS: u32 = 20;

/// How many injections are explained at most.
const MAX_EXPLAINED: u32 = 50;

/// How many injections of a session are searched for its start; a session gets fewer.
const MAX_OF_SESSION: u32 = 1_000;

/// The scheme of summaries.
const SUMMARY: &str = "summary";

const NO_KIND: &str = "only prompts, actions, conclusions, statements and hints are injected";
const SUMMED_UP: &str = "prompts and conclusions of a session are injected, not its summary";

/// Parameters of `explain_injection`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyParams {
    /// Entry id. Default: explain the last injection of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Project name, id or directory. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Number of injections to explain, newest first, 1-50. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only injections before this time, as a former answer gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Only injections into this session: its id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Token budget of a session start, to decide what would happen to the entry now. Default: from
    /// the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// Whether injection is on here, to decide what would happen to the entry now. Default: from
    /// the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// Answer of `explain_injection`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyAnswer {
    /// The last injection of the project, if no entry was given and there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<WhyInjection>,
    /// Injections before it, newest first, if more than one was requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<WhyInjection>,
    /// The injection at the start of the same session, if the last one came later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<WhyInjection>,
    /// The entry that was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<WhyEntry>,
}

/// One injection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyInjection {
    /// Time of the injection.
    pub at: String,
    /// Id of the session that got it.
    pub session: String,
    /// Name of the project, if all projects were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The event that caused it.
    pub cause: String,
    /// Kind of injection: `fresh`, `recovery` or `prompt`.
    pub mode: String,
    /// Cost in tokens, including frame and headings.
    pub tokens: u32,
    /// Number of lines.
    pub lines: u32,
    /// Entries that were injected.
    #[serde(alias = "told")]
    pub injected: Vec<WhyLine>,
    /// Entries that were considered and left out.
    pub left_out: Vec<WhyLine>,
    /// With a prompt: what decided that something was injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided>,
}

/// One entry in an injection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyLine {
    /// Entry id.
    pub id: i64,
    /// The entry in short.
    pub what: String,
    /// Why it was injected or left out.
    pub why: String,
    /// Section of the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// Cost in tokens.
    pub tokens: u32,
    /// Time the session first used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
}

/// The history of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyEntry {
    /// Entry id.
    pub id: i64,
    /// The entry in short.
    pub what: String,
    /// Whether a session that begins now would get it, and if not, why.
    pub now: String,
    /// When it was injected, newest first.
    #[serde(alias = "told")]
    pub injected: Vec<WhyTime>,
    /// When it was considered and left out, newest first.
    pub left_out: Vec<WhyTime>,
}

/// One time that an entry was injected or left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyTime {
    /// Time of the injection.
    pub at: String,
    /// Session id.
    pub session: String,
    /// The event that caused it.
    pub cause: String,
    /// Why it was injected or left out.
    pub why: String,
    /// Cost in tokens.
    pub tokens: u32,
    /// Time the session first used it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
}

/// The `explain_injection` operation.
pub struct ExplainInjection;

impl Op for ExplainInjection {
    const NAME: &'static str = "explain_injection";
    const ALIASES: &'static [&'static str] = &["why", "nudge.why"];
    const TITLE: &'static str = "Explain an injection";
    const DOC: &'static str = "Explain the last injection in this project line by line; or explain one \
        entry: when it was injected, and if not, why.";
    const REFERENCE: &'static str = "Explain why the last injection in the project had the lines it had. \
        With an entry id, explain when that entry was injected or left out, and why.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    type Params = WhyParams;
    type Answer = WhyAnswer;

    fn run(ctx: &OpContext<'_>, params: WhyParams) -> Result<WhyAnswer, Fault> {
        if let Some(id) = params.id {
            return Ok(WhyAnswer { entry: Some(entry(ctx, EntryId(id), &params)?), ..WhyAnswer::default() });
        }
        let rows = newest(ctx, &params)?;
        let start = rows.first().map(|row| start_of(ctx.store(), row)).transpose()?.flatten();
        let named = params.project == ProjectParam::All;
        let mut each =
            rows.iter().map(|row| if named { named_injection(ctx, row) } else { explained(ctx, row) });
        Ok(WhyAnswer {
            injection: each.next().transpose()?,
            earlier: each.collect::<Result<_, _>>()?,
            start: start.map(|row| explained(ctx, &row)).transpose()?,
            entry: None,
        })
    }
}

/// The last injections of a session, a project or all projects.
fn newest(ctx: &OpContext<'_>, params: &WhyParams) -> Result<Vec<InjectionRow>, Fault> {
    let reader = ctx.store();
    let limit = params.limit.unwrap_or(1).clamp(1, MAX_EXPLAINED);
    let before = params.before.as_deref().map(time).transpose()?.unwrap_or(END);
    if let Some(name) = &params.session {
        let mut rows = reader.injections_of_session(session_called(ctx, name)?.id, MAX_OF_SESSION)?;
        rows.retain(|row| row.at < before);
        rows.truncate(limit as usize);
        return Ok(rows);
    }
    match Asked::of(ctx, &params.project)? {
        Asked::In(place) => Ok(reader.injections_of_project(place.project.id, before, limit)?),
        Asked::All => {
            let hidden = ctx.hidden()?;
            let mut rows = reader.injections_before(before, limit)?;
            rows.retain(|row| !hidden.hide(row.project));
            Ok(rows)
        }
        Asked::Nowhere => Ok(Vec::new()),
    }
}

/// After everything.
const END: Timestamp = Timestamp::from_millis(i64::MAX);

fn time(text: &str) -> Result<Timestamp, Fault> {
    Timestamp::parse(text).ok_or_else(|| {
        Fault::invalid("no_time", "`before` is not a time")
            .with("field", "before")
            .next("write it in ISO 8601, such as 2026-01-31T12:00:00Z")
    })
}

fn named_injection(ctx: &OpContext<'_>, row: &InjectionRow) -> Result<WhyInjection, Fault> {
    let project = ctx.store().project_label(row.project)?.map(|(name, _)| name);
    Ok(WhyInjection { project, ..explained(ctx, row)? })
}

/// The injection at the start of a row's session, if that was an earlier one.
fn start_of(reader: &Reader<'_>, row: &InjectionRow) -> Result<Option<InjectionRow>, Fault> {
    let is_start = |row: &InjectionRow| row.is_recovery() || row.trigger == Trigger::Start.number();
    if is_start(row) {
        return Ok(None);
    }
    let of_session = reader.injections_of_session(row.session, MAX_OF_SESSION)?;
    Ok(of_session.into_iter().find(is_start))
}

/// An injection, line by line.
pub(crate) fn explained(ctx: &OpContext<'_>, row: &InjectionRow) -> Result<WhyInjection, Fault> {
    let (reader, hidden) = (ctx.store(), ctx.hidden()?);
    let (mut injected, mut left_out) = (Vec::new(), Vec::new());
    for line in usage::used_lines(reader, row)? {
        if hidden.hide_entry(reader, line.entry)? {
            continue;
        }
        let section = Section::from_number(line.section);
        let (what, why) = ledger::reason_of(reader, line.entry, section, row.at)?;
        let shown = WhyLine {
            id: line.entry.0,
            what,
            why: if line.is_injected() { why } else { ledger::words(line.reason).to_owned() },
            section: line.is_injected().then(|| section.map_or("none", Section::name).to_owned()),
            tokens: line.tokens,
            used_at: line.used_at.map(|at| at.to_string()),
        };
        if line.is_injected() { injected.push(shown) } else { left_out.push(shown) }
    }
    Ok(WhyInjection {
        at: row.at.to_string(),
        session: session_name(reader, row)?,
        project: None,
        cause: row.cause.clone(),
        mode: mode(row).to_owned(),
        tokens: row.tokens,
        lines: row.lines,
        injected,
        left_out,
        decision: reader.decision_of(row.id)?.and_then(|text| serde_json::from_str(&text).ok()),
    })
}

fn mode(row: &InjectionRow) -> &'static str {
    match row.trigger {
        _ if row.is_recovery() => "recovery",
        trigger if trigger == Trigger::Prompt.number() => "prompt",
        _ => "fresh",
    }
}

fn session_name(reader: &Reader<'_>, row: &InjectionRow) -> Result<String, Fault> {
    Ok(reader.agent_session(row.session)?.map(|session| session.name).unwrap_or_default())
}

fn entry(ctx: &OpContext<'_>, id: EntryId, params: &WhyParams) -> Result<WhyEntry, Fault> {
    let reader = ctx.store();
    if reader.entry_by_id(id)?.is_none() || ctx.hidden()?.hide_entry(reader, id)? {
        return Err(Fault::new(FaultKind::NotFound, "no_entry", format!("there is no entry {}", id.0))
            .next("run `nudge search` or `nudge recent` to see the numbers of entries"));
    }
    let (mut injected, mut left_out) = (Vec::new(), Vec::new());
    let mut what = ledger::reason_of(reader, id, None, ctx.now())?.0;
    let hidden = ctx.hidden()?;
    for (row, line) in reader.injections_with(id, MAX_INJECTIONS)? {
        if hidden.hide(row.project) {
            continue;
        }
        let (shown, why) = ledger::reason_of(reader, id, Section::from_number(line.section), row.at)?;
        what = shown;
        let used = if line.is_injected() {
            usage::used_lines(reader, &row)?
                .into_iter()
                .find(|line| line.entry == id)
                .and_then(|line| line.used_at)
        } else {
            None
        };
        let time = WhyTime {
            at: row.at.to_string(),
            session: session_name(reader, &row)?,
            cause: row.cause.clone(),
            why: if line.is_injected() { why } else { ledger::words(line.reason).to_owned() },
            tokens: line.tokens,
            used_at: used.map(|at| at.to_string()),
        };
        if line.is_injected() { injected.push(time) } else { left_out.push(time) }
    }
    Ok(WhyEntry { id: id.0, what, now: now(ctx, id, params)?, injected, left_out })
}

/// What would happen to an entry if a session of its project started now.
fn now(ctx: &OpContext<'_>, id: EntryId, params: &WhyParams) -> Result<String, Fault> {
    let reader = ctx.store();
    let asked = match reader.project_of(id)? {
        Some(project) => ProjectParam::Named(format!("id:{}", project.0)),
        // A statement for all projects is checked for the project that the caller asks about.
        None if statements::by_id(reader, id)?.is_some() => params.project.clone(),
        None => return Ok(format!("never injected: {NO_KIND}")),
    };
    let Asked::In(place) = Asked::of(ctx, &asked)? else {
        return Ok("never injected: its project no longer exists".to_owned());
    };
    let name = named(&place.project.name);
    if !params.enabled.unwrap_or(ctx.settings.inject) {
        return Ok(format!("a session that starts in {name} now does not get it: inject.enabled is false"));
    }
    let budget = Budget::of(Tokens(params.tokens.unwrap_or(ctx.settings.inject_start_tokens)));
    let looked = preview_project(ctx, &asked, &place.project, (Trigger::Start, false), None, budget)?;
    let injected = looked.block.iter().flat_map(|block| &block.included).any(|line| line.entry == Some(id));
    if injected {
        return Ok(format!("a session that starts in {name} now gets it"));
    }
    if let Some(left) = looked.left_out.iter().find(|left| left.id == id.0) {
        return Ok(format!("a session that starts in {name} now does not get it: {}", left.why));
    }
    let why = match of_statement(reader, id)? {
        Some(why) => why,
        None if reader.silenced(place.project.id)?.contains(&id) => SILENCED,
        None => no_candidate(reader, id)?,
    };
    Ok(format!("a session that starts in {name} now does not get it: {why}"))
}

/// Why a statement, or a proposal of one, is not considered; `None` for any other entry.
fn of_statement(reader: &Reader<'_>, id: EntryId) -> Result<Option<&'static str>, Fault> {
    if let Some(statement) = statements::by_id(reader, id)? {
        return Ok(Some(match statement.stated.state {
            StatementState::Stands => "it is for another directory",
            StatementState::Corrected => "another statement replaced it",
            StatementState::Forgotten => "it was forgotten",
        }));
    }
    let is_words = statements::proposed(reader, id.0)?.is_some();
    Ok(is_words.then_some("it is decided, waits for your decision (`nudge review`), or was said long ago"))
}

/// Why an entry is not even considered.
fn no_candidate(reader: &Reader<'_>, id: EntryId) -> Result<&'static str, Fault> {
    if let Some(row) = reader.recent_row(id)? {
        return Ok(match row.kind {
            ObservationKind::Conclusion => {
                "it does not answer the last request of one of the newest sessions"
            }
            kind if kind.is_action() || kind == ObservationKind::Marker => {
                "single steps are not injected at a start; a search finds them"
            }
            _ => "it is an event of the session, not an action",
        });
    }
    let Some(prompt) = reader.recent_prompt(id)? else {
        let entry = reader.entry_by_id(id)?;
        let is_summary = entry.is_some_and(|entry| entry.path.scheme() == SUMMARY);
        return Ok(if is_summary { SUMMED_UP } else { NO_KIND });
    };
    Ok(match (prompt.speaker, reader.actions_of(id)?) {
        (Speaker::Agent | Speaker::Program, _) => "the user did not say it",
        (Speaker::Person, 0) => "nothing was done about it",
        (Speaker::Person, _) => "it is not the last request of one of the newest sessions",
    })
}
