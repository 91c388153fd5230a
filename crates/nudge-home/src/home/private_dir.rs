//! Directories that only this user can access.
//!
//! Anybody who can put a socket or a token into `run/` can pose as our server. So the directory
//! itself is checked (never through a link) before anything in it is trusted.

use std::fs::{self, DirBuilder};
use std::io;
use std::path::Path;

use nudge_core::{Fault, FaultKind};

/// Creates one directory, with mode 0700 on systems with modes. An existing directory is left as it
/// is. Fails for a link.
pub fn create(dir: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    match builder.create(dir) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => refuse_link(dir),
        other => other,
    }
}

/// Fails if the directory is a link: files put into it would end up wherever it leads.
pub fn refuse_link(dir: &Path) -> io::Result<()> {
    match fs::symlink_metadata(dir) {
        Ok(facts) if facts.is_symlink() => {
            Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is a symbolic link"))
        }
        _ => Ok(()),
    }
}

/// Creates the directory if it is missing, and closes one of ours that is open to others. Rejects a
/// link, a file, and a directory of another user.
pub fn secure(dir: &Path) -> Result<(), Fault> {
    // `look` below reports a link.
    create(dir).or_else(|error| if is_link(dir) { Ok(()) } else { Err(not_usable(dir, "create", error)) })?;
    match state_of(dir)? {
        Found::Private => Ok(()),
        Found::TooOpen => tighten(dir),
        // Removed between the two steps: a second try would not help.
        Found::Missing => Err(not_usable(dir, "open", io::ErrorKind::NotFound.into())),
    }
}

/// Whether a private directory exists; changes nothing. Rejects one that is open to others.
pub fn inspect(dir: &Path) -> Result<bool, Fault> {
    match state_of(dir)? {
        Found::Private => Ok(true),
        Found::Missing => Ok(false),
        Found::TooOpen => Err(refuse(dir, "run_dir_open", "is readable by other users")
            .next(format!("chmod 700 {}", dir.display()))),
    }
}

/// The effective user id; 0 on systems without user ids.
pub fn own_uid() -> u32 {
    #[cfg(unix)]
    return rustix::process::geteuid().as_raw();
    #[cfg(not(unix))]
    0
}

fn is_link(dir: &Path) -> bool {
    refuse_link(dir).is_err()
}

enum Found {
    Missing,
    Private,
    TooOpen,
}

fn state_of(dir: &Path) -> Result<Found, Fault> {
    let facts = match fs::symlink_metadata(dir) {
        Ok(facts) => facts,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Missing),
        Err(error) => return Err(not_usable(dir, "look at", error)),
    };
    if facts.is_symlink() {
        return Err(refuse(dir, "run_dir_link", "is a symbolic link, which Nudge does not follow")
            .next(format!("remove it: rm {}", dir.display())));
    }
    if !facts.is_dir() {
        return Err(refuse(dir, "run_dir_not_a_directory", "is not a directory")
            .next(format!("move it away: mv {0} {0}.old", dir.display())));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let (owner, own) = (facts.uid(), own_uid());
        if owner != own {
            let why = format!("belongs to user {owner}, not to user {own}");
            return Err(refuse(dir, "run_dir_foreign", &why).with("owner", owner).next(
                "ask its owner to remove it, pass --home with your own directory, or run as its owner",
            ));
        }
        if facts.mode() & 0o077 != 0 {
            return Ok(Found::TooOpen);
        }
    }
    Ok(Found::Private)
}

/// Removes the access of others through a handle, so a link swapped in meanwhile is not followed.
#[cfg(unix)]
fn tighten(dir: &Path) -> Result<(), Fault> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::open(dir, flags, Mode::empty())
        .and_then(|handle| rustix::fs::fchmod(handle, Mode::RWXU))
        .map_err(|error| not_usable(dir, "close to others", error.into()))?;
    match state_of(dir)? {
        Found::Private => Ok(()),
        _ => Err(refuse(dir, "run_dir_open", "is readable by other users, and its mode cannot be changed")
            .next("pass --home with a directory on a file system that supports file modes")),
    }
}

#[cfg(not(unix))]
fn tighten(_: &Path) -> Result<(), Fault> {
    Ok(())
}

fn refuse(dir: &Path, reason: &str, why: &str) -> Fault {
    Fault::new(FaultKind::Unavailable, reason, format!("{} {why}", dir.display()))
        .with("path", dir.display().to_string())
}

fn not_usable(dir: &Path, what: &str, error: io::Error) -> Fault {
    let message = format!("cannot {what} {}: {error}", dir.display());
    if error.kind() == io::ErrorKind::StorageFull {
        return Fault::disk_full(message).because(error);
    }
    let read_only =
        matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem);
    let (kind, reason) = if read_only {
        (FaultKind::ReadOnly, "home_not_writable")
    } else {
        (FaultKind::Unavailable, "run_dir_unusable")
    };
    Fault::new(kind, reason, message)
        .because(error)
        .with("path", dir.display().to_string())
        .next("make it a directory of this user with mode 700, or pass --home with another directory")
}
