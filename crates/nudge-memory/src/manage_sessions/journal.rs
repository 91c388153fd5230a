//! The session journal: what a session came to in its own words, and whether it was looked back on.

use nudge_context::clean_text;
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Scope, Tier};
use nudge_store::{EntryDraft, Reader, SecretPolicy, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::{Asked, ProjectParam};
use crate::statements::checked_text;

/// The scheme of journal entries.
const SCHEME: &str = "journal";

/// How long a summary and a line may be, in characters, and how many lines there may be.
const SUMMARY_MOST: usize = 4_000;
const LINE_MOST: usize = 500;
const LINES_MOST: usize = 20;

/// How many are listed unless asked otherwise, and how many at most; and among how many they are looked for.
const LIMIT: i64 = 20;
const MOST: i64 = 100;
const LOOKED_AT: u32 = 2_000;

/// What a session came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreJournalParams {
    /// What was done and what came of it.
    pub summary: String,
    /// What got in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction_points: Vec<String>,
    /// What comes next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// Session id [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Where it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stored {
    /// It is kept.
    pub ok: bool,
    /// Its number.
    pub id: i64,
}

/// The operation.
pub struct StoreJournal;

impl Op for StoreJournal {
    const NAME: &'static str = "store_journal_entry";
    const ALIASES: &'static [&'static str] = &["nudge.store_journal_entry"];
    const TITLE: &'static str = "Store a journal entry";
    const DOC: &'static str =
        "Wrap a session up in your own words: what was done, what got in the way, what comes next.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = StoreJournalParams;
    type Answer = Stored;

    fn run(ctx: &OpContext<'_>, params: StoreJournalParams) -> Result<Stored, Fault> {
        let summary = checked_text(ctx, "summary", &params.summary, SUMMARY_MOST)?;
        let friction = checked_lines(ctx, "friction_points", &params.friction_points)?;
        let next = checked_lines(ctx, "next_steps", &params.next_steps)?;
        let session = session_to_write(ctx, params.session.as_deref())?;
        // Two may come within a millisecond.
        let count = ctx.store().entries_in(&session.scope(), Some(SCHEME))?.len();
        let moment = format!("{}-{count}", ctx.now().as_millis());
        let path = EntryPath::from_parts(SCHEME, &[&session.id.0.to_string(), &moment], None)
            .map_err(|error| Fault::new(FaultKind::Internal, "path", error.to_string()))?;
        let body: Vec<&str> =
            [&summary].into_iter().chain(&friction).chain(&next).map(String::as_str).collect();
        let mut attributes = Map::new();
        attributes.insert("summary".to_owned(), json!(summary));
        attributes.insert("friction_points".to_owned(), json!(friction));
        attributes.insert("next_steps".to_owned(), json!(next));
        let written = ctx.writer()?.put_entry(&EntryDraft {
            scope: session.scope(),
            path,
            body: body.join("\n"),
            attributes,
            provenance: ctx.provenance()?,
            secrets: ctx.secret_policy(),
            now: ctx.now(),
        })?;
        Ok(Stored { ok: true, id: written.id.0 })
    }
}

fn checked_lines(ctx: &OpContext<'_>, field: &'static str, lines: &[String]) -> Result<Vec<String>, Fault> {
    if lines.len() > LINES_MOST {
        let why = format!("{} lines are more than {LINES_MOST}", lines.len());
        return Err(Fault::new(FaultKind::TooLarge, field, why).with("field", field));
    }
    let checked = lines
        .iter()
        .map(|line| checked_text(ctx, "line", line, LINE_MOST).map_err(|fault| fault.with("field", field)));
    checked.collect()
}

/// Which entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalParams {
    /// Only those that were not looked back on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreflected_only: bool,
    /// 1-100 (20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// An entry of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// Its number.
    pub id: i64,
    /// The session it is of.
    pub session_id: String,
    /// When it was written.
    pub at: String,
    /// What was done and what came of it.
    pub summary: String,
    /// What got in the way.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction_points: Vec<String>,
    /// What comes next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// When it was looked back on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflected_at: Option<String>,
}

/// The operation.
pub struct ListJournal;

impl Op for ListJournal {
    const NAME: &'static str = "list_journal_entries";
    const ALIASES: &'static [&'static str] = &["nudge.list_journal_entries"];
    const TITLE: &'static str = "List journal entries";
    const DOC: &'static str = "What sessions came to, in their own words, newest first. To reflect: read those that were not looked back on, propose values, mark them.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = JournalParams;
    type Answer = Vec<JournalEntry>;

    fn run(ctx: &OpContext<'_>, params: JournalParams) -> Result<Vec<JournalEntry>, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let asked = Asked::for_list(ctx, &params.project)?;
        let mut found = Vec::new();
        for entry in ctx.store().newest(SCHEME, LOOKED_AT)? {
            if found.len() == limit {
                break;
            }
            let shown = shown(&entry);
            if params.unreflected_only && shown.reflected_at.is_some() {
                continue;
            }
            if is_meant(ctx, &asked, &entry)? {
                found.push(shown);
            }
        }
        Ok(found)
    }
}

