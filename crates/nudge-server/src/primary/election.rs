//! Waits to become PRIMARY, and knows which versions could.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_client::lock::{PrimaryLock, wait};
use nudge_client::version::{Version, is_newer};
use nudge_home::Home;
use nudge_store::{FileId, FileState};
use tokio::sync::oneshot;

/// How long an older server that won the lock leaves it to a newer one. A waiting process takes a
/// free lock within milliseconds; this allows for a busy machine.
pub(crate) const GIVEN_BACK_FOR: Duration = Duration::from_secs(3);

/// A server that wins again within this time keeps the lock: the newer server did not take it.
const SAME_ELECTION_WITHIN: Duration = Duration::from_secs(30);

/// Blocks a thread on the lock; the receiver is notified the instant this process becomes PRIMARY.
///
/// A separate thread, because the kernel itself wakes only a blocked `flock`. If the receiver is
/// gone, the lock is released again at once.
pub(crate) fn wait_in_background(
    home: &Home,
    version: &str,
) -> io::Result<oneshot::Receiver<io::Result<PrimaryLock>>> {
    let (sender, receiver) = oneshot::channel();
    let (lock, run_dir, version) = (home.lock_file(), home.run_dir(), version.to_owned());
    std::thread::Builder::new().name("election".into()).stack_size(64 * 1024).spawn(move || {
        let newer_lives = || newer_lives(&run_dir, &version);
        // Sending fails when the process is exiting: the lock is released with the value.
        let _ = sender.send(wait_for_turn(&lock, GIVEN_BACK_FOR, newer_lives));
    })?;
    Ok(receiver)
}

/// Waits for the lock, and gives it back once while a newer server is running.
fn wait_for_turn(
    path: &Path,
    given_back_for: Duration,
    newer_lives: impl Fn() -> bool,
) -> io::Result<PrimaryLock> {
    let mut given_back: Option<Instant> = None;
    loop {
        let lock = wait(path)?;
        if given_back.is_some_and(|at| at.elapsed() < SAME_ELECTION_WITHIN) || !newer_lives() {
            return Ok(lock);
        }
        drop(lock);
        given_back = Some(Instant::now());
        std::thread::sleep(given_back_for);
    }
}

// Which versions have a running server that can take over.
//
// Every server has a shared lock on a file named after its version. The kernel releases the lock
// with the process, so a lock proves that a server is running, which a process id in the state
// file does not.

/// The prefix of these files' names.
const VERSION_PREFIX: &str = "version-";

/// Announces that a server of this version is running, until the value is dropped.
#[derive(Debug)]
pub(crate) struct Presence {
    _file: File,
}

impl Presence {
    /// Takes the shared lock of this version.
    pub(crate) fn announce(run_dir: &Path, version: &str) -> io::Result<Self> {
        if Version::parse(version).is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the version is not three numbers"));
        }
        let path = run_dir.join(format!("{VERSION_PREFIX}{version}"));
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path)?;
            // Others lock it exclusively for an instant, to see whether it is locked.
            file.lock_shared()?;
            if is_still_at(&file, &path) {
                return Ok(Self { _file: file });
            }
        }
    }
}

/// Whether a server of a newer version is running. Files that nobody has locked are removed.
pub(crate) fn newer_lives(run_dir: &Path, version: &str) -> bool {
    let mut found = false;
    for entry in std::fs::read_dir(run_dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(other) = name.to_str().and_then(|name| name.strip_prefix(VERSION_PREFIX)) else { continue };
        if other != version && is_held(&entry.path()) {
            found |= is_newer(other, version);
        }
    }
    found
}

/// Whether a server has locked this file. If not, the file is removed, while we have its lock
/// ourselves.
fn is_held(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    match file.try_lock() {
        Ok(()) => {
            if is_still_at(&file, path) {
                let _ = std::fs::remove_file(path);
            }
            false
        }
        Err(TryLockError::WouldBlock) => true,
        Err(TryLockError::Error(_)) => false,
    }
}

fn is_still_at(file: &File, path: &Path) -> bool {
    FileId::of(file).is_ok_and(|id| id.state_at(path) == FileState::There)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use nudge_client::lock::{claim, is_held};

    use super::*;

    #[test]
    fn a_waiting_process_gets_the_lock_when_the_holder_goes() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let home = Home::locate(Some(dir.path()), &|_| None).expect("a home");
        home.secure_run_dir().expect("a run directory");
        let path = home.lock_file();
        let first = claim(&path).expect("claim");
        let waiting = wait_in_background(&home, "0.1.0").expect("thread");
        drop(first);
        let won = waiting.blocking_recv().expect("the thread answers");
        assert!(won.is_ok());
        assert!(is_held(&path));
    }

    #[test]
    fn the_lock_is_given_back_once_while_a_newer_server_lives() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("lock");
        let asked = Cell::new(0);
        let newer_lives = || {
            asked.set(asked.get() + 1);
            assert!(is_held(&path), "the newer server is looked for while the lock is held");
            true
        };
        let won = wait_for_turn(&path, Duration::from_millis(1), newer_lives);
        assert!(won.is_ok() && is_held(&path));
        assert_eq!(asked.get(), 1);
    }

    #[test]
    fn a_newer_server_is_seen_for_as_long_as_it_lives() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let run = dir.path();
        assert!(!newer_lives(run, "0.1.0"));
        let newer = [(); 2].map(|()| Presence::announce(run, "0.2.0").expect("announced"));
        let own = Presence::announce(run, "0.1.0").expect("announced");
        assert!(newer_lives(run, "0.1.0"));
        assert!(!newer_lives(run, "0.2.0") && !newer_lives(run, "0.3.0"));
        let [first, second] = newer;
        drop(first);
        assert!(newer_lives(run, "0.1.0"));
        drop(second);
        assert!(!newer_lives(run, "0.1.0"));
        assert!(!run.join("version-0.2.0").exists() && run.join("version-0.1.0").exists());
        drop(own);
    }

    #[test]
    fn other_files_and_odd_versions_do_not_count() {
        let dir = tempfile::tempdir().expect("temporary directory");
        std::fs::write(dir.path().join("lock"), "").expect("written");
        std::fs::write(dir.path().join("version-x"), "").expect("written");
        assert!(!newer_lives(dir.path(), "0.1.0"));
        assert!(Presence::announce(dir.path(), "../0.1.0").is_err());
    }
}
