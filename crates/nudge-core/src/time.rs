//! Points in time, as the store keeps them and as people read them.

use std::fmt;
use std::time::Duration;

/// Milliseconds since the Unix epoch, UTC.
///
/// Milliseconds, because two writes of one session must sort, and because the store compares them
/// as integers.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Wraps a count of milliseconds since the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// The count of milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Parses an ISO-8601 timestamp with an offset, such as `2026-11-15T06:10:27Z`.
    pub fn parse(text: &str) -> Option<Self> {
        let parsed: jiff::Timestamp = text.parse().ok()?;
        Some(Self(parsed.as_millisecond()))
    }

    /// How long ago `earlier` was; zero when it is in the future.
    pub fn since(self, earlier: Self) -> Duration {
        let millis = self.0.saturating_sub(earlier.0).max(0);
        Duration::from_millis(millis.unsigned_abs())
    }

    /// This time moved forward.
    pub fn plus(self, by: Duration) -> Self {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(millis))
    }

    /// This time moved back.
    pub fn minus(self, by: Duration) -> Self {
        let millis = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        Self(self.0.saturating_sub(millis))
    }
}

impl fmt::Display for Timestamp {
    /// ISO-8601 in UTC with milliseconds: `2026-11-15T06:10:27.123Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(stamp) => write!(f, "{stamp:.3}"),
            Err(_) => write!(f, "{}ms", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_prints() {
        let stamp = Timestamp::from_millis(1_794_723_027_123);
        assert_eq!(stamp.to_string(), "2026-11-15T06:10:27.123Z");
        assert_eq!(Timestamp::parse(&stamp.to_string()), Some(stamp));
    }

    #[test]
    fn the_future_is_zero_ago() {
        let earlier = Timestamp::from_millis(1_000);
        let later = Timestamp::from_millis(2_500);
        assert_eq!(later.since(earlier), Duration::from_millis(1_500));
        assert_eq!(earlier.since(later), Duration::ZERO);
    }
}
