//! Directories as checked paths, for Windows.
//!
//! Every directory on the way is held open without the right for others to delete or rename it, so
//! none can be swapped for a link while it is in use. Each is opened as itself, never through a
//! link or a junction. After the last step the real path is compared with the expected one. The
//! limit: a network share may ignore the first rule; then a directory swapped within the call is
//! noticed only by the comparison before and after.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::workspace::error::Fail;
use crate::workspace::facts::{Access, Facts, Kind, Listed};

/// A directory, and the open handles that keep its path in place.
#[derive(Debug)]
pub(in crate::workspace) struct Dir {
    path: PathBuf,
    _held: Vec<File>,
}

impl Dir {
    /// A root by its real path. It is not held: the user may move a project at any time.
    pub(in crate::workspace) fn root(path: &Path) -> Result<Self, Fail> {
        hold(path)?;
        Ok(Self { path: path.to_owned(), _held: Vec::new() })
    }

    /// A directory below this one.
    pub(in crate::workspace) fn below(&self, parts: &[&str]) -> Result<Self, Fail> {
        self.walk(parts, |_| Ok(()))
    }

    /// Like [`Dir::below`], and creates the directories that are missing.
    pub(in crate::workspace) fn ensure(&self, parts: &[&str]) -> Result<Self, Fail> {
        self.walk(parts, |path| match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error.into()),
            _ => Ok(()),
        })
    }

    fn walk(&self, parts: &[&str], prepare: impl Fn(&Path) -> Result<(), Fail>) -> Result<Self, Fail> {
        let mut dir = Self { path: self.path.clone(), _held: vec![hold(&self.path)?] };
        for part in parts {
            dir.path.push(part);
            prepare(&dir.path)?;
            dir._held.push(hold(&dir.path)?);
        }
        dir.still_here()?;
        Ok(dir)
    }

    /// Whether the path still leads where it says.
    fn still_here(&self) -> Result<(), Fail> {
        let real = fs::canonicalize(&self.path)?;
        let folded = |path: &Path| path.to_string_lossy().to_lowercase();
        if folded(&real) == folded(&self.path) { Ok(()) } else { Err(Fail::Link) }
    }

    /// The names in this directory, sorted.
    pub(in crate::workspace) fn list(&self) -> Result<Vec<Listed>, Fail> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let kind = entry.file_type().map_or(Kind::Unknown, kind_of);
            names.push((entry.file_name(), kind));
        }
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    }

    /// Facts about a name, and about a link itself.
    pub(in crate::workspace) fn facts(&self, name: &str) -> Result<Facts, Fail> {
        Ok(facts_of(&fs::symlink_metadata(self.path.join(name))?))
    }

    /// Opens a regular file for reading and refuses everything else.
    pub(in crate::workspace) fn open_file(&self, name: &str) -> Result<(File, Facts), Fail> {
        regular(self.facts(name)?)?;
        let mut options = OpenOptions::new();
        options.read(true);
        not_through_links(&mut options, 0);
        let file = options.open(self.path.join(name))?;
        let facts = regular(facts_of(&file.metadata()?))?;
        Ok((file, facts))
    }

    /// Creates a file that must not exist. It gets the access that its directory hands down.
    pub(in crate::workspace) fn create(&self, name: &str, _: Option<Access>) -> Result<File, Fail> {
        self.still_here()?;
        Ok(OpenOptions::new().write(true).create_new(true).open(self.path.join(name))?)
    }

    /// Moves a file over another one.
    pub(in crate::workspace) fn replace(&self, from: &str, to: &str) -> Result<(), Fail> {
        self.still_here()?;
        Ok(fs::rename(self.path.join(from), self.path.join(to))?)
    }

    /// Moves a file to a name that must not exist.
    pub(in crate::workspace) fn move_new(&self, from: &str, to_dir: &Self, to: &str) -> Result<(), Fail> {
        self.still_here()?;
        to_dir.still_here()?;
        // A second name is refused where one exists, which a rename is not.
        fs::hard_link(self.path.join(from), to_dir.path.join(to))?;
        self.unlink(from)
    }

    /// Removes a name.
    pub(in crate::workspace) fn unlink(&self, name: &str) -> Result<(), Fail> {
        self.still_here()?;
        Ok(fs::remove_file(self.path.join(name))?)
    }

    /// Windows writes names through by itself.
    pub(in crate::workspace) fn sync(&self) {}
}

/// Opens a directory as itself, so that nobody can rename or delete it.
fn hold(path: &Path) -> Result<File, Fail> {
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    let mut options = OpenOptions::new();
    options.read(true);
    not_through_links(&mut options, BACKUP_SEMANTICS);
    keep_in_place(&mut options);
    let handle = options.open(path)?;
    match kind_of(handle.metadata()?.file_type()) {
        Kind::Directory => Ok(handle),
        Kind::Link => Err(Fail::Link),
        _ => Err(Fail::NotADirectory),
    }
}

#[cfg(windows)]
fn not_through_links(options: &mut OpenOptions, more: u32) {
    use std::os::windows::fs::OpenOptionsExt;
    const OPEN_REPARSE_POINT: u32 = 0x0020_0000;
    options.custom_flags(OPEN_REPARSE_POINT | more);
}

#[cfg(windows)]
fn keep_in_place(options: &mut OpenOptions) {
    use std::os::windows::fs::OpenOptionsExt;
    // Others may read and write, but not delete.
    options.share_mode(0x1 | 0x2);
}

#[cfg(not(windows))]
fn not_through_links(_: &mut OpenOptions, _: u32) {}

#[cfg(not(windows))]
fn keep_in_place(_: &mut OpenOptions) {}

fn regular(facts: Facts) -> Result<Facts, Fail> {
    if facts.kind == Kind::File { Ok(facts) } else { Err(Fail::Kind(facts.kind)) }
}

fn kind_of(kind: fs::FileType) -> Kind {
    if kind.is_symlink() {
        Kind::Link
    } else if kind.is_dir() {
        Kind::Directory
    } else if kind.is_file() {
        Kind::File
    } else {
        Kind::Unknown
    }
}

fn facts_of(metadata: &Metadata) -> Facts {
    let since_1970 = |time: SystemTime| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i128::try_from(after.as_nanos()).unwrap_or_default(),
        Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or_default(),
    };
    Facts {
        kind: kind_of(metadata.file_type()),
        size: metadata.len(),
        modified_ns: metadata.modified().map_or(0, since_1970),
        changed_ns: None,
        id: None,
        access: Access { mode: 0, owner: None, read_only: metadata.permissions().readonly() },
    }
}
