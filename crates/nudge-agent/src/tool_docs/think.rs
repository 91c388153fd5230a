//! The doc of `think`.

/// Line and reason.
pub(super) const LINES: &[[&str; 2]] = &[
    [
        "## <think>notes</think> - reason before you act",
        "Gives reasoning a place, so that it does not leak into paths.",
    ],
    [
        "<think>Two entries differ; the newer one counts.</think>",
        "Short, and no fact: small models copy examples into their answers.",
    ],
    [
        "<think>Read: a.rs. Missing: who calls it. Next: search.</think>",
        "A form to copy: known, missing, next.",
    ],
    ["* You SHOULD keep it under 50 words.", "Small models think until their output is used up."],
    [
        "* You MUST NOT put calls or the answer in it.",
        "What is in a body is text: a call there is never made.",
    ],
];
