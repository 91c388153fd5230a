//! Pauses: what a person has switched off for a while.
//!
//! They stand in `pause.json` in the home, which hooks look at before anything else. It is replaced
//! whole, so whoever reads it sees one state or the next.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nudge_core::Timestamp;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use nudge_home::Home;

/// What is paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope")]
pub enum PauseScope {
    /// Everything.
    All,
    /// One session of an agent.
    Session {
        /// Its id, as the agent calls it.
        session: String,
    },
    /// One project.
    Project {
        /// What tells it from all others.
        key: String,
        /// What people call it.
        name: String,
    },
}

/// One pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// What is paused.
    #[serde(flatten)]
    pub scope: PauseScope,
    /// Since when, in milliseconds since the epoch.
    pub since: i64,
    /// Until when; without it until somebody says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// All pauses of a home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pauses {
    /// In the order they were made.
    #[serde(default)]
    pub pauses: Vec<Pause>,
}

impl Pauses {
    /// Those in force now; none where there is no file, and everything where there is one that cannot be read.
    pub fn read(home: &Home, now: Timestamp) -> Self {
        let mut pauses = match read_file(&path(home)) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|_| Self::of_everything()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::default(),
            Err(_) => Self::of_everything(),
        };
        pauses.pauses.retain(|pause| pause.until.is_none_or(|until| until > now.as_millis()));
        pauses
    }

    /// What holds while it cannot be read what the person paused.
    fn of_everything() -> Self {
        Self { pauses: vec![Pause { scope: PauseScope::All, since: 0, until: None }] }
    }

    /// Whether everything is paused.
    pub fn hold_all(&self) -> bool {
        self.pauses.iter().any(|pause| pause.scope == PauseScope::All)
    }

    /// Whether a session in a project is paused.
    pub fn hold(&self, session: &str, project: &str) -> bool {
        self.pauses.iter().any(|pause| match &pause.scope {
            PauseScope::All => true,
            PauseScope::Session { session: paused } => paused == session,
            PauseScope::Project { key, .. } => key == project,
        })
    }

    /// Adds a pause, in place of one of the same thing.
    pub fn add(&mut self, pause: Pause) {
        self.remove(&pause.scope);
        self.pauses.push(pause);
    }

    /// Ends the pause of that thing; says whether there was one.
    pub fn remove(&mut self, scope: &PauseScope) -> bool {
        let before = self.pauses.len();
        self.pauses.retain(|pause| !same(&pause.scope, scope));
        self.pauses.len() < before
    }

    /// Writes them down for hooks to find. Those that have ended are left out, since reading did.
    pub fn write(&self, home: &Home) -> io::Result<()> {
        let path = path(home);
        if self.pauses.is_empty() {
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        }
        home.prepare().map_err(|fault| io::Error::new(io::ErrorKind::PermissionDenied, fault.message))?;
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&draft)?;
        let text = serde_json::to_vec(self)?;
        file.write_all(&text)
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&draft, &path))
            .inspect_err(|_| drop(fs::remove_file(&draft)))
    }
}

/// A project is the same whatever it is called by now.
fn same(one: &PauseScope, other: &PauseScope) -> bool {
    match (one, other) {
        (PauseScope::Project { key: one, .. }, PauseScope::Project { key: other, .. }) => one == other,
        _ => one == other,
    }
}

fn path(home: &Home) -> PathBuf {
    home.root().join("pause.json")
}

/// What lies there may be a pipe; it is not waited for.
fn read_file(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let file = fs::OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    let mut text = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, 1024 * 1024), &mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn session(id: &str) -> PauseScope {
        PauseScope::Session { session: id.to_owned() }
    }

    fn project(key: &str, name: &str) -> PauseScope {
        PauseScope::Project { key: key.to_owned(), name: name.to_owned() }
    }

    #[test]
    fn pauses_read_back_until_they_end() {
        let dir = TempDir::new().expect("temporary directory");
        let home = Home::locate(Some(dir.path()), &|_| None).expect("absolute");
        let at = Timestamp::from_millis;
        assert_eq!(Pauses::read(&home, at(1)), Pauses::default());
        let mut pauses = Pauses::default();
        pauses.add(Pause { scope: session("a"), since: 1, until: None });
        pauses.add(Pause { scope: project("/p", "p"), since: 1, until: Some(10) });
        pauses.write(&home).expect("written");
        assert_eq!(Pauses::read(&home, at(9)), pauses);
        assert!(pauses.hold("a", "/other") && pauses.hold("b", "/p") && !pauses.hold("b", "/other"));
        let later = Pauses::read(&home, at(10));
        assert_eq!(later.pauses.len(), 1);
        assert!(later.hold("a", "/p") && !later.hold("b", "/p") && !later.hold_all());
        Pauses::default().write(&home).expect("written");
        assert!(!path(&home).exists());
    }

    #[test]
    fn one_thing_has_one_pause() {
        let mut pauses = Pauses::default();
        pauses.add(Pause { scope: project("/p", "p"), since: 1, until: None });
        pauses.add(Pause { scope: project("/p", "renamed"), since: 2, until: Some(9) });
        assert_eq!(pauses.pauses.len(), 1);
        assert!(!pauses.remove(&PauseScope::All));
        assert!(pauses.remove(&project("/p", "p")));
    }
}
