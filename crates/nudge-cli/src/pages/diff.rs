//! A unified diff, with its added and removed lines in colour.

use nudge_core::text::first_chars;

use super::Page;

/// How many lines of a diff a list shows.
const LINES_SHORT: usize = 20;

/// How many characters of a line a list shows. Some programs write everything on one line.
const CHARS_SHORT: usize = 4_000;

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
        (mark, line)
    })
}

/// Shows all of a diff, each line after `indent`.
pub(crate) fn whole(page: &mut Page, diff: &str, indent: &str) {
    lines(diff).for_each(|line| one(page, line, indent));
}

/// Whether [`short`] leaves something of a diff out.
pub(crate) fn is_long(diff: &str) -> bool {
    lines(diff).count() > LINES_SHORT + 1 || lines(diff).any(|(_, line)| hidden(line) > 0)
}

/// How many characters at the end of a line a list leaves out.
fn hidden(line: &str) -> usize {
    line[first_chars(line, CHARS_SHORT).len()..].chars().count()
}

/// Shows the first lines of a diff, and which command shows the rest.
pub(crate) fn short(page: &mut Page, diff: &str, indent: &str, command: &str) {
    let count = lines(diff).count();
    // A note about one line would take as much room as the line.
    let shown = if count > LINES_SHORT + 1 { LINES_SHORT } else { count };
    for (mark, line) in lines(diff).take(shown) {
        one(page, (mark, first_chars(line, CHARS_SHORT)), indent);
        let hidden = hidden(line);
        if hidden > 0 {
            page.text(indent).warning(format!("… {hidden} more characters; `{command}` shows all")).end();
        }
    }
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

    #[test]
    fn a_long_line_is_whole_or_says_how_much_is_missing() {
        let text = |blanks: usize, is_whole: bool| {
            let diff = format!("+make{};evil\n", " ".repeat(blanks));
            let mut page = Page::new(80);
            if is_whole {
                whole(&mut page, &diff, "")
            } else {
                short(&mut page, &diff, "", "nudge show 7")
            }
            (anstream::adapter::strip_str(&page.into_text()).to_string(), is_long(&diff))
        };
        assert!(text(3_000, false).0.contains(";evil") && !text(3_000, false).1);
        let (cut, is_long) = text(4_000, false);
        assert!(cut.ends_with("\n… 10 more characters; `nudge show 7` shows all\n") && is_long, "{cut}");
        assert!(text(100_000, true).0.contains(";evil"));
    }
}
