//! What an agent quotes from a prompt: checked against what the user certainly typed, it becomes a
//! proposal in the user's words.
//!
//! A quote is the agent's judgement that the user stated a rule. The words are the user's own, so
//! it waits for the user like anything said; but it never counts as said in a session, and so never
//! puts a statement in force.

use std::path::Path;

use nudge_core::event::SpeechKind;
use nudge_core::instruction::{self, Instruction};
use nudge_core::{EntryId, Fault, Provenance, Source, Tier, Timestamp};
use nudge_store::{SessionRow, Writer};

use super::listen::category;
use super::proposals::{Kind, Proposed, UserWords, propose};
use super::stated_by::RECORD_CLIENT;
use super::stored::{QUOTED, STATEMENT_SIMILARITY, Saying};
use crate::anchors;
use crate::capture::reaction::UserSpoke;
use crate::operation::{OWN, OpContext, RUNS};
use crate::sessions::has_read_outside;

/// How many of a session's newest prompts are searched for a quote.
const MAX_PROMPTS: u32 = 500;

/// How many quotes wait for the transcript to confirm one prompt.
const MAX_WAITING: usize = 5;

/// What became of a quote.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Quoted {
    /// It waits for the user's decision, or is known already.
    Offered,
    /// It stands in a prompt that the agent's transcript has not confirmed yet.
    Unconfirmed,
    /// The user rejected it before.
    TurnedDown,
    /// The user did not type it in this session.
    NotFound,
    /// It is too short to be found for certain.
    TooShort,
    /// No user speaks in the session.
    NoUser,
    /// The session has read outside text.
    Outside,
}

impl Quoted {
    /// The note for the agent.
    pub(crate) const fn note(self) -> &'static str {
        match self {
            Self::Offered => "the quoted sentence waits for the user's decision in `nudge review`",
            Self::Unconfirmed => {
                "the quoted sentence is offered in `nudge review` once the agent's transcript confirms it"
            }
            Self::TurnedDown => "the user has rejected the quoted sentence before",
            Self::NotFound => "the quote was not found in what the user typed in this session",
            Self::TooShort => "the quote is too short: quote the user's whole sentence",
            Self::NoUser => "no quote is offered to the user here: the user types nothing in this session",
            Self::Outside => {
                "the quote is not offered to the user: this session has read text from outside the project"
            }
        }
    }
}

/// Checks what the calling agent quotes. If the user typed it in the session of the call, it is
/// proposed.
pub(crate) fn quote(ctx: &OpContext<'_>, quote: &str) -> Result<Quoted, Fault> {
    if !instruction::is_long_enough(quote) {
        return Ok(Quoted::TooShort);
    }
    let Some(session) = ctx.session()?.row.clone() else { return Ok(Quoted::NotFound) };
    if !has_user(&session) {
        return Ok(Quoted::NoUser);
    }
    if has_read_outside(&session) {
        return Ok(Quoted::Outside);
    }
    let prompts = ctx.store().typed_prompts(session.id, MAX_PROMPTS)?;
    let mut found = prompts
        .into_iter()
        .filter_map(|prompt| instruction::quoted(&prompt.body, quote).map(|said| (prompt, said)))
        .collect::<Vec<_>>();
    // A prompt that is confirmed comes first, the newest of them before the others.
    found.sort_by_key(|(prompt, _)| !prompt.heard);
    let Some((prompt, said)) = found.first() else { return Ok(Quoted::NotFound) };
    let writer = ctx.writer()?;
    if !prompt.heard {
        writer.note_quote(prompt.id, &said.text, MAX_WAITING)?;
        return Ok(Quoted::Unconfirmed);
    }
    Ok(match propose_quote(writer, &session, (prompt.id, prompt.at), said)? {
        Proposed::New(_) | Proposed::Counted(_) => Quoted::Offered,
        Proposed::TurnedDown(_) => Quoted::TurnedDown,
        Proposed::TooFew | Proposed::Unfit => Quoted::NotFound,
    })
}

/// Whether a user speaks in a session, as far as is known.
pub(crate) fn has_user(session: &SessionRow) -> bool {
    let by_program = [RECORD_CLIENT, OWN, RUNS].contains(&session.harness.as_str());
    session.parent.is_none() && session.headless != Some(true) && !by_program
}

/// Marks a prompt that the user certainly typed, and proposes what was quoted from it before that
/// was certain.
pub(crate) fn mark_heard(heard: &UserSpoke<'_>) -> Result<(), Fault> {
    let typed = !matches!(SpeechKind::from_name(heard.manner), Some(SpeechKind::Shell | SpeechKind::Command));
    if !typed || heard.event.via.is_import() {
        return Ok(());
    }
    let quotes = heard.writer.mark_heard(heard.prompt)?;
    let Some(session) = heard.writer.agent_session(heard.session)?.filter(|_| !quotes.is_empty()) else {
        return Ok(());
    };
    if !has_user(&session) || has_read_outside(&session) {
        return Ok(());
    }
    for quote in quotes {
        if let Some(said) = instruction::quoted(heard.text, &quote) {
            propose_quote(heard.writer, &session, (heard.prompt, heard.at), &said)?;
        }
    }
    Ok(())
}

/// Proposes what the user typed in a prompt, in the project that it was typed in.
fn propose_quote(
    writer: &Writer<'_>,
    session: &SessionRow,
    (prompt, at): (EntryId, Timestamp),
    said: &Instruction,
) -> Result<Proposed, Fault> {
    let Some(entry) = writer.entry_by_id(prompt)? else { return Ok(Proposed::Unfit) };
    let key = entry.scope.key().to_owned();
    let Some(project) = writer.project_by_key(&key)? else { return Ok(Proposed::Unfit) };
    let root = match &session.worktree {
        Some(worktree) => worktree.clone(),
        None => writer.project(project)?.map(|row| row.root).unwrap_or_default(),
    };
    let root = Path::new(&root);
    let provenance = Provenance {
        source: Source::User,
        tier: Tier::Client,
        client: Some(session.harness.clone()),
        session: Some(session.name.clone()),
        project: Some(key.clone()),
        machine: None,
    };
    let spoken = UserWords {
        kind: Kind::Statement,
        text: &said.text,
        category: category(said.kind),
        directory: said.directory.clone().filter(|directory| root.join(directory).is_dir()),
        sayings: vec![Saying::to_agent(&session.name, at, QUOTED, Some(prompt))],
        anchors: anchors::around(&said.text, root, at),
        project_key: &key,
        project,
        provenance: &provenance,
    };
    propose(writer, &spoken, &STATEMENT_SIMILARITY)
}
