//! Directories as handles, for Unix.
//!
//! On Linux `openat2` resolves a whole path beneath the root and refuses every link. Elsewhere, and
//! on kernels or in sandboxes without it, each part is opened by itself without following a link.

use std::ffi::OsString;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use rustix::fs::{self as sys, AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::workspace::error::Fail;
use crate::workspace::facts::{Access, Facts, Kind, Listed};

/// An open directory.
#[derive(Debug)]
pub(in crate::workspace) struct Dir(OwnedFd);

const DIRECTORY_FLAGS: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

impl Dir {
    /// Opens a root by its real path.
    pub(in crate::workspace) fn root(path: &Path) -> Result<Self, Fail> {
        Ok(Self(sys::open(path, DIRECTORY_FLAGS, Mode::empty())?))
    }

    /// Opens a directory below this one.
    pub(in crate::workspace) fn below(&self, parts: &[&str]) -> Result<Self, Fail> {
        #[cfg(target_os = "linux")]
        if let Some(result) = self.below_at_once(parts) {
            return result;
        }
        self.below_by_steps(parts)
    }

    /// Like [`Dir::below`], and creates the directories that are missing.
    pub(in crate::workspace) fn ensure(&self, parts: &[&str]) -> Result<Self, Fail> {
        match self.below(parts) {
            Err(Fail::Missing) => {}
            other => return other,
        }
        let mut dir = self.again()?;
        for part in parts {
            match sys::mkdirat(&dir.0, *part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => dir = dir.step(part)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(dir)
    }

    /// One call of the kernel for the whole path; `None` where single steps must decide.
    #[cfg(target_os = "linux")]
    fn below_at_once(&self, parts: &[&str]) -> Option<Result<Self, Fail>> {
        use rustix::fs::ResolveFlags;
        let rules = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let path = if parts.is_empty() { ".".to_owned() } else { parts.join("/") };
        match sys::openat2(&self.0, path, DIRECTORY_FLAGS, Mode::empty(), rules) {
            Ok(handle) => Some(Ok(Self(handle))),
            // Old kernels do not know the call, and some sandboxes forbid it.
            Err(Errno::NOSYS | Errno::PERM | Errno::AGAIN) => None,
            // A file or a link at the end: single steps tell which.
            Err(Errno::NOTDIR) => None,
            Err(error) => Some(Err(error.into())),
        }
    }

    fn below_by_steps(&self, parts: &[&str]) -> Result<Self, Fail> {
        parts.iter().try_fold(self.again()?, |dir, part| dir.step(part))
    }

    fn again(&self) -> Result<Self, Fail> {
        Ok(Self(sys::openat(&self.0, ".", DIRECTORY_FLAGS, Mode::empty())?))
    }

    fn step(&self, part: &str) -> Result<Self, Fail> {
        match sys::openat(&self.0, part, DIRECTORY_FLAGS, Mode::empty()) {
            Ok(handle) => Ok(Self(handle)),
            // For a link too: only its facts tell the two apart.
            Err(Errno::NOTDIR) if self.facts(part).is_ok_and(|facts| facts.kind == Kind::Link) => {
                Err(Fail::Link)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The names in this directory, sorted.
    pub(in crate::workspace) fn list(&self) -> Result<Vec<Listed>, Fail> {
        let mut names = Vec::new();
        for entry in sys::Dir::read_from(&self.0)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                names.push((OsString::from_vec(name.to_vec()), kind_of(entry.file_type())));
            }
        }
        names.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(names)
    }

    /// Facts about a name, and about a link itself.
    pub(in crate::workspace) fn facts(&self, name: &str) -> Result<Facts, Fail> {
        Ok(facts_of(&sys::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?))
    }

    /// Opens a regular file for reading. Refuses everything else without opening it; what is
    /// swapped in meanwhile is opened without waiting and then refused.
    pub(in crate::workspace) fn open_file(&self, name: &str) -> Result<(File, Facts), Fail> {
        regular(self.facts(name)?)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let handle = sys::openat(&self.0, name, flags, Mode::empty())?;
        let facts = regular(facts_of(&sys::fstat(&handle)?))?;
        Ok((File::from(handle), facts))
    }

    /// Creates a file that must not exist: with the access of another one, or as the user's mask
    /// says.
    pub(in crate::workspace) fn create(&self, name: &str, like: Option<Access>) -> Result<File, Fail> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mode = if like.is_some() { 0o600 } else { 0o666 };
        let handle = sys::openat(&self.0, name, flags, Mode::from_raw_mode(mode))?;
        if let Some(access) = like
            && let Err(error) = give_access(&handle, access)
        {
            let _ = self.unlink(name);
            return Err(error.into());
        }
        Ok(File::from(handle))
    }

    /// Moves a file over another one.
    pub(in crate::workspace) fn replace(&self, from: &str, to: &str) -> Result<(), Fail> {
        Ok(sys::renameat(&self.0, from, &self.0, to)?)
    }

    /// Moves a file to a name that must not exist.
    pub(in crate::workspace) fn move_new(&self, from: &str, to_dir: &Self, to: &str) -> Result<(), Fail> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::RenameFlags;
            match sys::renameat_with(&self.0, from, &to_dir.0, to, RenameFlags::NOREPLACE) {
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                other => return Ok(other?),
            }
        }
        self.link_new(from, to_dir, to)
    }

    /// Like [`Dir::move_new`], for file systems without such a rename: a second name is refused
    /// where one exists.
    fn link_new(&self, from: &str, to_dir: &Self, to: &str) -> Result<(), Fail> {
        sys::linkat(&self.0, from, &to_dir.0, to, AtFlags::empty())?;
        self.unlink(from)
    }

    /// Removes a name.
    pub(in crate::workspace) fn unlink(&self, name: &str) -> Result<(), Fail> {
        Ok(sys::unlinkat(&self.0, name, AtFlags::empty())?)
    }

    /// Makes the names in this directory durable, where the file system can.
    pub(in crate::workspace) fn sync(&self) {
        let _ = sys::fsync(&self.0);
    }
}

/// Owner and mode of a file that is replaced. Not every user may give files away, so that part is
/// an attempt.
fn give_access(handle: &OwnedFd, access: Access) -> Result<(), Errno> {
    if let Some((user, group)) = access.owner {
        let now = sys::fstat(handle)?;
        if now.st_uid != user {
            let _ = sys::fchown(handle, Some(sys::Uid::from_raw(user)), None);
        }
        if now.st_gid != group {
            let _ = sys::fchown(handle, None, Some(sys::Gid::from_raw(group)));
        }
    }
    // Neither set-user-id nor set-group-id: new content is not what was trusted.
    sys::fchmod(handle, Mode::from_bits_truncate((access.mode & 0o777) as _))
}

fn regular(facts: Facts) -> Result<Facts, Fail> {
    if facts.kind == Kind::File { Ok(facts) } else { Err(Fail::Kind(facts.kind)) }
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Pipe,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
        _ => Kind::Unknown,
    }
}

#[allow(clippy::unnecessary_cast, reason = "the types of these fields differ between systems")]
fn facts_of(stat: &sys::Stat) -> Facts {
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let mode = stat.st_mode as u32;
    Facts {
        kind: kind_of(FileType::from_raw_mode(stat.st_mode as sys::RawMode)),
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified_ns: nanos(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        changed_ns: Some(nanos(stat.st_ctime as i64, stat.st_ctime_nsec as i64)),
        id: Some((stat.st_dev as u64, stat.st_ino as u64)),
        access: Access {
            mode: mode & 0o7777,
            owner: Some((stat.st_uid, stat.st_gid)),
            read_only: mode & 0o222 == 0,
        },
    }
}

impl From<Errno> for Fail {
    fn from(error: Errno) -> Self {
        // Some systems answer "too many links" where a link is not followed.
        if matches!(error, Errno::LOOP | Errno::MLINK) {
            Self::Link
        } else {
            std::io::Error::from(error).into()
        }
    }
}

#[cfg(test)]
mod tests;
