//! The rules that have a number or an exact answer.

use nudge_grammar::{TagLimits, Tool, WarningKind, parse_tags};

/// @tags_cap
#[test]
fn calls_over_the_limit_are_dropped_with_one_warning() {
    let output = "<get path=\"a\"/>\n".repeat(120);
    let parsed = parse_tags(&output, TagLimits::default());
    assert_eq!(parsed.calls.len(), 99);
    assert_eq!(parsed.warnings.len(), 1);
    assert_eq!(parsed.warnings[0].kind, WarningKind::DroppedOverCap);
    assert_eq!(parsed.warnings[0].message, "21 calls over the limit of 99 were dropped");
}

/// @tags_cap
#[test]
fn a_limit_of_nothing_keeps_nothing() {
    let parsed = parse_tags("<get path=\"a\"/>", TagLimits { max_calls: 0 });
    assert!(parsed.calls.is_empty());
    assert_eq!(parsed.warnings[0].kind, WarningKind::DroppedOverCap);
}

/// @tags_attribute_or_body
#[test]
fn spans_are_the_bytes_of_the_call() {
    let output = "é <get path=\"a\"/> and <update>ü</update>.";
    let parsed = parse_tags(output, TagLimits::default());
    let spans: Vec<&str> = parsed.calls.iter().map(|call| &output[call.span.clone()]).collect();
    assert_eq!(spans, ["<get path=\"a\"/>", "<update>ü</update>"]);
    assert_eq!(parsed.text, "é\nand\n.");
}

/// @tags_opaque_bodies
#[test]
fn a_body_survives_byte_for_byte() {
    let body = "<<SEARCH\r\n\tif (a < b && c > d) { x = y << 2; } // </get> \"q\" 'r' &amp; \u{0}\n\nSEARCH";
    let output = format!("<set path=\"a.c\">{body}</set>");
    let parsed = parse_tags(&output, TagLimits::default());
    assert_eq!(parsed.calls[0].body.as_deref(), Some(body));
    assert!(parsed.warnings.is_empty());
}

/// @tags_attribute_or_body
#[test]
fn a_body_loses_one_newline_on_each_side() {
    let parsed = parse_tags("<set path=\"a\">\n\n  x\n\n</set>", TagLimits::default());
    assert_eq!(parsed.calls[0].body.as_deref(), Some("\n  x\n"));
    let parsed = parse_tags("<set path=\"a\"></set><set path=\"a\"/>", TagLimits::default());
    assert_eq!(parsed.calls[0].body.as_deref(), Some(""));
    assert_eq!(parsed.calls[1].body, None);
}

/// @tags_attribute_or_body
#[test]
fn an_update_without_status_goes_on() {
    let parsed =
        parse_tags("<update>reading</update><update status=\"200\">done</update>", TagLimits::default());
    let statuses: Vec<_> = parsed.calls.iter().map(|call| (call.tool, call.status)).collect();
    assert_eq!(statuses, [(Tool::Update, Some(102)), (Tool::Update, Some(200))]);
}

/// @tags_native_formats
#[test]
fn a_broken_token_leaves_no_literal_tag() {
    let parsed = parse_tags("<|tool_call>call:nothing\nI tried.", TagLimits::default());
    assert!(parsed.calls.is_empty());
    assert_eq!(parsed.warnings[0].kind, WarningKind::BrokenCall);
    assert!(!parsed.text.contains('<') && !parsed.warnings[0].message.contains('<'));
}
