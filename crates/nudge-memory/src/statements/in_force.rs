//! What is in force in a project: read at the start of every session, with one query each.

use nudge_core::{Entry, EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, Reader, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::category::Category;
use super::proposals::{ProposalSubject, proposal_of};
use super::stored::{SCHEME, Stored, statement_of};

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
    Ok(reader.entry_by_id(EntryId(id))?.and_then(said))
}

fn shown(entry: Entry) -> Option<Statement> {
    if entry.path.scheme() == SCHEME { statement_of(entry).map(Statement::from) } else { said(entry) }
}

impl From<Stored> for Statement {
    fn from(one: Stored) -> Self {
        let by_person = one.by.is_by_user();
        let origin = match (by_person, one.stated.accepted_from) {
            (false, _) => Origin::Agent,
            (true, Some(_)) => Origin::Accepted,
            (true, None) => Origin::Remembered,
        };
        let sessions = one.stated.said.iter().filter(|saying| saying.session.is_some()).count();
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

fn said(entry: Entry) -> Option<Statement> {
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
