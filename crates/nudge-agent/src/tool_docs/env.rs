//! The doc of `env`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        r#"## <env command="..."/> - run a command that only looks"#,
        "Apart from sh, so that looking is cheap to allow.",
    ],
    [r#"<env command="git status --short"/>"#, "The simplest look."],
    [r#"<env command="rg -n 'fn main' src | head -20"/>"#, "A pipe, with an output that is kept short."],
    ["* You MUST NOT change anything with it.", "The one difference to sh."],
    ["* You SHOULD prefer get for files.", "A read by get has a cost and can be archived; output cannot."],
];
