//! When something happened, in the user's time zone. JSON keeps exact timestamps; pages use these.

use std::fs;
use std::path::PathBuf;

use jiff::Zoned;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use nudge_core::Timestamp;

use super::words::count;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// The largest file of a time zone that is read. Real ones have a few kilobytes.
const MAX_ZONE_BYTES: u64 = 1 << 20;

/// The time zone of the user: `TZ`, else the system's. A `TZ` that names anything but a small
/// regular file counts as UTC, because reading it might never end.
pub(crate) fn zone() -> TimeZone {
    let named =
        std::env::var_os("TZ").map(|name| PathBuf::from(name.to_string_lossy().trim_start_matches(':')));
    match named.filter(|path| path.is_absolute()).map(fs::metadata) {
        Some(Ok(file)) if !file.is_file() || file.len() > MAX_ZONE_BYTES => TimeZone::UTC,
        _ => TimeZone::system(),
    }
}

/// The columns of the widest [`short`] time: `yesterday 09:11`.
pub(crate) const SHORT_WIDTH: usize = 15;

/// For lists: `today 14:02`, `yesterday 09:11`, `Nov 14 10:32`, and `2025-11-14` for another year.
pub(crate) fn short(at: Timestamp, now: Timestamp) -> String {
    short_in(at, now, &zone())
}

/// For details: `2026-11-14 10:32 (3 days ago)`.
pub(crate) fn long(at: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", exact(at), distance(at, now))
}

/// The minute alone: `2026-11-14 10:32`.
pub(crate) fn exact(at: Timestamp) -> String {
    exact_in(at, &zone())
}

/// [`short`] for Unix seconds.
pub(crate) fn short_of_seconds(at: i64, now: Timestamp) -> String {
    short(seconds(at), now)
}

/// [`long`] for Unix seconds.
pub(crate) fn long_of_seconds(at: i64, now: Timestamp) -> String {
    long(seconds(at), now)
}

/// [`short`] for a timestamp in text, seen from now. Any other text stays as it is.
pub(crate) fn short_of_text(at: &str) -> String {
    Timestamp::parse(at).map_or_else(|| at.to_owned(), |at| short(at, nudge_client::now()))
}

/// [`long`] for a timestamp in text, seen from now.
pub(crate) fn long_of_text(at: &str) -> String {
    Timestamp::parse(at).map_or_else(|| at.to_owned(), |at| long(at, nudge_client::now()))
}

/// [`exact`] for a timestamp in text.
pub(crate) fn exact_of_text(at: &str) -> String {
    Timestamp::parse(at).map_or_else(|| at.to_owned(), exact)
}

const fn seconds(at: i64) -> Timestamp {
    Timestamp::from_millis(at.saturating_mul(1_000))
}

fn short_in(at: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (Some(at), Some(now)) = (zoned(at, zone), zoned(now, zone)) else { return at.to_string() };
    let pattern = match days_before(at.date(), now.date()) {
        0 => "today %H:%M",
        1 => "yesterday %H:%M",
        -1 => "tomorrow %H:%M",
        _ if at.year() == now.year() => "%b %e %H:%M",
        _ => "%Y-%m-%d",
    };
    at.strftime(pattern).to_string()
}

fn exact_in(at: Timestamp, zone: &TimeZone) -> String {
    zoned(at, zone).map_or_else(|| at.to_string(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}

fn zoned(at: Timestamp, zone: &TimeZone) -> Option<Zoned> {
    Some(jiff::Timestamp::from_millisecond(at.as_millis()).ok()?.to_zoned(zone.clone()))
}

/// How many calendar days the day is before today; negative for a later day.
fn days_before(day: Date, today: Date) -> i32 {
    day.until(today).map_or(i32::MAX, |span| span.get_days())
}

/// `just now`, `5 minutes ago`, `3 days ago`, `in 2 hours`.
fn distance(at: Timestamp, now: Timestamp) -> String {
    let (length, is_past) = if at <= now { (now.since(at), true) } else { (at.since(now), false) };
    let seconds = length.as_secs();
    let spelled = match seconds {
        0..MINUTE => return "just now".to_owned(),
        MINUTE..HOUR => count((seconds / MINUTE).cast_signed(), "minute"),
        HOUR..DAY => count((seconds / HOUR).cast_signed(), "hour"),
        _ => count((seconds / DAY).cast_signed(), "day"),
    };
    if is_past { format!("{spelled} ago") } else { format!("in {spelled}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-15 06:10:27 UTC, a Sunday.
    const NOW: i64 = 1_794_723_027;

    fn berlin() -> TimeZone {
        TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone")
    }

    fn shown(at: &str, zone: &TimeZone) -> String {
        short_in(Timestamp::parse(at).expect("a time"), seconds(NOW), zone)
    }

    #[test]
    fn lists_name_the_day_and_the_time_of_day() {
        let utc = TimeZone::UTC;
        assert_eq!(shown("2026-11-15T06:02:00Z", &utc), "today 06:02");
        assert_eq!(shown("2026-11-14T23:59:59Z", &utc), "yesterday 23:59");
        assert_eq!(shown("2026-11-13T10:32:00Z", &utc), "Nov 13 10:32");
        assert_eq!(shown("2026-03-04T10:32:00Z", &utc), "Mar  4 10:32");
        assert_eq!(shown("2025-11-14T10:32:00Z", &utc), "2025-11-14");
        assert_eq!(shown("2026-11-16T01:00:00Z", &utc), "tomorrow 01:00");
    }

    #[test]
    fn days_are_those_of_the_users_time_zone() {
        assert_eq!(shown("2026-11-14T23:30:00Z", &berlin()), "today 00:30");
        assert_eq!(shown("2026-07-01T10:00:00Z", &berlin()), "Jul  1 12:00");
        assert_eq!(exact_in(seconds(NOW), &berlin()), "2026-11-15 07:10");
    }

    #[test]
    fn distances_are_in_the_largest_unit_that_fits() {
        let from_now = |offset: i64| distance(seconds(NOW + offset), seconds(NOW));
        assert_eq!(
            [-59, -60, -7_200, -86_400, -400 * 86_400, 7_200].map(from_now),
            ["just now", "1 minute ago", "2 hours ago", "1 day ago", "400 days ago", "in 2 hours"]
        );
    }

    #[test]
    fn text_that_is_no_time_stays() {
        assert_eq!((short_of_text("soon"), long_of_text("soon")), ("soon".to_owned(), "soon".to_owned()));
    }
}
