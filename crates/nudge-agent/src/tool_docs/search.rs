//! The doc of `search`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    ["## <search>words</search> - find in memory and project files", "Says what is searched: not the web."],
    ["<search>login timeout</search>", "Plain words are enough."],
    [
        r#"<search results="5">"connection refused" AND port*</search>"#,
        "Phrase, operator, prefix and count in one line.",
    ],
    [
        "* You SHOULD search before you say that something is not known.",
        "The commonest wrong answer is a hasty no.",
    ],
    ["* You MAY then read a hit in full with get.", "Ties search to the tool before it: find, then load."],
];
