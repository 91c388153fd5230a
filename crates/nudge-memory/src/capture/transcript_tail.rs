//! What a transcript has gained since the last look: how calls ended that hooks did not tell, what the agent thought, and what the
//! person said that no hook tells: while refusing a call, while the agent worked, as an answer.

use std::path::Path;

use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_harness::Harness;
use nudge_harness::spec::Moment as Stage;
use nudge_harness::transcript::{self, Tail, Thinking, ToolEnd};
use nudge_store::{Durability, SessionRow, SessionSeen, Store, Writer};

use super::extract::command::CommandEnd;
use super::fingerprint;
use super::here::Here;
use super::identity;
use super::keep::{PROMPT, arrive, hear, keep};
use super::moment::{AgentRef, By, Moment, Via, What};
use super::piece::Piece;
use super::reaction::{Committed, Ended, Heard, Reaction};
use super::read;
use super::strict;

/// How far apart a hook's prompt and the transcript's may be to be one.
const CONFIRMED_WITHIN_MS: i64 = 10 * 60 * 1000;

/// How many pieces are read at one look. The rest waits for the next one.
const PIECES: usize = 32;

/// Looks at the transcript of a moment's session, where that can tell something: at every moment that is no action, and while
/// the session has calls whose end is not known.
pub(crate) fn catch_up(committed: &Committed<'_>) -> Result<(), Fault> {
    for _ in 0..PIECES {
        if !read_piece(committed)? {
            break;
        }
    }
    Ok(())
}

/// Reads the next piece; whether there is more.
fn read_piece(committed: &Committed<'_>) -> Result<bool, Fault> {
    let Committed { store, event: moment, reactions } = *committed;
    let (Some(path), Some(harness)) = (&moment.transcript, Harness::from_name(&moment.harness)) else {
        return Ok(false);
    };
    let path = Path::new(path);
    // By a hash: a path can hold words that a purge must not leave, while the place in the file must outlast it, or what was
    // purged would be read again.
    let name = format!("transcript:{:016x}", fingerprint::of(&[&path.to_string_lossy()]));
    let (position, open) = store.read(|reader| {
        let session = reader.agent_session_by_name(&moment.session)?;
        let open = session.map_or(Ok(false), |session| reader.has_open_outcomes(session.id))?;
        let position = reader.cursor(&name)?.map(|cursor| cursor.position);
        Ok::<_, Fault>((position, open))
    })?;
    if !open && matches!(moment.what, What::Action(_)) {
        return Ok(false);
    }
    if position.is_none() && !path.exists() {
        // It is not written yet: its first line is the session's first.
        set_position(store, &name, 0, moment)?;
        return Ok(false);
    }
    let new = Piece::after(path, position).filter(|piece| Some(piece.end) != position);
    let Tail { thinking, mut ends } =
        new.as_ref().map_or_else(Tail::default, |piece| transcript::tail(harness, &piece.text));
    if let (true, Some(old)) = (open, position.and_then(|position| Piece::before(path, position))) {
        ends.extend(transcript::tail(harness, &old.text).ends);
    }
    let concluded = conclusion(harness, path, moment);
    if new.is_none() && ends.is_empty() && concluded.is_none() {
        return Ok(false);
    }
    let said = new.as_ref().map_or_else(Vec::new, |piece| said(harness, path, position, piece, moment));
    store.write(Durability::Passive, |writer| {
        for end in &ends {
            settle(writer, moment, end, reactions)?;
        }
        for thought in &thinking {
            keep(writer, &moment_of(moment, thought), reactions)?;
        }
        for words in &said {
            match &words.what {
                What::Prompt { text, by: By::User } => confirm(writer, words, text, reactions)?,
                _ => drop(keep(writer, words, reactions)?),
            }
        }
        if let Some(conclusion) = &concluded {
            keep(writer, conclusion, reactions)?;
        }
        if let Some(piece) = &new {
            writer.set_cursor(&name, piece.end, "", Timestamp::from_millis(moment.at))?;
        }
        Ok::<_, Fault>(())
    })?;
    Ok(new.is_some_and(|piece| piece.is_full))
}

/// Notes how far a transcript was read.
fn set_position(store: &Store, name: &str, position: i64, seen: &Moment) -> Result<(), Fault> {
    let at = Timestamp::from_millis(seen.at);
    store.write(Durability::Passive, |writer| Ok(writer.set_cursor(name, position, "", at)?))
}

/// A prompt that a hook told and the transcript has too: the person said it. One that no hook told is not kept here.
fn confirm(writer: &Writer<'_>, words: &Moment, text: &str, reactions: &[Reaction]) -> Result<(), Fault> {
    let Some(session) = writer.agent_session_by_name(&words.session)? else { return Ok(()) };
    let at = Timestamp::from_millis(words.at);
    if words.headless == Some(true) {
        return mark_headless(writer, words, &session);
    }
    let text = nudge_secrets::redact(text);
    let Some(prompt) = writer.same_prompt(session.id, &text, at, CONFIRMED_WITHIN_MS)? else { return Ok(()) };
    let heard = Heard { writer, event: words, session: session.id, at, text: &text, manner: PROMPT, prompt };
    hear(&heard, reactions)
}

