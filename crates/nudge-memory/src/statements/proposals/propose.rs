//! What the person said and what seems meant to hold becomes a proposal, inside the transaction that stores the event.

mod contradicted;
mod known;

use nudge_core::instruction::plain_words;
use nudge_core::{EntryId, Fault, Provenance, Scope, Timestamp};
use nudge_store::{ProjectId, SecretPolicy, Stage, StatedWords, Writer};
use serde_json::Value;

use super::content::{Action, Content, Matter, State, Words};
use super::make::path_of;
use super::stored::{Proposal, proposal_of, set_state};
use crate::statements::category::Category;
use crate::statements::likeness::Likeness;
use crate::statements::saying::{self, Saying};
use known::Before;

/// How many of a project may wait that were said in one session. The oldest of more gives way.
const SAID_ONCE_MOST: usize = 200;

/// In how many sessions a request must come back to be proposed as a routine.
const ROUTINE_SESSIONS: usize = 3;

/// What sort of thing was said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It seems meant to hold.
    Statement,
    /// A request that came back. It holds only when the person accepts it.
    Routine,
}

/// What the person said, in an attended session of a project.
#[derive(Clone, Debug)]
pub struct Said<'s> {
    /// What sort of thing.
    pub kind: Kind,
    /// The words that carry it.
    pub text: &'s str,
    /// Its category.
    pub category: Category,
    /// The directory that it names, from the root of the project.
    pub directory: Option<String>,
    /// When and where: once for a statement; for a routine, just now first, then each time before that is known.
    pub said: Vec<Saying>,
    /// The places in files that it is about.
    pub anchors: Vec<Value>,
    /// The key of the project's place.
    pub project_key: &'s str,
    /// The project.
    pub project: ProjectId,
    /// Of the prompt that it stands in.
    pub provenance: &'s Provenance,
}

impl Said<'_> {
    /// What was not counted before, where it is known already.
    fn just_now(&self) -> &[Saying] {
        match self.kind {
            Kind::Statement => &self.said,
            Kind::Routine => self.said.get(..1).unwrap_or_default(),
        }
    }
}

/// What became of what was said.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Proposed {
    /// It waits for the person now.
    New(EntryId),
    /// It was there, as a proposal or a statement, and was counted.
    Counted(EntryId),
    /// The person has turned it down, or forgotten it.
    TurnedDown(EntryId),
    /// A request that has come back in too few sessions.
    TooFew,
    /// It is empty, or looks like it holds a credential.
    Unfit,
}

/// Proposes what was said, or counts it where it is known. What it speaks against gives way to it.
pub fn propose(writer: &Writer<'_>, said: &Said<'_>, like: &Likeness) -> Result<Proposed, Fault> {
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
    if let Matter::Statement(words) = &mut proposal.content.matter {
        words.against = contradicted::persons(writer, said, &all, like)?;
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
        Kind::Statement => ("statement", Matter::Statement(words)),
        Kind::Routine => ("routine", Matter::Routine(words)),
    };
    let text = said.text.trim();
    let content = Content {
        action: Action::Remember,
        state: State::Waiting,
        why: "only the person states what the person said".to_owned(),
        times: 0,
        asked_at: 0,
        matter,
    };
    let path = path_of(kind, &["said", &plain_words(text), said.directory.as_deref().unwrap_or_default()])?;
    let scope = Scope::Project(said.project_key.to_owned());
    Ok(Proposal::new(scope, path, text.to_owned(), content, said.provenance.clone(), said_at(said)))
}

/// Adds the times that it was said. What was replaced begins anew.
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

/// Lets the oldest give way when too many wait that were said in one session.
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
