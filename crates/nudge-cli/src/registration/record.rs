//! What was installed, kept beside the memory, so that it can be taken back byte for byte.
//!
//! Of each file only what differs is kept, between what stayed the same before and after it: an agent's settings may hold
//! credentials, and a copy of them is nobody's business here.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use nudge_home::home::{Home, private_dir};
use serde::{Deserialize, Serialize};

use super::agent::Agent;
use super::file::SettingsFile;
use crate::private_file::write_private;

/// What was done for one agent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    files: Vec<Written>,
    /// Directories that were not there, outermost first.
    made_dirs: Vec<PathBuf>,
}

/// One file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    path: PathBuf,
    /// BLAKE3 of what we wrote: a file that is still this is ours to take back whole.
    written: String,
    /// What the file was before; none if there was no file.
    before: Option<Before>,
}

/// The earlier text, as the difference from the one we wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Before {
    /// BLAKE3 of the earlier text.
    hash: String,
    /// How many bytes at the start are the same.
    head: usize,
    /// How many at the end.
    tail: usize,
    /// What stood between them.
    middle: String,
}

impl Record {
    /// What was noted for an agent.
    pub(crate) fn read(home: &Home, agent: Agent) -> Result<Option<Self>, Fault> {
        let path = file(home, agent);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unusable(&path, &error.to_string())),
        };
        serde_json::from_slice(&bytes).map(Some).map_err(|error| unusable(&path, &error.to_string()))
    }

    /// Keeps it, for this user's eyes alone.
    pub(crate) fn write(&self, home: &Home, agent: Agent) -> Result<(), Fault> {
        home.prepare()?;
        let path = file(home, agent);
        for dir in [dir(home), dir(home).join(agent.name())] {
            private_dir::create(&dir).map_err(|error| unusable(&path, &error.to_string()))?;
        }
        let text = serde_json::to_string_pretty(self).map_err(|error| unusable(&path, &error.to_string()))?;
        write_private(&path, text.as_bytes())
    }

    /// Removes the note and the directories that are empty now.
    pub(crate) fn forget(&self, home: &Home, agent: Agent) {
        let _ = fs::remove_file(file(home, agent));
        let ours = [dir(home).join(agent.name()), dir(home)];
        // Those that hold something stay: that is what the system refuses.
        for dir in ours.iter().chain(self.made_dirs.iter().rev()) {
            let _ = fs::remove_dir(dir);
        }
    }

    /// Notes directories that are about to be made.
    pub(crate) fn note_dirs(&mut self, dirs: Vec<PathBuf>) {
        for dir in dirs {
            if !self.made_dirs.contains(&dir) {
                self.made_dirs.push(dir);
            }
        }
    }

    /// Notes that a file is about to change.
    pub(crate) fn note(&mut self, path: &Path, before: Option<&str>, after: &str) {
        self.files.retain(|written| written.path != path);
        self.files.push(Written {
            path: path.to_owned(),
            written: hash(after),
            before: before.map(|before| Before::of(before, after)),
        });
    }

    /// The files that were written.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|written| written.path.as_path())
    }

    /// Whether the file was not there before us.
    pub(crate) fn made(&self, path: &Path) -> bool {
        self.files.iter().any(|written| written.path == path && written.before.is_none())
    }

    /// What the file was before us, if nobody changed it since: `Some(None)` if there was none.
    pub(crate) fn original(&self, file: &SettingsFile) -> Option<Option<String>> {
        let text = file.text()?;
        let written = self.files.iter().find(|written| written.path == file.path())?;
        if hash(text) != written.written {
            return None;
        }
        match &written.before {
            None => Some(None),
            Some(before) => before.restored(text).map(Some),
        }
    }
}

impl Before {
    fn of(before: &str, after: &str) -> Self {
        let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let head = before.floor_char_boundary(same);
        let rest = before.len().min(after.len()) - head;
        let same =
            before.bytes().rev().zip(after.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let tail = (0..=same).rev().find(|tail| before.is_char_boundary(before.len() - tail)).unwrap_or(0);
        let middle = before[head..before.len() - tail].to_owned();
        Self { hash: hash(before), head, tail, middle }
    }

    fn restored(&self, after: &str) -> Option<String> {
        let head = after.get(..self.head)?;
        let tail = after.get(after.len().checked_sub(self.tail)?..)?;
        Some(format!("{head}{}{tail}", self.middle)).filter(|text| hash(text) == self.hash)
    }
}

/// The directories that must be made for this one to exist, outermost first.
pub(crate) fn missing_dirs(dir: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        dir.ancestors().take_while(|dir| !dir.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn dir(home: &Home) -> PathBuf {
    home.root().join("install")
}

fn file(home: &Home, agent: Agent) -> PathBuf {
    dir(home).join(agent.name()).join("record.json")
}

fn unusable(path: &Path, why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "record_unusable", format!("cannot use {}: {why}", path.display()))
        .with("path", path.display().to_string())
        .next("remove it: entries of Nudge are found without it, only other bytes may then differ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_leads_back() {
        for (before, after) in [
            ("", "x"),
            ("{}\n", "{\n  \"hooks\": 1\n}\n"),
            ("äé", "ääé"),
            ("aaa", "aaaa"),
            ("tünchen", "tönchen"),
            ("same", "same"),
        ] {
            let kept = Before::of(before, after);
            assert_eq!(kept.restored(after).as_deref(), Some(before), "{kept:?}");
            assert!(kept.middle.len() <= before.len());
        }
        let kept =
            Before::of("{\"key\": \"private\", \"a\": {}}", "{\"key\": \"private\", \"a\": {\"b\": 1}}");
        assert_eq!(kept.middle, "", "what did not change is not kept");
    }
}
