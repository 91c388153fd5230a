//! Reads what was added to a transcript since the last time: how calls ended that hooks did not
//! report, what the agent thought, and what the user said that no hook reports: while rejecting a
//! call, while the agent worked, as an answer.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Speaker, Timestamp};
use nudge_harness::Harness;
use nudge_harness::spec::HookPoint;
use nudge_harness::transcript::{self, Tail, Thinking, ToolEnd};
use nudge_outcomes::fingerprint;
use nudge_store::{Durability, SessionRow, SessionSeen, Store, Writer};

use super::captured_event::{AgentRef, CapturedEvent, CapturedVia, EventBody, ReadContext};
use super::extract::command::CommandEnd;
use super::reaction::{Committed, Ended, Reaction, UserSpoke};
use super::store_event::{PROMPT_MANNER, record_project, run_heard_reactions, store_event};
use super::{identity, read, strict};

/// A prompt from a hook and one from the transcript are the same only within this time.
const CONFIRMED_WITHIN_MS: i64 = 10 * 60 * 1000;

/// How many pieces are read at a time. The rest waits for the next time.
const MAX_PIECES: usize = 32;

/// Reads the transcript of an event's session when it may contain something new: at every event
/// that is not an action, and while the session has calls without a known end.
pub(crate) fn catch_up(committed: &Committed<'_>) -> Result<(), Fault> {
    for _ in 0..MAX_PIECES {
        if !read_piece(committed)? {
            break;
        }
    }
    Ok(())
}

/// Reads the next piece; returns whether there is more.
fn read_piece(committed: &Committed<'_>) -> Result<bool, Fault> {
    let Committed { store, event: captured, reactions } = *committed;
    let (Some(path), Some(harness)) = (&captured.transcript, Harness::from_name(&captured.harness)) else {
        return Ok(false);
    };
    let path = Path::new(path);
    // A hash, because a path can contain words that a purge must remove. The position itself must
    // survive a purge, or the purged text would be read again.
    let name = format!("transcript:{:016x}", fingerprint(&[&path.to_string_lossy()]));
    let (position, open) = store.read(|reader| {
        let session = reader.agent_session_by_name(&captured.session)?;
        let open = session.map_or(Ok(false), |session| reader.has_open_outcomes(session.id))?;
        let position = reader.cursor(&name)?.map(|cursor| cursor.position);
        Ok::<_, Fault>((position, open))
    })?;
    if !open && matches!(captured.what, EventBody::Action(_)) {
        return Ok(false);
    }
    if position.is_none() && !path.exists() {
        // The transcript does not exist yet, so its first line will be the session's first.
        set_position(store, &name, 0, captured)?;
        return Ok(false);
    }
    let new = Piece::after(path, position).filter(|piece| Some(piece.end) != position);
    let Tail { thinking, mut ends } =
        new.as_ref().map_or_else(Tail::default, |piece| transcript::tail(harness, &piece.text));
    if let (true, Some(old)) = (open, position.and_then(|position| Piece::before(path, position))) {
        ends.extend(transcript::tail(harness, &old.text).ends);
    }
    let concluded = conclusion(harness, path, captured);
    if new.is_none() && ends.is_empty() && concluded.is_none() {
        return Ok(false);
    }
    let spoken =
        new.as_ref().map_or_else(Vec::new, |piece| user_speech(harness, path, position, piece, captured));
    store.write(Durability::Passive, |writer| {
        for end in &ends {
            settle(writer, captured, end, reactions)?;
        }
        for thought in &thinking {
            store_event(writer, &thought_event(captured, thought), reactions)?;
        }
        for words in &spoken {
            match &words.what {
                EventBody::Prompt { text, by: Speaker::Person } => confirm(writer, words, text, reactions)?,
                _ => drop(store_event(writer, words, reactions)?),
            }
        }
        if let Some(conclusion) = &concluded {
            store_event(writer, conclusion, reactions)?;
        }
        if let Some(piece) = &new {
            writer.set_cursor(&name, piece.end, "", Timestamp::from_millis(captured.at))?;
        }
        Ok::<_, Fault>(())
    })?;
    Ok(new.is_some_and(|piece| piece.is_full))
}

/// Stores how far a transcript was read.
fn set_position(store: &Store, name: &str, position: i64, seen: &CapturedEvent) -> Result<(), Fault> {
    let at = Timestamp::from_millis(seen.at);
    store.write(Durability::Passive, |writer| Ok(writer.set_cursor(name, position, "", at)?))
}

