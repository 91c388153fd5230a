//! Captured entries as a list: one line each with id, time, kind and text, cut to the terminal.

use std::borrow::Cow;

use nudge_client::now;
use nudge_core::{Timestamp, text};

use super::Page;
use super::time::short_of_seconds;
use crate::context_args::working_directory;
use crate::pages::words::cut;

/// The width of the project column; longer names are cut.
const PROJECT_WIDTH: usize = 16;

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
            let project = padded(project, page.at_most(PROJECT_WIDTH));
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
    let gap = PROJECT_WIDTH.saturating_sub(text::width(&name));
    name + &" ".repeat(gap)
}

// The place and time of the view: ages and paths are relative to them.

/// The directory and time of the view.
pub(crate) struct View {
    /// The current time.
    pub(crate) now: Timestamp,
    /// The column widths of a list.
    pub(crate) columns: Columns,
    here: String,
    home: Option<String>,
}

/// The widths of the columns before the text: as wide as their widest value.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The width of ids.
    pub(crate) id: usize,
    /// The width of times.
    pub(crate) time: usize,
    /// The width of kinds.
    pub(crate) kind: usize,
}

impl View {
    /// The view of this process.
    pub(crate) fn own() -> Self {
        let home = std::env::home_dir().map(|home| home.to_string_lossy().into_owned());
        Self::of(now(), &working_directory().to_string_lossy(), home.as_deref())
    }

    /// The view from that directory.
    pub(crate) fn of(now: Timestamp, here: &str, home: Option<&str>) -> Self {
        let within = |dir: &str| format!("{}/", dir.trim_end_matches('/'));
        Self {
            now,
            columns: Columns::default(),
            here: within(here),
            home: home.filter(|home| home.len() > 1).map(within),
        }
    }

    /// The same, with columns for these rows: their ids, times and kinds.
    #[must_use]
    pub(crate) fn for_rows<'r>(mut self, rows: impl Iterator<Item = (i64, i64, &'r str)>) -> Self {
        for (id, at, kind) in rows {
            let columns = &mut self.columns;
            columns.id = columns.id.max(id.to_string().len());
            columns.time = columns.time.max(short_of_seconds(at, self.now).len());
            columns.kind = columns.kind.max(kind.len());
        }
        self
    }

    /// Shortens the path at the start of a text, relative to here: the end of a path says more than
    /// its beginning.
    pub(crate) fn shorten_path<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.here.len() > 1
            && let Some(rest) = text.strip_prefix(&self.here)
        {
            return Cow::Borrowed(rest);
        }
        match self.home.as_deref().and_then(|home| text.strip_prefix(home)) {
            Some(rest) => Cow::Owned(format!("~/{rest}")),
            None => Cow::Borrowed(text),
        }
    }
}

// Highlights the search terms in results.

/// How many characters at the end of two words may differ if they are to count as the same word.
const MAX_ENDING: usize = 3;

/// The query's words that an entry has.
pub(crate) struct SearchTerms(Vec<String>);

impl SearchTerms {
    /// Highlights nothing.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// The words of an explanation such as `cargo, title:test`.
    pub(crate) fn of(why: &str) -> Self {
        let words = why.split([',', ' ', '"', '*']).map(|word| word.strip_prefix("title:").unwrap_or(word));
        Self(words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect())
    }

    /// Whether the text has any of the words.
    pub(crate) fn occur_in(&self, text: &str) -> bool {
        self.0.is_empty() || text.split(|c| !is_of_word(c)).any(|piece| !piece.is_empty() && self.has(piece))
    }

    /// Adds the text, with these words highlighted.
    pub(crate) fn add(&self, page: &mut Page, text: &str) {
        let mut rest = text;
        while !rest.is_empty() {
            let in_word = rest.starts_with(is_of_word);
            let end = rest.find(|c| is_of_word(c) != in_word).unwrap_or(rest.len());
            let (piece, after) = rest.split_at(end);
            if in_word && self.has(piece) {
                page.strong(piece)
            } else {
                page.text(piece)
            };
            rest = after;
        }
    }

    fn has(&self, piece: &str) -> bool {
        let piece = piece.to_lowercase();
        self.0.iter().any(|word| piece.contains(word.as_str()) || is_ending_of(word, &piece))
    }
}

/// Whether two words differ only in their endings, such as `tests` and `testing`.
fn is_ending_of(word: &str, piece: &str) -> bool {
    let common = word.chars().zip(piece.chars()).take_while(|(a, b)| a == b).count();
    let longest = word.chars().count().max(piece.chars().count());
    common > MAX_ENDING && longest - common <= MAX_ENDING
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
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

    #[test]
    fn paths_are_relative_to_here() {
        let view = View::of(Timestamp::from_millis(0), "/home/ada/shop", Some("/home/ada"));
        assert_eq!(view.shorten_path("/home/ada/shop/src/a.rs"), "src/a.rs");
        assert_eq!(view.shorten_path("/home/ada/till/b.rs 3 lines"), "~/till/b.rs 3 lines");
        assert_eq!(view.shorten_path("/home/adam/c.rs"), "/home/adam/c.rs");
        assert_eq!(view.shorten_path("cargo test"), "cargo test");
        assert_eq!(View::of(Timestamp::from_millis(0), "/", None).shorten_path("/etc/hosts"), "/etc/hosts");
    }

    fn shown(why: &str, text: &str) -> String {
        let mut page = Page::new(80);
        SearchTerms::of(why).add(&mut page, text);
        page.into_text().replace("\u{1b}[1m", "[").replace("\u{1b}[0m", "]")
    }

    #[test]
    fn what_was_looked_for_stands_out() {
        assert_eq!(shown("cargo, title:tests", "run Cargo test, testing"), "run [Cargo] [test], [testing]");
        assert_eq!(shown("auth", "src/auth_token.rs and author"), "src/[auth_token].rs and [author]");
        assert_eq!(shown("", "nothing"), "nothing");
        assert_eq!(shown("日本", "日本語 text"), "[日本語] text");
    }
}
