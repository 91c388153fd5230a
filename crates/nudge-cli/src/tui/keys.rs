//! The keys: those shown at the bottom, and the page that lists all.

use super::state::{State, View};

/// A key and what it does.
pub(super) type Hint = (&'static str, &'static str);

/// The keys for the current view. A narrow terminal shows the first ones, and always the last one:
/// help.
pub(super) fn shown(state: &State) -> Vec<Hint> {
    if state.help {
        return vec![("any key", "close help")];
    }
    if state.reader.is_some() {
        return vec![
            ("↑↓", "scroll"),
            ("esc", "back"),
            ("space", "page down"),
            ("g/G", "top/end"),
            ("tab", "next view"),
            ("?", "help"),
        ];
    }
    let projects = if state.all { "this project" } else { "all projects" };
    match state.view {
        View::Sessions => list("trace", projects),
        View::Search => {
            let esc = if state.search.query.is_empty() { "quit" } else { "clear" };
            vec![
                ("enter", "open"),
                ("^T", "session"),
                ("tab", "next view"),
                ("^P", projects),
                ("esc", esc),
                ("↑↓", "move"),
                ("F1", "help"),
            ]
        }
        View::Review => vec![
            ("a", "accept"),
            ("d", "drop"),
            ("↑↓", "move"),
            ("enter", "open"),
            ("tab", "next view"),
            ("r", "reload"),
            ("q", "quit"),
            ("?", "help"),
        ],
        View::Why => list("open", projects),
    }
}

fn list(enter: &'static str, projects: &'static str) -> Vec<Hint> {
    vec![
        ("↑↓", "move"),
        ("enter", enter),
        ("tab", "next view"),
        ("p", projects),
        ("r", "reload"),
        ("q", "quit"),
        ("?", "help"),
    ]
}

/// Everything the help page lists, group by group.
pub(super) const HELP: [(&str, &[Hint]); 4] = [
    (
        "Everywhere",
        &[
            ("tab, shift-tab", "next, previous view"),
            ("1 2 3 4", "go to a view"),
            ("/", "search"),
            ("p", "one or all projects"),
            ("r", "reload"),
            ("?, F1", "this page"),
            ("q, esc, ^C", "leave"),
            ("^Z", "suspend"),
        ],
    ),
    (
        "Lists and pages",
        &[
            ("↑ ↓, j k", "one line"),
            ("pgup, pgdn", "one page"),
            ("g G, home, end", "top, end"),
            ("enter", "open the selected row"),
            ("esc, q, ←", "back to the list"),
        ],
    ),
    (
        "Search",
        &[
            ("^T", "open its session"),
            ("^P", "one or all projects"),
            ("^U, esc", "clear the query"),
            ("^W", "erase a word"),
        ],
    ),
    ("Review", &[("a", "accept"), ("d", "drop for good")]),
];
