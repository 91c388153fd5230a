//! Words and fields that many pages share.

use std::borrow::Cow;
use std::time::Duration;

use super::page::Page;

/// How many of something: `1 hint`, `3 hints`.
pub(crate) fn count(n: i64, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// A length of time in its largest whole units: `2h`, `1h 30m`, `7d`.
pub(crate) fn spell(length: Duration) -> String {
    let seconds = length.as_secs();
    let units =
        [(seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")];
    let words: Vec<String> =
        units.iter().filter(|(n, _)| *n > 0).take(2).map(|(n, unit)| format!("{n}{unit}")).collect();
    if words.is_empty() { "0s".to_owned() } else { words.join(" ") }
}

/// A timestamp to the second.
pub(crate) fn without_millis(at: &str) -> Cow<'_, str> {
    match at.split_once('.') {
        Some((seconds, _)) if at.ends_with('Z') => Cow::Owned(format!("{seconds}Z")),
        _ => Cow::Borrowed(at),
    }
}

/// `name: text`, the name faint.
pub(crate) fn field(page: &mut Page, name: &str, text: &str) {
    page.faint(format!("{name}:"));
    if !text.is_empty() {
        page.text(" ").text(text);
    }
    page.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_spelled_in_two_units() {
        assert_eq!(spell(Duration::from_secs(7_200)), "2h");
        assert_eq!(spell(Duration::from_secs(5_400)), "1h 30m");
        assert_eq!(spell(Duration::from_secs(604_800)), "7d");
        assert_eq!(spell(Duration::ZERO), "0s");
    }

    #[test]
    fn timestamps_lose_their_milliseconds_only() {
        assert_eq!(without_millis("2026-11-15T06:10:27.123Z"), "2026-11-15T06:10:27Z");
        assert_eq!(without_millis("soon"), "soon");
    }
}
