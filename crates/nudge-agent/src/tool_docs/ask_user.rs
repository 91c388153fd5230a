//! The doc of `ask_user`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        r#"## <ask_user question="...">options</ask_user> - ask the user"#,
        "Last in the list: a question stops the work.",
    ],
    [r#"<ask_user question="Which database is meant?"/>"#, "An open question."],
    [
        r#"<ask_user question="Delete the old branch?">yes;no;later</ask_user>"#,
        "Options, apart by semicolons.",
    ],
    [
        "* You MUST search first; ask only what no file or entry answers.",
        "Asking is cheap for a model and costly for a person.",
    ],
    ["* You SHOULD ask one question at a time.", "The loop waits for each answer."],
];
