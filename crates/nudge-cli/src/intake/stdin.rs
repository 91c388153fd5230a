//! Standard input, read to its end.

use std::time::Instant;

/// How much is read at once: what a pipe holds.
const CHUNK: usize = 64 * 1024;

/// The most that is read: far more than any tool returns, and less than a machine would notice.
const MOST: usize = 64 * 1024 * 1024;

/// Reads to the end, telling what has come so far; whether that is all. An input that cannot be read or is closed has ended; of one that is
/// longer than any event the rest is left.
pub(super) fn read(mut came: impl FnMut(&[u8])) -> bool {
    let mut chunk = vec![0; CHUNK];
    let mut left = MOST;
    loop {
        match rustix::io::read(rustix::stdio::stdin(), &mut chunk) {
            Ok(0) => return true,
            Ok(count) if count > left => return false,
            Ok(count) => {
                left -= count;
                came(&chunk[..count]);
            }
            Err(error) if error == rustix::io::Errno::INTR => {}
            Err(_) => return true,
        }
    }
}

/// Whether something has come that was not read yet.
pub(super) fn has_more() -> bool {
    rustix::io::ioctl_fionread(rustix::stdio::stdin()).is_ok_and(|count| count > 0)
}

/// Lets whoever writes to us finish, without keeping any of it: an agent may take a closed pipe for a failure.
pub(crate) fn pass_over(until: Instant) {
    let (done, wait) = std::sync::mpsc::channel();
    let reader = std::thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; CHUNK];
        while rustix::io::read(rustix::stdio::stdin(), &mut chunk).is_ok_and(|count| count > 0) {}
        let _ = done.send(());
    });
    if reader.is_ok() {
        let _ = wait.recv_timeout(until.saturating_duration_since(Instant::now()));
    }
}
