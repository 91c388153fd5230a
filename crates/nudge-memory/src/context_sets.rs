//! Context sets: what an agent or the user marks as relevant to a session, and how it is read back.
//!
//! A set is an entry `context://<name>` in the scope of its session. Only a call changes a set; the
//! files a session works on are derived from its actions.

use std::collections::BTreeMap;
use std::path::Path;

use nudge_core::context_set::{self, FILES_SET, KNOWN_SETS, Mode, TooLarge};
use nudge_core::{EntryId, EntryPath, Fault, FaultKind, Timestamp};
use nudge_store::{EntryDraft, Reader, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::caller::Ambient;
use crate::operation::{Effect, Op, OpContext, Operation, Profile};
use crate::projects;
use crate::recall::session_called;
use crate::sessions::call_session;
use crate::statements::{checked_text, project_to_write};

/// The operations on context sets.
pub const OPERATIONS: &[Operation] = &[Operation::of::<SetContext>(), Operation::of::<GetContext>()];

/// The session to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParam {
    /// Session id or a unique prefix. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The session to write to: the named one if its project is the caller's, otherwise the session of
/// the call.
pub(crate) fn session_to_write(ctx: &OpContext<'_>, named: Option<&str>) -> Result<SessionRow, Fault> {
    if let Some(name) = named {
        let session = session_called(ctx, name)?;
        projects::may_write_into(ctx.store(), ctx.caller, Some(session.project), "")?;
        // What the user says about a session is not its agent's work.
        if !projects::is_person(ctx.caller) {
            ctx.writer()?.note_activity(session.id, ctx.now())?;
        }
        return Ok(session);
    }
    // The caller's hidden projects and place were already considered when the session was found.
    if let Some(session) = &ctx.session()?.row {
        // An agent that states something is active, even if no hook reports it.
        ctx.writer()?.note_activity(session.id, ctx.now())?;
        return Ok(session.clone());
    }
    let project = project_to_write(ctx, None)?.id;
    call_session::session_for_writing(ctx, project)
}

/// The session to read: the named one, otherwise the session of the call if anything is stored for
/// it.
pub(crate) fn session_to_read(ctx: &OpContext<'_>, named: Option<&str>) -> Result<Option<SessionRow>, Fault> {
    match named {
        Some(name) => session_called(ctx, name).map(Some),
        None => Ok(ctx.session()?.row.clone()),
    }
}

// The sets of a session, as stored.

/// The scheme of context sets.
const SCHEME: &str = "context";

/// The attribute that contains a set's items.
const ITEMS_ATTRIBUTE: &str = "items";

/// The attribute of a session's entry that describes its environment.
pub(crate) const ENV_HINT: &str = "envHint";

/// Items of each set, by set name.
pub(crate) type Sets = BTreeMap<String, Vec<String>>;

/// A set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredSet {
    pub(crate) entry: EntryId,
    pub(crate) name: String,
    /// Empty if the set was cleared. Its entry stays, so that a report of the change can name it.
    pub(crate) items: Vec<String>,
    pub(crate) updated_at: Timestamp,
}

/// The sets of a session, including cleared ones, in the order they were created.
pub(crate) fn sets_of(reader: &Reader<'_>, session: &SessionRow) -> Result<Vec<StoredSet>, Fault> {
    let entries = reader.entries_in(&session.scope(), Some(SCHEME))?;
    let sets = entries.into_iter().map(|entry| StoredSet {
        entry: entry.id,
        name: entry.path.parts().join("/"),
        items: texts(&entry.attributes),
        updated_at: entry.updated_at,
    });
    Ok(sets.collect())
}

/// The items of a session's sets, without empty sets.
pub(crate) fn items_of(reader: &Reader<'_>, session: &SessionRow) -> Result<Sets, Fault> {
    let sets = sets_of(reader, session)?.into_iter().filter(|set| !set.items.is_empty());
    Ok(sets.map(|set| (set.name, set.items)).collect())
}

fn texts(attributes: &Map<String, Value>) -> Vec<String> {
    let items = attributes.get(ITEMS_ATTRIBUTE).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(Into::into).collect()
}

/// Stores a set.
fn put_items(ctx: &OpContext<'_>, session: &SessionRow, name: &str, items: &[String]) -> Result<(), Fault> {
    let path = EntryPath::from_parts(SCHEME, &[name], None)
        .map_err(|error| Fault::invalid("set_name", error.to_string()).with("field", "setName"))?;
    let mut attributes = Map::new();
    attributes.insert(ITEMS_ATTRIBUTE.to_owned(), json!(items));
    let mut provenance = ctx.provenance()?;
    provenance.session = Some(session.name.clone());
    ctx.writer()?.put_entry(&EntryDraft {
        scope: session.scope(),
        path,
        body: items.join("\n"),
        attributes,
        provenance,
        secrets: ctx.secret_policy(),
        now: ctx.now(),
    })?;
    Ok(())
}

