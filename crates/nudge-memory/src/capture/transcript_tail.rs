//! What a transcript has gained since the last look: how calls ended that hooks did not tell, what the agent thought, and what the
//! person said that no hook tells: while refusing a call, while the agent worked, as an answer.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nudge_core::{EntryId, Fault, ObservationKind, Outcome, Timestamp};
use nudge_harness::Harness;
use nudge_harness::transcript::{self, Tail, Thinking, ToolEnd};
use nudge_store::{Durability, Writer};
use serde_json::Map;

use super::fingerprint;
use super::here::Here;
use super::identity;
use super::keep::keep;
use super::moment::{AgentRef, By, Moment, Via, What};
use super::reaction::{Committed, Ended, Reaction};
use super::read;
use super::strict;

/// The most that is read at one look: a turn's worth, in a few milliseconds. The rest waits for the next one.
const AT_ONCE: u64 = 512 * 1024;

/// Where a transcript that was never looked at is begun when it is long: what is older is for an import.
const FIRST_LOOK: u64 = 128 * 1024;

/// How far back the end of a call is looked for that was written down before its hook came.
const LOOK_BACK: u64 = 256 * 1024;

/// Looks at the transcript of a moment's session, where that can tell something: at every moment that is no action, and while
/// the session has calls whose end is not known.
pub(crate) fn catch_up(committed: &Committed<'_>) -> Result<(), Fault> {
    let Committed { store, event: moment, reactions } = *committed;
    let (Some(path), Some(harness)) = (&moment.transcript, Harness::from_name(&moment.harness)) else {
        return Ok(());
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
        return Ok(());
    }
    let new = Piece::after(path, position).filter(|piece| Some(piece.end) != position);
    let Tail { thinking, mut ends } =
        new.as_ref().map_or_else(Tail::default, |piece| transcript::tail(harness, &piece.text));
    if let (true, Some(old)) = (open, position.and_then(|position| Piece::before(path, position))) {
        ends.extend(transcript::tail(harness, &old.text).ends);
    }
    if new.is_none() && ends.is_empty() {
        return Ok(());
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
            keep(writer, words, reactions)?;
        }
        if let Some(piece) = &new {
            writer.set_cursor(&name, piece.end, "", Timestamp::from_millis(moment.at))?;
        }
        Ok::<_, Fault>(())
    })
}

/// What the person said in a piece, as moments of the session that is seen.
fn said(harness: Harness, path: &Path, position: Option<i64>, piece: &Piece, seen: &Moment) -> Vec<Moment> {
    let before = || position.and_then(|position| Piece::before(path, position)).map(|piece| piece.text);
    let here = Here {
        now: Timestamp::from_millis(seen.at),
        project: seen.project.clone(),
        headless: seen.headless,
        via: Via::Transcript,
        own_root: None,
        // What was said is no call of a tool.
        is_own_tool: |_| false,
    };
    let mut events = transcript::speech(harness, &path.to_string_lossy(), &piece.text, before);
    for event in &mut events {
        // Some name it in their first line only.
        event.session.get_or_insert_with(|| seen.session.clone());
    }
    let of_session = events.iter().filter(|event| event.session.as_deref() == Some(&seen.session));
    of_session.filter_map(|event| read::read(event, &identity::told_by(event), &here)).collect()
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
    let kind = match (observation.kind, end.outcome) {
        (_, Outcome::Unknown) => return Ok(()),
        (ObservationKind::Command, Outcome::Failed { .. }) => ObservationKind::CommandError,
        (kind, _) => kind,
    };
    writer.settle_observation(observation.id, kind, end.outcome, &Map::new(), at)?;
    Ended { writer, event: moment, at, kind, body: &observation.body, outcome: end.outcome }.run(reactions)
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

/// Some whole lines of a file.
struct Piece {
    text: String,
    /// Where the next piece begins.
    end: i64,
}

impl Piece {
    /// What follows a position, up to the last line end.
    fn after(path: &Path, position: Option<i64>) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let from = match position.and_then(|position| u64::try_from(position).ok()) {
            Some(position) if position <= length => position,
            // Shorter than it was: written anew.
            Some(_) => 0,
            None => length.saturating_sub(FIRST_LOOK),
        };
        let mut bytes = read_at(&mut file, from, AT_ONCE)?;
        let whole = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => last + 1,
            // One line longer than a piece: it is passed over, piece by piece.
            None if bytes.len() as u64 == AT_ONCE => bytes.len(),
            None => 0,
        };
        bytes.truncate(whole);
        let end = i64::try_from(from + whole as u64).ok()?;
        Some(Self { text: String::from_utf8_lossy(&bytes).into_owned(), end })
    }

    /// What comes right before a position.
    fn before(path: &Path, position: i64) -> Option<Self> {
        let (mut file, length) = open(path)?;
        let upto = u64::try_from(position).ok()?.min(length);
        let from = upto.saturating_sub(LOOK_BACK);
        let bytes = read_at(&mut file, from, upto - from)?;
        Some(Self { text: String::from_utf8_lossy(&bytes).into_owned(), end: position })
    }
}

/// A file and its length. Whatever cannot be read has nothing to tell, and a pipe or device that the payload names in
/// place of a file is not waited for.
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
        let long = AT_ONCE as usize + 10;
        let file = file(&format!("{}\nnext\n", "x".repeat(long)));
        let (_, end) = piece(file.path(), Some(0));
        assert_eq!(end, AT_ONCE as i64);
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