/// A prompt that both a hook and the transcript report: the user said it. One that no hook reported
/// is not stored here.
fn confirm(
    writer: &Writer<'_>,
    words: &CapturedEvent,
    text: &str,
    reactions: &[Reaction],
) -> Result<(), Fault> {
    let Some(session) = writer.agent_session_by_name(&words.session)? else { return Ok(()) };
    let at = Timestamp::from_millis(words.at);
    if words.headless == Some(true) {
        return mark_headless(writer, words, &session);
    }
    let text = nudge_secrets::redact(text);
    let Some(prompt) = writer.same_prompt(session.id, &text, at, CONFIRMED_WITHIN_MS)? else { return Ok(()) };
    let heard = UserSpoke {
        writer,
        event: words,
        session: session.id,
        at,
        text: &text,
        manner: PROMPT_MANNER,
        prompt,
    };
    run_heard_reactions(&heard, reactions)
}

/// Marks a session as headless if only the transcript says so: its prompts come from a script.
fn mark_headless(writer: &Writer<'_>, words: &CapturedEvent, session: &SessionRow) -> Result<(), Fault> {
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

/// What the user said in a piece, as captured events of the session.
fn user_speech(
    harness: Harness,
    path: &Path,
    position: Option<i64>,
    piece: &Piece,
    seen: &CapturedEvent,
) -> Vec<CapturedEvent> {
    let before = || position.and_then(|position| Piece::before(path, position)).map(|piece| piece.text);
    let name = path.to_string_lossy();
    let mut events = transcript::speech(harness, &name, &piece.text, before);
    if events.is_empty() {
        return Vec::new();
    }
    // The hooks of some agents do not say whether a user is watching; the transcript's first line
    // does.
    let reported = || transcript::headless(harness, &name, &Piece::head(path)?.text);
    let here = ReadContext { headless: seen.headless.or_else(reported), ..here(seen) };
    for event in &mut events {
        // Some agents name the session in the first line only.
        event.session.get_or_insert_with(|| seen.session.clone());
    }
    let of_session = events.iter().filter(|event| event.session.as_deref() == Some(&seen.session));
    of_session.filter_map(|event| read::read(event, &identity::transcript_event_key(event), &here)).collect()
}

/// The conclusion of a turn that an event ends, if its hook leaves that out. It may have been
/// written before an earlier read; one that is already stored is recognised.
fn conclusion(harness: Harness, path: &Path, seen: &CapturedEvent) -> Option<CapturedEvent> {
    let ends = harness.spec().event(&seen.event).is_some_and(|event| event.point == HookPoint::Stop);
    if !ends || seen.agent.is_some() || seen.what != EventBody::Seen {
        return None;
    }
    let mut event = transcript::last_answer(harness, &path.to_string_lossy(), &Piece::last(path)?.text)?;
    event.session.get_or_insert_with(|| seen.session.clone());
    let captured = read::read(&event, &identity::transcript_event_key(&event), &here(seen))?;
    (captured.session == seen.session).then(|| CapturedEvent { branch: seen.branch.clone(), ..captured })
}

/// The beginning of a transcript; `None` if it cannot be read.
pub(crate) fn head_of(path: &Path) -> Option<String> {
    Piece::head(path).map(|piece| piece.text).filter(|text| !text.is_empty())
}

/// The context for a transcript line that is read because of an event.
fn here(seen: &CapturedEvent) -> ReadContext {
    ReadContext {
        now: Timestamp::from_millis(seen.at),
        project: seen.project.clone(),
        headless: seen.headless,
        via: CapturedVia::Transcript,
        own_root: None,
        // Words are not a tool call.
        is_own_tool: |_| false,
    }
}

/// Records how a stored call ended. A call that is not stored, or has a known end, is skipped.
fn settle(
    writer: &Writer<'_>,
    captured: &CapturedEvent,
    end: &ToolEnd,
    reactions: &[Reaction],
) -> Result<(), Fault> {
    let identity = identity::of_call(&captured.harness, &captured.session, &end.id);
    let at = Timestamp::from_millis(captured.at);
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
        _ => CommandEnd::as_reported(end.outcome),
    };
    let outcome = ended.outcome;
    let kind = match (observation.kind, outcome) {
        (_, Outcome::Unknown) => return Ok(()),
        (ObservationKind::Command, Outcome::Failed { .. }) => ObservationKind::CommandError,
        (kind, _) => kind,
    };
    let metadata = &ended.metadata();
    writer.settle_observation(observation.id, kind, outcome, metadata, at)?;
    let project = record_project(writer, &captured.project, at)?;
    let (entry, session, body) = (observation.id, observation.session, &observation.body);
    let action =
        Ended { writer, event: captured, entry, session, project, at, kind, body, outcome, metadata };
    action.run(reactions)
}

