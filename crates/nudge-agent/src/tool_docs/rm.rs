//! The doc of `rm`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [r#"## <rm path="..."/> - remove files or entries"#, "The same paths and patterns as get."],
    [r#"<rm path="src/old.rs"/>"#, "The simplest removal."],
    [r#"<rm path="known://tmp/*">draft</rm>"#, "Pattern and body filter, as in get."],
    [r#"<rm path="known://tmp/*" preview/>"#, "Safety: see what a pattern matches."],
    [
        "* You MUST preview a pattern before you remove by it.",
        "A removal by pattern is the costliest mistake.",
    ],
    ["* You SHOULD archive with set what may be needed again.", "Points back to the gentler way."],
];
