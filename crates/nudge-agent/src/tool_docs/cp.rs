//! The doc of `cp`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        r#"## <cp path="..." to="..."/> - copy files or entries"#,
        "Source and destination as attributes: a body may get lost.",
    ],
    [r#"<cp path="config.toml" to="config.bak.toml"/>"#, "One file."],
    [
        r#"<cp path="known://plan_*" to="known://archive/" preview/>"#,
        "A pattern, and the preview known from get and rm.",
    ],
    ["* You MUST give both path and to.", "The commonest broken copy has one of them."],
    ["* You MUST NOT expect it to overwrite; an existing entry stays.", "So that a failure is no surprise."],
];
