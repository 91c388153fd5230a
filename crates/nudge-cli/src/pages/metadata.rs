//! The metadata of an entry, for every page that shows one in full.

use nudge_memory::recall::Observation;
use serde_json::Value;

/// Metadata that pages show as separate text, under headings of their own.
const SEPARATE_TEXTS: [&str; 4] = ["response", "changed", "commit_message", "description"];

/// Metadata that means nothing to users.
const HIDDEN_METADATA: [&str; 2] = ["hash", "redacted"];

/// Whether the text of an entry repeats its metadata.
pub(crate) fn is_summary(entry: &Observation) -> bool {
    entry.obs_type == "session_summary"
}

/// The metadata to list by name. A summary has none.
pub(crate) fn facts(entry: &Observation) -> impl Iterator<Item = (&str, String)> {
    let listed = entry.metadata.iter().filter(|(name, _)| {
        !is_summary(entry)
            && !SEPARATE_TEXTS.contains(&name.as_str())
            && !HIDDEN_METADATA.contains(&name.as_str())
    });
    listed.map(|(name, value)| (name.as_str(), in_words(value)))
}

/// `runner cargo, verdict failed` for an object; any other value as it is.
fn in_words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| format!("{name} {}", in_words(value)));
            fields.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}
