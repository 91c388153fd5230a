//! A session that began, and what it got.

use nudge_core::Timestamp;
use regex::Regex;

/// The heading of the user's statements, and the heading of where the work stopped.
pub(super) const STATED: &str = "## Stated by the person";
const STOPPED: &str = "## Where the work stopped";

/// One start.
#[derive(Clone, Debug)]
pub(super) struct SessionStart {
    pub(super) at: Timestamp,
    pub(super) repository: &'static str,
    /// Whether the wrong rule was corrected by then.
    pub(super) corrected: bool,
    /// What it got; empty where it got nothing.
    pub(super) text: String,
}

impl SessionStart {
    pub(super) fn new(at: i64, repository: &'static str, corrected: bool, text: Option<String>) -> Self {
        let text = text.unwrap_or_default();
        Self { at: Timestamp::from_millis(at), repository, corrected, text }
    }

    /// The lines below a heading.
    pub(super) fn section(&self, heading: &str) -> Vec<&str> {
        let below = self.text.lines().skip_while(|line| *line != heading).skip(1);
        below.take_while(|line| line.starts_with("- ") || line.starts_with("  ")).collect()
    }

    /// The section on where the work stopped, without its ages.
    pub(super) fn work(&self) -> String {
        without_ages(&self.section(STOPPED).join("\n"))
    }
}

/// A text with `…` for every age: `[2d ago]`, `3h ago`.
fn without_ages(text: &str) -> String {
    Regex::new(r"just now|\d+[a-z]+ ago")
        .map_or_else(|_| text.to_owned(), |age| age.replace_all(text, "…").into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_what_stands_below_its_heading() {
        let text = "# nudge context\n## Where the work stopped\n- [2d ago] asked: \"x\" #1\n  on main\n## Recent Intents\n- y\n";
        let begun = SessionStart::new(0, "shop", false, Some(text.to_owned()));
        assert_eq!(begun.work(), "- […] asked: \"x\" #1\n  on main");
        assert_eq!(begun.section(STATED), Vec::<&str>::new());
    }
}
