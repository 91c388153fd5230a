//! The session journal: a session's conclusions in its own words, and whether someone has reflected
//! on them.

use nudge_context::clean_text;
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Scope};
use nudge_store::{EntryDraft, Reader, SecretPolicy, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::context_sets::session_to_write;
use crate::operation::{Effect, Op, OpContext};
use crate::projects;
use crate::recall::{Asked, ProjectParam};
use crate::statements::checked_text;

/// The scheme of journal entries.
const SCHEME: &str = "journal";

/// The longest summary and line, in characters, and how many lines there may be.
const MAX_SUMMARY_CHARS: usize = 4_000;
const MAX_LINE_CHARS: usize = 500;
const MAX_LINES: usize = 20;

/// How many are listed by default, how many at most, and how many entries are searched for them.
const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;
const MAX_SEARCHED: u32 = 2_000;

/// Parameters of `store_journal_entry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreJournalParams {
    /// What was done and what the result is.
    pub summary: String,
    /// What slowed the work down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction_points: Vec<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Answer of `store_journal_entry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stored {
    /// True if it was stored.
    pub ok: bool,
    /// Id of the entry.
    pub id: i64,
}

/// The `store_journal_entry` operation.
pub struct StoreJournal;

impl Op for StoreJournal {
    const NAME: &'static str = "store_journal_entry";
    const TITLE: &'static str = "Store a journal entry";
    const DOC: &'static str = "Save a summary of a session in your own words: what was done, what slowed \
        it down, what comes next. Call it before you finish.";
    const REFERENCE: &'static str = "Save a journal entry for a session: what was done, what slowed it \
        down, and what comes next.";
    const EFFECT: Effect = Effect::Write;
    type Params = StoreJournalParams;
    type Answer = Stored;

    fn run(ctx: &OpContext<'_>, params: StoreJournalParams) -> Result<Stored, Fault> {
        let summary = checked_text(ctx, "summary", &params.summary, MAX_SUMMARY_CHARS)?;
        let friction = checked_lines(ctx, "friction_points", &params.friction_points)?;
        let next = checked_lines(ctx, "next_steps", &params.next_steps)?;
        let session = session_to_write(ctx, params.session.as_deref())?;
        // Two entries may be stored within a millisecond.
        let count = ctx.store().entries_in(&session.scope(), Some(SCHEME))?.len();
        let captured = format!("{}-{count}", ctx.now().as_millis());
        let path = EntryPath::from_parts(SCHEME, &[&session.id.0.to_string(), &captured], None)
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
    if lines.len() > MAX_LINES {
        let why = format!("{} lines; the limit is {MAX_LINES}", lines.len());
        return Err(Fault::new(FaultKind::TooLarge, field, why).with("field", field));
    }
    let checked = lines.iter().map(|line| {
        checked_text(ctx, "line", line, MAX_LINE_CHARS).map_err(|fault| fault.with("field", field))
    });
    checked.collect()
}

/// Parameters of `list_journal_entries`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalParams {
    /// Only entries that are not marked as reflected.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unreflected_only: bool,
    /// Maximum rows to return, 1-100. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// A journal entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JournalEntry {
    /// Id of the entry.
    pub id: i64,
    /// Session id.
    pub session_id: String,
    /// Time it was written.
    pub at: String,
    /// What was done and what the result is.
    pub summary: String,
    /// What slowed the work down.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub friction_points: Vec<String>,
    /// What to do next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next_steps: Vec<String>,
    /// Time it was marked as reflected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reflected_at: Option<String>,
}

/// The `list_journal_entries` operation.
pub struct ListJournal;

impl Op for ListJournal {
    const NAME: &'static str = "list_journal_entries";
    const TITLE: &'static str = "List journal entries";
    const DOC: &'static str = "List journal entries, newest first. To reflect: read the entries not yet \
        reflected, propose values, then mark them.";
    const REFERENCE: &'static str = "List the journal entries of a project, newest first.";
    const EFFECT: Effect = Effect::Read;
    type Params = JournalParams;
    type Answer = Vec<JournalEntry>;

    fn run(ctx: &OpContext<'_>, params: JournalParams) -> Result<Vec<JournalEntry>, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let asked = Asked::for_list(ctx, &params.project)?;
        let mut found = Vec::new();
        for entry in ctx.store().newest(SCHEME, MAX_SEARCHED)? {
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

/// Whether an entry belongs to a project that was asked for and is open.
fn is_meant(ctx: &OpContext<'_>, asked: &Asked, entry: &Entry) -> Result<bool, Fault> {
    let Scope::Session(name) = &entry.scope else { return Ok(false) };
    let Some(session) = ctx.store().agent_session_by_name(name)? else { return Ok(false) };
    if ctx.hidden()?.hide(session.project) {
        return Ok(false);
    }
    Ok(match asked {
        Asked::All => true,
        Asked::In(place) => place.project.id == session.project,
        Asked::Nowhere => false,
    })
}

/// The next steps from a session's newest journal entry.
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

/// Parameters of `get_journal_entry`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalIdParams {
    /// Id of the entry.
    pub id: i64,
}

/// The `get_journal_entry` operation.
pub struct GetJournalEntry;

impl Op for GetJournalEntry {
    const NAME: &'static str = "get_journal_entry";
    const TITLE: &'static str = "Get a journal entry";
    const DOC: &'static str = "Return one journal entry.";
    const EFFECT: Effect = Effect::Read;
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
        Fault::new(FaultKind::NotFound, "unknown_entry", format!("#{id} is not a journal entry"))
            .with("field", "id")
            .next("run `nudge journal ls` to see the entries")
    })
}

/// Parameters of `mark_entries_reflected`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JournalIds {
    /// Ids of the entries.
    pub ids: Vec<i64>,
}

/// Answer of `mark_entries_reflected`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reflected {
    /// Number of entries newly marked.
    pub marked: usize,
}

/// The `mark_entries_reflected` operation.
pub struct MarkReflected;

impl Op for MarkReflected {
    const NAME: &'static str = "mark_entries_reflected";
    const TITLE: &'static str = "Mark journal entries as reflected";
    const DOC: &'static str = "Mark journal entries as reflected, after you have drawn values from them.";
    const REFERENCE: &'static str = "Mark journal entries as reflected, so that they are not listed as \
        open again.";
    const EFFECT: Effect = Effect::Write;
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
                // Whoever marks it, these are still the words of its writer.
                provenance: entry.writer,
                secrets: SecretPolicy::Redact,
                now: ctx.now(),
            })?;
            marked += 1;
        }
        Ok(Reflected { marked })
    }
}