/// What was stated about a session.
pub(crate) fn stated_about(reader: &Reader<'_>, session: &SessionRow) -> Result<Map<String, Value>, Fault> {
    let entry = match session.activity.entry {
        Some(id) => reader.entry_by_id(id)?,
        None => None,
    };
    Ok(entry.map(|entry| entry.attributes).unwrap_or_default())
}

// `set_relevant_context`: marks what matters to a session.

/// The longest name of a set, and the longest item, in characters.
const MAX_NAME_CHARS: usize = 64;

const MAX_ITEM_CHARS: usize = 1_000;

/// A mistyped name differs from a known one by at most this.
const MAX_TYPO_DISTANCE: usize = 2;

/// How new items combine with the items already in a set.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ContextMode {
    /// Replace the items of the set.
    #[default]
    Replace,
    /// Add to the items of the set.
    Merge,
}

impl From<ContextMode> for Mode {
    fn from(mode: ContextMode) -> Self {
        match mode {
            ContextMode::Replace => Self::Replace,
            ContextMode::Merge => Self::Merge,
        }
    }
}

/// Parameters of `set_relevant_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetContextParams {
    /// Name of the set: files, endpoints, ports, applet, or your own.
    #[schemars(extend("x-listed" = ""))]
    #[serde(rename = "setName", alias = "set_name")]
    pub set_name: String,
    /// Items, at most 10. An empty list with "replace" clears the set.
    #[schemars(length(max = 10), extend("x-listed" = "[] with \"replace\" clears the set."))]
    pub items: Vec<String>,
    /// "replace" (default) or "merge", which adds to the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-listed" = ""))]
    pub mode: Option<ContextMode>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub session: Option<String>,
}

/// Answer of `set_relevant_context`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SetContextAnswer {
    /// The result in one line.
    pub text: String,
    /// True if the set changed.
    #[serde(rename = "contextChanged")]
    pub changed: bool,
    /// Name of the set.
    #[serde(rename = "setName")]
    pub set_name: String,
    /// Number of items in the set now.
    pub items: usize,
    /// The session. Present only when the user made the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// A warning about the items.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

/// The operation.
pub struct SetContext;

impl Op for SetContext {
    const NAME: &'static str = "set_relevant_context";
    const TITLE: &'static str = "Set relevant context";
    const DOC: &'static str = "Save what matters to this session; it comes back when the session resumes \
        or another takes over. mode \"replace\" (default) or \"merge\" (union). Sets: files (absolute \
        paths), endpoints, ports, applet [slug, k=v…], or your own. E.g. {setName: \"files\", items: \
        [\"/w/spec.md\"], mode: \"merge\"}. Max 10 per set, 50 in all.";
    const REFERENCE: &'static str = "Save items that matter to a session, such as files, endpoints or \
        ports. They come back when the session resumes, after its context is compacted, and in a handoff. \
        A set has at most 10 items, a session at most 50.";
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Work;
    const TEXT: Option<fn(&SetContextAnswer) -> String> = Some(change_text);
    type Params = SetContextParams;
    type Answer = SetContextAnswer;

    fn run(ctx: &OpContext<'_>, params: SetContextParams) -> Result<SetContextAnswer, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        put_set(ctx, &session, &params.set_name, &params.items, params.mode.unwrap_or_default())
    }
}

