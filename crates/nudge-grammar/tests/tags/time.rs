//! Hostile outputs take time in proportion to their length.

use std::time::{Duration, Instant};

use nudge_grammar::{TagLimits, parse_tags};

/// The length of the shorter output; a debug build is some twenty times slower.
const LENGTH: usize = if cfg!(debug_assertions) { 32 * 1024 } else { 1024 * 1024 };

/// Twice the length may take this many times as long.
const FACTOR: f64 = 3.5;

/// What is faster than this is fast enough on any machine.
const FLOOR: Duration = Duration::from_millis(400);

/// No output may take longer.
const BOUND: Duration = Duration::from_secs(5);

const PIECES: &[&str] = &[
    "<set path=\"",
    "<set path='",
    "<get path=\"a",
    "<get>",
    "<get/>",
    "<get path=\"a\">",
    "`",
    "` ``",
    "```\n",
    "```xml\n<get>",
    "<set>",
    "<set>x",
    "<set>x\n<update>y\n",
    "</set>",
    "<set>x</get>",
    "x <set> ",
    "{\"name\":",
    "{\"name\":\"get\",\"arguments\":",
    "[{\"",
    "<|tool_call>",
    "<|tool_call>call:get{",
    "<|channel|>commentary to=functions.get<|message|>{",
    "[TOOL_CALLS]",
    "[TOOL_CALLS] [",
    "<tool_call>{\"",
    "<tool_use><name>",
    "<invoke name=\"get\"><parameter name=\"path\">",
    "<invoke ",
    "<function=get>",
    "<!--",
    "<![CDATA[",
    "<<NEW ",
    "<<A B ",
    "\"",
    "<get path=\"a\"b ",
    "<get path=\"a\" b ",
    "a=\"b\"c ",
    "<Get x ",
    "&#x",
    "<set path=\"a\"/>x</set>",
    "get a/b\n",
    "<think>",
    "x</think>",
    "<",
    "<get ",
    "“",
    "<get path=“",
    "<get path=\\\"",
    "<set><path>",
];

fn time(output: &str) -> Duration {
    let start = Instant::now();
    let parsed = parse_tags(output, TagLimits::default());
    assert!(parsed.calls.len() <= 99);
    start.elapsed()
}

fn best(output: &str) -> Duration {
    (0..3).map(|_| time(output)).min().expect("three runs")
}

fn check(name: &str, make: impl Fn(usize) -> String) {
    let output = make(2 * LENGTH);
    if time(&output) < FLOOR {
        return;
    }
    let (short, long) = (best(&make(LENGTH)), best(&output));
    assert!(long < BOUND, "{name:?} took {long:?}");
    let factor = long.as_secs_f64() / short.as_secs_f64();
    assert!(long < FLOOR || factor < FACTOR, "{name:?}: {short:?} and {long:?} at twice the length");
}

/// @tags_never_throw
#[test]
fn repeated_pieces_take_linear_time() {
    for piece in PIECES {
        check(piece, |length| piece.repeat(length / piece.len()));
        check(piece, |length| format!("<set path=\"a\">{}</set>", piece.repeat(length / piece.len())));
        check(piece, |length| format!("```tool_code\n{}", piece.repeat(length / piece.len())));
    }
}

/// @tags_never_throw
#[test]
fn deep_nesting_takes_linear_time() {
    for tag in ["<set>", "<set path=\"a\">", "<get path=\"b\">", "<think>x"] {
        let name = &tag[1..4];
        let name = if name == "thi" { "think" } else { name };
        check(tag, |length| {
            let depth = length / (tag.len() + name.len() + 3);
            format!("{}{}", tag.repeat(depth), format!("</{name}>").repeat(depth))
        });
    }
}
