//! Text and fields that many pages share.

use std::time::Duration;

use nudge_core::text;

use super::Page;
use crate::agent_above::calling_agent;

/// How many of something: `1 hint`, `3 hints`, `2 entries`.
pub(crate) fn count(n: i64, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (n, stem) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {noun}s"),
    }
}

/// A number with commas between thousands: `4,120`.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Who stated something, as the reader sees it: `the person, in shop` is `you, in shop` for the
/// user and `the user, in shop` for an agent.
pub(crate) fn whom(stated_by: &str) -> String {
    match stated_by.strip_prefix("the person") {
        Some(rest) if calling_agent().is_some() => format!("the user{rest}"),
        Some(rest) => format!("you{rest}"),
        None => stated_by.to_owned(),
    }
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

/// A text wrapped to the page, each line after `indent`.
pub(crate) fn paragraph(page: &mut Page, indent: &str, text: &str) {
    let columns = page.columns().saturating_sub(indent.len());
    for line in text::wrap(text, columns) {
        page.text(indent).text(line).end();
    }
}

/// `name: text`, with the name faint.
pub(crate) fn field(page: &mut Page, name: &str, text: &str) {
    page.faint(format!("{name}:"));
    if !text.is_empty() {
        page.text(" ").text(text);
    }
    page.end();
}

/// Cuts a value to the rest of a line. Without a limit it stays whole.
pub(crate) fn cut(value: &str, columns: usize, used: usize) -> String {
    text::one_line_of_columns(value, columns.saturating_sub(used).max(12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_those_of_english() {
        assert_eq!([count(1, "day"), count(2, "day")], ["1 day", "2 days"]);
        assert_eq!([count(1, "entry"), count(0, "entry")], ["1 entry", "0 entries"]);
    }

    #[test]
    fn thousands_are_grouped() {
        let shown = [0, 999, 1_000, 41_200, 1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1,000", "41,200", "1,234,567"]);
    }

    #[test]
    fn lengths_are_spelled_in_two_units() {
        assert_eq!(spell(Duration::from_secs(7_200)), "2h");
        assert_eq!(spell(Duration::from_secs(5_400)), "1h 30m");
        assert_eq!(spell(Duration::from_secs(604_800)), "7d");
        assert_eq!(spell(Duration::ZERO), "0s");
    }
}
