//! The doc of `mv`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [r#"## <mv path="..." to="..."/> - move or rename files or entries"#, "The same form as cp."],
    [r#"<mv path="src/util.rs" to="src/text.rs"/>"#, "One file."],
    [r#"<mv path="known://draft/*" to="known://done/"/>"#, "A pattern moves all that it matches."],
    ["* You MUST give both path and to.", "As in cp."],
    ["* You SHOULD then correct what refers to the old path.", "A rename alone breaks imports."],
];
