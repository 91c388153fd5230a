//! The record of an installation, stored next to the memory. It lets us undo the installation byte
//! for byte.
//!
//! For each file the ledger stores only the part that changed, and how much text before and after
//! it stayed the same. An agent's settings may contain credentials, so there is no full copy.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use nudge_client::now;
use nudge_core::{Fault, FaultKind, Timestamp};
use nudge_harness::Harness;
use nudge_harness::install::Part;
use nudge_home::home::{Home, private_dir};
use serde::{Deserialize, Serialize};

use super::Agent;
use super::target::Target;
use crate::private_file::write_private;

/// Everything that was installed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ledger {
    files: Vec<Written>,
    /// Directories that the installation created, outermost first.
    made_dirs: Vec<PathBuf>,
}

/// One file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Written {
    /// The agent; `None` for our own configuration.
    #[serde(default)]
    pub(crate) agent: Option<String>,
    /// The root of the project; `None` for the user.
    #[serde(default)]
    pub(crate) project: Option<String>,
    /// The part of Nudge in this file.
    #[serde(default)]
    pub(crate) part: String,
    pub(crate) path: PathBuf,
    /// When, in milliseconds since 1970; 0 if an earlier version did not record it.
    #[serde(default)]
    pub(crate) at: i64,
    /// BLAKE3 hash of the text we wrote. If the file still has it, the whole file can be restored.
    written: String,
    /// The earlier text; `None` if there was no file.
    before: Option<Before>,
}

impl Ledger {
    /// Reads the ledger, with the rows of an earlier version that had one file for each agent.
    pub(crate) fn read(home: &Home) -> Result<Self, Fault> {
        let mut ledger: Self = read(&file(home))?.unwrap_or_default();
        for agent in Agent::all() {
            let Some(old) = read::<Self>(&old_file(home, agent))? else { continue };
            ledger.note_dirs(old.made_dirs);
            for mut written in old.files {
                if !ledger.files.iter().any(|known| known.path == written.path) {
                    let is_config = written.path == home.config_file();
                    written.agent = (!is_config).then(|| agent.name().to_owned());
                    let is_server = written.path.ends_with(".claude.json");
                    written.part = if is_server { Part::Server } else { Part::Hooks }.name().to_owned();
                    ledger.files.push(written);
                }
            }
        }
        // Whatever else the ledger says, only files that an installer knows are ever restored or
        // removed.
        ledger.files.retain(|written| written.is_known(home));
        ledger.made_dirs.retain(|dir| dir.is_absolute());
        Ok(ledger)
    }

    /// Writes the ledger so that only this user can read it. An empty ledger is deleted, with the
    /// directories that are then empty.
    pub(crate) fn write(&self, home: &Home) -> Result<(), Fault> {
        let path = file(home);
        if self.files.is_empty() {
            let _ = fs::remove_file(&path);
            self.forget_old(home);
            let _ = fs::remove_dir(dir(home));
            self.remove_made_dirs();
            return Ok(());
        }
        home.prepare()?;
        private_dir::create(&dir(home)).map_err(|error| unusable(&path, &error.to_string()))?;
        let text = serde_json::to_string_pretty(self).map_err(|error| unusable(&path, &error.to_string()))?;
        write_private(&path, text.as_bytes())?;
        self.forget_old(home);
        Ok(())
    }

    /// Removes directories that the installation created. The system refuses to remove those that
    /// are not empty, so they stay.
    pub(crate) fn remove_made_dirs(&self) {
        for dir in self.made_dirs.iter().rev() {
            let _ = fs::remove_dir(dir);
        }
    }

    fn forget_old(&self, home: &Home) {
        for agent in Agent::all() {
            let old = old_file(home, agent);
            let _ = fs::remove_file(&old);
            let _ = old.parent().map(fs::remove_dir);
        }
    }

    /// Records directories that are about to be created.
    pub(crate) fn note_dirs(&mut self, dirs: Vec<PathBuf>) {
        for dir in dirs {
            if !self.made_dirs.contains(&dir) {
                self.made_dirs.push(dir);
            }
        }
    }

    /// Records that a file is about to change.
    pub(crate) fn note(&mut self, target: &Target, path: &Path, before: Option<&str>, after: &str) {
        self.forget(path, target.project());
        self.files.push(Written {
            agent: target.agent().map(|agent| agent.name().to_owned()),
            project: target.project().map(str::to_owned),
            part: target.part().map_or("config", Part::name).to_owned(),
            path: path.to_owned(),
            at: now().as_millis(),
            written: hash(after),
            before: before.map(|before| Before::of(before, after)),
        });
    }

