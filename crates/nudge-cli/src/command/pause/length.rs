//! Lengths of time as people type them.

use std::time::Duration;

/// The longest pause that is one: a year.
const MOST: Duration = Duration::from_secs(366 * 86_400);

/// Reads `90s`, `30m`, `1h`, `1h30m` or `2d`.
pub(super) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || "give a length of time such as 30m, 1h or 2d".to_owned();
    let mut seconds: u64 = 0;
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, tail) = rest.split_at(digits);
        let unit = match tail.as_bytes().first() {
            Some(b's') => 1,
            Some(b'm') => 60,
            Some(b'h') => 3_600,
            Some(b'd') => 86_400,
            _ => return Err(wrong()),
        };
        let part =
            number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(wrong)?;
        seconds = seconds.checked_add(part).ok_or_else(wrong)?;
        rest = &tail[1..];
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
        for wrong in ["", "1", "h", "0m", "-1h", "1y", "99999999999d", "1h 30m x"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
