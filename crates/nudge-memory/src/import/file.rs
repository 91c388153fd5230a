//! Reads transcripts: files of lines, and opencode's database.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::SystemTime;

use nudge_core::{Fault, Timestamp};
use nudge_harness::{Harness, transcript};
use nudge_store::foreign::{Foreign, ForeignSession};
use serde_json::json;

use super::batch::{Run, TranscriptState};
use super::request::{Position, Progress};

/// The longest line that is read. Screenshots make lines of many megabytes; nothing makes longer
/// ones.
const MAX_LINE_BYTES: u64 = 256 * 1024 * 1024;

/// How much of the first line identifies a file.
const IDENTIFYING_BYTES: usize = 4096;

/// Imports the part of a file after the position of the last import.
pub(super) fn import(run: &mut Run<'_>, path: &Path, watch: &mut dyn FnMut(u64)) -> Result<(), Fault> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?, file)));
    let (facts, file) = match opened {
        Ok((facts, file)) if facts.is_file() => (facts, file),
        Ok(_) => return Ok(()),
        Err(error) => {
            run.report().unreadable.push(format!("{}: {error}", path.display()));
            return Ok(());
        }
    };
    if let Some(lines) = document(run.request.harness, path, facts.len()) {
        return whole(run, path, &facts, &lines);
    }
    let mut lines = Lines { file: BufReader::with_capacity(256 * 1024, file), at: 0, line: Vec::new() };
    let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned();
    let Some(mut reader) = transcript::reader(run.request.harness, &name) else { return Ok(()) };
    let mut mark = Position {
        name: format!("import:{}:{name}", run.request.harness.name()),
        position: 0,
        detail: String::new(),
    };
    let cursor = run.store.read(|reader| Ok::<_, Fault>(reader.cursor(&mark.name)?))?;
    let mut scene =
        TranscriptState { cwd: recorded_directory(path), path: name, ..TranscriptState::default() };
    let mut from = 0;
    let mut first = true;
    loop {
        let began = lines.at;
        let text = match lines.next() {
            Ok(Some(text)) => text,
            Ok(None) => break,
            Err(error) => {
                run.report().unreadable.push(format!("{}: {error}", path.display()));
                break;
            }
        };
        if first {
            first = false;
            mark.detail = recognised(text.as_bytes());
            // A different first line means a different file. It is read from the start; known
            // events are not stored again.
            from =
                cursor.as_ref().filter(|c| c.detail == mark.detail).map_or(0, |c| c.position.unsigned_abs());
            if from == facts.len() {
                run.report().unchanged += 1;
                return Ok(());
            }
            run.begin(facts.modified().ok().and_then(timestamp));
        }
        // Lines imported before are read again because later ones refer to them, but nothing of
        // them is stored.
        let is_new = began >= from;
        for item in reader.line(&text) {
            scene.follow(&item);
            if is_new {
                run.take(item, &scene)?;
            }
        }
        mark.position = i64::try_from(lines.at).unwrap_or(i64::MAX);
        if run.is_full() {
            run.write(&mark)?;
            watch(lines.at);
        }
    }
    if first {
        return Ok(());
    }
    for item in reader.finish() {
        run.take(item, &scene)?;
    }
    run.write(&mark)
}

/// The lines of a transcript that is one document.
fn document(harness: Harness, path: &Path, length: u64) -> Option<Vec<String>> {
    if !harness.transcript().has_documents() || length > MAX_LINE_BYTES {
        return None;
    }
    transcript::document(harness, &String::from_utf8_lossy(&fs::read(path).ok()?))
}

