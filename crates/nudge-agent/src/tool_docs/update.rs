//! The doc of `update`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        r#"## <update status="...">text</update> - end every reply with one"#,
        "Every reply has one: said here and in the reminders.",
    ],
    [
        r#"<update status="102">What was read; what comes next.</update>"#,
        "The loop goes on: what was done, what comes next.",
    ],
    [
        r#"<update status="200">The whole answer (path of its source).</update>"#,
        "The answer itself, with its source; no made-up fact, because small models copy it.",
    ],
    [
        "* Status MUST be 102 (go on), 200 (answer), 204 (nothing to do) or 422 (impossible).",
        "Other numbers go on, which wastes a turn.",
    ],
    ["* The text of 200 MUST be the whole answer.", "Only this text reaches the user."],
    [
        "* You MUST NOT send 200 before you have read the results of your calls.",
        "Results come with the next turn.",
    ],
];
