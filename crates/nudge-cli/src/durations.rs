//! Parses durations and times from the command line: one parser for `--for`, `--ttl`, `--since` and
//! `--until`.

use std::time::Duration;

use jiff::Span;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use nudge_client::now;
use nudge_core::ttl::Ttl;
use nudge_core::{Timestamp, duration};

use crate::pages::time;

/// The longest accepted pause: a year.
const MAX_PAUSE: u64 = 366 * 86_400;

/// A Unix time has at least this many digits; a shorter number is a mistake.
const UNIX_DIGITS: usize = 9;

/// The examples at the end of every error about a duration.
const DURATION_EXAMPLES: &str = "30m, 2h, 7d or PT2H";

/// Parses `--for`: `90s`, `30m`, `1h30m`, `2 days` or `PT2H`.
pub(crate) fn length(text: &str) -> Result<Duration, String> {
    let wrong = || format!("use a length of time such as {DURATION_EXAMPLES}, up to a year");
    let seconds = seconds(text).ok_or_else(wrong)?;
    if seconds == 0 || seconds > MAX_PAUSE { Err(wrong()) } else { Ok(Duration::from_secs(seconds)) }
}

/// Parses `--ttl` and returns the stored form: `session`, `forever` or an ISO 8601 duration.
pub(crate) fn ttl(text: &str) -> Result<String, String> {
    if Ttl::parse(text).is_ok() {
        return Ok(text.to_owned());
    }
    let iso = span(text).map(|span| span.to_string());
    iso.filter(|iso| Ttl::parse(iso).is_ok()).ok_or_else(|| {
        format!("use session, forever, or a length of time such as {DURATION_EXAMPLES}, up to 100 years")
    })
}

/// Parses `--since` and `--until`: `2d` (ago), `2026-01-31` (local), `2026-01-31T12:00:00Z` or Unix
/// seconds. Returns Unix seconds.
pub(crate) fn when(text: &str) -> Result<i64, String> {
    when_at(text, now(), &time::zone())
}

/// Parses `--half-life` in hours: a duration, or a bare number of hours.
pub(crate) fn hours(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hours) if hours.is_finite() => Ok(hours),
        _ => length(text).map(|length| length.as_secs_f64() / 3_600.0),
    }
}

/// The whole days from a Unix time until now, at least one.
pub(crate) fn days_since(unix: i64) -> u32 {
    let seconds = unix_seconds(now()).saturating_sub(unix).max(1);
    u32::try_from(seconds.saturating_add(86_399) / 86_400).unwrap_or(u32::MAX)
}

fn when_at(text: &str, now: Timestamp, zone: &TimeZone) -> Result<i64, String> {
    let text = text.trim();
    if text.len() >= UNIX_DIGITS && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().map_err(|_| no_time());
    }
    if let Some(ago) = seconds(text) {
        let ago = i64::try_from(ago).map_err(|_| no_time())?;
        return Ok(unix_seconds(now).saturating_sub(ago));
    }
    Timestamp::parse(text).map(unix_seconds).or_else(|| midnight(text, zone)).ok_or_else(no_time)
}

/// The beginning of a day in the user's time zone.
fn midnight(day: &str, zone: &TimeZone) -> Option<i64> {
    let day: Date = day.parse().ok()?;
    Some(day.to_zoned(zone.clone()).ok()?.timestamp().as_second())
}

fn no_time() -> String {
    format!(
        "use a date such as 2026-01-31, a time such as 2026-01-31T12:00:00Z, or a length of time such as {DURATION_EXAMPLES}"
    )
}

/// The span in a text, friendly (`1h30m`, `2 days`) or ISO 8601. A negative span is rejected.
fn span(text: &str) -> Option<Span> {
    text.trim().parse::<Span>().ok().filter(|span| !span.is_negative())
}

