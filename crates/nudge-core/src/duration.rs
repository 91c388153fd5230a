//! ISO 8601 durations, such as `PT2H`. The command line reads more forms and converts them to this
//! one.

use std::time::Duration;

// A strict parser of ISO-8601 durations.
//
// Written by hand: jiff parses them too, but it accepts `pt2h` and `+PT2H`, rejects `P1.5D`, gives
// months and years no length without a date, and words its errors its own way.

/// Seconds in a day. Calendar units have fixed lengths here, so that a duration does not depend on
/// a time zone.
const DAY: u64 = 24 * 60 * 60;

/// The longest lifetime: 100 years of 365 days. For anything longer there is `forever`.
pub const MAX_DURATION: Duration = Duration::from_secs(100 * 365 * DAY);

/// The units of the date and time parts, in the order of the standard, with their length in
/// seconds.
const DATE_UNITS: [(char, u64); 4] = [('Y', 365 * DAY), ('M', 30 * DAY), ('W', 7 * DAY), ('D', DAY)];

const TIME_UNITS: [(char, u64); 3] = [('H', 3600), ('M', 60), ('S', 1)];

/// What is wrong with a duration, in words that complete "`x` is not a lifetime: …".
pub type Why = &'static str;

/// Parses an ISO-8601 duration such as `PT2H` or `P3DT4H`.
///
/// A month is 30 days and a year 365. The smallest part may have a fraction: `PT1.5H`.
pub fn iso(text: &str) -> Result<Duration, Why> {
    if text.starts_with(['-', '+']) {
        return Err("a duration has no sign");
    }
    let rest = text.strip_prefix('P').ok_or("a duration begins with P")?;
    let (date, time) = match rest.split_once('T') {
        Some((_, "")) => return Err("nothing follows T"),
        Some((date, time)) => (date, Some(time)),
        None => (rest, None),
    };
    if date.is_empty() && time.is_none() {
        return Err("nothing follows P");
    }
    let nanos = parts(date, &DATE_UNITS, time.is_none())?
        .checked_add(parts(time.unwrap_or_default(), &TIME_UNITS, true)?)
        .ok_or("it is longer than 100 years")?;
    if nanos > MAX_DURATION.as_nanos() {
        return Err("it is longer than 100 years");
    }
    let length = Duration::from_nanos(u64::try_from(nanos).map_err(|_| "it is longer than 100 years")?);
    // The store counts milliseconds; a duration that rounds to zero would end before it began.
    if length.as_millis() == 0 { Err("it is zero") } else { Ok(length) }
}

/// The sum of parts like `12D`, in nanoseconds. Units appear in order, each at most once. Only the
/// last part may have a fraction, and only if `last` says that no time part follows.
fn parts(mut text: &str, units: &[(char, u64)], last: bool) -> Result<u128, Why> {
    let mut total: u128 = 0;
    let mut left = units;
    while !text.is_empty() {
        let end = text
            .find(|c: char| c.is_ascii_uppercase())
            .ok_or("a number needs a unit in capitals behind it")?;
        let unit = char::from(text.as_bytes()[end]);
        let place =
            left.iter().position(|(name, _)| *name == unit).ok_or("its units are unknown or out of order")?;
        let seconds = left[place].1;
        left = &left[place + 1..];
        let number = &text[..end];
        text = &text[end + 1..];
        let fraction_allowed = last && text.is_empty();
        let nanos = nanos(number, seconds, fraction_allowed)?;
        total = total.checked_add(nanos).ok_or("it is longer than 100 years")?;
    }
    Ok(total)
}

fn nanos(number: &str, seconds: u64, fraction_allowed: bool) -> Result<u128, Why> {
    let (whole, fraction) = match number.split_once(['.', ',']) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    let unit = u128::from(seconds) * 1_000_000_000;
    let mut total = digits(whole, 12)?.checked_mul(unit).ok_or("it is longer than 100 years")?;
    if let Some(fraction) = fraction {
        if !fraction_allowed {
            return Err("only its last part may have a fraction");
        }
        let scale = 10_u128.pow(u32::try_from(fraction.len().min(12)).unwrap_or(12));
        total += unit * digits(fraction, 12)? / scale;
    }
    Ok(total)
}

fn digits(text: &str, most: usize) -> Result<u128, Why> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err("a unit needs a number before it");
    }
    if text.len() > most {
        return Err("a number in it has too many digits");
    }
    text.parse().map_err(|_| "a number in it cannot be read")
}

#[cfg(test)]
mod tests {
    use jiff::{Span, SpanRelativeTo, Unit};

    use super::*;

    /// Why jiff does not parse these. Once it agrees, it can.
    #[test]
    fn jiff_takes_other_durations() {
        let days = SpanRelativeTo::days_are_24_hours();
        let theirs = |text: &str| {
            let span = text.parse::<Span>().ok()?;
            span.total((Unit::Second, days)).ok()
        };
        for (text, ours, jiffs) in [
            ("PT2H", Some(7_200), Some(7_200.0)),
            ("P1W", Some(604_800), Some(604_800.0)),
            ("pt2h", None, Some(7_200.0)),
            ("+PT2H", None, Some(7_200.0)),
            ("-PT2H", None, Some(-7_200.0)),
            ("2 hours", None, Some(7_200.0)),
            ("P1.5D", Some(129_600), None),
            ("P1M", Some(30 * 86_400), None),
            ("P1Y", Some(365 * 86_400), None),
        ] {
            assert_eq!(iso(text).ok().map(|length| length.as_secs()), ours, "{text}");
            assert_eq!(theirs(text), jiffs, "{text}");
        }
    }
}
