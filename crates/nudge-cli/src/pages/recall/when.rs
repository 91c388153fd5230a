//! Points in time as people type them.

use nudge_core::Timestamp;
use nudge_core::duration::{Part, Unit};

/// A Unix time has at least this many digits; fewer are a mistake.
const UNIX_DIGITS: usize = 9;

/// What "ago" may be counted in.
const UNITS: [Unit; 4] = [Unit::Minute, Unit::Hour, Unit::Day, Unit::Week];

/// Reads `2d` (ago), `2026-01-31`, `2026-01-31T12:00:00Z` or Unix seconds, and gives Unix seconds.
pub(crate) fn parse(text: &str, now: Timestamp) -> Result<i64, String> {
    let text = text.trim();
    let wrong = || "give a time such as 2d, 12h, 2026-01-31, 2026-01-31T12:00:00Z or Unix seconds".to_owned();
    if text.len() >= UNIX_DIGITS && text.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map_err(|_| wrong());
    }
    if let Some(ago) = length(text) {
        return Ok(seconds(now).saturating_sub(ago));
    }
    let day = || Timestamp::parse(&format!("{text}T00:00:00Z"));
    Timestamp::parse(text).or_else(day).map(seconds).ok_or_else(wrong)
}

/// `45m`, `12h`, `2d` or `3w`, in seconds.
fn length(text: &str) -> Option<i64> {
    let part = Part::first(text.strip_prefix('+').unwrap_or(text), &UNITS)?;
    let number = u32::try_from(part.number).ok().filter(|_| part.rest.is_empty())?;
    part.unit.seconds().checked_mul(number.into()).and_then(|seconds| i64::try_from(seconds).ok())
}

const fn seconds(at: Timestamp) -> i64 {
    at.as_millis().div_euclid(1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_people_write_them() {
        let now = Timestamp::from_millis(1_794_723_027_123);
        let read = |text: &str| parse(text, now);
        assert_eq!(read("2d"), Ok(1_794_723_027 - 2 * 86_400));
        assert_eq!(read("90m"), Ok(1_794_723_027 - 5_400));
        assert_eq!(read("1w"), Ok(1_794_723_027 - 604_800));
        assert_eq!(read("+3h"), Ok(1_794_723_027 - 10_800));
        assert_eq!(read("2026-11-15"), Ok(1_794_700_800));
        assert_eq!(read("2026-11-15T06:10:27Z"), Ok(1_794_723_027));
        assert_eq!(read("1794723027"), Ok(1_794_723_027));
        for wrong in ["", "soon", "12", "2026-13-01", "-3d", "3y", "1h30m", "30s", "++3d", "4294967296m"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
