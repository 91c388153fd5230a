//! A statement as users and agents see it.

use nudge_context::clean_text;
use nudge_core::instruction::Subject;
use nudge_core::{EntryId, Fault};
use nudge_store::{ProjectId, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::in_force::{Origin, Statement, in_force};
use super::stated_by::stated_by;
use super::stored::{StatementState, Stored};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementView {
    /// Id of the statement.
    pub id: i64,
    /// The text.
    pub text: String,
    /// Kind of statement.
    pub category: Category,
    /// State of the statement.
    pub state: StatementState,
    /// Who stated it and where.
    pub stated_by: String,
    /// How it was made.
    pub origin: Origin,
    /// Directory it applies to, from the project root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// How often it was said.
    pub times: u32,
    /// Number of sessions it was said in.
    pub sessions: u32,
    /// Time it was last said.
    pub said_at: String,
    /// True if it applies in every project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// What changed in the files it is about; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<String>,
    /// The user's statement that it contradicts, which keeps it from being injected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    /// True if the user stopped it from being injected here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silenced: bool,
    /// True if it is a request that keeps coming back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub routine: bool,
    /// Id of the statement that replaced it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<i64>,
    /// Id of the statement that it replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predecessor: Option<i64>,
}

/// A statement that another one contradicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradicted {
    /// Id of the statement.
    pub id: i64,
    /// The text.
    pub text: String,
    /// Who stated it and where.
    pub stated_by: String,
}

impl StatementView {
    /// The view of a statement in force.
    pub(crate) fn in_force(reader: &Reader<'_>, one: Statement) -> Result<Self, Fault> {
        Ok(Self {
            id: one.id.0,
            stated_by: stated_by(reader, &one.by)?,
            text: clean_text(&one.text),
            category: one.category,
            state: StatementState::Stands,
            origin: one.origin,
            directory: one.directory,
            times: one.times,
            sessions: one.sessions,
            said_at: one.said_at.to_string(),
            everywhere: one.everywhere,
            drift: None,
            against: one.against,
            silenced: false,
            routine: one.is_routine,
            successor: None,
            predecessor: None,
        })
    }

    /// The view of a statement in any state.
    pub(crate) fn stored(reader: &Reader<'_>, one: Stored) -> Result<Self, Fault> {
        let (state, successor) = (one.stated.state, one.stated.successor);
        let predecessor = one.stated.predecessor;
        Ok(Self { state, successor, predecessor, ..Self::in_force(reader, one.into())? })
    }
}

/// The statements in force in a project that contradict a text.
pub(crate) fn contradicted(
    reader: &Reader<'_>,
    project: ProjectId,
    text: &str,
    directory: Option<&str>,
    but: &[EntryId],
) -> Result<Vec<Contradicted>, Fault> {
    let subject = Subject::of(text);
    let mut found = Vec::new();
    for known in in_force(reader, project)? {
        let other = Subject::of(&known.text);
        let against = subject.contradicts(&other) && !subject.is_same(&other);
        let elsewhere = matches!((directory, &known.directory), (Some(one), Some(other)) if one != other);
        if against && !elsewhere && !but.contains(&known.id) {
            let stated_by = stated_by(reader, &known.by)?;
            found.push(Contradicted { id: known.id.0, text: clean_text(&known.text), stated_by });
        }
    }
    Ok(found)
}