/// Imports a document. It is rewritten whenever it grows, so a changed one is read whole; known
/// events are not stored again.
fn whole(run: &mut Run<'_>, path: &Path, facts: &fs::Metadata, lines: &[String]) -> Result<(), Fault> {
    let name = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()).to_string_lossy().into_owned();
    let Some(mut reader) = transcript::reader(run.request.harness, &name) else { return Ok(()) };
    let mark = Position {
        name: format!("import:{}:{name}", run.request.harness.name()),
        position: i64::try_from(facts.len()).unwrap_or(i64::MAX),
        detail: recognised(lines.concat().as_bytes()),
    };
    let cursor = run.store.read(|reader| Ok::<_, Fault>(reader.cursor(&mark.name)?))?;
    if cursor.is_some_and(|cursor| cursor.position == mark.position && cursor.detail == mark.detail) {
        run.report().unchanged += 1;
        return Ok(());
    }
    run.begin(facts.modified().ok().and_then(timestamp));
    let mut scene =
        TranscriptState { cwd: recorded_directory(path), path: name, ..TranscriptState::default() };
    for line in lines {
        for item in reader.line(line) {
            scene.follow(&item);
            run.take(item, &scene)?;
        }
    }
    for item in reader.finish() {
        run.take(item, &scene)?;
    }
    run.write(&mark)
}

/// The directory of a session if its transcript does not contain it. Gemini stores it next to its
/// chats folder.
fn recorded_directory(path: &Path) -> Option<String> {
    let note = path.parent()?.parent()?.join(".project_root");
    let facts = fs::metadata(&note).ok().filter(|facts| facts.is_file() && facts.len() < 4096)?;
    let text = fs::read_to_string(note).ok().filter(|_| facts.len() > 0)?;
    Some(text.trim().to_owned()).filter(|dir| dir.starts_with('/'))
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}

fn recognised(first: &[u8]) -> String {
    // Credentials are removed, so that they cannot be guessed from the hash.
    let line = String::from_utf8_lossy(&first[..first.len().min(IDENTIFYING_BYTES)]);
    let hash = blake3::hash(nudge_secrets::redact(&line).as_bytes());
    hash.to_hex()[..16].to_owned()
}

/// The lines of a file, with the position after each.
struct Lines<R> {
    file: BufReader<R>,
    /// Where the next line begins.
    at: u64,
    line: Vec<u8>,
}

impl<R: Read> Lines<R> {
    /// The next line. An unfinished line at the end of the file is not returned. An overlong line
    /// is returned truncated, and cannot be parsed.
    fn next(&mut self) -> std::io::Result<Option<String>> {
        self.line.clear();
        let read = (&mut self.file).take(MAX_LINE_BYTES).read_until(b'\n', &mut self.line)?;
        if read == 0 {
            return Ok(None);
        }
        let mut length = read as u64;
        if self.line.last() != Some(&b'\n') {
            if length == MAX_LINE_BYTES {
                self.line.truncate(64);
                length += self.skip_rest_of_line()?;
            } else if serde_json::from_slice::<serde::de::IgnoredAny>(&self.line).is_err() {
                return Ok(None);
            }
        }
        self.at += length;
        Ok(Some(String::from_utf8_lossy(&self.line).into_owned()))
    }

    fn skip_rest_of_line(&mut self) -> std::io::Result<u64> {
        let mut passed = 0;
        loop {
            let buffer = self.file.fill_buf()?;
            if buffer.is_empty() {
                return Ok(passed);
            }
            let end = buffer.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let used = end.unwrap_or(buffer.len());
            self.file.consume(used);
            passed += used as u64;
            if end.is_some() {
                return Ok(passed);
            }
        }
    }
}

// Imports opencode's database.

/// How many sessions are listed, and how many messages are read, at once.
const SESSION_PAGE: u32 = 200;

const MESSAGE_PAGE: u32 = 100;

/// The database, if it has the tables of opencode.
fn opened(path: &Path) -> Result<Option<Foreign>, Fault> {
    let mut database = Foreign::open(path)?;
    Ok(database.is_readable()?.then_some(database))
}