/// The answer in words.
fn change_text(answer: &SetContextAnswer) -> String {
    let unchanged =
        (!answer.changed).then(|| format!("Unchanged: {} in {}", counted(answer.items), answer.set_name));
    let session = answer.session.as_ref().map(|session| format!("session {session}"));
    let lines =
        [Some(answer.text.as_str()), unchanged.as_deref(), answer.warning.as_deref(), session.as_deref()];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Changes a set of a session.
pub(crate) fn put_set(
    ctx: &OpContext<'_>,
    session: &SessionRow,
    name: &str,
    items: &[String],
    mode: ContextMode,
) -> Result<SetContextAnswer, Fault> {
    let name = checked_name(ctx, name)?;
    let items = checked_items(ctx, &name, items)?;
    let mut all = items_of(ctx.store(), session)?;
    let before = all.remove(&name).unwrap_or_default();
    let merged = context_set::merge(&before, &items, mode.into()).map_err(too_large)?;
    all.insert(name.clone(), merged.clone());
    context_set::check_total(all.values()).map_err(too_large)?;
    let changed = merged != before;
    if changed {
        put_items(ctx, session, &name, &merged)?;
    }
    let text = match mode {
        ContextMode::Merge if items.is_empty() => format!("Nothing changed in {name}: no items were given"),
        ContextMode::Merge => format!("Merged {name}: {}", counted(merged.len())),
        ContextMode::Replace if items.is_empty() => format!("Cleared {name}"),
        ContextMode::Replace => format!("Set {name}: {}", counted(merged.len())),
    };
    let warning = (changed && !merged.is_empty()).then(|| unknown(&name)).flatten();
    let session = projects::is_person(ctx.caller).then(|| session.name.clone());
    Ok(SetContextAnswer { text, changed, items: merged.len(), session, warning, set_name: name })
}

/// Checks sets that are stored as a whole map: each one, and all together.
pub(crate) fn check_sets(ctx: &OpContext<'_>, sets: &Sets) -> Result<(), Fault> {
    for (name, items) in sets {
        let name = checked_name(ctx, name)?;
        let items = checked_items(ctx, &name, items)?;
        context_set::merge(&[], &items, Mode::Replace).map_err(too_large)?;
    }
    context_set::check_total(sets.values()).map_err(too_large)
}

fn counted(items: usize) -> String {
    if items == 1 { "1 item".to_owned() } else { format!("{items} items") }
}

fn too_large(error: TooLarge) -> Fault {
    Fault::new(FaultKind::Quota, "context_too_large", error.to_string())
        .next("replace the set with fewer items, or remove some with `nudge focus rm`")
}

fn checked_name(ctx: &OpContext<'_>, name: &str) -> Result<String, Fault> {
    let name = checked_text(ctx, "set name", name, MAX_NAME_CHARS)
        .map_err(|fault| fault.with("field", "setName"))?;
    if name.chars().any(char::is_control) {
        return Err(Fault::invalid("set_name", "a set name must be one line").with("field", "setName"));
    }
    Ok(name)
}

fn checked_items(ctx: &OpContext<'_>, name: &str, items: &[String]) -> Result<Vec<String>, Fault> {
    let here = match &ctx.caller.ambient {
        Ambient::Here(context) => context.cwd.as_deref(),
        Ambient::Nothing => None,
    };
    let mut checked = Vec::new();
    for item in items {
        let item =
            checked_text(ctx, "item", item, MAX_ITEM_CHARS).map_err(|fault| fault.with("field", "items"))?;
        if item.chars().any(char::is_control) {
            return Err(Fault::invalid("items", "an item must be one line").with("field", "items"));
        }
        let is_relative = name == FILES_SET && !item.starts_with(['/', '~']);
        checked.push(match here.filter(|_| is_relative) {
            Some(here) => joined(here, &item),
            None => item,
        });
    }
    Ok(checked)
}

/// A file's path, independent of the current directory.
fn joined(here: &str, item: &str) -> String {
    let mut path = Path::new(here).to_path_buf();
    for part in Path::new(item).components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path.to_string_lossy().into_owned()
}

/// A warning for a set with an unknown name, which may be a typo.
fn unknown(name: &str) -> Option<String> {
    if KNOWN_SETS.contains(&name) {
        return None;
    }
    let near =
        KNOWN_SETS.into_iter().find(|known| strsim::damerau_levenshtein(known, name) <= MAX_TYPO_DISTANCE);
    Some(match near {
        Some(known) => format!("unknown set name \"{name}\"; did you mean \"{known}\"?"),
        None => format!("unknown set name \"{name}\"; saved as your own set"),
    })
}

// `get_relevant_context`: returns what was marked as relevant to a session.

/// Parameters of `get_relevant_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetContextParams {
    /// Name of one set. Default: all sets.
    #[serde(default, rename = "setName", alias = "set_name", skip_serializing_if = "Option::is_none")]
    pub set_name: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Answer of `get_relevant_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelevantContext {
    /// Items of each set, by set name.
    pub context: Sets,
    /// A message when there are no sets and none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The operation.
pub struct GetContext;

impl Op for GetContext {
    const NAME: &'static str = "get_relevant_context";
    const TITLE: &'static str = "Get relevant context";
    const DOC: &'static str = "Return what was saved with set_relevant_context for this session: all sets, \
        or one. Call it on resume to see what you were working on.";
    const REFERENCE: &'static str = "Return the context sets of a session: files, endpoints, ports and \
        other items that its agent marked as relevant.";
    const EFFECT: Effect = Effect::Read;
    const TEXT: Option<fn(&RelevantContext) -> String> = Some(sets_text);
    type Params = GetContextParams;
    type Answer = RelevantContext;

    fn run(ctx: &OpContext<'_>, params: GetContextParams) -> Result<RelevantContext, Fault> {
        let mut sets = match session_to_read(ctx, params.session.as_deref())? {
            Some(session) => items_of(ctx.store(), &session)?,
            None => Sets::default(),
        };
        if let Some(name) = params.set_name {
            let items = sets.remove(&name).unwrap_or_default();
            sets = Sets::from([(name, items)]);
        }
        let text = sets.is_empty().then(|| "No context stored for this session".to_owned());
        Ok(RelevantContext { context: sets, text })
    }
}

/// The answer in words: the sets themselves, or that there are none.
fn sets_text(answer: &RelevantContext) -> String {
    answer.text.clone().unwrap_or_else(|| json!(answer.context).to_string())
}
