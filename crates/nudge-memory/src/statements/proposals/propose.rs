//! Turns what the user said, if it sounds like a standing instruction, into a proposal, inside the
//! transaction that stores the event.

use nudge_core::instruction::plain_words;
use nudge_core::{EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, SecretPolicy, Stage, StatedWords, Writer};
use serde_json::Value;

use super::content::{Action, Content, ProposalSubject, State, Words};
use super::make::path_of;
use super::stored::{Proposal, proposal_of, set_state};
use crate::statements::make::retire;
use crate::statements::stored::{self, Category, Saying, Similarity, StatementState, Stored, statement_of};

/// How many of a project's proposals that were said in one session may wait. Beyond that, the
/// oldest is replaced.
const MAX_HEARD_ONCE: usize = 200;

/// In how many sessions a request must recur to be proposed as a routine.
const ROUTINE_SESSIONS: usize = 3;

/// The kind of thing said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A standing instruction.
    Statement,
    /// A recurring request. It is in force only if the user accepts it.
    Routine,
}

/// What the user said, in an attended session of a project.
#[derive(Clone, Debug)]
pub struct UserWords<'s> {
    /// Its kind.
    pub kind: Kind,
    /// The words that state it.
    pub text: &'s str,
    /// Its category.
    pub category: Category,
    /// The directory that it names, relative to the project's root.
    pub directory: Option<String>,
    /// When and where: once for a statement; for a routine the newest time first, then each earlier
    /// one that is known.
    pub sayings: Vec<Saying>,
    /// The places in files that it is about.
    pub anchors: Vec<Value>,
    /// The key of the project's place.
    pub project_key: &'s str,
    /// The project.
    pub project: ProjectId,
    /// The provenance of the prompt that contains it.
    pub provenance: &'s Provenance,
}

impl UserWords<'_> {
    /// Whether an agent quoted it. Then it only waits: it counts for nothing and ends nothing that
    /// is in force.
    fn is_quoted(&self) -> bool {
        self.sayings.iter().any(Saying::is_quoted)
    }

    /// The sayings to count if it is already known.
    fn just_now(&self) -> &[Saying] {
        match self.kind {
            Kind::Statement => &self.sayings,
            Kind::Routine => self.sayings.get(..1).unwrap_or_default(),
        }
    }
}

/// The result.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// It now waits for the user.
    New(EntryId),
    /// It existed as a proposal or a statement, and was counted.
    Counted(EntryId),
    /// The user has rejected or forgotten it.
    TurnedDown(EntryId),
    /// A request that has recurred in too few sessions.
    TooFew,
    /// It is empty, or seems to contain a credential.
    Unfit,
}

/// Proposes what was said, or counts it if it is already known. It replaces what it contradicts.
pub fn propose(writer: &Writer<'_>, spoken: &UserWords<'_>, like: &Similarity) -> Result<Proposed, Fault> {
    if spoken.text.trim().is_empty()
        || spoken.sayings.is_empty()
        || !nudge_secrets::scan(spoken.text).is_empty()
    {
        return Ok(Proposed::Unfit);
    }
    let all = writer.statements_of(spoken.project)?;
    let before = find_known(writer, spoken, &all, like)?;
    let (mut proposal, is_new) = match before {
        Some(Before::TurnedDown(id)) => return Ok(Proposed::TurnedDown(id)),
        Some(Before::Stands(statement)) if spoken.is_quoted() => return Ok(Proposed::Counted(statement.id)),
        Some(Before::Proposed(proposal)) if spoken.is_quoted() && is_old(&proposal, spoken) => {
            return Ok(Proposed::Counted(proposal.id));
        }
        Some(Before::Stands(statement)) => {
            return Ok(Proposed::Counted(count_saying(writer, *statement, spoken)?));
        }
        Some(Before::Proposed(proposal)) => (*proposal, false),
        None => (fresh(spoken)?, true),
    };
    add(&mut proposal, spoken, if is_new { &spoken.sayings } else { spoken.just_now() });
    if spoken.kind == Kind::Routine && sessions_of(&spoken.sayings) < ROUTINE_SESSIONS && is_new {
        return Ok(Proposed::TooFew);
    }
    if let ProposalSubject::Statement(words) = &mut proposal.content.matter {
        words.against = contradicted_user_statement(writer, spoken, &all, like)?;
    }
    let id = proposal.save(writer, spoken.provenance, SecretPolicy::Redact, said_at(spoken))?;
    if spoken.kind == Kind::Statement {
        let is_in_force = proposal.content.is_in_force();
        replace_contradicted(writer, spoken, &all, like, (id, is_in_force))?;
        if is_new {
            make_room(writer, spoken, &all)?;
        }
    }
    Ok(if is_new { Proposed::New(id) } else { Proposed::Counted(id) })
}