/// Imports the sessions that changed since the last import.
pub(super) fn import_rows(
    run: &mut Run<'_>,
    watch: &mut dyn FnMut(Progress),
    is_over: &mut dyn FnMut() -> bool,
) -> Result<bool, Fault> {
    let path = &run.request.path;
    if !path.is_file() {
        return Err(Fault::invalid("no_transcripts", format!("no opencode database at {}", path.display()))
            .next("name the file: `nudge import opencode PATH`"));
    }
    let name = std::fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    let mut database = match opened(&name) {
        Ok(Some(database)) => database,
        Err(fault) if fault.reason != Fault::DAMAGED => return Err(fault),
        // Damage of this file is not damage of the memory.
        Ok(None) | Err(_) => {
            let why = format!("{} is not an opencode database", path.display());
            return Err(Fault::invalid("not_opencode", why).next("name the file opencode.db"));
        }
    };
    let name = name.to_string_lossy().into_owned();
    let mut sessions: Vec<ForeignSession> = Vec::new();
    loop {
        let page = database.sessions(sessions.last().map_or(0, |last| last.place), SESSION_PAGE)?;
        if page.is_empty() {
            break;
        }
        sessions.extend(page);
    }
    let total = sessions.iter().map(|session| session.parts.unsigned_abs()).sum();
    let mut done = 0;
    for session in sessions {
        if is_over() {
            return Ok(false);
        }
        watch(Progress { done, total });
        done += session.parts.unsigned_abs();
        one(run, &mut database, &name, &session)?;
    }
    watch(Progress { done: total, total });
    Ok(true)
}

/// Imports one session. Its parts change while it runs, so a changed session is read whole; known
/// events are not stored again.
fn one(run: &mut Run<'_>, database: &mut Foreign, path: &str, session: &ForeignSession) -> Result<(), Fault> {
    let mark = Position {
        name: format!("import:opencode:{path}#{}", session.id),
        position: session.parts,
        detail: session.changed.to_string(),
    };
    let cursor = run.store.read(|reader| Ok::<_, Fault>(reader.cursor(&mark.name)?))?;
    if cursor.is_some_and(|cursor| cursor.position == mark.position && cursor.detail == mark.detail) {
        run.report().unchanged += 1;
        return Ok(());
    }
    let Some(mut reader) = transcript::reader(Harness::Opencode, path) else { return Ok(()) };
    run.begin(None);
    let mut scene = TranscriptState { path: path.to_owned(), ..TranscriptState::default() };
    // The position says finished only after everything is stored.
    let unfinished = Position { position: -1, ..mark.clone() };
    let mut take = |run: &mut Run<'_>, text: &str| -> Result<(), Fault> {
        for item in reader.line(text) {
            scene.follow(&item);
            run.take(item, &scene)?;
        }
        if run.is_full() { run.write(&unfinished) } else { Ok(()) }
    };
    take(run, &json!({"session": session.row}).to_string())?;
    let mut place = 0;
    loop {
        let page = database.messages(&session.id, place, MESSAGE_PAGE)?;
        let Some(last) = page.last() else { break };
        place = last.place;
        for message in &page {
            take(run, &message.row.to_string())?;
        }
    }
    for item in reader.finish() {
        run.take(item, &scene)?;
    }
    run.write(&mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> (Vec<String>, u64) {
        let mut lines = Lines { file: BufReader::new(text), at: 0, line: Vec::new() };
        let mut read = Vec::new();
        while let Some(line) = lines.next().expect("memory can be read") {
            read.push(line);
        }
        (read, lines.at)
    }

    #[test]
    fn a_line_that_is_still_being_written_waits() {
        assert_eq!(lines(b"{}\n{\"a\":"), (vec!["{}\n".to_owned()], 3));
        assert_eq!(lines(b"{}\n{\"a\":1}"), (vec!["{}\n".to_owned(), "{\"a\":1}".to_owned()], 10));
        assert_eq!(lines(b""), (Vec::new(), 0));
        assert_eq!(lines(b"\xff\n").0, ["\u{fffd}\n"]);
    }
}
