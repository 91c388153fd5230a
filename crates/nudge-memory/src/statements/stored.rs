//! The stored form of a statement: `known://<category>/<hash of its words>`, in the scope of its
//! project.

use nudge_core::instruction::plain_words;
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp};
use nudge_outcomes::fingerprint;
use nudge_store::{EntryDraft, Reader, SecretPolicy, Stage, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::category::Category;
use super::saying::{self, Saying};

/// The scheme of statements. Imported memories use it too; they have no state.
pub(super) const SCHEME: &str = "known";

/// State of a statement.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StatementState {
    /// It applies.
    Stands,
    /// Another statement replaced it.
    Corrected,
    /// It was removed. It is kept so that the same words do not come back by themselves.
    Forgotten,
}

/// The attributes of a statement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Stated {
    pub(crate) category: Category,
    pub(crate) state: StatementState,
    /// The directory it was made for, relative to its project's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) directory: Option<String>,
    /// When and where it was said: the newest time in each session.
    #[serde(default)]
    pub(crate) said: Vec<Saying>,
    /// How often it was said.
    pub(crate) times: u32,
    /// What replaced it: a statement, or a proposal that is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<i64>,
    /// Whether the user corrected or withdrew it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) ended_by_person: bool,
    /// The statement that it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) predecessor: Option<i64>,
    /// The proposal that the user accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) accepted_from: Option<i64>,
    /// Whether it is a recurring request.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_routine: bool,
    /// The places in files that it depends on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anchors: Vec<Value>,
}

/// A stored statement.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stored {
    pub(crate) id: EntryId,
    pub(crate) scope: Scope,
    pub(crate) path: EntryPath,
    pub(crate) text: String,
    pub(crate) stated: Stated,
    /// Who stated it.
    pub(crate) by: Provenance,
}

impl Stored {
    /// When it was last said.
    pub(crate) fn said_at(&self) -> Timestamp {
        saying::last(&self.stated.said).unwrap_or(Timestamp::from_millis(0))
    }

    /// Writes it as it is now, with its original author.
    pub(crate) fn save(&self, writer: &Writer<'_>, now: Timestamp) -> Result<(), Fault> {
        put(writer, &self.scope, &self.path, &self.text, &self.stated, &self.by, now)?;
        Ok(())
    }
}

/// Writes a statement under its path.
pub(super) fn put(
    writer: &Writer<'_>,
    scope: &Scope,
    path: &EntryPath,
    text: &str,
    stated: &Stated,
    by: &Provenance,
    now: Timestamp,
) -> Result<EntryId, Fault> {
    let Ok(Value::Object(attributes)) = serde_json::to_value(stated) else {
        unreachable!("a struct of plain fields is an object")
    };
    let written = writer.put_entry(&EntryDraft {
        scope: scope.clone(),
        path: path.clone(),
        body: text.to_owned(),
        attributes,
        provenance: by.clone(),
        secrets: SecretPolicy::Redact,
        now,
    })?;
    let stage = if stated.state == StatementState::Stands { Stage::InForce } else { Stage::Over };
    writer.set_stage(written.id, stage, saying::last(&stated.said).unwrap_or(now))?;
    Ok(written.id)
}

/// The path of a statement: the same words in another case are the same statement, unless they are
/// for another directory.
pub(super) fn path_of(category: Category, text: &str, directory: Option<&str>) -> Result<EntryPath, Fault> {
    let hash = fingerprint(&["statement", &plain_words(text), directory.unwrap_or_default()]);
    let name = format!("{:016x}", hash.cast_unsigned());
    EntryPath::from_parts(SCHEME, &[category.name(), &name], None)
        .map_err(|error| Fault::new(FaultKind::Internal, "statement_path", error.to_string()))
}

/// Reads a statement from its entry; `None` for any other entry, such as an imported memory.
pub(crate) fn statement_of(entry: Entry) -> Option<Stored> {
    if entry.path.scheme() != SCHEME {
        return None;
    }
    let stated = serde_json::from_value(Value::Object(entry.attributes)).ok()?;
    Some(Stored {
        id: entry.id,
        scope: entry.scope,
        path: entry.path,
        text: entry.body,
        stated,
        by: entry.writer,
    })
}

/// The statement with this number, in force or not.
pub(crate) fn by_id(reader: &Reader<'_>, id: EntryId) -> Result<Option<Stored>, Fault> {
    Ok(reader.entry_by_id(id)?.and_then(statement_of))
}
