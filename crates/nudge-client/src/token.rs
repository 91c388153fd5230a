//! The bearer token that other programs must present on the loopback port.
//!
//! It is in `run/token`, readable only by its owner. A token file that is a link, belongs to
//! someone else or is open to others is rejected: anyone who could plant or read it would know the
//! token.

use std::fs::{File, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::Mutex;

use nudge_core::{Fault, FaultKind};
use nudge_home::Home;
use rustix::fs::{Mode, OFlags};
use subtle::ConstantTimeEq;

use crate::random::{self, fresh};
use crate::ui_sessions;

/// Reads the token.
pub fn read(home: &Home) -> Result<String, Fault> {
    read_at(&home.token_file())
}

/// Reads the token; creates one first if there is none.
pub fn ensure(home: &Home) -> Result<String, Fault> {
    ensure_at(&home.token_file())
}

/// Replaces the token, and signs all browsers out. From then on a running server accepts only the
/// new one.
pub fn rotate(home: &Home) -> Result<String, Fault> {
    home.secure_run_dir()?;
    let token = rotate_at(&home.token_file())?;
    ui_sessions::end_all(home)?;
    Ok(token)
}

fn ensure_at(path: &Path) -> Result<String, Fault> {
    if path.symlink_metadata().is_ok() {
        return read_at(path);
    }
    let token = fresh()?;
    match write(path, &token)?.persist_noclobber(path) {
        Ok(_) => Ok(token),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => read_at(path),
        Err(error) => Err(unusable(path, "cannot be written", error.error)),
    }
}

fn rotate_at(path: &Path) -> Result<String, Fault> {
    let token = fresh()?;
    write(path, &token)?.persist(path).map_err(|error| unusable(path, "cannot be written", error.error))?;
    Ok(token)
}

fn write(path: &Path, token: &str) -> Result<tempfile::NamedTempFile, Fault> {
    let dir = path.parent().unwrap_or_else(|| Path::new("."));
    let write = || {
        let mut file = tempfile::Builder::new()
            .prefix(".token-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(dir)?;
        writeln!(file, "{token}")?;
        file.as_file().sync_all()?;
        Ok(file)
    };
    write().map_err(|error: std::io::Error| unusable(path, "cannot be written", error))
}

fn read_at(path: &Path) -> Result<String, Fault> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty()).map_err(|error| {
        let missing = error == rustix::io::Errno::NOENT;
        let fault = unusable(path, if missing { "does not exist" } else { "cannot be opened" }, error.into());
        if missing {
            fault.next("start the server with `nudge serve --daemon`, or run `nudge token rotate`")
        } else {
            fault
        }
    })?;
    let file = File::from(file);
    refuse_foreign(path, &file)?;
    let mut text = String::new();
    (&file).take(1024).read_to_string(&mut text).map_err(|error| unusable(path, "cannot be read", error))?;
    let token = text.trim();
    if token.len() < random::BYTES {
        return Err(refused(path, "is too short for a token"));
    }
    Ok(token.to_owned())
}

fn refuse_foreign(path: &Path, file: &File) -> Result<(), Fault> {
    let found = file.metadata().map_err(|error| unusable(path, "cannot be examined", error))?;
    if !found.is_file() {
        return Err(refused(path, "is not a regular file"));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(refused(path, "belongs to another user"));
    }
    if found.mode() & 0o077 != 0 {
        return Err(refused(path, "is readable by other users"));
    }
    Ok(())
}

fn refused(path: &Path, why: &str) -> Fault {
    Fault::new(FaultKind::Forbidden, "token_refused", format!("the token file {} {why}", path.display()))
        .next("run `nudge token rotate` to replace it")
}

fn unusable(path: &Path, what: &str, error: std::io::Error) -> Fault {
    Fault::new(
        FaultKind::Unavailable,
        "token_unusable",
        format!("the token file {} {what}: {error}", path.display()),
    )
    .because(error)
    .next("run `nudge token rotate` to replace it")
}

/// The token in a running server. It is reread whenever the file changes, so a rotation takes
/// effect at the next request without notifying the server.
pub struct TokenFile {
    path: std::path::PathBuf,
    known: Mutex<Option<Known>>,
}

struct Known {
    file: (u64, u64, i64, i64),
    token: String,
}

impl TokenFile {
    /// Watches that file.
    pub fn new(path: std::path::PathBuf) -> Self {
        Self { path, known: Mutex::new(None) }
    }

    /// Whether this is the token. Compares in constant time.
    pub fn admits(&self, shown: &str) -> bool {
        let Ok(found) = self.path.symlink_metadata() else { return false };
        let file = (found.dev(), found.ino(), found.ctime(), found.ctime_nsec());
        let mut known = self.known.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if known.as_ref().is_none_or(|known| known.file != file) {
            *known = match read_at(&self.path) {
                Ok(token) => Some(Known { file, token }),
                Err(fault) => {
                    tracing::warn!(
                        reason = fault.reason,
                        cause = fault.causes().join(": "),
                        "the token file is unusable; nobody is let in"
                    );
                    None
                }
            };
        }
        known.as_ref().is_some_and(|known| known.token.as_bytes().ct_eq(shown.as_bytes()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> (tempfile::TempDir, std::path::PathBuf) {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("token");
        (dir, path)
    }

    #[test]
    fn a_token_is_made_once_and_kept() {
        let (_dir, path) = place();
        let token = ensure_at(&path).expect("a token");
        assert_eq!(token.len(), 2 * random::BYTES);
        assert_eq!(ensure_at(&path).expect("the same token"), token);
        assert_eq!(std::fs::metadata(&path).expect("metadata").permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_rotation_holds_at_once() {
        let (_dir, path) = place();
        let old = ensure_at(&path).expect("a token");
        let token_file = TokenFile::new(path.clone());
        assert!(token_file.admits(&old));
        let new = rotate_at(&path).expect("a new token");
        assert_ne!(new, old);
        assert_eq!((token_file.admits(&old), token_file.admits(&new)), (false, true));
    }

    #[test]
    fn a_link_a_wide_mode_and_a_stub_are_refused() {
        let (dir, path) = place();
        let elsewhere = dir.path().join("elsewhere");
        let token = ensure_at(&elsewhere).expect("a token");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("link");
        let token_file = TokenFile::new(path.clone());
        assert!(read_at(&path).is_err());
        assert!(!token_file.admits(&token));
        std::fs::remove_file(&path).expect("remove");
        std::fs::write(&path, &token).expect("write");
        std::fs::set_permissions(&path, Permissions::from_mode(0o640)).expect("chmod");
        assert_eq!(read_at(&path).expect_err("wide").reason, "token_refused");
        std::fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("chmod");
        assert_eq!(read_at(&path).expect("fine"), token);
        std::fs::write(&path, "short").expect("write");
        assert_eq!(read_at(&path).expect_err("short").reason, "token_refused");
    }

    #[test]
    fn no_fault_shows_the_token() {
        let (_dir, path) = place();
        let token = ensure_at(&path).expect("a token");
        std::fs::set_permissions(&path, Permissions::from_mode(0o644)).expect("chmod");
        let fault = read_at(&path).expect_err("wide");
        assert!(!fault.to_json().to_string().contains(&token));
    }
}
