//! Files of the project as entries.
//!
//! The file on disk is the body: it is read when it is asked for, so it is never out of date. The
//! store keeps its hash, and how each viewer sees it. No path leaves the project's root.

use nudge_core::entry_state::{EntryState, status_of};
use nudge_core::scheme::Category;
use nudge_core::{Entry, EntryId, EntryPath, Fault, Scope};
use nudge_grammar::{Pattern, PatternKind};
use nudge_home::workspace::{
    Constraint, ConstraintKind, FileError, FileHash, FileText, KnownFile, SETTLED_MS, ScanRules, ScannedFile,
    Workspace, constraint_of,
};
use nudge_store::{EntryDraft, SecretPolicy, ViewChange, ViewRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::outcome::{self, EntryResult};
use super::place::{self, VerbScope};
use super::shown::{self, EntryView};
use crate::caller::Caller;
use crate::changes::{self, MAX_FILE_BYTES, veto_of};
use crate::memory::Memory;
use crate::operation::OpContext;
use crate::projects::CallerPlace;

/// The attribute with the hash of a file's text.
const HASH_ATTRIBUTE: &str = "hash";

/// The attribute with the hash of a file's size, times and number.
const STAT_ATTRIBUTE: &str = "stat";

/// Reads a file by its entry path.
pub fn read(workspace: &Workspace, path: &str) -> Result<FileText, FileError> {
    workspace.read(&workspace.resolve(path)?, MAX_FILE_BYTES)
}

/// Refuses a change of a file that a constraint protects.
pub(super) fn veto(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    name: &str,
) -> Result<Option<EntryResult>, Fault> {
    let constraints = changes::constraints(ctx.store(), place.project())?;
    let Some(why) = veto_of(constraint_of(&constraints, name)) else { return Ok(None) };
    let next = "the user can change that with `nudge entry constraint`";
    outcome::record_denied(ctx, place, verb, name, &format!("{name} {why}"), next).map(Some)
}

/// A failure of the file system. A path out of the root is recorded as a write without the right.
pub(super) fn failed(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    verb: &str,
    path: &str,
    error: &FileError,
) -> Result<EntryResult, Fault> {
    let why = error.to_string();
    Ok(match error {
        FileError::Outside(_) | FileError::Link { .. } => {
            return outcome::record_denied(ctx, place, verb, path, &why, "");
        }
        FileError::Missing { .. } => EntryResult::failed(path, "not_found", why),
        FileError::Exists { .. } | FileError::Changed { .. } => EntryResult::failed(path, "conflict", why),
        FileError::ReadOnly { .. } => EntryResult::failed(path, "permission:403", why),
        FileError::TooLarge { .. } => EntryResult::failed(path, "overflow", why),
        FileError::NotADirectory { .. } | FileError::NotAFile { .. } | FileError::Binary { .. } => {
            EntryResult::failed(path, "invalid", why)
        }
        FileError::Io { .. } => EntryResult::failed(path, "error:500", why),
    })
}

/// Keeps what is known of a file, never its content. Hashes are under the store's key: a plain one
/// would let a reader test guesses at a credential in the file.
pub(super) fn note(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    file: &KnownFile,
) -> Result<EntryId, Fault> {
    let writer = ctx.writer()?;
    let mut attributes = Map::new();
    attributes.insert(HASH_ATTRIBUTE.to_owned(), writer.keyed(&file.hash.to_string())?.into());
    attributes.insert(STAT_ATTRIBUTE.to_owned(), writer.keyed(&stat(file))?.into());
    attributes.insert("modified_ms".to_owned(), file.modified_ms.into());
    attributes.insert("hashed_ms".to_owned(), file.hashed_ms.into());
    if let Some(known) = writer.entry(place.project(), path)?
        && known.attributes.get(HASH_ATTRIBUTE) == attributes.get(HASH_ATTRIBUTE)
        && known.attributes.get(STAT_ATTRIBUTE) == attributes.get(STAT_ATTRIBUTE)
    {
        return Ok(known.id);
    }
    let written = writer.put_entry(&EntryDraft {
        scope: place.project().clone(),
        path: path.clone(),
        body: String::new(),
        attributes,
        provenance: ctx.provenance()?,
        secrets: SecretPolicy::Redact,
        now: ctx.now(),
    })?;
    Ok(written.id)
}

/// The facts by which a later look tells whether a file is still the same.
fn stat(file: &KnownFile) -> String {
    format!("{} {} {:?} {:?}", file.size, file.modified_ms, file.changed_ms, file.file_id)
}

/// Whether a file is the one that was read last, as far as its size and times show.
fn is_known(ctx: &OpContext<'_>, entry: &Entry, file: &FoundFile) -> Result<bool, Fault> {
    let number = |name: &str| entry.attributes.get(name).and_then(Value::as_i64);
    let (Some(modified_ms), Some(hashed_ms)) = (number("modified_ms"), number("hashed_ms")) else {
        return Ok(false);
    };
    let now = KnownFile {
        size: file.size,
        modified_ms: file.modified_ms,
        changed_ms: file.changed_ms,
        file_id: file.file_id,
        hash: FileHash::of(&[]),
        hashed_ms,
    };
    let stored = entry.attributes.get(STAT_ATTRIBUTE).and_then(Value::as_str);
    let same = stored.is_some() && stored == ctx.store().keyed_if_known(&stat(&now))?.as_deref();
    Ok(same && modified_ms <= hashed_ms.saturating_sub(SETTLED_MS))
}

/// A file that was found, without reading it.
pub(super) fn listed(ctx: &OpContext<'_>, place: &VerbScope, file: &FoundFile) -> Result<EntryView, Fault> {
    let path = place::read_path("path", &file.path)?;
    let entry = ctx.store().entry(place.project(), &path)?;
    let row = match &entry {
        Some(entry) => ctx.store().view(place.viewer(), entry.id)?,
        None => None,
    };
    let mut attributes = Map::new();
    attributes.insert("size".to_owned(), file.size.into());
    if let Some(entry) = &entry {
        attributes.insert("fresh".to_owned(), is_known(ctx, entry, file)?.into());
    }
    let tokens = shown::cost_of_size(&file.path, file.size, None);
    let id = entry.as_ref().map(|entry| entry.id.0);
    Ok(EntryView { id, tokens, attributes, ..view_of(&file.path, row) })
}

/// A file as its viewer sees it, without what depends on its text.
fn view_of(path: &str, row: Option<ViewRow>) -> EntryView {
    EntryView {
        path: path.to_owned(),
        id: row.as_ref().map(|row| row.entry.0),
        scope: "project".to_owned(),
        category: Category::Data.name().to_owned(),
        state: EntryState::Resolved.name().to_owned(),
        status: status_of(EntryState::Resolved, None),
        visibility: row.as_ref().map(|row| row.visibility.name().to_owned()),
        summary: row.and_then(|row| row.summary),
        ..EntryView::default()
    }
}

/// A file with its text. With a change, the viewer's row changes too.
pub(super) fn shown(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    path: &EntryPath,
    change: Option<&ViewChange>,
) -> Result<Result<(EntryView, String), FileError>, Fault> {
    let file = match read(place.workspace()?, path.as_str()) {
        Ok(file) => file,
        Err(error) => return Ok(Err(error)),
    };
    let stored = ctx.store().entry(place.project(), path)?;
    let row = match (change, &stored) {
        (Some(change), _) => {
            let id = note(ctx, place, path, &file.known())?;
            Some(ctx.writer()?.change_view(place.viewer(), id, change, ctx.now())?)
        }
        (None, Some(entry)) => ctx.store().view(place.viewer(), entry.id)?,
        (None, None) => None,
    };
    let before =
        stored.as_ref().and_then(|entry| entry.attributes.get(HASH_ATTRIBUTE)).and_then(Value::as_str);
    let now = ctx.store().keyed_if_known(&file.hash.to_string())?;
    let changed = before.is_some_and(|before| now.as_deref() != Some(before));
    let mut attributes = Map::new();
    attributes.insert("hash".to_owned(), file.hash.to_string().into());
    attributes.insert("size".to_owned(), file.size.into());
    if changed {
        attributes.insert("changed_since_last_read".to_owned(), true.into());
    }
    let view = view_of(path.as_str(), row);
    let tokens = shown::cost(path.as_str(), &file.text, view.summary.as_deref());
    Ok(Ok((EntryView { tokens, attributes, ..view }, file.text)))
}

// The files that a pattern may match, listed before the transaction.

/// A file that a pattern may match, found before the transaction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FoundFile {
    /// Path from the project root.
    pub path: String,
    /// Size in bytes.
    pub size: u64,
    /// Modification time.
    pub modified_ms: i64,
    /// Time of the last change of content or attributes.
    pub changed_ms: Option<i64>,
    /// Number of the file on its disk.
    pub file_id: Option<u64>,
}

