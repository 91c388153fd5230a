//! How long each kind of failure is tried again.

use std::time::Duration;

use crate::error::{ErrorKind, ModelError};

/// The first wait. Each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How long failures are tried again, and how long silence and an answer are accepted.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// For a model that is loading, and for rate limits.
    pub retry: Duration,
    /// For gateways and connections.
    pub gateway: Duration,
    /// For failures of the provider.
    pub server: Duration,
    /// The longest single wait.
    pub max_backoff: Duration,
    /// How long no byte may come.
    pub fetch: Duration,
    /// How long one answer may take, however it comes.
    pub answer: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Self {
            retry: Duration::from_secs(600),
            gateway: Duration::from_secs(30),
            server: Duration::from_secs(60),
            max_backoff: Duration::from_secs(30),
            fetch: Duration::from_secs(300),
            answer: Duration::from_secs(3_600),
        }
    }
}

impl Deadlines {
    /// How long this kind of failure is tried again; `None` if it is not.
    fn of(&self, kind: ErrorKind) -> Option<Duration> {
        match kind {
            ErrorKind::WarmUp | ErrorKind::RateLimit => Some(self.retry),
            ErrorKind::Gateway | ErrorKind::Network => Some(self.gateway),
            ErrorKind::Server => Some(self.server),
            _ => None,
        }
    }

    fn longest(&self) -> Duration {
        self.retry.max(self.gateway).max(self.server)
    }
}

/// The failures of one call so far.
///
/// The deadline of a kind counts from the first failure in a row of that deadline. All together
/// end at the longest deadline, so failures that take turns do not go on for ever.
#[derive(Debug)]
pub(crate) struct Retries {
    deadlines: Deadlines,
    attempt: u32,
    /// The deadline that applies, when it began to, and the failures since.
    current: Option<(Duration, Duration, u32)>,
    first: Option<Duration>,
}

/// A retry: which one, and how long to wait for it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Again {
    pub(crate) attempt: u32,
    pub(crate) wait: Duration,
}

impl Retries {
    pub(crate) fn new(deadlines: Deadlines) -> Self {
        Self { deadlines, attempt: 0, current: None, first: None }
    }

    /// What follows a failure, `now` after the call began. `None`: give up.
    pub(crate) fn after(&mut self, error: &ModelError, now: Duration) -> Option<Again> {
        let deadline = self.deadlines.of(error.kind)?;
        let (since, failures) = match self.current {
            Some((known, since, failures)) if known == deadline => (since, failures),
            _ => (now, 0),
        };
        self.current = Some((deadline, since, failures + 1));
        let first = *self.first.get_or_insert(now);
        let wait = self.wait(error, failures);
        if now + wait > since + deadline || now + wait > first + self.deadlines.longest() {
            return None;
        }
        self.attempt += 1;
        Some(Again { attempt: self.attempt, wait })
    }

    /// What the provider asks for, or else twice the last wait; never more than the longest.
    fn wait(&self, error: &ModelError, failures: u32) -> Duration {
        let grown = FIRST_WAIT.saturating_mul(1_u32.checked_shl(failures).unwrap_or(u32::MAX));
        let stated = error.retry_after.filter(|wait| !wait.is_zero());
        stated.unwrap_or(grown).min(self.deadlines.max_backoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(deadlines: Deadlines, kind: ErrorKind, retry_after: Option<Duration>) -> Vec<u64> {
        let error = ModelError { retry_after, ..ModelError::new(kind, "") };
        let mut retries = Retries::new(deadlines);
        let mut now = Duration::ZERO;
        let mut waits = Vec::new();
        while let Some(again) = retries.after(&error, now) {
            now += again.wait;
            waits.push(again.wait.as_millis().try_into().expect("short"));
            assert_eq!(again.attempt as usize, waits.len());
        }
        waits
    }

    #[test]
    fn waits_double_up_to_the_longest_and_end_at_the_deadline() {
        let default = Deadlines::default();
        assert_eq!(waits(default, ErrorKind::Gateway, None), [500, 1000, 2000, 4000, 8000]);
        assert_eq!(waits(default, ErrorKind::Network, None).len(), 5);
        assert_eq!(waits(default, ErrorKind::Server, None), [500, 1000, 2000, 4000, 8000, 16000]);
        let warm_up = waits(default, ErrorKind::WarmUp, None);
        assert_eq!(warm_up[..7], [500, 1000, 2000, 4000, 8000, 16000, 30000]);
        assert!((570_000..=600_000).contains(&warm_up.iter().sum::<u64>()));
    }

    #[test]
    fn the_provider_says_how_long_up_to_the_longest() {
        let deadlines = Deadlines { retry: Duration::from_secs(70), ..Deadlines::default() };
        let asked = |seconds| waits(deadlines, ErrorKind::RateLimit, Some(Duration::from_secs(seconds)));
        assert_eq!(asked(20), [20_000, 20_000, 20_000]);
        assert_eq!(asked(3600), [30_000, 30_000]);
        assert_eq!(asked(0)[..2], [500, 1000]);
    }

    #[test]
    fn everything_else_is_not_tried_again() {
        use ErrorKind::*;
        for kind in [Auth, ContextTooLong, Rejected, NotConfigured, Interrupted, Malformed, Timeout] {
            assert_eq!(waits(Deadlines::default(), kind, None), [0; 0], "{kind}");
        }
    }

    #[test]
    fn another_kind_has_its_own_deadline_but_turns_do_not_go_on_for_ever() {
        let deadlines = Deadlines::default();
        let mut retries = Retries::new(deadlines);
        let warm_up = ModelError::new(ErrorKind::WarmUp, "");
        let gateway = ModelError::new(ErrorKind::Gateway, "");
        assert!(retries.after(&warm_up, Duration::ZERO).is_some());
        assert!(retries.after(&gateway, Duration::from_secs(100)).is_some(), "30 s from now");
        assert!(retries.after(&gateway, Duration::from_secs(131)).is_none());
        let mut now = Duration::ZERO;
        let mut retries = Retries::new(deadlines);
        for turn in 0.. {
            let error = if turn % 2 == 0 { &gateway } else { &warm_up };
            let Some(again) = retries.after(error, now) else { break };
            now += again.wait;
        }
        assert!(now <= deadlines.retry);
    }
}
