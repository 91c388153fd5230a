//! Failures in hooks, which a hook itself must not print: a log of fixed size, and a count for each
//! reason.
//!
//! A line records the time, the process, the agent, the kind of event and the reason, but nothing
//! of the payload. If the line cannot be written, that is ignored: logging must never cause a
//! failure.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use nudge_core::Timestamp;
use nudge_home::home::{Home, private_dir, private_file};
use serde::{Deserialize, Serialize};

use super::drops;

/// A log larger than this is rotated; one older log is kept.
const MAX_LOG_BYTES: u64 = 1024 * 1024;

/// How long counting waits for the lock.
const LOCK_TIMEOUT: Duration = Duration::from_millis(5);

/// How often something happened, and when it last did.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How often.
    pub times: u64,
    /// When it last happened, in milliseconds since the epoch.
    pub last: i64,
}

/// The counts by reason.
pub type Counts = BTreeMap<String, Count>;

/// Writes a line to the log and counts it.
pub fn note(home: &Home, harness: &str, kind: &str, reason: &str, now: Timestamp) {
    note_with_detail(home, harness, kind, reason, "", now);
}

/// Like [`note`], with more text on the line. The text does not affect the count.
pub fn note_with_detail(home: &Home, harness: &str, kind: &str, reason: &str, more: &str, now: Timestamp) {
    let harness: String =
        harness.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(24).collect();
    write(home, format!("{harness} {kind} {reason} {more}").trim_end(), now);
    count(home, reason, now);
}

/// Writes a line to the log without counting it.
pub fn write(home: &Home, words: &str, now: Timestamp) {
    let line = format!("{now} [{}] {words}\n", std::process::id());
    let dir = home.log_dir();
    if home.prepare().is_ok() && private_dir::create(&dir).is_ok() {
        let _ = append(&dir, line.as_bytes());
    }
}

/// Counts without writing to the log.
pub fn count(home: &Home, reason: &str, now: Timestamp) {
    let _ = try_count(home, reason, now);
}

/// All counts since the beginning.
pub fn counts(home: &Home) -> Counts {
    let mut text = Vec::new();
    let file = private_file::read(&home.log_dir().join("hooks.json"));
    match file.and_then(|mut file| file.read_to_end(&mut text)) {
        Ok(_) => parse(&text),
        Err(_) => Counts::new(),
    }
}

fn try_count(home: &Home, reason: &str, now: Timestamp) -> io::Result<()> {
    let dir = home.log_dir();
    private_dir::create(&dir)?;
    let open = private_file::read_write(&dir.join("hooks.json"))?;
    drops::lock(&open, LOCK_TIMEOUT)?;
    let mut text = Vec::new();
    (&open).read_to_end(&mut text)?;
    let mut counts = parse(&text);
    let count = counts.entry(reason.to_owned()).or_default();
    *count = Count { times: count.times + 1, last: now.as_millis() };
    let mut text = serde_json::to_vec(&counts)?;
    text.push(b'\n');
    open.write_all_at(&text, 0)?;
    open.set_len(text.len() as u64)
}

/// The counts at the beginning of a file. Anything a writer that died left after them is ignored.
fn parse(text: &[u8]) -> Counts {
    serde_json::Deserializer::from_slice(text).into_iter().next().and_then(Result::ok).unwrap_or_default()
}

fn append(dir: &Path, line: &[u8]) -> io::Result<()> {
    let path = dir.join("hooks.log");
    let mut file = private_file::append(&path)?;
    file.write_all(line)?;
    if file.metadata()?.len() > MAX_LOG_BYTES {
        // Two processes doing this at once lose some lines of a log; a lock would cost more than
        // they are worth.
        std::fs::rename(&path, dir.join("hooks.log.1"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::OpenOptions;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn lines_and_counts_are_kept_and_the_log_does_not_grow_for_ever() {
        let dir = TempDir::new().expect("temporary directory");
        let home = Home::locate(Some(dir.path()), &|_| None).expect("absolute");
        note(&home, "claude", "prompt", "spooled: busy", Timestamp::from_millis(1_794_723_027_123));
        note(&home, "evil\nname\u{1b}[31m", "other", "unknown_harness", Timestamp::from_millis(2));
        count(&home, "paused", Timestamp::from_millis(3));
        let log = std::fs::read_to_string(home.log_dir().join("hooks.log")).expect("a log");
        let pid = std::process::id();
        assert_eq!(
            log,
            format!(
                "2026-11-15T06:10:27.123Z [{pid}] claude prompt spooled: busy\n\
                 1970-01-01T00:00:00.002Z [{pid}] evilname31m other unknown_harness\n"
            )
        );
        assert_eq!(
            counts(&home),
            [
                ("paused".to_owned(), Count { times: 1, last: 3 }),
                ("spooled: busy".to_owned(), Count { times: 1, last: 1_794_723_027_123 }),
                ("unknown_harness".to_owned(), Count { times: 1, last: 2 }),
            ]
            .into()
        );
        let file = OpenOptions::new().write(true).open(home.log_dir().join("hooks.log")).expect("opened");
        file.set_len(MAX_LOG_BYTES).expect("grown");
        note(&home, "claude", "prompt", "spooled: busy", Timestamp::from_millis(4));
        note(&home, "claude", "prompt", "spooled: busy", Timestamp::from_millis(5));
        let size = |name: &str| home.log_dir().join(name).metadata().expect("there").len();
        assert!(size("hooks.log.1") > MAX_LOG_BYTES && size("hooks.log") < 200);
        assert_eq!(counts(&home)["spooled: busy"].times, 3);
    }
}