/// Whether a quote is nothing new: it was said in that session already, or before the proposal was
/// decided or replaced.
fn is_old(proposal: &Proposal, spoken: &UserWords<'_>) -> bool {
    if proposal.content.state != State::Waiting {
        return said_at(spoken) <= proposal.last_at;
    }
    let said = proposal.content.matter.words().map_or(&[][..], |words| &words.sayings);
    spoken.sayings.iter().all(|one| said.iter().any(|known| known.session == one.session))
}

/// When it was said last.
fn said_at(spoken: &UserWords<'_>) -> Timestamp {
    stored::last_said(&spoken.sayings).unwrap_or(Timestamp::from_millis(0))
}

fn sessions_of(sayings: &[Saying]) -> usize {
    let mut sessions: Vec<&str> = sayings.iter().filter_map(|one| one.session.as_deref()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    sessions.len()
}

/// A proposal of words that were not said before.
fn fresh(spoken: &UserWords<'_>) -> Result<Proposal, Fault> {
    let words = Words {
        category: spoken.category,
        directory: spoken.directory.clone(),
        anchors: spoken.anchors.clone(),
        ..Words::default()
    };
    let (kind, matter) = match spoken.kind {
        Kind::Statement => ("statement", ProposalSubject::Statement(words)),
        Kind::Routine => ("routine", ProposalSubject::Routine(words)),
    };
    let text = spoken.text.trim();
    let content = Content {
        action: Action::Remember,
        state: State::Waiting,
        why: "only the user can state what the user said".to_owned(),
        times: 0,
        asked_at: 0,
        matter,
    };
    let path = path_of(kind, &["said", &plain_words(text), spoken.directory.as_deref().unwrap_or_default()])?;
    let scope = Scope::Project(spoken.project_key.to_owned());
    Ok(Proposal::new(scope, path, text.to_owned(), content, spoken.provenance.clone(), said_at(spoken)))
}

/// Adds the times it was said. A replaced or accepted proposal starts again from zero.
fn add(proposal: &mut Proposal, spoken: &UserWords<'_>, counted: &[Saying]) {
    let content = &mut proposal.content;
    if matches!(content.state, State::Replaced | State::Accepted) {
        content.times = 0;
        if let Some(words) = content.matter.words_mut() {
            *words =
                Words { category: words.category, directory: words.directory.take(), ..Words::default() };
        }
    }
    content.state = State::Waiting;
    content.asked_at = content.asked_at.max(said_at(spoken).as_millis());
    let Some(words) = content.matter.words_mut() else { return };
    words.successor = None;
    for one in counted {
        content.times += 1;
        words.sessions += u32::from(stored::add_saying(&mut words.sayings, one.clone()));
    }
}

/// Replaces the oldest when too many wait that were said in one session.
fn make_room(writer: &Writer<'_>, spoken: &UserWords<'_>, before: &[StatedWords]) -> Result<(), Fault> {
    if before.iter().filter(|known| known.stage == Stage::SaidOnce).count() < MAX_HEARD_ONCE {
        return Ok(());
    }
    let waiting = writer.statements_in(spoken.project, Stage::SaidOnce)?;
    for oldest in waiting.into_iter().skip(MAX_HEARD_ONCE).filter_map(proposal_of) {
        set_state(writer, &oldest, State::Expired, None, spoken.provenance, said_at(spoken))?;
    }
    Ok(())
}

// Finds what was said before in the same words, or in words that mean the same.

/// The earlier record of what was said.
enum Before {
    /// It waits, or waits again.
    Proposed(Box<Proposal>),
    /// It is the user's statement.
    Stands(Box<Stored>),
    /// The user rejected it.
    TurnedDown(EntryId),
}

/// The first record that says the same: one in force or waiting comes before one that is over.
fn find_known(
    writer: &Writer<'_>,
    spoken: &UserWords<'_>,
    all: &[StatedWords],
    like: &Similarity,
) -> Result<Option<Before>, Fault> {
    let (over, alive): (Vec<&StatedWords>, Vec<_>) = all.iter().partition(|known| known.stage == Stage::Over);
    for known in alive.into_iter().chain(over).filter(|known| (like.same)(spoken.text, &known.body)) {
        if let Some(found) = before(writer, spoken, known.id)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn before(writer: &Writer<'_>, spoken: &UserWords<'_>, id: EntryId) -> Result<Option<Before>, Fault> {
    let Some(entry) = writer.entry_by_id(id)? else { return Ok(None) };
    if let Some(statement) = statement_of(entry.clone()) {
        if statement.stated.directory != spoken.directory {
            return Ok(None);
        }
        return Ok(match statement.stated.state {
            // The user may also say what an agent stated.
            StatementState::Stands if statement.by.is_by_user() => Some(Before::Stands(Box::new(statement))),
            StatementState::Forgotten => Some(Before::TurnedDown(id)),
            StatementState::Stands | StatementState::Corrected => None,
        });
    }
    let is_kind = |proposal: &Proposal| match proposal.content.matter {
        ProposalSubject::Statement(ref words) => {
            spoken.kind == Kind::Statement && words.directory == spoken.directory
        }
        ProposalSubject::Routine(_) => spoken.kind == Kind::Routine,
        ProposalSubject::Edit(_) | ProposalSubject::Entry(_) | ProposalSubject::Command(_) => false,
    };
    let is_saying = |proposal: &Proposal| proposal.content.action == Action::Remember && is_kind(proposal);
    let Some(proposal) = proposal_of(entry).filter(is_saying) else { return Ok(None) };
    match proposal.content.state {
        State::Dropped => Ok(Some(Before::TurnedDown(id))),
        State::Accepted => accepted(writer, proposal).map(Some),
        State::Waiting | State::Replaced | State::Expired => Ok(Some(Before::Proposed(Box::new(proposal)))),
    }
}

/// The current state of the statement that the user made from a proposal, perhaps in other words.
fn accepted(writer: &Writer<'_>, proposal: Proposal) -> Result<Before, Fault> {
    let made = proposal.content.matter.words().and_then(|words| words.successor).map(EntryId);
    let statement = made.map(|id| writer.entry_by_id(id)).transpose()?.flatten().and_then(statement_of);
    Ok(match statement {
        Some(statement) if statement.stated.state == StatementState::Stands => {
            Before::Stands(Box::new(statement))
        }
        Some(statement) if statement.stated.state == StatementState::Forgotten => {
            Before::TurnedDown(statement.id)
        }
        _ => Before::Proposed(Box::new(proposal)),
    })
}

/// Counts what was said on the statement that says it.
fn count_saying(
    writer: &Writer<'_>,
    mut statement: Stored,
    spoken: &UserWords<'_>,
) -> Result<EntryId, Fault> {
    for one in spoken.just_now() {
        statement.stated.times = statement.stated.times.saturating_add(1);
        stored::add_saying(&mut statement.stated.sayings, one.clone());
    }
    statement.save(writer, said_at(spoken))?;
    Ok(statement.id)
}

// Something said later replaces earlier sayings that it contradicts. It does not replace what the
// user stated or accepted: only a statement ends that.

/// The user's statement that is contradicted, if there is one. While it is in force, what was said
/// only waits.
fn contradicted_user_statement(
    writer: &Writer<'_>,
    spoken: &UserWords<'_>,
    all: &[StatedWords],
    like: &Similarity,
) -> Result<Option<i64>, Fault> {
    for known in all.iter().filter(|known| known.stage == Stage::InForce && is_against(spoken, known, like)) {
        let Some(statement) = writer.entry_by_id(known.id)?.and_then(statement_of) else { continue };
        let holds_there =
            statement.stated.directory.is_none() || statement.stated.directory == spoken.directory;
        if statement.by.is_by_user() && holds_there {
            return Ok(Some(known.id.0));
        }
    }
    Ok(None)
}

/// Replaces earlier sayings at once. An agent's statement is only replaced by something that is
/// itself in force.
fn replace_contradicted(
    writer: &Writer<'_>,
    spoken: &UserWords<'_>,
    all: &[StatedWords],
    like: &Similarity,
    (successor, is_in_force): (EntryId, bool),
) -> Result<(), Fault> {
    let may_end = |stage: Stage| stage == Stage::SaidOnce || (stage == Stage::InForce && !spoken.is_quoted());
    let holds = |known: &&StatedWords| may_end(known.stage) && known.id != successor;
    for known in all.iter().filter(holds).filter(|known| is_against(spoken, known, like)) {
        let Some(entry) = writer.entry_by_id(known.id)? else { continue };
        let is_own = entry.scope != Scope::Global;
        if let Some(statement) = statement_of(entry.clone()) {
            let is_there = is_own && statement.stated.directory == spoken.directory;
            let ends = is_in_force && !statement.by.is_by_user();
            if ends && is_there && statement.said_at() < said_at(spoken) {
                retire(
                    writer,
                    statement,
                    StatementState::Corrected,
                    Some(successor.0),
                    true,
                    said_at(spoken),
                )?;
            }
            continue;
        }
        let is_saying = |proposal: &Proposal| {
            proposal.content.action == Action::Remember
                && matches!(&proposal.content.matter, ProposalSubject::Statement(words) if words.directory == spoken.directory)
                && proposal.last_at < said_at(spoken)
        };
        if let Some(earlier) = proposal_of(entry).filter(is_saying) {
            set_state(
                writer,
                &earlier,
                State::Replaced,
                Some(successor.0),
                spoken.provenance,
                said_at(spoken),
            )?;
        }
    }
    Ok(())
}

fn is_against(spoken: &UserWords<'_>, known: &StatedWords, like: &Similarity) -> bool {
    (like.contradicts)(spoken.text, &known.body) && !(like.same)(spoken.text, &known.body)
}
