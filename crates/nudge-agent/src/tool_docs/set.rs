//! The doc of `set`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [r#"## <set path="...">body</set> - write or edit an entry"#, "One tool to create, edit and put away."],
    [
        r#"<set path="known://topic/name">One fact (its source).</set>"#,
        "One fact, one entry, with its source. Small models copy examples: this one states nothing.",
    ],
    [r#"<set path="known://old/*" visibility="archived"/>"#, "The pattern of get, now to free tokens."],
    [
        r#"<set path="known://plan"><<SEARCH step 1 SEARCH <<REPLACE step 2 REPLACE</set>"#,
        "An edit in place; the form for files too.",
    ],
    [
        "* You MUST store one fact per entry, below 500 tokens.",
        "The size gate rejects transcripts; better to know it first.",
    ],
    [
        "* You MAY keep open questions under unknown://.",
        "A rule and no example: small models make a tag of its name.",
    ],
    ["* You SHOULD archive what you no longer need.", "The budget block shows what that frees."],
];
