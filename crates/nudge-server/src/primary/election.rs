//! Waits to become PRIMARY.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use nudge_client::lock::{PrimaryLock, wait};
use nudge_home::Home;
use tokio::sync::oneshot;

use super::presence;

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
        let newer_lives = || presence::newer_lives(&run_dir, &version);
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
}
