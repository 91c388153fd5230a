//! Keeps a flood of requests from becoming a flood of log lines.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The shortest time between two lines of the same kind.
const QUIET_FOR: Duration = Duration::from_secs(1);

/// Lets one line a second through for each reason, and counts the others.
#[derive(Default)]
pub(crate) struct Limiter {
    said: Mutex<BTreeMap<&'static str, Said>>,
}

struct Said {
    at: Instant,
    suppressed: u64,
}

impl Limiter {
    /// Whether to write a line for this reason now; if so, how many were dropped since the last
    /// one.
    pub(crate) fn admit(&self, reason: &'static str, now: Instant) -> Option<u64> {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        match said.get_mut(reason) {
            Some(last) if now.saturating_duration_since(last.at) < QUIET_FOR => {
                last.suppressed += 1;
                None
            }
            _ => said
                .insert(reason, Said { at: now, suppressed: 0 })
                .map_or(Some(0), |last| Some(last.suppressed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_a_second_for_each_reason_and_the_others_are_counted() {
        let limiter = Limiter::default();
        let began = Instant::now();
        let after = |millis| began + Duration::from_millis(millis);
        assert_eq!(limiter.admit("wrong_token", after(0)), Some(0));
        assert_eq!(limiter.admit("wrong_token", after(1)), None);
        assert_eq!(limiter.admit("foreign_host", after(2)), Some(0));
        assert_eq!(limiter.admit("wrong_token", after(999)), None);
        assert_eq!(limiter.admit("wrong_token", after(1000)), Some(2));
        assert_eq!(limiter.admit("wrong_token", after(1001)), None);
        assert_eq!(limiter.admit("wrong_token", after(5000)), Some(1));
    }
}
