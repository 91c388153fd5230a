//! Reports a query syntax error, with a mark under the position.

use nudge_core::{Fault, text};
use serde_json::Value;

use crate::exit::Failure;

/// The fault for the caller. Programs get it unchanged; users see the query and the position in it.
pub(super) fn with_query_mark(fault: Fault, query: &str, json: bool) -> Failure {
    let at = fault.data.get("at").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
    let (Some(at), Fault::QUERY, false) = (at, fault.reason.as_str(), json) else {
        return Failure::Fault(fault);
    };
    let hint = fault.next.map_or_else(String::new, |next| format!("\n\nhint: {next}"));
    Failure::Usage(format!("{}\n{}{hint}", fault.message, marked(query, at)))
}

/// The query, with a mark under one of its characters.
fn marked(query: &str, at: usize) -> String {
    let line: String = query.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let before = text::first_chars(&line, at);
    format!("  {line}\n  {}^", " ".repeat(text::width(before)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_under_the_place() {
        assert_eq!(marked("foo \"bar", 4), "  foo \"bar\n      ^");
        assert_eq!(marked("日本 AND", 6), "  日本 AND\n          ^");
        assert_eq!(marked("a\n(", 2), "  a (\n    ^");
    }
}
