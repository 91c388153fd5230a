//! How long ago something was, in a few characters.

use crate::time::Timestamp;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const WEEK: u64 = 7 * DAY;

/// `now`, `5m ago`, `3h ago`, `12d ago`. A time in the future is `now`.
///
/// For agents: they compare ages and do not know today's date, so an old age stays in days.
pub fn age(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.since(at).as_secs();
    match seconds {
        0..MINUTE => "now".to_owned(),
        MINUTE..HOUR => format!("{}m ago", seconds / MINUTE),
        HOUR..DAY => format!("{}h ago", seconds / HOUR),
        _ => format!("{}d ago", seconds / DAY),
    }
}

/// Like [`age`] within a week; after that the date, such as `2026-11-07`.
///
/// For people: they read a date more easily than a count of days.
pub fn age_or_day(at: Timestamp, now: Timestamp) -> String {
    /// The length of a date within a timestamp, in characters.
    const DATE: usize = 10;
    if now.since(at).as_secs() < WEEK {
        return age(at, now);
    }
    super::first_chars(&at.to_string(), DATE).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_794_723_027;

    fn ago(seconds: i64) -> (Timestamp, Timestamp) {
        (Timestamp::from_millis((NOW - seconds) * 1_000), Timestamp::from_millis(NOW * 1_000))
    }

    #[test]
    fn ages_are_reported_in_the_largest_unit_that_fits() {
        let shown = [-5, 0, 59, 60, 3_599, 3_600, 86_399, 86_400, 86_400 * 400].map(ago);
        assert_eq!(
            shown.map(|(at, now)| age(at, now)),
            ["now", "now", "now", "1m ago", "59m ago", "1h ago", "23h ago", "1d ago", "400d ago"]
        );
    }

    #[test]
    fn what_is_older_than_a_week_has_a_day() {
        let shown = [-5, 59, 120, 7_200, 3 * 86_400, 7 * 86_400 - 1, 7 * 86_400, 8 * 86_400].map(ago);
        assert_eq!(
            shown.map(|(at, now)| age_or_day(at, now)),
            ["now", "now", "2m ago", "2h ago", "3d ago", "6d ago", "2026-11-08", "2026-11-07"]
        );
    }
}
