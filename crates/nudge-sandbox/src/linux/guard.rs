//! Watches protected names where no mount protects them: those that a command makes, links, and,
//! without namespaces, all.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::event::PollFd;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};

use super::protected::{self, is_allowed, is_protected};
use super::wire::to_read;
use crate::ended::{Action, Refused};
use crate::level::Level;
use crate::plan::Plan;

/// The protected names of a project's top directory.
pub(super) fn protected_names(root: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(root).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name()).filter(|name| is_protected(name));
    names.map(|name| name.to_string_lossy().into_owned()).collect()
}

/// What a refused name ends with.
pub(super) const REFUSED: &str = ".refused";

/// How many files of protected directories are compared, and how many changes are reported.
const FILES: usize = 20_000;
const REPORTED: usize = 20;

/// What a protected name was before the command.
#[derive(Debug, PartialEq, Eq)]
enum Before {
    /// A link, which can be replaced.
    Link(PathBuf),
    /// Something that was there.
    There,
}

/// Size, time of change and number of a file: a command cannot set the second one back.
type Stamp = (u64, i64, i64, u64);

pub(super) struct Guard {
    root: PathBuf,
    allowed: Vec<PathBuf>,
    watch: Option<OwnedFd>,
    before: BTreeMap<OsString, Before>,
    /// When it began, in nanoseconds.
    since: i128,
    stamps: Option<BTreeMap<PathBuf, Stamp>>,
    refused: Vec<Refused>,
}

impl Guard {
    /// Remembers what there is of the names that were there before. Without namespaces, that
    /// includes what protected files contain.
    pub(super) fn new(plan: &Plan, before: &BTreeSet<String>) -> Self {
        let allowed: Vec<PathBuf> = plan
            .rights
            .write
            .iter()
            .filter(|path| path.starts_with(&plan.root) && **path != plan.root)
            .cloned()
            .collect();
        let stamps = (plan.level < Level::Full).then(|| stamps(&plan.root, &allowed));
        let mut guard = Self {
            watch: watch(&plan.root),
            root: plan.root.clone(),
            allowed,
            before: BTreeMap::new(),
            since: now(),
            stamps,
            refused: Vec::new(),
        };
        let present = guard.present().into_iter();
        guard.before = present.filter(|(name, _)| before.contains(&*name.to_string_lossy())).collect();
        guard.check();
        guard
    }

    /// Ready when something came into being in the project's top directory.
    pub(super) fn wanted(&self) -> Option<PollFd<'_>> {
        to_read(self.watch.as_ref())
    }

    /// Moves away what must not have come into being, if anything with such a name did.
    pub(super) fn hear(&mut self) {
        let Some(watch) = &self.watch else { return };
        let mut buffer = [MaybeUninit::uninit(); 4096];
        let mut events = inotify::Reader::new(watch, &mut buffer);
        let mut concerns = false;
        while let Ok(event) = events.next() {
            let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
            // Without a name it says that there were too many.
            concerns |= name.is_none_or(is_protected);
        }
        if concerns {
            self.check();
        }
    }

    fn check(&mut self) {
        for (name, now) in self.present() {
            let before = self.before.get(&name);
            if before != Some(&now) && before != Some(&Before::There) {
                self.refuse(&name);
            }
        }
        for (name, before) in &self.before {
            if let Before::Link(target) = before
                && fs::symlink_metadata(self.root.join(name)).is_err()
            {
                let _ = std::os::unix::fs::symlink(target, self.root.join(name));
            }
        }
    }

    /// Looks for the last time, when no process is left, and tells what was found.
    pub(super) fn finish(&mut self) -> Vec<Refused> {
        self.check();
        if self.stamps.is_none() {
            self.report_nested();
        }
        if let Some(before) = &self.stamps {
            let after = stamps(&self.root, &self.allowed);
            let changed =
                after.iter().filter(|(path, stamp)| before.get(*path) != Some(stamp)).map(|(path, _)| path);
            let gone = before.keys().filter(|path| !after.contains_key(*path));
            let left = changed
                .chain(gone)
                .take(REPORTED)
                .map(|path| Refused { path: path.clone(), action: Action::Left });
            self.refused.extend(left);
        }
        std::mem::take(&mut self.refused)
    }

    /// Reports what came into being further down, such as the git directory of a clone. It is not
    /// moved: that is what a command may be for. Those that were there could not be changed.
    fn report_nested(&mut self) {
        let is_new =
            |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|file| changed(&file) >= self.since);
        let nested = protected::find(&self.root, &self.allowed).into_iter();
        let new = nested.filter(|path| path.parent() != Some(&self.root) && is_new(path));
        self.refused.extend(new.take(REPORTED).map(|path| Refused { path, action: Action::Left }));
    }

    /// The protected names of the top directory, with what they are.
    fn present(&self) -> Vec<(OsString, Before)> {
        let entries = fs::read_dir(&self.root).into_iter().flatten().flatten();
        entries
            .filter(|entry| is_protected(&entry.file_name()) && !is_allowed(&entry.path(), &self.allowed))
            .map(|entry| (entry.file_name(), fs::read_link(entry.path()).map_or(Before::There, Before::Link)))
            .collect()
    }

    fn refuse(&mut self, name: &OsString) {
        let path = self.root.join(name);
        let mut aside = name.clone();
        aside.push(REFUSED);
        let aside = self.root.join(aside);
        let action = if fs::symlink_metadata(&aside).is_err() && fs::rename(&path, &aside).is_ok() {
            Action::Moved(aside)
        } else if remove(&path) {
            Action::Removed
        } else {
            Action::Left
        };
        let refused = Refused { path, action };
        if self.refused.len() < REPORTED && !self.refused.contains(&refused) {
            self.refused.push(refused);
        }
    }
}

fn now() -> i128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos().cast_signed())
}

fn changed(file: &fs::Metadata) -> i128 {
    i128::from(file.ctime()) * 1_000_000_000 + i128::from(file.ctime_nsec())
}

fn remove(path: &Path) -> bool {
    fs::remove_file(path).is_ok() || fs::remove_dir_all(path).is_ok()
}

fn watch(root: &Path) -> Option<OwnedFd> {
    let watch = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
    let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::DELETE | WatchFlags::MOVED_FROM;
    inotify::add_watch(&watch, root, flags).ok()?;
    Some(watch)
}

/// The files that are protected or in a protected directory. Git's index is not among them: reading
/// commands refresh it, and it runs nothing.
fn stamps(root: &Path, allowed: &[PathBuf]) -> BTreeMap<PathBuf, Stamp> {
    let mut stamps = BTreeMap::new();
    let mut open = protected::find(root, allowed);
    while let Some(path) = open.pop() {
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        } else if !path.ends_with(".git/index") && stamps.len() < FILES {
            let stamp = (metadata.len(), metadata.ctime(), metadata.ctime_nsec(), metadata.ino());
            stamps.insert(path, stamp);
        }
    }
    stamps
}
