//! Calls to MCP tools: which are Nudge's own, and what is kept of the others.

use std::io::{self, Write};

use nudge_core::ObservationKind;
use nudge_core::event::McpName;
use nudge_core::text::first_bytes;
use nudge_harness::tool::ToolUse;
use serde_json::Value;

use super::text::{self, ActionParts, MAX_NAME_CHARS, REDACTED_FACT};

/// The name Nudge's server registers under; plugins put a prefix before it.
const SERVER_NAME: &str = "nudge";

/// The limit for the arguments.
const MAX_ARGUMENTS_CHARS: usize = 500;

/// How much of the arguments is serialised before private spans are removed.
const MAX_SERIALIZED_BYTES: usize = 4_096;

/// Whether a call is to one of Nudge's own tools. If the server is not given, the tool's name
/// decides, provided that it is distinctive.
pub(super) fn is_ours(name: &McpName, is_own_tool: fn(&str) -> bool) -> bool {
    if name.server.is_empty() {
        return name.tool.contains('_') && is_own_tool(&name.tool);
    }
    name.server.rsplit([':', '_', '-', '/']).next() == Some(SERVER_NAME)
}

/// The server and tool, with shortened arguments.
pub(super) fn sketch(used: &ToolUse<'_>) -> Option<ActionParts> {
    let name = match &used.mcp {
        Some(name) if name.server.is_empty() => name.tool.clone(),
        Some(name) => format!("{}.{}", name.server, name.tool),
        None => used.name.to_owned(),
    };
    let name = text::head(&name, 2 * MAX_NAME_CHARS).text;
    // Strings are screened before serialisation, because JSON escapes their lines and quotes.
    let mut input = beginning(used.input, &mut MAX_SERIALIZED_BYTES.clone());
    let redacted = nudge_secrets::redact_json(&mut input);
    let written = written(&input);
    let arguments = text::head(&written, MAX_ARGUMENTS_CHARS);
    let mut parts = ActionParts::new(
        ObservationKind::McpCall,
        format!("{name} {}", arguments.text).trim_end(),
        usize::MAX,
    )?;
    parts.put("truncated", arguments.cut.then_some(true));
    parts.put(REDACTED_FACT, redacted.then_some(true));
    Some(parts)
}

/// The part of a value that will be serialised, so that large arguments are not copied. A string
/// keeps some extra text: a credential cut in half would not be recognised.
fn beginning(value: &Value, room: &mut usize) -> Value {
    /// Longer than most credentials.
    const SECRET_MARGIN: usize = 4_096;
    match value {
        Value::String(text) => {
            let taken = first_bytes(text, *room + SECRET_MARGIN);
            *room = room.saturating_sub(taken.len() + 2);
            Value::String(taken.to_owned())
        }
        Value::Array(items) => {
            let taken = items.iter().map_while(|item| (*room > 0).then(|| beginning(item, room)));
            Value::Array(taken.collect())
        }
        Value::Object(fields) => {
            let taken = fields.iter().map_while(|(name, value)| {
                *room = room.checked_sub(name.len() + 4)?;
                Some((name.clone(), beginning(value, room)))
            });
            Value::Object(taken.collect())
        }
        other => {
            *room = room.saturating_sub(4);
            other.clone()
        }
    }
}

/// Compact JSON, possibly truncated; empty if there are no arguments.
fn written(input: &Value) -> String {
    if input.is_null() || input.as_object().is_some_and(serde_json::Map::is_empty) {
        return String::new();
    }
    let mut begin = Begin(Vec::new());
    // It fails when the buffer is full, which is fine.
    let _full = serde_json::to_writer(&mut begin, input);
    String::from_utf8_lossy(&begin.0).trim_end_matches('\u{fffd}').to_owned()
}

/// Accepts only the first bytes, so that large arguments are not fully serialised.
struct Begin(Vec<u8>);

impl Write for Begin {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = MAX_SERIALIZED_BYTES - self.0.len();
        let taken = bytes.len().min(room);
        self.0.extend_from_slice(&bytes[..taken]);
        if taken == 0 && !bytes.is_empty() { Err(io::ErrorKind::WriteZero.into()) } else { Ok(taken) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn name(server: &str, tool: &str) -> McpName {
        McpName { server: server.into(), tool: tool.into() }
    }

    #[test]
    fn our_own_tools_are_known_under_each_name_of_the_server() {
        for server in ["nudge", "plugin:nudge:nudge", "plugin_nudge_nudge"] {
            assert!(is_ours(&name(server, "anything"), nudge_testkit::registry::has), "{server}");
        }
        assert!(is_ours(&name("", "set_hint"), nudge_testkit::registry::has));
        for other in
            [name("probe", "set_hint"), name("nudger", "x"), name("", "memory_search"), name("", "search")]
        {
            assert!(!is_ours(&other, nudge_testkit::registry::has), "{other:?}");
        }
    }

    #[test]
    fn arguments_are_written_as_far_as_they_are_kept() {
        assert_eq!(written(&json!({})), "");
        assert_eq!(written(&json!({"b": 1, "a": "x"})), r#"{"b":1,"a":"x"}"#);
        assert_eq!(written(&json!({"a": "x".repeat(10_000)})).len(), MAX_SERIALIZED_BYTES);
    }
}
