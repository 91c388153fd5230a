//! Whose transcript a file is, by how it begins.

use serde_json::Value;

use super::line;
use crate::Harness;

/// How many lines are looked at: the first may be damaged, or hold nothing telling.
const LINES: usize = 20;

/// Whose transcript begins so, where that can be told.
pub fn recognise(begin: &str) -> Option<Harness> {
    let begin = begin.trim_start_matches('\u{feff}').trim_start();
    let by_line = begin.lines().take(LINES).filter_map(line::object).find_map(|fields| {
        let fields = Value::Object(fields.into_inner());
        of(&fields)
    });
    by_line.or_else(|| of_text(begin))
}

fn of(line: &Value) -> Option<Harness> {
    let kind = line["type"].as_str().unwrap_or_default();
    let has = |key: &str| !line[key].is_null();
    if line["payload"].is_object() && line["timestamp"].is_string() {
        return Some(Harness::Codex);
    }
    if line["data"].is_object() && kind.contains('.') {
        return Some(Harness::Copilot);
    }
    if has("projectHash") || (has("sessionId") && line["messages"].is_array()) {
        return Some(Harness::Gemini);
    }
    let is_message = matches!(kind, "user" | "assistant" | "system");
    (is_message && (line["message"].is_object() || has("session_id"))).then_some(Harness::Claude)
}

/// A line that is longer than what was read of it, or a document over many lines.
fn of_text(begin: &str) -> Option<Harness> {
    let head: String = begin.chars().take(2_000).filter(|character| !character.is_whitespace()).collect();
    if head.contains("\"type\":\"session_meta\",\"payload\":{") {
        return Some(Harness::Codex);
    }
    (head.starts_with('{') && head.contains("\"sessionId\":") && head.contains("\"messages\":["))
        .then_some(Harness::Gemini)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_is_known_by_its_lines() {
        let codex = r#"{"timestamp":"t","type":"session_meta","payload":{"id":"a"}}"#;
        assert_eq!(recognise(codex), Some(Harness::Codex));
        assert_eq!(recognise(&codex[..codex.len() - 3]), Some(Harness::Codex), "of a line that is cut off");
        let copilot = r#"{"type":"session.start","data":{"sessionId":"a"}}"#;
        assert_eq!(recognise(copilot), Some(Harness::Copilot));
        let gemini = "{\n  \"sessionId\": \"a\",\n  \"messages\": [\n    {";
        assert_eq!(recognise(gemini), Some(Harness::Gemini));
        assert_eq!(recognise(r#"{"sessionId":"a","projectHash":"b"}"#), Some(Harness::Gemini));
        let claude = "{\"type\":\"summary\"}\n{\"type\":\"user\",\"message\":{\"content\":\"hi\"}}";
        assert_eq!(recognise(claude), Some(Harness::Claude));
        assert_eq!(recognise("{\"type\":\"queue-operation\"}\nno JSON"), None);
    }
}
