//! Reads diff lines, which start with a sign.

use super::lines::FileChange;

/// Adds one line with its sign; a line without one did not change.
pub(super) fn signed<'a>(line: &'a str, found: &mut FileChange<'a>) {
    match line.as_bytes().first() {
        Some(b'+') => found.add(&line[1..]),
        Some(b'-') => found.remove(&line[1..]),
        _ => {}
    }
}

/// Reads a unified diff; returns whether it was one. Hunks give their length, so a removed line `--
/// x` is not mistaken for the header of the next file.
pub(super) fn unified<'a>(text: &'a str, found: &mut FileChange<'a>) -> bool {
    let (mut old, mut new) = (0_u64, 0_u64);
    let mut any = false;
    for line in text.lines() {
        if old == 0 && new == 0 {
            if let Some(counts) = hunk(line) {
                (old, new) = counts;
                any = true;
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => new = new.saturating_sub(1),
            Some(b'-') => old = old.saturating_sub(1),
            // `\ No newline at end of file` belongs to neither side.
            Some(b'\\') => continue,
            _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
        }
        signed(line, found);
    }
    any
}

/// The number of lines on each side of a hunk: `@@ -1,2 +1,2 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::change::lines::Line;

    #[test]
    fn lines_that_look_like_headers_are_lines_inside_a_hunk() {
        let text = "--- a\n+++ a\n@@ -1,2 +1 @@\n--- x\n-y\n\\ No newline at end of file\n+++ z\n--- b\n+++ b\n@@ -3 +3 @@\n-p\n+q\n";
        let mut found = FileChange { removed: Some(0), ..FileChange::default() };
        assert!(unified(text, &mut found));
        let lines = [
            Line::Removed("-- x"),
            Line::Removed("y"),
            Line::Added("++ z"),
            Line::Removed("p"),
            Line::Added("q"),
        ];
        assert_eq!(found.lines, lines);
        assert!(!unified("no diff", &mut found));
    }
}
