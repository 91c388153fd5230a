//! A settings file that other programs write too. It is read once, and written completely or not at
//! all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use nudge_core::{Fault, FaultKind};
use rustix::fs::Access;
use tempfile::NamedTempFile;

use crate::private_file;
use crate::private_file::part_in;

/// A larger file is not a settings file. Claude's own state file can have several megabytes.
const MAX_FILE: u64 = 64 * 1024 * 1024;

/// The maximum size of a file that is only read.
const MAX_SMALL_FILE: u64 = 4 * 1024 * 1024;

/// The text of a file when it was read.
#[derive(Debug)]
pub(crate) struct SettingsFile {
    /// The real path, with links resolved.
    path: PathBuf,
    text: Option<String>,
}

impl SettingsFile {
    /// Reads the file; one that is missing has no text.
    pub(crate) fn read(path: &Path) -> Result<Self, Fault> {
        let path = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == io::ErrorKind::NotFound && fs::symlink_metadata(path).is_ok() => {
                return Err(fault(path, FaultKind::Unavailable, "broken_link", "is a broken symbolic link")
                    .next("remove the link or create its target"));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(unreadable(path, &error)),
        };
        let text = contents(&path).map_err(|error| unreadable(&path, &error))?;
        Ok(Self { path, text })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Rejects a read-only file or directory before anything is changed. A mode without any write
    /// permission is respected even if this user could bypass it.
    pub(crate) fn check_writable(&self) -> Result<(), Fault> {
        let nearest = self.path.ancestors().skip(1).find(|dir| dir.exists()).unwrap_or(&self.path);
        let open = |path: &Path| rustix::fs::access(path, Access::WRITE_OK).is_ok();
        let locked = fs::metadata(&self.path).is_ok_and(|facts| facts.permissions().readonly());
        if locked || (self.text.is_some() && !open(&self.path)) {
            return Err(closed(&self.path, &self.path));
        }
        if !open(nearest) { Err(closed(&self.path, nearest)) } else { Ok(()) }
    }

    fn is_as_read(&self) -> Result<bool, Fault> {
        let now = contents(&self.path).map_err(|error| unreadable(&self.path, &error))?;
        Ok(now == self.text)
    }
}

/// A change that is staged next to its file.
pub(crate) struct Change<'a> {
    file: &'a SettingsFile,
    /// The replacement for the file; `None` removes the file.
    ready: Option<NamedTempFile>,
}

impl<'a> Change<'a> {
    /// Writes the new text next to the file. Only this user may read it there.
    pub(crate) fn stage(file: &'a SettingsFile, text: Option<&str>) -> Result<Self, Fault> {
        let ready = text.map(|text| beside(&file.path, text)).transpose();
        Ok(Self { file, ready: ready.map_err(|error| unwritten(&file.path, &error))? })
    }

    /// Moves all changes into place, unless a file changed since it was read.
    pub(crate) fn commit_all(changes: Vec<Self>) -> Result<(), Fault> {
        for change in &changes {
            change.check("was changed by another program just now; nothing was written")?;
        }
        for change in changes {
            // Check again right before the move, because agents write their files at any time.
            change.check(
                "was changed by another program just now; it was not written, but other files may have been",
            )?;
            let path = &change.file.path;
            let done = match change.ready {
                Some(ready) => give_access(&ready, path)
                    .and_then(|()| ready.persist(path).map(|_| ()).map_err(|error| error.error)),
                None => fs::remove_file(path),
            };
            done.map_err(|error| unwritten(path, &error))?;
        }
        Ok(())
    }
}

impl Change<'_> {
    fn check(&self, why: &str) -> Result<(), Fault> {
        if self.file.is_as_read()? {
            return Ok(());
        }
        Err(fault(&self.file.path, FaultKind::Conflict, "changed_meanwhile", why).next("run this again"))
    }
}

/// The real path, with links resolved. If the target does not exist, the path itself.
pub(crate) fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The text of a file that is only read; `None` if there is none.
pub(crate) fn small_text(path: &Path) -> Option<String> {
    private_file::small_text(path, MAX_SMALL_FILE)
}

/// The text; `None` if the file is missing.
fn contents(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Ok(facts) if !facts.is_file() || facts.len() > MAX_FILE => {
            Err(io::Error::other(format!("it is not a file of at most {MAX_FILE} bytes")))
        }
        Ok(_) => fs::read_to_string(path).map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn beside(path: &Path, text: &str) -> io::Result<NamedTempFile> {
    let dir = path.parent().unwrap_or(path);
    fs::create_dir_all(dir)?;
    let mut file = part_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// Gives a file the mode and owner of the one whose place it is about to take.
fn give_access(file: &NamedTempFile, path: &Path) -> io::Result<()> {
    if let Ok(facts) = fs::metadata(path) {
        file.as_file().set_permissions(facts.permissions())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only a superuser can change the owner, and only then can it differ.
            let _ = fchown(file.as_file(), Some(facts.uid()), Some(facts.gid()));
        }
    }
    Ok(())
}

fn fault(path: &Path, kind: FaultKind, reason: &str, why: &str) -> Fault {
    Fault::new(kind, reason, format!("{} {why}", path.display())).with("path", path.display().to_string())
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    fault(path, FaultKind::Unavailable, "settings_unreadable", &format!("cannot be read: {error}"))
        .next("make it a text file that this user can read, and run this again")
}

fn unwritten(path: &Path, error: &io::Error) -> Fault {
    fault(path, FaultKind::ReadOnly, "settings_not_written", &format!("cannot be written: {error}"))
        .next("free some space or make it writable, then run this again; finished changes stay")
}

fn closed(path: &Path, what: &Path) -> Fault {
    let why = if path == what {
        "is not writable for you; nothing was changed".to_owned()
    } else {
        format!("cannot be written: you have no write access to {}; nothing was changed", what.display())
    };
    fault(path, FaultKind::ReadOnly, "settings_not_writable", &why).next(format!(
        "run `chmod u+w {}`; if another tool manages it, add the entries that `nudge install claude --dry-run --json` lists",
        what.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn until_it_takes_its_place_a_copy_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join("a");
        fs::write(&path, "{}").expect("written");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("a mode");
        let file = SettingsFile::read(&path).expect("readable");
        let change = Change::stage(&file, Some("ours")).expect("staged");
        assert_eq!(mode(change.ready.as_ref().expect("a copy").path()), 0o600);
        Change::commit_all(vec![change]).expect("written");
        assert_eq!((mode(&path), fs::read_to_string(&path).expect("text").as_str()), (0o644, "ours"));
    }

    #[test]
    fn a_change_by_somebody_else_in_between_is_not_overwritten() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = |name: &str| dir.path().join(name);
        fs::write(path("a"), "{}").expect("written");
        let read = |name: &str| SettingsFile::read(&path(name)).expect("readable");
        let (a, b) = (read("a"), read("b"));
        let stage = || {
            let changes = [&a, &b].map(|file| Change::stage(file, Some("ours")).expect("staged"));
            Change::commit_all(changes.into())
        };
        fs::write(path("b"), "theirs").expect("written");
        assert_eq!(stage().expect_err("refused").reason, "changed_meanwhile");
        assert_eq!(
            (fs::read(path("a")).expect("a"), fs::read(path("b")).expect("b")),
            (b"{}".into(), b"theirs".into())
        );
        fs::remove_file(path("b")).expect("removed");
        stage().expect("as it was read");
        let mut names: Vec<_> =
            fs::read_dir(dir.path()).expect("listed").flatten().map(|e| e.file_name()).collect();
        names.sort();
        assert_eq!(names, ["a", "b"], "nothing temporary stays");
    }
}
