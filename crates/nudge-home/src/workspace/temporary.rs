//! A new file next to the one that it will replace.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use super::beneath::Dir;
use super::clock;
use super::error::Fail;
use super::facts::{Access, Facts, Kind};

/// How the names of temporary files begin. A scan skips them.
pub(super) const PREFIX: &str = ".nudge-tmp-";

/// How long nobody has written to one that a killed process left.
const STALE_MS: i64 = 60 * 60 * 1000;

/// Removes a temporary file that a killed process left. Another file, however it is called, stays.
pub(super) fn remove_abandoned(dir: &Dir, name: &str) {
    let before = clock::now_ms().saturating_sub(STALE_MS);
    let is_left = |facts: Facts| facts.kind == Kind::File && facts.modified_ms() < before;
    if is_ours(name) && dir.facts(name).is_ok_and(is_left) {
        let _ = dir.unlink(name);
    }
}

/// Whether [`free_name`] made this name.
fn is_ours(name: &str) -> bool {
    let parts = name.strip_prefix(PREFIX).map(|rest| rest.split('-').collect::<Vec<_>>());
    let is_hex = |part: &&str| !part.is_empty() && part.chars().all(|c| c.is_ascii_hexdigit());
    parts.is_some_and(|parts| parts.len() == 3 && parts.iter().all(is_hex))
}

/// A file that is removed when it is dropped before it got its name.
pub(super) struct Temporary<'d> {
    dir: &'d Dir,
    name: String,
    file: File,
    is_named: bool,
}

impl<'d> Temporary<'d> {
    /// Creates it, with the access of the file that it will replace.
    pub(super) fn create(dir: &'d Dir, like: Option<Access>) -> Result<Self, Fail> {
        for _ in 0..100 {
            let name = free_name();
            match dir.create(&name, like) {
                Ok(file) => return Ok(Self { dir, name, file, is_named: false }),
                Err(Fail::Exists) => {}
                Err(error) => return Err(error),
            }
        }
        Err(Fail::Exists)
    }

    /// Writes the whole content and waits until the disk has it.
    pub(super) fn fill(&mut self, text: &str) -> Result<Facts, Fail> {
        self.file.write_all(text.as_bytes())?;
        self.file.sync_all()?;
        self.dir.facts(&self.name)
    }

    /// Takes the place of a file, or a free name.
    pub(super) fn replace(mut self, name: &str) -> Result<(), Fail> {
        self.dir.replace(&self.name, name)?;
        self.is_named = true;
        Ok(())
    }

    /// Takes a name that must be free.
    pub(super) fn take_new(mut self, name: &str) -> Result<(), Fail> {
        self.dir.move_new(&self.name, self.dir, name)?;
        self.is_named = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_named {
            let _ = self.dir.unlink(&self.name);
        }
    }
}

/// Another name on every call; a file that has it already is left alone.
fn free_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
    format!("{PREFIX}{}-{nanos:x}-{count:x}", std::process::id())
}
