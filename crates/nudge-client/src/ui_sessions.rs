//! The browsers that are signed in to the page, and the codes that sign one in.
//!
//! A browser holds two halves: a cookie, which no script can read, and a key, which no other port
//! can read. A browser sends the cookie of 127.0.0.1 to every port, so neither half counts alone.
//! The file `run/ui-sessions` keeps a hash of each, so that a restart or an upgrade signs nobody
//! out and a copy of the file opens nothing. A code is only in the memory of the server.

use std::collections::HashMap;
use std::fs::Permissions;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use nudge_core::text::without_controls;
use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

use crate::private_file;
use crate::random::fresh;

/// A browser that was not used for so long is signed out, in seconds.
pub const ENDS_UNUSED: i64 = 30 * DAY;

/// The time of the last use is written at most once in this time, in seconds.
const DAY: i64 = 24 * 60 * 60;

/// How many browsers are signed in at most. A further one ends the one that was unused longest.
const MAX_SESSIONS: usize = 20;

/// How much of a browser's own description is kept, in characters.
const MAX_NAME_CHARS: usize = 200;

/// A signed-in browser, without its halves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UiSession {
    /// Names it in lists and logs. It opens nothing.
    pub id: String,
    /// What the browser calls itself.
    pub browser: String,
    /// Whether it may only read.
    pub read_only: bool,
    /// When it signed in, in seconds since 1970.
    pub created_at: i64,
    /// When it was last used.
    pub used_at: i64,
    cookie: String,
    key: String,
}

impl UiSession {
    /// Whether it has ended because nobody used it.
    fn has_ended(&self) -> bool {
        !(-DAY..=ENDS_UNUSED).contains(&now().saturating_sub(self.used_at))
    }
}

/// The two halves of a new session. They cannot be shown again.
pub struct Halves {
    /// For the cookie.
    pub cookie: String,
    /// For the storage of the page.
    pub key: String,
}

/// Signs all browsers out. Their open connections are closed.
pub fn end_all(home: &Home) -> Result<usize, Fault> {
    let path = file(home);
    if !path.exists() {
        return Ok(0);
    }
    change(&path, |sessions| {
        let ended = sessions.iter().filter(|session| !session.has_ended()).count();
        sessions.clear();
        ended
    })
}

/// The sessions in a running server. The file is read again whenever it changes, so that a sign-out
/// holds at once.
pub struct UiSessions {
    path: PathBuf,
    known: Mutex<Known>,
    /// When each was used since this server started: the file is a day behind at most.
    used: Mutex<HashMap<String, i64>>,
}

/// The sessions of a file, and what tells whether it has changed.
#[derive(Default)]
struct Known {
    file: Option<(u64, u64, i64, i64)>,
    sessions: Arc<Vec<UiSession>>,
}

impl UiSessions {
    /// Those of a home.
    pub fn of(home: &Home) -> Self {
        Self::at(file(home))
    }

    fn at(path: PathBuf) -> Self {
        Self { path, known: Mutex::default(), used: Mutex::default() }
    }

    /// Those that are signed in, the last used first.
    pub fn list(&self) -> Vec<UiSession> {
        let mut found: Vec<_> = self.sessions().iter().filter(|one| !one.has_ended()).cloned().collect();
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|id, _| found.iter().any(|one| one.id == *id));
        for one in &mut found {
            one.used_at = used.get(&one.id).copied().unwrap_or(one.used_at).max(one.used_at);
        }
        found.sort_by(|one, other| (other.used_at, &other.id).cmp(&(one.used_at, &one.id)));
        found
    }

    /// Signs a browser in.
    pub fn begin(&self, browser: &str, read_only: bool) -> Result<(UiSession, Halves), Fault> {
        let halves = Halves { cookie: fresh()?, key: fresh()? };
        let mut id = fresh()?;
        id.truncate(12);
        let session = UiSession {
            id,
            browser: without_controls(browser, MAX_NAME_CHARS),
            read_only,
            created_at: now(),
            used_at: now(),
            cookie: hash(&halves.cookie),
            key: hash(&halves.key),
        };
        let new = session.clone();
        change(&self.path, |sessions| {
            sessions.retain(|session| !session.has_ended());
            while sessions.len() >= MAX_SESSIONS {
                let oldest = (0..sessions.len()).min_by_key(|&at| sessions[at].used_at).unwrap_or(0);
                sessions.remove(oldest);
            }
            sessions.push(new);
        })?;
        Ok((session, halves))
    }

    /// The session that both halves belong to; `None` if there is none, or it has ended.
    pub fn with(&self, cookie: &str, key: &str) -> Option<UiSession> {
        let (cookie, key) = (hash(cookie), hash(key));
        let same = |one: &str, other: &str| bool::from(one.as_bytes().ct_eq(other.as_bytes()));
        let sessions = self.sessions();
        let found = sessions.iter().find(|one| same(&one.cookie, &cookie) & same(&one.key, &key))?;
        (!found.has_ended()).then(|| found.clone())
    }

    /// Signs one browser out. Says whether it was signed in.
    pub fn end(&self, id: &str) -> Result<bool, Fault> {
        change(&self.path, |sessions| {
            let before = sessions.len();
            sessions.retain(|session| session.id != id);
            sessions.len() < before
        })
    }

    /// Notes that a session was used: in the file at most once a day, and not while another process
    /// changes it.
    pub fn note_use(&self, id: &str) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(id.to_owned(), now());
        let is_due = |one: &UiSession| one.id == id && now().saturating_sub(one.used_at) > DAY;
        if !self.sessions().iter().any(is_due) {
            return;
        }
        let Ok(lock) = private_file::lock_file(&self.path) else { return };
        if lock.try_lock().is_err() {
            return;
        }
        let noted = change_locked(&self.path, |sessions| {
            sessions.iter_mut().filter(|one| one.id == id).for_each(|one| one.used_at = now());
        });
        if let Err(fault) = noted {
            tracing::warn!(reason = fault.reason, "the use of a browser's session is not noted");
        }
    }

    fn sessions(&self) -> Arc<Vec<UiSession>> {
        let found = self.path.symlink_metadata().ok();
        let file = found.map(|found| (found.dev(), found.ino(), found.ctime(), found.ctime_nsec()));
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.file != file {
            let sessions = read(&self.path).unwrap_or_else(|fault| {
                tracing::warn!(reason = fault.reason, "no browser is let in");
                Vec::new()
            });
            *known = Known { file, sessions: Arc::new(sessions) };
        }
        known.sessions.clone()
    }
}

