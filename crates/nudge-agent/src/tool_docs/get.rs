//! The doc of `get`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        r#"## <get path="..."/> - read a file or entry"#,
        "The header is the syntax. Files and entries are one thing.",
    ],
    [r#"<get path="src/main.rs"/>"#, "The simplest call, and the most frequent one."],
    [
        r#"<get path="known://*">deploy</get>"#,
        "A pattern and a body filter: recall by keyword, which set and rm build on.",
    ],
    [r#"<get path="src/**/*.rs" preview/>"#, "A list before a load: what there is and what it costs."],
    [r#"<get path="big.log" line="200" limit="50"/>"#, "A part of a file, for when the whole would not fit."],
    ["* You MUST read what you make claims about.", "Small models answer from the name of a file otherwise."],
    ["* You SHOULD preview a pattern before you read all it matches.", "The budget is the model's to keep."],
];
