//! Waits for something that no event announces.

use std::time::{Duration, Instant};

/// Polls until there is something, and fails if there is nothing within a time.
#[track_caller]
pub fn until<T>(within: Duration, poll: impl Fn() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = poll() {
            return found;
        }
        assert!(Instant::now() < deadline, "it did not come about");
        std::thread::sleep(Duration::from_millis(10));
    }
}