fn file(home: &Home) -> PathBuf {
    home.run_dir().join("ui-sessions")
}

fn hash(half: &str) -> String {
    blake3::hash(half.as_bytes()).to_hex().to_string()
}

fn now() -> i64 {
    crate::now().as_millis().div_euclid(1_000)
}

fn read(path: &Path) -> Result<Vec<UiSession>, Fault> {
    match private_file::read(path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map_err(|error| unusable(path, "cannot be understood", &error))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unusable(path, "cannot be read", &error)),
    }
}

/// Changes the file, once no other process does.
fn change<T>(path: &Path, act: impl FnOnce(&mut Vec<UiSession>) -> T) -> Result<T, Fault> {
    let unwritten = |error: std::io::Error| unusable(path, "cannot be written", &error);
    // The lock is released when the value is dropped.
    let lock = private_file::lock_file(path).map_err(unwritten)?;
    lock.lock().map_err(unwritten)?;
    change_locked(path, act)
}

fn change_locked<T>(path: &Path, act: impl FnOnce(&mut Vec<UiSession>) -> T) -> Result<T, Fault> {
    // A file that cannot be understood signs everybody out and must not stay in the way.
    let mut sessions = read(path).unwrap_or_default();
    let answer = act(&mut sessions);
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".ui-sessions-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(path.parent().unwrap_or_else(|| Path::new(".")))?;
        file.write_all(&serde_json::to_vec_pretty(&sessions)?)?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(answer)
    };
    write().map_err(|error: std::io::Error| unusable(path, "cannot be written", &error))
}

fn unusable(path: &Path, what: &str, error: &dyn std::fmt::Display) -> Fault {
    let why = format!("the file {} {what}: {error}", path.display());
    Fault::new(FaultKind::Unavailable, "ui_sessions_unusable", why)
        .next("remove the file and sign in again with `nudge ui`")
}

// The codes: each signs one browser in, once and soon.

/// How long a code counts.
pub const CODE_ENDS: Duration = Duration::from_secs(60);

/// How many codes wait at most. A further one ends the oldest.
const MAX_CODES: usize = 4;

/// The codes that wait for a browser.
#[derive(Default)]
pub struct Codes {
    waiting: Mutex<Vec<Code>>,
}

struct Code {
    hash: String,
    read_only: bool,
    ends: Instant,
}

impl Codes {
    /// A new code.
    pub fn make(&self, read_only: bool) -> Result<String, Fault> {
        let code = fresh()?;
        self.add(&code, read_only, Instant::now());
        Ok(code)
    }

