//! The doc of `sh`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [r#"## <sh command="..."/> - run a command that may change things"#, "The user accepts it first."],
    [r#"<sh command="cargo test"/>"#, "The simplest command."],
    [
        r#"<sh command="cargo fmt && cargo test -p api 2>&1 | tail -30"/>"#,
        "Steps that depend on each other, with a short output.",
    ],
    ["* You MUST NOT edit files with it; use set.", "An edit by set can be reviewed; sed cannot."],
    ["* You SHOULD run one command, then read its result.", "The output comes with the next turn."],
];
