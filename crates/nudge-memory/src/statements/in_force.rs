//! What is in force in a project: read at the start of every session, with one query each.

use nudge_context::clean_text;
use nudge_core::instruction::Subject;
use nudge_core::{Entry, EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, Reader, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::proposals::{ProposalSubject, proposal_of};
use super::stated_by::stated_by;
use super::stored::{Category, SCHEME, StatementState, Stored, statement_of};

/// How a statement was made.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The user stated it with a command.
    Remembered,
    /// The user accepted a proposal.
    Accepted,
    /// The user said it in two or more sessions and has not decided on it.
    SaidTwice,
    /// The user said it in one session and has not decided on it.
    SaidOnce,
    /// An agent stated it.
    Agent,
}

/// Something that was stated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Statement {
    /// Its entry: a statement, or the proposal of one.
    pub(crate) id: EntryId,
    pub(crate) text: String,
    pub(crate) category: Category,
    /// The directory it was made for, relative to the project's root, such as `frontend/`.
    pub(crate) directory: Option<String>,
    /// Whether the user stated it.
    pub(crate) by_person: bool,
    /// Who stated it, and where.
    pub(crate) by: Provenance,
    pub(crate) origin: Origin,
    /// How often it was said.
    pub(crate) times: u32,
    /// In how many sessions it was said, as far as is known.
    pub(crate) sessions: u32,
    /// When it was last said.
    pub(crate) said_at: Timestamp,
    /// Whether it is a recurring request.
    pub(crate) is_routine: bool,
    /// The user's statement that it contradicts and that keeps it from being in force.
    pub(crate) against: Option<i64>,
    /// Whether it applies in every project.
    pub(crate) everywhere: bool,
    /// The places in files that it depends on.
    pub(crate) anchors: Vec<Value>,
}

/// The statements in force in a project: its own and those for all projects, without silenced ones;
/// the last said comes first.
pub(crate) fn in_force(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Statement>, Fault> {
    in_stage(reader, project, Stage::InForce)
}

/// What the user said in one session of a project and has not decided on; the last said comes
/// first.
pub(crate) fn said_once(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Statement>, Fault> {
    in_stage(reader, project, Stage::SaidOnce)
}

/// The silenced statements of a project, whether otherwise in force or said once.
pub(crate) fn silenced(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Statement>, Fault> {
    let hidden = reader.silenced(project)?;
    if hidden.is_empty() {
        return Ok(Vec::new());
    }
    let is_open = |stage: Stage| matches!(stage, Stage::InForce | Stage::SaidOnce);
    let mut found = Vec::new();
    for known in reader.statements_of(project)?.iter().filter(|known| is_open(known.stage)) {
        if hidden.contains(&known.id) {
            found.extend(reader.entry_by_id(known.id)?.and_then(shown));
        }
    }
    Ok(found)
}

fn in_stage(reader: &Reader<'_>, project: ProjectId, stage: Stage) -> Result<Vec<Statement>, Fault> {
    Ok(reader.statements_in(project, stage)?.into_iter().filter_map(shown).collect())
}

/// The statement that a proposal would make; `None` for a change of a hint.
pub(crate) fn proposed(reader: &Reader<'_>, id: i64) -> Result<Option<Statement>, Fault> {
    Ok(reader.entry_by_id(EntryId(id))?.and_then(of_proposal))
}

fn shown(entry: Entry) -> Option<Statement> {
    if entry.path.scheme() == SCHEME { statement_of(entry).map(Statement::from) } else { of_proposal(entry) }
}

impl From<Stored> for Statement {
    fn from(one: Stored) -> Self {
        let by_person = one.by.is_by_user();
        let origin = match (by_person, one.stated.accepted_from) {
            (false, _) => Origin::Agent,
            (true, Some(_)) => Origin::Accepted,
            (true, None) => Origin::Remembered,
        };
        let sessions = one.stated.sayings.iter().filter(|saying| saying.session.is_some()).count();
        Self {
            id: one.id,
            said_at: one.said_at(),
            text: one.text,
            category: one.stated.category,
            directory: one.stated.directory,
            by_person,
            by: one.by,
            origin,
            times: one.stated.times,
            sessions: u32::try_from(sessions).unwrap_or(u32::MAX),
            is_routine: one.stated.is_routine,
            against: None,
            everywhere: one.scope == Scope::Global,
            anchors: one.stated.anchors,
        }
    }
}

fn of_proposal(entry: Entry) -> Option<Statement> {
    let proposal = proposal_of(entry)?;
    let is_routine = matches!(proposal.content.matter, ProposalSubject::Routine(_));
    let (ProposalSubject::Statement(words) | ProposalSubject::Routine(words)) = proposal.content.matter
    else {
        return None;
    };
    Some(Statement {
        id: proposal.id,
        said_at: proposal.last_at,
        text: proposal.body,
        category: words.category,
        directory: words.directory,
        by_person: proposal.by.is_by_user(),
        by: proposal.by,
        origin: if words.sessions >= 2 { Origin::SaidTwice } else { Origin::SaidOnce },
        times: u32::try_from(proposal.content.times).unwrap_or(u32::MAX),
        sessions: words.sessions,
        is_routine,
        against: words.against,
        everywhere: false,
        anchors: words.anchors,
    })
}

// A statement as users and agents see it.

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