impl FoundFile {
    fn of(file: ScannedFile) -> Self {
        Self {
            path: file.path,
            size: file.size,
            modified_ms: file.modified_ms,
            changed_ms: file.changed_ms,
            file_id: file.file_id,
        }
    }
}

/// Lists the files for a pattern over them, before the transaction: a walk over a large project
/// must not keep writers waiting.
pub(super) fn find_before(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
    let Some(fields) = params.as_object_mut() else { return Ok(params) };
    // Only this function says which files there are.
    fields.remove("files");
    let Some(Value::String(text)) = fields.get("path") else { return Ok(params) };
    if !is_for_files(text) {
        return Ok(params);
    }
    let text = text.clone();
    let mut constraints = constraints_of(memory, caller)?;
    if fields.get("persist") == Some(&Value::Bool(true)) {
        // What is about to become part of the project is found already.
        constraints.push(Constraint { pattern: text.clone(), kind: ConstraintKind::Add });
    }
    let found = files_matching(&scanned(caller, constraints), &text);
    fields.insert("files".to_owned(), serde_json::to_value(found).unwrap_or_default());
    Ok(params)
}

/// All files of a caller's project.
pub fn all_files(memory: &Memory, caller: &Caller) -> Result<Vec<FoundFile>, Fault> {
    Ok(scanned(caller, constraints_of(memory, caller)?))
}

