//! `explain_injection`: what was told and why, line by line; or, of one entry, when it was told and if not, why not.

use nudge_context::{Budget, Section, Trigger, named};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Fault, FaultKind, Tier};
use nudge_store::{InjectionRow, Reader, Voice};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decided::Decided;
use super::preview::look;
use super::{ledger, reason, used};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{Asked, ProjectParam};
use crate::statements::{self, Standing};

/// How many injections of one entry are named.
const INJECTIONS: u32 = 20;

/// The scheme of summaries.
const SUMMARY: &str = "summary";

const NO_KIND: &str = "only prompts, what agents did and concluded, statements and hints are";
const SUMMED_UP: &str = "of a session its prompts and conclusions are, not its summary";

/// What to explain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WhyParams {
    /// An entry's number [default: the last injection of the project].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Directory, or id or name of a project [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// The most tokens of a start, for what would become of the entry now [default: what the settings say].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// Whether agents are told anything where you are [default: what the settings say].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
}

/// An injection, or an entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyAnswer {
    /// The last injection of the project, when no entry was named and there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub injection: Option<WhyInjection>,
    /// The entry that was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<WhyEntry>,
}

/// One injection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhyInjection {
    /// When.
    pub at: String,
    /// The session that was told, by the agent's own id.
    pub session: String,
    /// What occasioned it.
    pub cause: String,
    /// `fresh`, `recovery` or `prompt`.
    pub mode: String,
    /// What it cost, in tokens, frame and headings included.
    pub tokens: u32,
    /// How many lines it had.
    pub lines: u32,
    /// What was told.
    pub told: Vec<WhyLine>,
    /// What was considered and left out.
    pub left_out: Vec<WhyLine>,
    /// With a prompt: what decided that something was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided>,
}

/// One entry in an injection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyLine {
    /// The entry's number.
    pub id: i64,
    /// Which it is, in short.
    pub what: String,
    /// Why it was told, or why not.
    pub why: String,
    /// The section it stood in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    /// What it cost, in tokens.
    pub tokens: u32,
    /// When the session first made use of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
}

/// One entry over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyEntry {
    /// Its number.
    pub id: i64,
    /// Which it is, in short.
    pub what: String,
    /// Whether a session that began now would be told, and if not, why not.
    pub now: String,
    /// When it was told, the newest first.
    pub told: Vec<WhyTime>,
    /// When it was considered and left out, the newest first.
    pub left_out: Vec<WhyTime>,
}

/// One time that an entry was told or left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WhyTime {
    /// When.
    pub at: String,
    /// The session, by the agent's own id.
    pub session: String,
    /// What occasioned it.
    pub cause: String,
    /// Why.
    pub why: String,
    /// What it cost, in tokens.
    pub tokens: u32,
    /// When the session first made use of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
}

/// The operation.
pub struct ExplainInjection;

impl Op for ExplainInjection {
    const NAME: &'static str = "explain_injection";
    const ALIASES: &'static [&'static str] = &["nudge.explain_injection", "why", "nudge.why"];
    const TITLE: &'static str = "Why";
    const DOC: &'static str = "Explain the last thing that was told unasked in this project, line by line; or one entry: when it was told, and if not, why not.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = WhyParams;
    type Answer = WhyAnswer;

    fn run(ctx: &OpContext<'_>, params: WhyParams) -> Result<WhyAnswer, Fault> {
        let reader = ctx.store();
        if let Some(id) = params.id {
            return Ok(WhyAnswer { injection: None, entry: Some(entry(ctx, EntryId(id), &params)?) });
        }
        let newest = match Asked::of(ctx, &params.project)? {
            Asked::In(place) => reader.injections_of_project(place.project.id, 1)?.pop(),
            Asked::All | Asked::Nowhere => None,
        };
        let injection = newest.map(|row| injection(ctx, &row)).transpose()?;
        Ok(WhyAnswer { injection, entry: None })
    }
}