/// A thought, as a captured event of the same session.
fn thought_event(seen: &CapturedEvent, thought: &Thinking) -> CapturedEvent {
    let agent = thought.agent.as_ref().map(|agent| AgentRef {
        id: agent.id.clone(),
        kind: agent.kind.clone(),
        parent: agent.parent.clone(),
    });
    CapturedEvent {
        at: thought.at.map_or(seen.at, Timestamp::as_millis),
        identity: identity::of_thought(
            &seen.harness,
            &seen.session,
            &strict::text_to_hash(&thought.text, seen.project.claims.strict),
        ),
        turn: thought.turn.clone().or_else(|| seen.turn.clone()),
        agent: agent.or_else(|| seen.agent.clone()),
        what: read::speech(Speaker::Agent, &thought.text).unwrap_or(EventBody::Seen),
        ..seen.clone()
    }
}

// Pieces of a transcript, in complete lines.

/// The most that is read at once; it takes a few milliseconds.
const MAX_READ_BYTES: u64 = 512 * 1024;

/// For a long transcript that was never read before, how far from its end reading starts. Anything
/// older is left to an import.
const FIRST_READ_BYTES: u64 = 128 * 1024;

/// How far back to look for the end of a call that was written before its hook ran.
const LOOK_BACK_BYTES: u64 = 256 * 1024;

/// Some complete lines of a file.
pub(super) struct Piece {
    pub(super) text: String,
    /// Where the next piece begins.
    pub(super) end: i64,
    /// Whether the file continues after this piece.
    pub(super) is_full: bool,
}

impl Piece {
    /// The text after a position, up to the last line end.
    pub(super) fn after(path: &Path, position: Option<i64>) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let from = match position.and_then(|position| u64::try_from(position).ok()) {
            Some(position) if position <= length => position,
            // Shorter than before: the file was rewritten.
            Some(_) => 0,
            None => length.saturating_sub(FIRST_READ_BYTES),
        };
        let mut bytes = read_at(&mut file, from, MAX_READ_BYTES)?;
        let is_full = bytes.len() as u64 == MAX_READ_BYTES;
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            // A line longer than a piece is skipped, piece by piece.
            None if is_full => bytes.len(),
            None => 0,
        };
        bytes.truncate(whole);
        let end = i64::try_from(from + whole as u64).ok()?;
        Some(Self { text: String::from_utf8_lossy(&bytes).into_owned(), end, is_full })
    }

    /// The current end of the file.
    pub(super) fn last(path: &Path) -> Option<Self> {
        Self::before(path, i64::MAX)
    }

    /// The beginning of the file.
    pub(super) fn head(path: &Path) -> Option<Self> {
        Self::before(path, i64::try_from(LOOK_BACK_BYTES).ok()?)
    }

    /// The text just before a position.
    pub(super) fn before(path: &Path, position: i64) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let upto = u64::try_from(position).ok()?.min(length);
        let from = upto.saturating_sub(LOOK_BACK_BYTES);
        let bytes = read_at(&mut file, from, upto - from)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Some(Self { text, end: position, is_full: upto < length })
    }
}

/// A file and its length. An unreadable file is treated as missing. If the payload names a pipe or
/// device instead of a file, opening it does not block.
fn open(path: &Path) -> Option<(File, u64)> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file = File::options().read(true).custom_flags(nonblocking).open(path).ok()?;
    let facts = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((file, facts.len()))
}

fn read_at(file: &mut File, from: u64, most: u64) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        file.write_all(text.as_bytes()).expect("written");
        file
    }

    fn piece(path: &Path, position: Option<i64>) -> (String, i64) {
        let piece = Piece::after(path, position).expect("a piece");
        (piece.text, piece.end)
    }

    #[test]
    fn pieces_end_with_a_line_and_begin_where_the_last_one_ended() {
        let file = file("one\ntwo\nthr");
        assert_eq!(piece(file.path(), None), ("one\ntwo\n".to_owned(), 8));
        assert_eq!(piece(file.path(), Some(4)), ("two\n".to_owned(), 8));
        assert_eq!(piece(file.path(), Some(8)), (String::new(), 8));
        assert_eq!(piece(file.path(), Some(99)), ("one\ntwo\n".to_owned(), 8));
    }

    #[test]
    fn a_line_longer_than_a_piece_is_passed_over() {
        let long = MAX_READ_BYTES as usize + 10;
        let file = file(&format!("{}\nnext\n", "x".repeat(long)));
        let (_, end) = piece(file.path(), Some(0));
        assert_eq!(end, MAX_READ_BYTES as i64);
        let (text, _) = piece(file.path(), Some(end));
        assert!(text.ends_with("\nnext\n"));
    }

    #[test]
    fn what_is_no_file_has_nothing_to_tell() {
        let dir = tempfile::TempDir::new().expect("a temporary directory");
        assert!(Piece::after(dir.path(), None).is_none());
        assert!(Piece::after(&dir.path().join("gone"), None).is_none());
        let pipe = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &pipe,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_raw_mode(0o600),
            0,
        )
        .expect("a pipe");
        assert!(Piece::after(&pipe, None).is_none());
    }
}
