//! A statement as people and agents see it.

use nudge_context::clean_text;
use nudge_core::instruction::Subject;
use nudge_core::{EntryId, Fault};
use nudge_store::{ProjectId, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::category::Category;
use super::in_force::{Origin, Statement, in_force};
use super::stated_by::stated_by;
use super::stored::{Standing, Stored};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StatementView {
    /// Its number.
    pub id: i64,
    /// What it says.
    pub text: String,
    /// What sort of thing it is.
    pub category: Category,
    /// Whether it holds.
    pub state: Standing,
    /// Who stated it, and where.
    pub stated_by: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The directory it was made for, from the root of the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// How often it was said.
    pub times: u32,
    /// In how many sessions.
    pub sessions: u32,
    /// When it was last said.
    pub said_at: String,
    /// Whether it holds in every project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub everywhere: bool,
    /// What became of the files it is about; absent where they are as they were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<String>,
    /// The person's statement that it speaks against and that keeps it from being in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    /// Whether the person keeps it from being injected here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silenced: bool,
    /// Whether it is a request that keeps coming back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub routine: bool,
    /// What took its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub successor: Option<i64>,
    /// The statement whose place it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predecessor: Option<i64>,
}

/// A statement that another one speaks against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contradicted {
    /// Its number.
    pub id: i64,
    /// What it says.
    pub text: String,
    /// Who stated it, and where.
    pub stated_by: String,
}

impl StatementView {
    /// One that holds.
    pub(crate) fn standing(reader: &Reader<'_>, one: Statement) -> Result<Self, Fault> {
        Ok(Self {
            id: one.id.0,
            stated_by: stated_by(reader, &one.by)?,
            text: clean_text(&one.text),
            category: one.category,
            state: Standing::Stands,
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

    /// One that holds or held.
    pub(crate) fn stored(reader: &Reader<'_>, one: Stored) -> Result<Self, Fault> {
        let (state, successor) = (one.stated.state, one.stated.successor);
        let predecessor = one.stated.predecessor;
        Ok(Self { state, successor, predecessor, ..Self::standing(reader, one.into())? })
    }
}

/// What holds in a project and speaks against a text.
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