/// Notes that nobody watches a session, where only the transcript says so: its prompts are a script's.
fn mark_headless(writer: &Writer<'_>, words: &Moment, session: &SessionRow) -> Result<(), Fault> {
    writer.enter_session(&SessionSeen {
        name: &words.session,
        harness: &words.harness,
        harness_version: None,
        project: session.project,
        parent: None,
        headless: words.headless,
        at: Timestamp::from_millis(words.at),
    })?;
    Ok(())
}

/// What the person said in a piece, as moments of the session that is seen.
fn said(harness: Harness, path: &Path, position: Option<i64>, piece: &Piece, seen: &Moment) -> Vec<Moment> {
    let before = || position.and_then(|position| Piece::before(path, position)).map(|piece| piece.text);
    let name = path.to_string_lossy();
    let mut events = transcript::speech(harness, &name, &piece.text, before);
    if events.is_empty() {
        return Vec::new();
    }
    // Hooks of some do not say whether anybody watches; the first line of the transcript does.
    let told = || transcript::headless(harness, &name, &Piece::head(path)?.text);
    let here = Here { headless: seen.headless.or_else(told), ..here(seen) };
    for event in &mut events {
        // Some name it in their first line only.
        event.session.get_or_insert_with(|| seen.session.clone());
    }
    let of_session = events.iter().filter(|event| event.session.as_deref() == Some(&seen.session));
    of_session.filter_map(|event| read::read(event, &identity::told_by(event), &here)).collect()
}

/// What the turn came to that a moment ends, where its hook leaves that out. It may have been written down before an earlier look;
/// one that is kept already is known again.
fn conclusion(harness: Harness, path: &Path, seen: &Moment) -> Option<Moment> {
    let ends = harness.spec().event(&seen.event).is_some_and(|event| event.moment == Stage::Stop);
    if !ends || seen.agent.is_some() || seen.what != What::Seen {
        return None;
    }
    let mut event = transcript::last_answer(harness, &path.to_string_lossy(), &Piece::last(path)?.text)?;
    event.session.get_or_insert_with(|| seen.session.clone());
    let moment = read::read(&event, &identity::told_by(&event), &here(seen))?;
    (moment.session == seen.session).then(|| Moment { branch: seen.branch.clone(), ..moment })
}

/// What is known of a line that is read for a moment.
fn here(seen: &Moment) -> Here {
    Here {
        now: Timestamp::from_millis(seen.at),
        project: seen.project.clone(),
        headless: seen.headless,
        via: Via::Transcript,
        own_root: None,
        // What was said is no call of a tool.
        is_own_tool: |_| false,
    }
}

/// How a call that is kept already ended. One that is not kept, or whose end is known, is passed over.
fn settle(writer: &Writer<'_>, moment: &Moment, end: &ToolEnd, reactions: &[Reaction]) -> Result<(), Fault> {
    let identity = identity::of_call(&moment.harness, &moment.session, &end.id);
    let at = Timestamp::from_millis(moment.at);
    let known = writer.known_observation(identity.hash, at, None)?;
    let Some(EntryId(id)) = known.filter(|known| known.outcome == Outcome::Unknown).map(|known| known.id)
    else {
        return Ok(());
    };
    let Some(observation) = writer.observation(EntryId(id))? else {
        return Ok(());
    };
    let ended = match observation.kind {
        ObservationKind::Command => {
            CommandEnd::read(&observation.body, end.output.as_deref().unwrap_or_default(), end.outcome)
        }
        _ => CommandEnd::as_told(end.outcome),
    };
    let outcome = ended.outcome;
    let kind = match (observation.kind, outcome) {
        (_, Outcome::Unknown) => return Ok(()),
        (ObservationKind::Command, Outcome::Failed { .. }) => ObservationKind::CommandError,
        (kind, _) => kind,
    };
    let metadata = &ended.metadata();
    writer.settle_observation(observation.id, kind, outcome, metadata, at)?;
    let project = arrive(writer, &moment.project, at)?;
    let (entry, session, body) = (observation.id, observation.session, &observation.body);
    let action = Ended { writer, event: moment, entry, session, project, at, kind, body, outcome, metadata };
    action.run(reactions)
}

/// A thought, as a moment of the same session.
fn moment_of(seen: &Moment, thought: &Thinking) -> Moment {
    let agent = thought.agent.as_ref().map(|agent| AgentRef {
        id: agent.id.clone(),
        kind: agent.kind.clone(),
        parent: agent.parent.clone(),
    });
    Moment {
        at: thought.at.map_or(seen.at, Timestamp::as_millis),
        identity: identity::of_thought(
            &seen.harness,
            &seen.session,
            &strict::hashed(&thought.text, seen.project.said.strict),
        ),
        turn: thought.turn.clone().or_else(|| seen.turn.clone()),
        agent: agent.or_else(|| seen.agent.clone()),
        what: read::said(By::Agent, &thought.text).unwrap_or(What::Seen),
        ..seen.clone()
    }
}
