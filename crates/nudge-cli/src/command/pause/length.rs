//! Lengths of time as people type them.

use std::time::Duration;

use nudge_core::duration::{Part, Unit};

/// The longest pause that is one: a year.
const MOST: Duration = Duration::from_secs(366 * 86_400);

/// What a pause may be counted in.
const UNITS: [Unit; 4] = [Unit::Second, Unit::Minute, Unit::Hour, Unit::Day];

/// Reads `90s`, `30m`, `1h`, `1h30m` or `2d`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "give a length of time such as 30m, 1h or 2d".to_owned();
    let mut seconds: u64 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let part = Part::first(rest, &UNITS).ok_or_else(wrong)?;
        seconds = part.seconds().and_then(|part| seconds.checked_add(part)).ok_or_else(wrong)?;
        rest = part.rest;
    }
    let length = Duration::from_secs(seconds);
    if length.is_zero() || length > MOST { Err(wrong()) } else { Ok(length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_people_write_them() {
        let seconds = |text: &str| parse(text).map(|length| length.as_secs());
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("1h"), Ok(3_600));
        assert_eq!(seconds("1h30m"), Ok(5_400));
        assert_eq!(seconds("2d"), Ok(172_800));
        assert_eq!(seconds(" 30m1h1h "), Ok(9_000));
        for wrong in ["", "1", "h", "0m", "-1h", "1y", "99999999999d", "1h 30m x", "1w", "+1h", "1h30"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