fn injection(ctx: &OpContext<'_>, row: &InjectionRow) -> Result<WhyInjection, Fault> {
    let (reader, walls) = (ctx.store(), ctx.walls()?);
    let (mut told, mut left_out) = (Vec::new(), Vec::new());
    for line in used::lines(reader, row)? {
        if walls.hide_entry(reader, line.entry)? {
            continue;
        }
        let section = Section::from_number(line.section);
        let (what, why) = reason::of(reader, line.entry, section, row.at)?;
        let shown = WhyLine {
            id: line.entry.0,
            what,
            why: if line.is_told() { why } else { ledger::words(line.reason).to_owned() },
            section: line.is_told().then(|| section.map_or("none", Section::name).to_owned()),
            tokens: line.tokens,
            used_at: line.used_at.map(|at| at.to_string()),
        };
        if line.is_told() { told.push(shown) } else { left_out.push(shown) }
    }
    Ok(WhyInjection {
        at: row.at.to_string(),
        session: session_name(reader, row)?,
        cause: row.cause.clone(),
        mode: mode(row).to_owned(),
        tokens: row.tokens,
        lines: row.lines,
        told,
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
    if reader.entry_by_id(id)?.is_none() || ctx.walls()?.hide_entry(reader, id)? {
        return Err(Fault::new(FaultKind::NotFound, "no_entry", format!("there is no entry {}", id.0))
            .next("`nudge search` and `nudge recent` show the numbers of entries"));
    }
    let (mut told, mut left_out) = (Vec::new(), Vec::new());
    let mut what = reason::of(reader, id, None, ctx.now())?.0;
    let walls = ctx.walls()?;
    for (row, line) in reader.injections_with(id, INJECTIONS)? {
        if walls.hide(row.project) {
            continue;
        }
        let (shown, why) = reason::of(reader, id, Section::from_number(line.section), row.at)?;
        what = shown;
        let used = if line.is_told() {
            used::lines(reader, &row)?.into_iter().find(|line| line.entry == id).and_then(|line| line.used_at)
        } else {
            None
        };
        let time = WhyTime {
            at: row.at.to_string(),
            session: session_name(reader, &row)?,
            cause: row.cause.clone(),
            why: if line.is_told() { why } else { ledger::words(line.reason).to_owned() },
            tokens: line.tokens,
            used_at: used.map(|at| at.to_string()),
        };
        if line.is_told() { told.push(time) } else { left_out.push(time) }
    }
    Ok(WhyEntry { id: id.0, what, now: now(ctx, id, params)?, told, left_out })
}

/// What would become of an entry if a session of its project began now.
fn now(ctx: &OpContext<'_>, id: EntryId, params: &WhyParams) -> Result<String, Fault> {
    let reader = ctx.store();
    let asked = match reader.project_of(id)? {
        Some(project) => ProjectParam::Named(format!("id:{}", project.0)),
        // What holds everywhere is told where the caller asks.
        None if statements::by_id(reader, id)?.is_some() => params.project.clone(),
        None => return Ok(format!("never told: {NO_KIND}")),
    };
    let Asked::In(place) = Asked::of(ctx, &asked)? else {
        return Ok("never told: its project is gone".to_owned());
    };
    let name = named(&place.project.name);
    if !params.enabled.unwrap_or(ctx.settings.inject) {
        return Ok(format!("a session that begins in {name} now is not told: inject.enabled is false"));
    }
    let budget = Budget::of(Tokens(params.tokens.unwrap_or(ctx.settings.inject_start_tokens)));
    let looked = look(ctx, &asked, &place.project, Trigger::Start, None, budget)?;
    let told = looked.block.iter().flat_map(|block| &block.included).any(|line| line.entry == Some(id));
    if told {
        return Ok(format!("a session that begins in {name} now is told"));
    }
    if let Some(left) = looked.left_out.iter().find(|left| left.id == id.0) {
        return Ok(format!("a session that begins in {name} now is not told: {}", left.why));
    }
    let why = match of_statement(reader, id)? {
        Some(why) => why,
        None => no_candidate(reader, id)?,
    };
    Ok(format!("a session that begins in {name} now is not told: {why}"))
}

/// Why a statement or a proposal of one is not considered; `None` for anything else.
fn of_statement(reader: &Reader<'_>, id: EntryId) -> Result<Option<&'static str>, Fault> {
    if let Some(statement) = statements::by_id(reader, id)? {
        return Ok(Some(match statement.stated.state {
            Standing::Stands => "it is for another directory",
            Standing::Corrected => "another statement took its place",
            Standing::Forgotten => "it was forgotten",
        }));
    }
    let is_words = statements::proposed(reader, id.0)?.is_some();
    Ok(is_words.then_some("it is decided, waits for your decision (`nudge review`), or was said long ago"))
}

/// Why an entry is not even considered.
fn no_candidate(reader: &Reader<'_>, id: EntryId) -> Result<&'static str, Fault> {
    if let Some(row) = reader.recent_row(id)? {
        return Ok(
            if row.kind.is_action() || row.pinned || row.kind == nudge_core::ObservationKind::Marker {
                "newer things of its session, or of the 20 newest sessions, come before it"
            } else {
                "it happened to the session, and nobody did it"
            },
        );
    }
    let Some(prompt) = reader.recent_prompt(id)? else {
        let entry = reader.entry_by_id(id)?;
        let is_summary = entry.is_some_and(|entry| entry.path.scheme() == SUMMARY);
        return Ok(if is_summary { SUMMED_UP } else { NO_KIND });
    };
    Ok(match (prompt.voice, reader.actions_of(id)?) {
        (Voice::Agent | Voice::Program, _) => "the person did not say it",
        (Voice::Person, 0) => "nothing was done about it",
        (Voice::Person, _) => "newer things that were asked for come before it",
    })
}
