//! What holds for every output.

use nudge_grammar::{Parsed, TagLimits, parse_tags};
use proptest::prelude::*;

/// Pieces that outputs are made of, chosen so that they meet in bad places.
const PIECES: &[&str] = &[
    "<get path=\"a.rs\"/>",
    "<get path=\"",
    "<set path=\"b\">",
    "</set>",
    "<update",
    " status=\"200\"",
    ">",
    "/>",
    "</update>",
    "<think>",
    "</think>",
    "<sh>",
    "</sh>",
    "<",
    "</",
    "<ge",
    "`",
    "```",
    "```xml\n",
    "```tool_code\n",
    "\n",
    "\r\n",
    " ",
    "\"",
    "'",
    "\\",
    "“",
    "”",
    "é",
    "😀",
    "\u{0}",
    "<|tool_call>",
    "call:get{",
    "path:<|\"|>a<|\"|>",
    "}",
    "{\"name\":\"get\",",
    "\"arguments\":{\"path\":\"a\"}}",
    "[TOOL_CALLS]",
    "[",
    "]",
    "<tool_call>",
    "</tool_call>",
    "<|channel|>",
    "commentary to=functions.get",
    "<|message|>",
    "{}",
    "<tool_use>",
    "<name>get</name>",
    "<input>",
    "<invoke name=\"get\">",
    "<parameter name=\"path\">",
    "</parameter>",
    "</invoke>",
    "<function=get>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<<NEW",
    "NEW",
    "<nudge:get ",
    "<read ",
    "<known>",
    "get(path=\"a\")",
    "get file://x/y.rs",
    "path=a ",
    "preview",
    "&lt;",
    "&#0;",
    "&#x110000;",
    "=",
    ",",
    "<channel|>",
    "<mv path=\"a\" to=\"b\">",
    "~~~\n",
];

/// Checks what no output may break.
pub fn check_invariants(output: &str, parsed: &Parsed) {
    let mut end = 0;
    for call in &parsed.calls {
        assert!(call.span.start >= end && call.span.end >= call.span.start, "{:?} in {output:?}", call.span);
        assert!(output.get(call.span.clone()).is_some(), "{:?} in {output:?}", call.span);
        end = call.span.end;
    }
    for warning in &parsed.warnings {
        assert!(warning.at <= output.len(), "{warning:?} in {output:?}");
        assert!(!warning.message.contains('<'), "{warning:?}");
    }
    assert!(parsed.calls.len() <= TagLimits::default().max_calls);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// @tags_never_throw
    #[test]
    fn any_order_of_pieces_is_read(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let output: String = pieces.concat();
        check_invariants(&output, &parse_tags(&output, TagLimits::default()));
    }

    /// @tags_never_throw
    #[test]
    fn any_text_is_read(output in "\\PC{0,200}") {
        check_invariants(&output, &parse_tags(&output, TagLimits::default()));
    }

    /// @tags_opaque_bodies
    #[test]
    fn a_body_without_tool_tags_survives(body in "[a-zA-Z0-9 <>/&;\"'\\n\\\\{}()=-]{0,120}") {
        let is_plain = !body.contains("<<") && !body.contains("</s") && !body.contains("<!");
        let no_tag = !["<get", "<set", "<sh", "<rm", "<cp", "<mv", "<env", "<up"].iter().any(|tag| body.contains(tag));
        prop_assume!(is_plain && no_tag && !body.ends_with('<'));
        let output = format!("<set path=\"x\">\n{body}\n</set>");
        let parsed = parse_tags(&output, TagLimits::default());
        prop_assert_eq!(parsed.calls.len(), 1);
        prop_assert_eq!(parsed.calls[0].body.as_deref(), Some(body.as_str()));
        prop_assert!(parsed.warnings.is_empty());
    }

    /// @tags_quotes
    #[test]
    fn an_escaped_value_survives(value in "[^\\p{C}\\s]{1,30}") {
        let escaped = value.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        let parsed = parse_tags(&format!("<get path=\"{escaped}\"/>"), TagLimits::default());
        prop_assert_eq!(&parsed.calls[0].target, &value);
    }
}
