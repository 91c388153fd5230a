//! Points in time as people type them.

use nudge_core::Timestamp;

/// A Unix time has at least this many digits; fewer are a mistake.
const UNIX_DIGITS: usize = 9;

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
    let unit = match text.chars().next_back()? {
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return None,
    };
    text[..text.len() - 1].parse::<u32>().ok().map(|number| i64::from(number) * unit)
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
        assert_eq!(read("2026-11-15"), Ok(1_794_700_800));
        assert_eq!(read("2026-11-15T06:10:27Z"), Ok(1_794_723_027));
        assert_eq!(read("1794723027"), Ok(1_794_723_027));
        for wrong in ["", "soon", "12", "2026-13-01", "-3d", "3y"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
