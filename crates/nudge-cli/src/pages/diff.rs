//! A unified diff, with its added and removed lines in colour.

use nudge_core::text::first_chars;

use super::page::Page;

/// How many lines of a diff a list shows.
const LINES_SHORT: usize = 20;

/// How many characters of a line to show. Some programs write everything on one line.
const WIDEST: usize = 1_000;

/// The meaning of a line of a diff.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Added,
    Removed,
    /// An unchanged line, or the place of a change.
    Around,
}

/// The lines of a diff without the names of its two files.
pub(crate) fn lines(diff: &str) -> impl Iterator<Item = (Mark, &str)> {
    let named = diff.starts_with("--- ");
    diff.lines().skip(if named { 2 } else { 0 }).map(|line| {
        let mark = match line.as_bytes().first() {
            Some(b'+') => Mark::Added,
            Some(b'-') => Mark::Removed,
            _ => Mark::Around,
        };
        (mark, first_chars(line, WIDEST))
    })
}

/// Shows all of a diff, each line after `indent`.
pub(crate) fn whole(page: &mut Page, diff: &str, indent: &str) {
    lines(diff).for_each(|line| one(page, line, indent));
}

/// Shows the first lines of a diff, and which command shows the rest.
pub(crate) fn short(page: &mut Page, diff: &str, indent: &str, command: &str) {
    let count = lines(diff).count();
    // A note about one line would take as much room as the line.
    let shown = if count > LINES_SHORT + 1 { LINES_SHORT } else { count };
    lines(diff).take(shown).for_each(|line| one(page, line, indent));
    if count > shown {
        page.text(indent).faint(format!("… and {} more lines; `{command}` shows all", count - shown)).end();
    }
}

fn one(page: &mut Page, (mark, line): (Mark, &str), indent: &str) {
    page.text(indent);
    match mark {
        Mark::Added => page.good(line),
        Mark::Removed => page.bad(line),
        Mark::Around => page.faint(line),
    };
    page.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_left_out_and_lines_that_look_like_them_are_not() {
        let diff = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n--- list\n+++ more\n";
        let marks: Vec<(Mark, &str)> = lines(diff).collect();
        let expected = [
            (Mark::Around, "@@ -1,2 +1,2 @@"),
            (Mark::Around, " same"),
            (Mark::Removed, "--- list"),
            (Mark::Added, "+++ more"),
        ];
        assert_eq!(marks, expected);
    }

    #[test]
    fn a_long_diff_is_cut_and_says_where_the_rest_is() {
        let text = |count: usize| {
            let mut page = Page::new(80);
            let diff: String = (0..count).map(|n| format!("+{n}\n")).collect();
            short(&mut page, &diff, "  ", "nudge show 7");
            anstream::adapter::strip_str(&page.into_text()).to_string()
        };
        assert_eq!(text(21).lines().count(), 21);
        assert_eq!(text(22).lines().count(), 21);
        assert!(text(22).ends_with("  … and 2 more lines; `nudge show 7` shows all\n"), "{}", text(22));
    }
}