    fn add(&self, code: &str, read_only: bool, at: Instant) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|code| code.ends > at);
        if waiting.len() >= MAX_CODES {
            waiting.remove(0);
        }
        waiting.push(Code { hash: hash(code), read_only, ends: at + CODE_ENDS });
    }

    /// Uses a code up. Says whether the browser may only read; `None` for a code that is wrong,
    /// late or used.
    pub fn redeem(&self, shown: &str) -> Option<bool> {
        self.redeem_at(shown, Instant::now())
    }

    fn redeem_at(&self, shown: &str, at: Instant) -> Option<bool> {
        let shown = hash(shown);
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.retain(|code| code.ends > at);
        let is_it = |code: &Code| bool::from(code.hash.as_bytes().ct_eq(shown.as_bytes()));
        let found = waiting.iter().position(is_it)?;
        Some(waiting.remove(found).read_only)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, UiSessions) {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("ui-sessions");
        (dir, UiSessions::at(path))
    }

    #[test]
    fn both_halves_of_one_session_are_needed() {
        let (_dir, sessions) = place();
        let (one, halves) = sessions.begin("Firefox", false).expect("signed in");
        let (_, other) = sessions.begin("Chromium", true).expect("signed in");
        assert_eq!(sessions.with(&halves.cookie, &halves.key).map(|found| found.id), Some(one.id.clone()));
        for (cookie, key) in [
            (&halves.cookie, &other.key),
            (&other.cookie, &halves.key),
            (&halves.key, &halves.cookie),
            (&halves.cookie, &String::new()),
        ] {
            assert_eq!(sessions.with(cookie, key), None);
        }
        assert!(sessions.end(&one.id).expect("ended"));
        assert!(!sessions.end(&one.id).expect("read"), "it is not there any more");
        assert_eq!(sessions.with(&halves.cookie, &halves.key), None);
        assert!(sessions.with(&other.cookie, &other.key).is_some_and(|found| found.read_only));
    }

    #[test]
    fn the_file_opens_nothing_and_is_private() {
        let (_dir, sessions) = place();
        let (_, halves) = sessions.begin("Firefox\u{1b}[2J", false).expect("signed in");
        let text = std::fs::read_to_string(&sessions.path).expect("a file");
        assert!(!text.contains(&halves.cookie) && !text.contains(&halves.key), "{text}");
        assert!(!text.contains("u001b"), "{text}");
        let mode = std::fs::metadata(&sessions.path).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn something_else_under_the_name_lets_nobody_in_and_is_not_waited_for() {
        let (dir, sessions) = place();
        let (_, halves) = sessions.begin("Firefox", false).expect("signed in");
        let kept = dir.path().join("kept");
        std::fs::rename(&sessions.path, &kept).expect("moved");
        std::os::unix::fs::symlink(&kept, &sessions.path).expect("linked");
        assert_eq!(sessions.with(&halves.cookie, &halves.key), None, "a link");
        std::fs::remove_file(&sessions.path).expect("removed");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, &sessions.path, rustix::fs::FileType::Fifo, mode, 0)
            .expect("a pipe");
        assert_eq!(sessions.with(&halves.cookie, &halves.key), None, "a pipe");
        let (_, again) = sessions.begin("Firefox", false).expect("signed in");
        assert!(sessions.with(&again.cookie, &again.key).is_some());
    }

    #[test]
    fn a_session_ends_unused_and_the_oldest_makes_room() {
        let (_dir, sessions) = place();
        let (_, first) = sessions.begin("first", false).expect("signed in");
        change(&sessions.path, |all| all[0].used_at -= 1).expect("aged");
        for _ in 0..MAX_SESSIONS {
            sessions.begin("more", false).expect("signed in");
        }
        assert_eq!(sessions.sessions().len(), MAX_SESSIONS);
        assert_eq!(sessions.with(&first.cookie, &first.key), None);
        let (last, halves) = sessions.begin("last", false).expect("signed in");
        let age = |by: i64| {
            let aged = |all: &mut Vec<UiSession>| {
                all.iter_mut().filter(|one| one.id == last.id).for_each(|one| one.used_at -= by);
            };
            change(&sessions.path, aged).expect("aged");
        };
        age(ENDS_UNUSED - DAY);
        assert!(sessions.with(&halves.cookie, &halves.key).is_some());
        sessions.note_use(&last.id);
        age(ENDS_UNUSED - 5);
        assert!(sessions.with(&halves.cookie, &halves.key).is_some(), "its use was noted");
        age(10);
        assert_eq!(sessions.with(&halves.cookie, &halves.key), None);
    }

    #[test]
    fn a_code_counts_once_for_a_minute_and_four_wait() {
        let codes = Codes::default();
        let code = codes.make(true).expect("a code");
        assert_eq!(codes.redeem("wrong"), None);
        assert_eq!(codes.redeem(&code), Some(true));
        assert_eq!(codes.redeem(&code), None);
        let now = Instant::now();
        codes.add("late", false, now);
        assert_eq!(codes.redeem_at("late", now + CODE_ENDS), None);
        for code in ["a", "b", "c", "d", "e"] {
            codes.add(code, false, now);
        }
        assert_eq!(codes.redeem_at("a", now), None);
        assert_eq!(codes.redeem_at("b", now), Some(false));
    }
}