fn scanned(caller: &Caller, constraints: Vec<Constraint>) -> Vec<FoundFile> {
    let Some(workspace) = place::workspace_of(caller) else { return Vec::new() };
    let scan = workspace.scan(&ScanRules::new(constraints), &|| false);
    scan.files.into_iter().map(FoundFile::of).collect()
}

/// Those of the files that a pattern matches.
pub(super) fn files_matching(all: &[FoundFile], pattern: &str) -> Vec<FoundFile> {
    let Some(pattern) = Pattern::parse(pattern).ok().filter(is_over_files) else { return Vec::new() };
    all.iter().filter(|file| pattern.matches(&file.path).unwrap_or(false)).cloned().collect()
}

/// Whether a text is a pattern over files.
pub fn is_for_files(pattern: &str) -> bool {
    Pattern::parse(pattern).is_ok_and(|pattern| is_over_files(&pattern))
}

/// The constraints of a caller's project.
pub fn constraints_of(memory: &Memory, caller: &Caller) -> Result<Vec<Constraint>, Fault> {
    memory.store().read(|reader| {
        let key = CallerPlace::of(reader, caller)?.project_key(reader)?;
        changes::constraints(reader, &Scope::Project(key))
    })
}

/// Whether a pattern is about files: a glob without a scheme, or a regular expression.
fn is_over_files(pattern: &Pattern) -> bool {
    match pattern.kind() {
        PatternKind::Glob => !pattern.text().contains("://"),
        PatternKind::Regex => true,
        PatternKind::Literal | PatternKind::Sed | PatternKind::JsonPath | PatternKind::XPath => false,
    }
}