/// The whole seconds of a duration. A month has 30 days and a year 365, as in a hint's lifetime.
fn seconds(text: &str) -> Option<u64> {
    if let Ok(length) = duration::iso(text.trim()) {
        return Some(length.as_secs());
    }
    let span = span(text)?;
    let months = i64::from(span.get_years()) * 365 + i64::from(span.get_months()) * 30;
    let days = months + i64::from(span.get_weeks()) * 7 + i64::from(span.get_days());
    let hours = days.checked_mul(24)?.checked_add(i64::from(span.get_hours()))?;
    let minutes = hours.checked_mul(60)?.checked_add(span.get_minutes())?;
    let seconds = minutes.checked_mul(60)?.checked_add(span.get_seconds())?;
    u64::try_from(seconds).ok()
}

const fn unix_seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that no flag accepts as a duration.
    const WRONG: [&str; 9] = ["", "1", "h", "soon", "-1h", "99999999999d", "1h 30m x", "1h30", "2h ago"];

    #[test]
    fn a_day_begins_where_the_user_is() {
        let zone = TimeZone::posix("CET-1").expect("a zone");
        let day = |zone: &TimeZone| when_at("2026-11-15", Timestamp::from_millis(0), zone);
        assert_eq!((day(&TimeZone::UTC), day(&zone)), (Ok(1_794_700_800), Ok(1_794_697_200)));
    }

    #[test]
    fn a_pause_is_read_as_people_write_it() {
        let seconds = |text: &str| length(text).map(|length| length.as_secs());
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("1h"), Ok(3_600));
        assert_eq!(seconds("1h30m"), Ok(5_400));
        assert_eq!(seconds(" 1h 30m "), Ok(5_400));
        assert_eq!(seconds("1.5h"), Ok(5_400));
        assert_eq!(seconds("2 days"), Ok(172_800));
        assert_eq!(seconds("1w"), Ok(604_800));
        assert_eq!(seconds("PT2H"), Ok(7_200));
        assert_eq!(seconds("P1.5D"), Ok(129_600));
        for wrong in WRONG.iter().chain(&["0m", "2y", "forever"]) {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_bare_number_is_hours() {
        assert_eq!(hours("168"), Ok(168.0));
        assert_eq!(hours("7d"), Ok(168.0));
        assert!(hours("NaN").is_err() && hours("inf").is_err() && hours("often").is_err());
    }

    #[test]
    fn a_lifetime_is_stored_in_iso_form() {
        let table = [
            ("session", "session"),
            ("forever", "forever"),
            ("2h", "PT2H"),
            ("1h30m", "PT1H30M"),
            ("7d", "P7D"),
            ("1 month", "P1M"),
            // A valid ISO duration stays as it was typed.
            ("PT90M", "PT90M"),
            ("PT0.3S", "PT0.3S"),
        ];
        for (text, stored) in table {
            assert_eq!(ttl(text).as_deref(), Ok(stored), "{text}");
        }
        for wrong in WRONG.iter().chain(&["0s", "101y", "Session"]) {
            assert!(ttl(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_time_is_a_date_or_a_length_ago() {
        let now = Timestamp::from_millis(1_794_723_027_123);
        let read = |text: &str| when_at(text, now, &TimeZone::UTC);
        assert_eq!(read("2d"), Ok(1_794_723_027 - 2 * 86_400));
        assert_eq!(read("90m"), Ok(1_794_723_027 - 5_400));
        assert_eq!(read("1w"), Ok(1_794_723_027 - 604_800));
        assert_eq!(read("1h30m"), Ok(1_794_723_027 - 5_400));
        assert_eq!(read("PT3H"), Ok(1_794_723_027 - 10_800));
        assert_eq!(read("+3h"), Ok(1_794_723_027 - 10_800));
        assert_eq!(read("2026-11-15"), Ok(1_794_700_800));
        assert_eq!(read("2026-11-15T06:10:27Z"), Ok(1_794_723_027));
        assert_eq!(read("1794723027"), Ok(1_794_723_027));
        for wrong in WRONG.iter().chain(&["12", "2026-13-01", "2026-02-30", "yesterday"]) {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
