//! Compares shown output with real output.
//!
//! A line with only `…` matches any number of lines; inside a line `…` and `[..]` match any text.

/// Whether the real lines match the page. Spaces at the end of a line are ignored.
pub(super) fn matches(shown: &[String], real: &[&str]) -> bool {
    match shown.split_first() {
        None => real.is_empty(),
        Some((line, rest)) if is_gap(line) => (0..=real.len()).any(|skipped| matches(rest, &real[skipped..])),
        Some((line, rest)) => real
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

fn is_gap(line: &str) -> bool {
    matches!(line.trim(), "…" | "...")
}

fn line_matches(shown: &str, real: &str) -> bool {
    let shown = shown.trim_end().replace("[..]", "…");
    let real = real.trim_end();
    let parts: Vec<&str> = shown.split('…').collect();
    let [first, middle @ .., last] = parts.as_slice() else { return shown == real };
    let Some(mut rest) = real.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(shown: &str, real: &str) -> bool {
        let shown: Vec<String> = shown.lines().map(str::to_owned).collect();
        matches(&shown, &real.lines().collect::<Vec<_>>())
    }

    #[test]
    fn the_same_text_matches_and_another_does_not() {
        assert!(check("a\nb", "a\nb  "));
        assert!(!check("a\nb", "a\nc"));
        assert!(!check("a", "a\nb"));
        assert!(!check("a\nb", "a"));
    }

    #[test]
    fn gaps_stand_for_lines_and_for_text_within_one() {
        assert!(check("a\n…\nd", "a\nb\nc\nd"));
        assert!(check("a\n…", "a"));
        assert!(!check("…\nd", "a\nb"));
        assert!(check("score: [..] of …", "score: 0.92 of 1"));
        assert!(!check("score: … of 2", "score: 0.92 of 1"));
        assert!(!check("a…a", "a"));
    }
}
