//! The files that a pattern may match, listed before the transaction.

use std::path::PathBuf;

use nudge_core::{Fault, Scope};
use nudge_grammar::{Pattern, PatternKind};
use nudge_home::workspace::{Constraint, ConstraintKind, ScanRules, ScannedFile, Workspace};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::caller::Caller;
use crate::changes::constraint;
use crate::memory::Memory;
use crate::projects::{self, CallerPlace};

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
    let found = among(&scanned(caller, constraints), &text);
    fields.insert("files".to_owned(), serde_json::to_value(found).unwrap_or_default());
    Ok(params)
}

/// All files of a caller's project.
pub(crate) fn all(memory: &Memory, caller: &Caller) -> Result<Vec<FoundFile>, Fault> {
    Ok(scanned(caller, constraints_of(memory, caller)?))
}

fn scanned(caller: &Caller, constraints: Vec<Constraint>) -> Vec<FoundFile> {
    let Some(workspace) = workspace_of(caller) else { return Vec::new() };
    let scan = workspace.scan(&ScanRules::new(constraints), &|| false);
    scan.files.into_iter().map(FoundFile::of).collect()
}

/// Those of the files that a pattern matches.
pub(super) fn among(all: &[FoundFile], pattern: &str) -> Vec<FoundFile> {
    let Some(pattern) = Pattern::parse(pattern).ok().filter(is_over_files) else { return Vec::new() };
    all.iter().filter(|file| pattern.matches(&file.path).unwrap_or(false)).cloned().collect()
}

/// Whether a text is a pattern over files.
pub(crate) fn is_for_files(pattern: &str) -> bool {
    Pattern::parse(pattern).is_ok_and(|pattern| is_over_files(&pattern))
}

/// The workspace of a caller's project.
pub(super) fn workspace_of(caller: &Caller) -> Option<Workspace> {
    Workspace::open(&root_of(caller)?).ok()
}

/// The root directory of a caller's project.
pub(crate) fn root_of(caller: &Caller) -> Option<PathBuf> {
    let root = projects::place(caller)?.root;
    (!root.is_empty()).then(|| PathBuf::from(root))
}

/// The constraints of a caller's project.
pub(crate) fn constraints_of(memory: &Memory, caller: &Caller) -> Result<Vec<Constraint>, Fault> {
    memory.store().read(|reader| {
        let key = CallerPlace::of(reader, caller)?.project_key(reader)?;
        constraint::all(reader, &Scope::Project(key))
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
