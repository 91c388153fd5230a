//! Waiting to become PRIMARY.

use std::io;
use std::path::PathBuf;

use nudge_client::lock::{PrimaryLock, wait};
use tokio::sync::oneshot;

/// Parks a thread on the lock; the receiver hears the instant this process becomes PRIMARY.
///
/// A thread of its own, because only a blocked `flock` is woken by the kernel itself. When nobody
/// listens any more the lock is given up again at once.
pub(crate) fn wait_in_background(path: PathBuf) -> io::Result<oneshot::Receiver<io::Result<PrimaryLock>>> {
    let (sender, receiver) = oneshot::channel();
    std::thread::Builder::new().name("election".into()).stack_size(64 * 1024).spawn(move || {
        // Sending fails when the process is on its way out: the lock goes with the value.
        let _ = sender.send(wait(&path));
    })?;
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use nudge_client::lock::{claim, is_held};

    use super::*;

    #[test]
    fn a_waiting_process_gets_the_lock_when_the_holder_goes() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("lock");
        let first = claim(&path).expect("claim");
        let waiting = wait_in_background(path.clone()).expect("thread");
        drop(first);
        let won = waiting.blocking_recv().expect("the thread answers");
        assert!(won.is_ok());
        assert!(is_held(&path));
    }
}