/// Whether an entry is of a project that is meant and open.
fn is_meant(ctx: &OpContext<'_>, asked: &Asked, entry: &Entry) -> Result<bool, Fault> {
    let Scope::Session(name) = &entry.scope else { return Ok(false) };
    let Some(session) = ctx.store().agent_session_by_name(name)? else { return Ok(false) };
    if ctx.walls()?.hide(session.project) {
        return Ok(false);
    }
    Ok(match asked {
        Asked::All => true,
        Asked::In(place) => place.project.id == session.project,
        Asked::Nowhere => false,
    })
}

/// What comes next, as the newest entry of a session says.
pub(super) fn next_steps(reader: &Reader<'_>, session: &SessionRow) -> Result<Vec<String>, Fault> {
    let newest = reader.entries_in(&session.scope(), Some(SCHEME))?.pop();
    Ok(newest.map(|entry| shown(&entry).next_steps).unwrap_or_default())
}

fn shown(entry: &Entry) -> JournalEntry {
    let text = |name: &str| entry.attributes.get(name).and_then(Value::as_str).map(clean_text);
    let lines = |name: &str| {
        let lines = entry.attributes.get(name).and_then(Value::as_array).into_iter().flatten();
        lines.filter_map(Value::as_str).map(clean_text).collect()
    };
    JournalEntry {
        id: entry.id.0,
        session_id: clean_text(entry.scope.key()),
        at: entry.created_at.to_string(),
        summary: text("summary").unwrap_or_default(),
        friction_points: lines("friction_points"),
        next_steps: lines("next_steps"),
        reflected_at: text("reflected_at"),
    }
}

/// One entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalIdParams {
    /// Its number.
    pub id: i64,
}

/// The operation.
pub struct GetJournalEntry;

impl Op for GetJournalEntry {
    const NAME: &'static str = "get_journal_entry";
    const ALIASES: &'static [&'static str] = &["nudge.get_journal_entry"];
    const TITLE: &'static str = "Get a journal entry";
    const DOC: &'static str = "One entry of the session journal.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = JournalIdParams;
    type Answer = JournalEntry;

    fn run(ctx: &OpContext<'_>, params: JournalIdParams) -> Result<JournalEntry, Fault> {
        Ok(shown(&one(ctx, params.id)?))
    }
}

fn one(ctx: &OpContext<'_>, id: i64) -> Result<Entry, Fault> {
    let entry = ctx.store().entry_by_id(EntryId(id))?.filter(|entry| entry.path.scheme() == SCHEME);
    let entry = match entry {
        Some(entry) if is_meant(ctx, &Asked::All, &entry)? => Some(entry),
        _ => None,
    };
    entry.ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "unknown_entry", format!("#{id} is no entry of the journal"))
            .with("field", "id")
            .next("`nudge journal ls` lists them")
    })
}

/// Several entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalIds {
    /// Their numbers.
    pub ids: Vec<i64>,
}

/// How many were marked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reflected {
    /// How many were not marked before.
    pub marked: usize,
}

/// The operation.
pub struct MarkReflected;

impl Op for MarkReflected {
    const NAME: &'static str = "mark_entries_reflected";
    const ALIASES: &'static [&'static str] = &["nudge.mark_entries_reflected"];
    const TITLE: &'static str = "Mark journal entries as reflected";
    const DOC: &'static str = "Note that journal entries were looked back on.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = JournalIds;
    type Answer = Reflected;

    fn run(ctx: &OpContext<'_>, params: JournalIds) -> Result<Reflected, Fault> {
        let mut marked = 0;
        for id in params.ids {
            let mut entry = one(ctx, id)?;
            let session = ctx.store().agent_session_by_name(entry.scope.key())?;
            let project = session.map(|session| session.project);
            projects::may_write_into(ctx.store(), ctx.caller, project, "")?;
            if entry.attributes.contains_key("reflected_at") {
                continue;
            }
            entry.attributes.insert("reflected_at".to_owned(), json!(ctx.now().to_string()));
            ctx.writer()?.put_entry(&EntryDraft {
                scope: entry.scope,
                path: entry.path,
                body: entry.body,
                attributes: entry.attributes,
                provenance: ctx.provenance()?,
                secrets: SecretPolicy::Redact,
                now: ctx.now(),
            })?;
            marked += 1;
        }
        Ok(Reflected { marked })
    }
}
