//! Turns what the user said, if it sounds like a standing instruction, into a proposal, inside the
//! transaction that stores the event.

mod contradicted;
mod known;

use nudge_core::instruction::plain_words;
use nudge_core::{EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, SecretPolicy, Stage, StatedWords, Writer};
use serde_json::Value;

use super::content::{Action, Content, ProposalSubject, State, Words};
use super::make::path_of;
use super::stored::{Proposal, proposal_of, set_state};
use crate::statements::category::Category;
use crate::statements::likeness::Similarity;
use crate::statements::saying::{self, Saying};
use known::Before;

/// How many of a project's proposals that were said in one session may wait. Beyond that, the
/// oldest is replaced.
const SAID_ONCE_MOST: usize = 200;

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
pub struct Said<'s> {
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
    pub said: Vec<Saying>,
    /// The places in files that it is about.
    pub anchors: Vec<Value>,
    /// The key of the project's place.
    pub project_key: &'s str,
    /// The project.
    pub project: ProjectId,
    /// The provenance of the prompt that contains it.
    pub provenance: &'s Provenance,
}

impl Said<'_> {
    /// The sayings to count if it is already known.
    fn just_now(&self) -> &[Saying] {
        match self.kind {
            Kind::Statement => &self.said,
            Kind::Routine => self.said.get(..1).unwrap_or_default(),
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
pub fn propose(writer: &Writer<'_>, said: &Said<'_>, like: &Similarity) -> Result<Proposed, Fault> {
    if said.text.trim().is_empty() || said.said.is_empty() || !nudge_secrets::scan(said.text).is_empty() {
        return Ok(Proposed::Unfit);
    }
    let all = writer.statements_of(said.project)?;
    let before = known::find(writer, said, &all, like)?;
    let (mut proposal, is_new) = match before {
        Some(Before::TurnedDown(id)) => return Ok(Proposed::TurnedDown(id)),
        Some(Before::Stands(statement)) => {
            return Ok(Proposed::Counted(known::count(writer, *statement, said)?));
        }
        Some(Before::Proposed(proposal)) => (*proposal, false),
        None => (fresh(said)?, true),
    };
    add(&mut proposal, said, if is_new { &said.said } else { said.just_now() });
    if said.kind == Kind::Routine && sessions_of(&said.said) < ROUTINE_SESSIONS && is_new {
        return Ok(Proposed::TooFew);
    }
    if let ProposalSubject::Statement(words) = &mut proposal.content.matter {
        words.against = contradicted::contradicted_user_statement(writer, said, &all, like)?;
    }
    let id = proposal.save(writer, said.provenance, SecretPolicy::Redact, said_at(said))?;
    if said.kind == Kind::Statement {
        let is_in_force = proposal.content.is_in_force();
        contradicted::replace(writer, said, &all, like, (id, is_in_force))?;
        if is_new {
            make_room(writer, said, &all)?;
        }
    }
    Ok(if is_new { Proposed::New(id) } else { Proposed::Counted(id) })
}

/// When it was said last.
fn said_at(said: &Said<'_>) -> Timestamp {
    saying::last(&said.said).unwrap_or(Timestamp::from_millis(0))
}

fn sessions_of(said: &[Saying]) -> usize {
    let mut sessions: Vec<&str> = said.iter().filter_map(|one| one.session.as_deref()).collect();
    sessions.sort_unstable();
    sessions.dedup();
    sessions.len()
}

/// A proposal of words that were not said before.
fn fresh(said: &Said<'_>) -> Result<Proposal, Fault> {
    let words = Words {
        category: said.category,
        directory: said.directory.clone(),
        anchors: said.anchors.clone(),
        ..Words::default()
    };
    let (kind, matter) = match said.kind {
        Kind::Statement => ("statement", ProposalSubject::Statement(words)),
        Kind::Routine => ("routine", ProposalSubject::Routine(words)),
    };
    let text = said.text.trim();
    let content = Content {
        action: Action::Remember,
        state: State::Waiting,
        why: "only the user can state what the user said".to_owned(),
        times: 0,
        asked_at: 0,
        matter,
    };
    let path = path_of(kind, &["said", &plain_words(text), said.directory.as_deref().unwrap_or_default()])?;
    let scope = Scope::Project(said.project_key.to_owned());
    Ok(Proposal::new(scope, path, text.to_owned(), content, said.provenance.clone(), said_at(said)))
}

/// Adds the times it was said. A replaced or accepted proposal starts again from zero.
fn add(proposal: &mut Proposal, said: &Said<'_>, counted: &[Saying]) {
    let content = &mut proposal.content;
    if matches!(content.state, State::Replaced | State::Accepted) {
        content.times = 0;
        if let Some(words) = content.matter.words_mut() {
            *words =
                Words { category: words.category, directory: words.directory.take(), ..Words::default() };
        }
    }
    content.state = State::Waiting;
    content.asked_at = content.asked_at.max(said_at(said).as_millis());
    let Some(words) = content.matter.words_mut() else { return };
    words.successor = None;
    for one in counted {
        content.times += 1;
        words.sessions += u32::from(saying::add(&mut words.said, one.clone()));
    }
}

/// Replaces the oldest when too many wait that were said in one session.
fn make_room(writer: &Writer<'_>, said: &Said<'_>, before: &[StatedWords]) -> Result<(), Fault> {
    if before.iter().filter(|known| known.stage == Stage::SaidOnce).count() < SAID_ONCE_MOST {
        return Ok(());
    }
    let waiting = writer.statements_in(said.project, Stage::SaidOnce)?;
    for oldest in waiting.into_iter().skip(SAID_ONCE_MOST).filter_map(proposal_of) {
        set_state(writer, &oldest, State::Expired, None, said.provenance, said_at(said))?;
    }
    Ok(())
}
