//! What is not captured: what the user paused for a while, and what is excluded for good.
//!
//! Pauses are in `pause.json` in the home directory, which hooks check before anything else. The
//! file is replaced atomically, so readers see either the old state or the new one.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use nudge_core::{Timestamp, glob};
use nudge_home::{Home, Settings};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::{CapturedEvent, EventBody, ProjectRef};

/// What is paused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "scope")]
pub enum PauseScope {
    /// Everything.
    All,
    /// One session of an agent.
    Session {
        /// The agent program's session id.
        session: String,
    },
    /// One project.
    Project {
        /// The project's key, which identifies it.
        key: String,
        /// The project's display name.
        name: String,
    },
}

/// One pause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// What is paused.
    #[serde(flatten)]
    pub scope: PauseScope,
    /// When it began, in milliseconds since the epoch.
    pub since: i64,
    /// When it ends, in milliseconds since the epoch; `None` until the user ends it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<i64>,
}

/// All pauses of a home.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pauses {
    /// In the order they were added.
    #[serde(default)]
    pub pauses: Vec<Pause>,
}

impl Pauses {
    /// The pauses in force now. There are none if the file does not exist. If it exists but cannot
    /// be read, everything is paused.
    pub fn read(home: &Home, now: Timestamp) -> Self {
        let mut pauses = match read_file(&path(home)) {
            Ok(text) => serde_json::from_slice(&text).unwrap_or_else(|_| Self::of_everything()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Self::default(),
            Err(_) => Self::of_everything(),
        };
        pauses.pauses.retain(|pause| pause.until.is_none_or(|until| until > now.as_millis()));
        pauses
    }

    /// Pauses everything, for when the file cannot be read.
    fn of_everything() -> Self {
        Self { pauses: vec![Pause { scope: PauseScope::All, since: 0, until: None }] }
    }

    /// Whether everything is paused.
    pub fn is_everything_paused(&self) -> bool {
        self.pauses.iter().any(|pause| pause.scope == PauseScope::All)
    }

    /// Whether a session in a project is paused.
    pub fn is_paused(&self, session: &str, project: &str) -> bool {
        self.pauses.iter().any(|pause| match &pause.scope {
            PauseScope::All => true,
            PauseScope::Session { session: paused } => paused == session,
            PauseScope::Project { key, .. } => key == project,
        })
    }

    /// Adds a pause, replacing one with the same scope.
    pub fn add(&mut self, pause: Pause) {
        self.remove(&pause.scope);
        self.pauses.push(pause);
    }

    /// Ends the pause with this scope; returns whether there was one.
    pub fn remove(&mut self, scope: &PauseScope) -> bool {
        let before = self.pauses.len();
        self.pauses.retain(|pause| !same(&pause.scope, scope));
        self.pauses.len() < before
    }

    /// Writes the pauses for hooks to find. Pauses that have ended were already removed on reading.
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

/// Whether two scopes are the same. A project may have been renamed since.
fn same(one: &PauseScope, other: &PauseScope) -> bool {
    match (one, other) {
        (PauseScope::Project { key: one, .. }, PauseScope::Project { key: other, .. }) => one == other,
        _ => one == other,
    }
}

fn path(home: &Home) -> PathBuf {
    home.root().join("pause.json")
}

/// Reads the file without blocking, because the path may be a pipe.
fn read_file(path: &std::path::Path) -> io::Result<Vec<u8>> {
    let file = fs::OpenOptions::new().read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path)?;
    let mut text = Vec::new();
    io::Read::read_to_end(&mut io::Read::take(file, 1024 * 1024), &mut text)?;
    Ok(text)
}

// What is never captured: directories and projects excluded by the user or by the project itself.

/// Whether capture is off for this project and directory.
pub fn is_off(settings: &Settings, project: &ProjectRef, cwd: Option<&str>) -> bool {
    if !settings.capture {
        return true;
    }
    settings.exclude.iter().any(|pattern| {
        *pattern == project.name
            || project.claims.name.as_ref() == Some(pattern)
            || covers(pattern, &project.root)
            || cwd.is_some_and(|cwd| covers(pattern, cwd))
    })
}

/// Whether a captured event is about an excluded file, whatever the agent's directory.
pub fn touches_excluded(settings: &Settings, captured: &CapturedEvent) -> bool {
    let EventBody::Action(action) = &captured.what else { return false };
    if settings.exclude.is_empty() {
        return false;
    }
    // Check the path as given and its canonical path: a symlink may lead into an excluded
    // directory.
    let real = action.files.iter().filter_map(|file| std::fs::canonicalize(file).ok());
    let real = real.map(|path| path.to_string_lossy().into_owned());
    action
        .files
        .iter()
        .cloned()
        .chain(real)
        .any(|file| settings.exclude.iter().any(|pattern| covers(pattern, &file)))
}

/// Whether a pattern covers a path. A directory covers everything inside it.
fn covers(pattern: &str, path: &str) -> bool {
    let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
    let home = pattern.strip_prefix("~/").and_then(|rest| Some(std::env::home_dir()?.join(rest)));
    let pattern = home.map_or_else(|| pattern.to_owned(), |home| home.to_string_lossy().into_owned());
    if !pattern.contains('/') {
        return false;
    }
    if !pattern.contains(['*', '?', '[', '{', '\\']) {
        return path.strip_prefix(&pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    glob::matches_path(&pattern, path) || glob::matches_path(&format!("{pattern}/**"), path)
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
        assert!(
            pauses.is_paused("a", "/other")
                && pauses.is_paused("b", "/p")
                && !pauses.is_paused("b", "/other")
        );
        let later = Pauses::read(&home, at(10));
        assert_eq!(later.pauses.len(), 1);
        assert!(later.is_paused("a", "/p") && !later.is_paused("b", "/p") && !later.is_everything_paused());
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

    #[test]
    fn a_directory_covers_what_lies_in_it_and_a_glob_what_it_matches() {
        assert!(covers("/srv/secret", "/srv/secret") && covers("/srv/secret/", "/srv/secret/a/b"));
        assert!(!covers("/srv/secret", "/srv/secrets"));
        assert!(
            covers("**/clients/*", "/home/ada/clients/acme")
                && covers("**/clients/*", "/home/ada/clients/acme/src")
        );
        assert!(!covers("**/clients/*", "/home/ada/client/acme"));
        assert!(!covers("acme", "/acme"), "a word is the name of a project");
    }

    #[test]
    fn names_paths_and_the_switch_exclude() {
        let project = ProjectRef {
            key: "/w/acme/.git".into(),
            name: "acme".into(),
            root: "/w/acme".into(),
            ..ProjectRef::default()
        };
        let off = |exclude: &[&str], capture: bool| {
            let exclude = exclude.iter().map(|pattern| (*pattern).to_owned()).collect();
            is_off(&Settings { exclude, capture, ..Settings::default() }, &project, Some("/w/acme/sub"))
        };
        assert!(!off(&[], true) && !off(&["other", "/x/**"], true));
        assert!(off(&[], false) && off(&["acme"], true) && off(&["/w/*"], true) && off(&["**/sub"], true));
    }
}
