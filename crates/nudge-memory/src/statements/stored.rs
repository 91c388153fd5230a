//! The stored form of a statement: `known://<category>/<hash of its words>`, in the scope of its
//! project.

use nudge_core::instruction::{self, plain_words};
use nudge_core::{Entry, EntryId, EntryPath, Fault, FaultKind, Provenance, Scope, Timestamp, named_enum};
use nudge_store::{EntryDraft, Reader, SecretPolicy, Stage, Writer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use nudge_outcomes::fingerprint;

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
    #[serde(default, rename = "said")]
    pub(crate) sayings: Vec<Saying>,
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
        last_said(&self.stated.sayings).unwrap_or(Timestamp::from_millis(0))
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
    writer.set_stage(written.id, stage, last_said(&stated.sayings).unwrap_or(now))?;
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

/// Whether an entry is a statement.
pub fn is_statement(reader: &Reader<'_>, id: EntryId) -> Result<bool, Fault> {
    Ok(by_id(reader, id)?.is_some())
}

/// The statement with this number, in force or not.
pub(crate) fn by_id(reader: &Reader<'_>, id: EntryId) -> Result<Option<Stored>, Fault> {
    Ok(reader.entry_by_id(id)?.and_then(statement_of))
}

// Categories of statements.

named_enum! {
    /// Kinds of statements.
    #[derive(Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum Category {
        /// How someone wants things done.
        Preference => "preference",
        /// How things are.
        #[default]
        Fact => "fact",
        /// Something that happened.
        Event => "event",
        /// The steps of a task.
        Workflow => "workflow",
        /// Background of a piece of work.
        Context => "context",
        /// Something that went wrong, and why.
        Error => "error",
        /// Something that was decided.
        Decision => "decision",
    }
}

// One time that something was said.

/// How many are kept, the newest of each session.
const MAX_SAYINGS: usize = 20;

/// How something was said that an agent quoted from a prompt. The words are the user's; that they
/// are a rule is the agent's judgement.
pub(super) const QUOTED: &str = "quoted by the agent";

/// One time that something was said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saying {
    /// The agent's session, if it was said in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// When, in milliseconds since the epoch.
    pub at: i64,
    /// How: `prompt`, `refusal`, `answer`, `while working`, `quoted by the agent` or `remember`.
    pub how: String,
    /// The prompt that contains it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<i64>,
}

impl Saying {
    /// Something said to an agent.
    pub fn to_agent(session: &str, at: Timestamp, how: &str, prompt: Option<EntryId>) -> Self {
        let session = nudge_secrets::redact(session).into_owned();
        Self {
            session: Some(session),
            at: at.as_millis(),
            how: how.to_owned(),
            prompt: prompt.map(|id| id.0),
        }
    }

    /// Whether an agent quoted it. Such a saying is never counted.
    pub(super) fn is_quoted(&self) -> bool {
        self.how == QUOTED
    }

    /// Something stated by a command or a tool.
    pub(crate) fn by_command(session: Option<String>, at: Timestamp, how: &str) -> Self {
        Self { session, at: at.as_millis(), how: how.to_owned(), prompt: None }
    }
}

/// Adds one, newest first; true if it is the first of its session. Quotes do not count, and one
/// adds nothing in a session that already has a saying.
pub(super) fn add_saying(sayings: &mut Vec<Saying>, one: Saying) -> bool {
    let is_known = sayings.iter().any(|known| known.session == one.session);
    if one.is_quoted() && is_known {
        return false;
    }
    let is_counted = |known: &Saying| known.session == one.session && !known.is_quoted();
    let is_new = !one.is_quoted() && !sayings.iter().any(is_counted);
    let newest = sayings.iter().filter(|known| is_counted(known)).map(|known| known.at).max();
    if newest.is_none_or(|at| at <= one.at) {
        sayings.retain(|known| known.session != one.session);
        sayings.push(one);
        sayings.sort_by_key(|known| std::cmp::Reverse(known.at));
        sayings.truncate(MAX_SAYINGS);
    }
    is_new
}

/// When it was last said.
pub(super) fn last_said(sayings: &[Saying]) -> Option<Timestamp> {
    sayings.iter().map(|one| one.at).max().map(Timestamp::from_millis)
}

// How new words are compared with earlier ones.

/// A way to compare texts.
#[derive(Copy, Clone, Debug)]
pub struct Similarity {
    /// Whether two texts say the same.
    pub same: fn(&str, &str) -> bool,
    /// Whether the first, said later, contradicts the second.
    pub contradicts: fn(&str, &str) -> bool,
}

/// How statements are compared.
pub const STATEMENT_SIMILARITY: Similarity =
    Similarity { same: instruction::same, contradicts: instruction::contradicts };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_counts_once_and_its_newest_words_stay() {
        let said = |session: &str, at| Saying::to_agent(session, Timestamp::from_millis(at), "prompt", None);
        let mut all = Vec::new();
        assert!(add_saying(&mut all, said("a", 1)) && add_saying(&mut all, said("b", 5)));
        assert!(!add_saying(&mut all, said("a", 9)) && !add_saying(&mut all, said("a", 2)));
        let shown: Vec<_> = all.iter().map(|one| (one.session.as_deref().unwrap_or(""), one.at)).collect();
        assert_eq!(shown, [("a", 9), ("b", 5)]);
        let quoted = |session: &str, at| Saying { how: QUOTED.to_owned(), ..said(session, at) };
        assert!(!add_saying(&mut all, quoted("a", 20)), "it was said already");
        assert_eq!((all.len(), all[0].at), (2, 9));
        assert!(!add_saying(&mut all, quoted("c", 30)) && all.len() == 3, "a quote does not count");
        assert!(add_saying(&mut all, said("c", 31)) && all.len() == 3, "the user's own words do");
        for n in 0..40 {
            add_saying(&mut all, said(&format!("s{n}"), 100 + n));
        }
        assert_eq!(
            (all.len(), all[0].at, last_said(&all)),
            (MAX_SAYINGS, 139, Some(Timestamp::from_millis(139)))
        );
    }
}
