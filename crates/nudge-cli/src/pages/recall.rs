//! What was captured, as a person reads it: lines of id, age, kind and text that fit the terminal.

mod view;
pub(crate) mod when;
mod words;

use nudge_core::{Timestamp, text};

use super::page::Page;
use crate::fit::cut;

pub(crate) use view::{Columns, View};
pub(crate) use words::Words;

/// The columns of a project's name; longer ones are cut.
const PROJECT: usize = 16;

/// One line about something that happened.
pub(crate) struct Line<'l> {
    /// Its number.
    pub(crate) id: i64,
    /// When it happened, in Unix seconds.
    pub(crate) at: i64,
    /// What sort of thing.
    pub(crate) kind: &'l str,
    /// Its project, where that is not clear.
    pub(crate) project: Option<&'l str>,
    /// What it says.
    pub(crate) text: &'l str,
    /// Whether it is kept for good.
    pub(crate) is_pinned: bool,
    /// Whether it is the one that was asked about.
    pub(crate) is_asked: bool,
}

impl Line<'_> {
    /// Adds the line, with the words that were looked for standing out.
    pub(crate) fn add(&self, page: &mut Page, words: &Words, view: &View) {
        let Columns { id, age: old, kind } = view.columns;
        let mut used = 1 + id + 2 + old + 2 + kind + 2;
        if self.is_asked {
            page.strong("▶")
        } else {
            page.text(" ")
        };
        page.text(format!("{:>id$}  ", self.id));
        page.faint(format!("{:<old$}", age(self.at, view.now))).text(format!("  {:<kind$}  ", self.kind));
        if let Some(project) = self.project {
            page.faint(padded(project)).text("  ");
            used += PROJECT + 2;
        }
        if self.is_pinned {
            page.warning("pinned ");
            used += 7;
        }
        let text = cut(&view.near(self.text), page.columns(), used);
        words.add(page, &text);
        page.end();
    }
}

/// A name in the column for it.
fn padded(name: &str) -> String {
    let name = text::one_line_of_columns(name, PROJECT);
    let gap = PROJECT.saturating_sub(text::width(&name));
    name + &" ".repeat(gap)
}

/// How long ago something was, within a week; else the day.
pub(crate) fn age(at: i64, now: Timestamp) -> String {
    let at = Timestamp::from_millis(at.saturating_mul(1_000));
    text::age_or_day(at, now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_short_and_old_things_have_a_day() {
        let now = Timestamp::from_millis(1_794_723_027_000);
        let ago = |seconds: i64| age(1_794_723_027 - seconds, now);
        assert_eq!(
            [ago(-5), ago(59), ago(120), ago(7_200), ago(3 * 86_400), ago(8 * 86_400)],
            ["now", "now", "2m ago", "2h ago", "3d ago", "2026-11-07"]
        );
    }

    #[test]
    fn a_line_fits_the_terminal() {
        let mut page = Page::new(60);
        let text = "cargo test --workspace --all-features and more";
        let line =
            Line { id: 42, at: 0, kind: "command", project: None, text, is_pinned: false, is_asked: false };
        let view = View::of(Timestamp::from_millis(60_000), "/w", None);
        line.add(&mut page, &Words::none(), &view.for_rows([(1_042, 0, "command_error")].into_iter()));
        let shown = anstream::adapter::strip_str(&page.into_text()).to_string();
        assert_eq!(shown, "   42  1m ago  command        cargo test --workspace --all-…\n");
    }
}
