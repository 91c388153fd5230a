//! A tool's response as one text, however an agent wraps it.

use std::borrow::Cow;

use serde_json::Value;

/// Keys of the text in an object; the first that has one wins.
const TEXT_KEYS: &[&str] = &[
    "llmContent",
    "textResultForLlm",
    "text_result_for_llm",
    "output",
    "content",
    "text",
    "result",
    "error",
    "message",
];

/// Responses are nested no deeper than a list of results of parts.
const MAX_DEPTH: usize = 4;

/// JSON inside a string is parsed up to this size; such results are small.
const MAX_PACKED_BYTES: usize = 256 * 1024;

/// The text of a response, with both output streams of a command one after the other.
pub(super) fn output(response: &Value) -> Option<Cow<'_, str>> {
    text(response, MAX_DEPTH)
}

fn text(value: &Value, deeper: usize) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(unpacked(text, deeper).map_or(Cow::Borrowed(text.as_str()), Cow::Owned)),
        _ if deeper == 0 => None,
        Value::Array(items) => joined(items.iter().filter_map(|item| text(item, deeper - 1))),
        Value::Object(map) => {
            let streams = ["stdout", "stderr"].iter().filter_map(|key| map.get(*key)?.as_str());
            let streams = joined(streams.filter(|stream| !stream.is_empty()).map(Cow::Borrowed));
            streams.or_else(|| TEXT_KEYS.iter().find_map(|key| text(map.get(*key)?, deeper - 1)))
        }
        _ => None,
    }
}

/// The text of a result that is JSON inside a string.
fn unpacked(packed: &str, deeper: usize) -> Option<String> {
    let looks_so = packed.starts_with(['{', '[']) && packed.len() <= MAX_PACKED_BYTES && deeper > 0;
    let value: Value = looks_so.then(|| serde_json::from_str(packed).ok()).flatten()?;
    text(&value, deeper - 1).map(Cow::into_owned)
}

fn joined<'a>(mut texts: impl Iterator<Item = Cow<'a, str>>) -> Option<Cow<'a, str>> {
    let first = texts.next()?;
    let mut all = first;
    for next in texts {
        let all = all.to_mut();
        all.push('\n');
        all.push_str(&next);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(response: Value) -> Option<String> {
        output(&response).map(Cow::into_owned)
    }

    #[test]
    fn the_text_is_found_in_every_wrapping() {
        for response in [
            json!("a"),
            json!({"stdout": "a", "stderr": ""}),
            json!({"llmContent": "a", "returnDisplay": "b"}),
            json!({"resultType": "success", "textResultForLlm": "a"}),
            json!({"content": [{"type": "text", "text": "a"}]}),
            json!([{"query": "q", "result": "a", "success": true}]),
            json!("{\"exitCode\":0,\"stdout\":\"a\"}"),
        ] {
            assert_eq!(of(response.clone()).as_deref(), Some("a"), "{response}");
        }
        assert_eq!(of(json!({"stdout": "a", "stderr": "b"})).as_deref(), Some("a\nb"));
        assert_eq!(of(json!({"exit": 3})), None);
        assert_eq!(of(json!("{not json")).as_deref(), Some("{not json"));
    }
}
