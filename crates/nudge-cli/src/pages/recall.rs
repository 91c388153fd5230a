//! Captured entries as a list: one line each with id, time, kind and text, cut to the terminal.

mod view;
mod words;

use nudge_core::text;

use super::page::Page;
use super::time::short_of_seconds;
use crate::fit::cut;

pub(crate) use view::{Columns, View};
pub(crate) use words::SearchTerms;

/// The width of the project column; longer names are cut.
const PROJECT: usize = 16;

/// One line about an entry.
pub(crate) struct Line<'l> {
    /// Its id.
    pub(crate) id: i64,
    /// When it happened, in Unix seconds.
    pub(crate) at: i64,
    /// Its kind.
    pub(crate) kind: &'l str,
    /// Its project, if the list does not imply it.
    pub(crate) project: Option<&'l str>,
    /// Its text.
    pub(crate) text: &'l str,
    /// Whether it is kept permanently.
    pub(crate) is_pinned: bool,
    /// Whether it is the requested entry.
    pub(crate) is_asked: bool,
}

impl Line<'_> {
    /// Adds the line, with the search terms highlighted.
    pub(crate) fn add(&self, page: &mut Page, words: &SearchTerms, view: &View) {
        let Columns { id, time, kind } = view.columns;
        let mut used = 1 + id + 2 + time + 2 + kind + 2;
        if self.is_asked {
            page.strong("▶")
        } else {
            page.text(" ")
        };
        page.text(format!("{:>id$}  ", self.id));
        page.faint(format!("{:<time$}", short_of_seconds(self.at, view.now))).text("  ");
        add_kind(page, self.kind, kind);
        page.text("  ");
        if let Some(project) = self.project {
            let project = padded(project, page.at_most(PROJECT));
            used += text::width(&project) + 2;
            page.faint(project).text("  ");
        }
        if self.is_pinned {
            page.warning("pinned ");
            used += 7;
        }
        let text = cut(&view.shorten_path(self.text), page.columns(), used);
        words.add(page, &text);
        page.end();
    }
}

/// The kind in its column: failures red, commits green. Without colour, the word says the same.
fn add_kind(page: &mut Page, kind: &str, column: usize) {
    let padded = format!("{kind:<column$}");
    match kind {
        "command_error" | "error" | "tool_error" => page.bad(padded),
        "git_commit" => page.good(padded),
        _ => page.text(padded),
    };
}

/// A name, padded to its column.
fn padded(name: &str, most: usize) -> String {
    let name = text::one_line_of_columns(name, most);
    let gap = PROJECT.saturating_sub(text::width(&name));
    name + &" ".repeat(gap)
}

#[cfg(test)]
mod tests {
    use nudge_core::Timestamp;

    use super::*;

    #[test]
    fn a_line_fits_the_terminal() {
        let mut page = Page::new(60);
        let text = "cargo test --workspace --all-features and more";
        let line =
            Line { id: 42, at: 0, kind: "command", project: None, text, is_pinned: false, is_asked: false };
        let view = View::of(Timestamp::from_millis(60_000), "/w", None);
        line.add(&mut page, &SearchTerms::none(), &view.for_rows([(1_042, 0, "command_error")].into_iter()));
        let shown = anstream::adapter::strip_str(&page.into_text()).to_string();
        // The hour depends on the time zone of the test run; the width does not.
        let time = short_of_seconds(0, Timestamp::from_millis(60_000));
        assert_eq!(shown, format!("   42  {time}  command        cargo test --workspace -…\n"));
    }
}
