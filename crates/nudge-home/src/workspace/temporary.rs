//! A new file next to the one that it will replace.

use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::beneath::Dir;
use super::error::Fail;
use super::facts::{Access, Facts, Kind};

/// How the names of temporary files begin. The process follows in eight digits and something
/// random in sixteen, both hexadecimal, so that no file of the user has such a name. It does not
/// begin with `.nudge`: a sandbox moves such files away when they come into being.
const TEMPORARY_PREFIX: &str = ".tmp-nudge-";

/// How long nobody has written to one that a killed process left.
const STALE_MS: i64 = 60 * 60 * 1000;

/// Removes the temporary files that killed processes left in a directory.
fn remove_abandoned(dir: &Dir) {
    let before = now_ms().saturating_sub(STALE_MS);
    let is_left = |facts: Facts| facts.kind == Kind::File && facts.modified_ms() < before;
    let names = dir.list().unwrap_or_default().into_iter().filter_map(|(name, _)| name.into_string().ok());
    for name in names.filter(|name| is_ours(name)) {
        if dir.facts(&name).is_ok_and(is_left) {
            let _ = dir.unlink(&name);
        }
    }
}

/// Whether a name is that of a temporary file. A scan does not list them.
pub(super) fn is_ours(name: &str) -> bool {
    let is_hex = |part: &str, digits: usize| {
        part.len() == digits && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let parts = name.strip_prefix(TEMPORARY_PREFIX).and_then(|rest| rest.split_once('-'));
    parts.is_some_and(|(process, random)| is_hex(process, 8) && is_hex(random, 16))
}

/// A file that is removed when it is dropped before it got its name.
pub(super) struct Temporary<'d> {
    dir: &'d Dir,
    name: String,
    file: File,
    is_named: bool,
}

impl<'d> Temporary<'d> {
    /// Creates it, with the access of the file that it will replace. Those that killed processes
    /// left in the directory are removed.
    pub(super) fn create(dir: &'d Dir, like: Option<Access>) -> Result<Self, Fail> {
        remove_abandoned(dir);
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
    // Every new state has other keys.
    let random = RandomState::new().build_hasher().finish();
    format!("{TEMPORARY_PREFIX}{:08x}-{random:016x}", std::process::id())
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
