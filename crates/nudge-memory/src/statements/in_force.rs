//! What holds in a project: read at the start of every session, by one query each.

use nudge_core::{Entry, EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, Reader, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::category::Category;
use super::proposals::{Matter, proposal_of};
use super::stored::{SCHEME, Stored, statement_of};

/// How something came to be stated.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The person stated it by a command.
    Remembered,
    /// The person accepted a proposal.
    Accepted,
    /// The person said it in two sessions or more, and has not decided on it.
    SaidTwice,
    /// The person said it in one session, and has not decided on it.
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
    /// The directory it was made for, from the root of the project, such as `frontend/`.
    pub(crate) directory: Option<String>,
    /// Whether the person stated it.
    pub(crate) by_person: bool,
    /// Who stated it, and where.
    pub(crate) by: Provenance,
    pub(crate) origin: Origin,
    /// How often it was said.
    pub(crate) times: u32,
    /// In how many sessions it was said, as far as that is known.
    pub(crate) sessions: u32,
    /// When it was last said.
    pub(crate) said_at: Timestamp,
    /// Whether it is a request that keeps coming back.
    pub(crate) is_routine: bool,
    /// The person's statement that it speaks against and that keeps it from being in force.
    pub(crate) against: Option<i64>,
    /// Whether it holds in every project.
    pub(crate) everywhere: bool,
    /// The places in files that it depends on.
    pub(crate) anchors: Vec<Value>,
}

/// What holds in a project: its own and what holds everywhere, without what the person silenced; what was said last
/// comes first.
pub(crate) fn in_force(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Statement>, Fault> {
    in_stage(reader, project, Stage::InForce)
}

/// What the person said in one session of a project and has not decided on; what was said last comes first.
pub(crate) fn said_once(reader: &Reader<'_>, project: ProjectId) -> Result<Vec<Statement>, Fault> {
    in_stage(reader, project, Stage::SaidOnce)
}

/// What would hold in a project, or was said once there, and what the person does not want shown.
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

/// What a proposal would state; `None` for a change of a hint.
pub(crate) fn proposed(reader: &Reader<'_>, id: i64) -> Result<Option<Statement>, Fault> {
    Ok(reader.entry_by_id(EntryId(id))?.and_then(said))
}

fn shown(entry: Entry) -> Option<Statement> {
    if entry.path.scheme() == SCHEME { statement_of(entry).map(Statement::from) } else { said(entry) }
}

impl From<Stored> for Statement {
    fn from(one: Stored) -> Self {
        let by_person = one.by.is_the_persons();
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
    let is_routine = matches!(proposal.content.matter, Matter::Routine(_));
    let (Matter::Statement(words) | Matter::Routine(words)) = proposal.content.matter else { return None };
    Some(Statement {
        id: proposal.id,
        said_at: proposal.last_at,
        text: proposal.body,
        category: words.category,
        directory: words.directory,
        by_person: proposal.by.is_the_persons(),
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