    /// Records that a file no longer has our entries for this project, or for the user.
    pub(crate) fn forget(&mut self, path: &Path, project: Option<&str>) {
        self.files.retain(|written| !written.is(path, project));
    }

    /// The files that were written.
    pub(crate) fn files(&self) -> &[Written] {
        &self.files
    }

    /// The agents that something was written for.
    pub(crate) fn agents(&self) -> BTreeSet<&str> {
        self.files.iter().filter_map(|written| written.agent.as_deref()).collect()
    }

    /// When something was last written for an agent.
    pub(crate) fn installed_at(&self, agent: Agent) -> Option<Timestamp> {
        let of_agent = self.files.iter().filter(|written| written.agent.as_deref() == Some(agent.name()));
        of_agent.map(|written| written.at).max().filter(|at| *at > 0).map(Timestamp::from_millis)
    }

    /// Whether we created the file.
    pub(crate) fn made(&self, path: &Path) -> bool {
        self.files.iter().any(|written| written.path == path && written.before.is_none())
    }

    /// The text of a file before we wrote our entries for this project, or for the user. `None` if
    /// the file has changed since; `Some(None)` if there was no file.
    pub(crate) fn original(&self, path: &Path, project: Option<&str>, text: &str) -> Option<Option<String>> {
        let written = self.files.iter().find(|written| written.is(path, project))?;
        if hash(text) != written.written {
            return None;
        }
        match &written.before {
            None => Some(None),
            Some(before) => before.restored(text).map(Some),
        }
    }
}

impl Written {
    /// Whether an installer of that agent has such a file.
    fn is_known(&self, home: &Home) -> bool {
        let installer = self.agent.as_deref().and_then(Harness::from_name).and_then(Harness::installer);
        let Some(installer) = installer else { return self.path == home.config_file() };
        let files = installer.files.iter().chain(installer.project_files);
        let has_name = |name: &str| self.path.ends_with(name);
        // A linked file may have another name.
        self.path.is_absolute()
            && (files.into_iter().any(|file| file.place.names().iter().any(|name| has_name(name)))
                || self.before.is_some())
    }

    fn is(&self, path: &Path, project: Option<&str>) -> bool {
        self.path == path && self.project.as_deref() == project
    }
}

/// The missing directories on the path to this one, outermost first.
pub(crate) fn missing_dirs(dir: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> =
        dir.ancestors().take_while(|dir| !dir.exists()).map(Path::to_owned).collect();
    missing.reverse();
    missing
}

fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<Option<T>, Fault> {
    match fs::read(path) {
        Ok(bytes) => {
            serde_json::from_slice(&bytes).map(Some).map_err(|error| unusable(path, &error.to_string()))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(unusable(path, &error.to_string())),
    }
}

fn dir(home: &Home) -> PathBuf {
    home.root().join("install")
}

fn file(home: &Home) -> PathBuf {
    dir(home).join("ledger.json")
}

fn old_file(home: &Home, agent: Agent) -> PathBuf {
    dir(home).join(agent.name()).join("record.json")
}

fn unusable(path: &Path, why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, "ledger_unusable", format!("cannot use {}: {why}", path.display()))
        .with("path", path.display().to_string())
        .next("remove it: `nudge uninstall` works without it, but may leave other whitespace")
}

// The earlier text of a changed file, stored as the difference from the new text.

/// The earlier text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    /// BLAKE3 hash of the earlier text.
    hash: String,
    /// How many bytes at the start are the same.
    head: usize,
    /// How many bytes at the end are the same.
    tail: usize,
    /// The earlier text between them.
    middle: String,
}

impl Before {
    pub(super) fn of(before: &str, after: &str) -> Self {
        let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let head = before.floor_char_boundary(same);
        let rest = before.len().min(after.len()) - head;
        let same =
            before.bytes().rev().zip(after.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let tail = (0..=same).rev().find(|tail| before.is_char_boundary(before.len() - tail)).unwrap_or(0);
        let middle = before[head..before.len() - tail].to_owned();
        Self { hash: hash(before), head, tail, middle }
    }

    pub(super) fn restored(&self, after: &str) -> Option<String> {
        let head = after.get(..self.head)?;
        let tail = after.get(after.len().checked_sub(self.tail)?..)?;
        Some(format!("{head}{}{tail}", self.middle)).filter(|text| hash(text) == self.hash)
    }
}

/// The BLAKE3 hash of a text, in hex.
pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
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
