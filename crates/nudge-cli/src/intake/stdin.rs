//! Reads standard input to its end.

use std::time::Instant;

/// How many bytes to read at once: the capacity of a pipe.
const CHUNK: usize = 64 * 1024;

/// The maximum input: far more than any tool returns, and small enough for any machine.
const MOST: usize = 64 * 1024 * 1024;

/// Reads to the end, and passes each piece to `came`. Returns whether that was all. An input that
/// is closed or cannot be read counts as ended. If the input is longer than any event, the rest is
/// not read.
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

/// Whether unread input has arrived.
pub(super) fn has_more() -> bool {
    rustix::io::ioctl_fionread(rustix::stdio::stdin()).is_ok_and(|count| count > 0)
}

/// Reads and discards input so that the writer can finish. An agent may treat a closed pipe as a
/// failure.
pub(crate) fn discard_until(until: Instant) {
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
