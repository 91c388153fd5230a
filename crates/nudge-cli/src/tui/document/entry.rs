//! One entry in full.

use nudge_memory::recall::Observation;
use serde_json::Value;

use super::field::field;
use crate::pages::metadata;
use crate::pages::words::whom;
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone};

/// Metadata that is shown as separate text, with its heading.
const TEXTS: [(&str, &str); 4] = [
    ("description", "Description"),
    ("response", "Output"),
    ("changed", "Change"),
    ("commit_message", "Message"),
];

pub(super) fn lines(entry: &Observation, clock: &Clock, columns: usize) -> Vec<Styled> {
    let mut lines = field("entry", Tone::Strong, &format!("#{} {}", entry.id, entry.obs_type), columns);
    lines.extend(field("when", Tone::Plain, &clock.long(entry.timestamp), columns));
    let facts = [
        ("project", &entry.project),
        ("session", &entry.session_id),
        ("tool", &entry.tool_name),
        ("file", &entry.file_path),
    ];
    for (name, text) in facts.iter().filter_map(|(name, text)| Some((name, text.as_deref()?))) {
        lines.extend(field(name, Tone::Plain, text, columns));
    }
    if let Some(by) = &entry.stated_by {
        lines.extend(field("stated by", Tone::Plain, &whom(by), columns));
    }
    for (name, text) in metadata::facts(entry) {
        lines.extend(field(&format!("{} ", name.replace('_', " ")), Tone::Plain, &text, columns));
    }
    lines.push(Styled::default());
    lines.extend(text_lines(&entry.content, columns));
    // The text of a summary repeats its metadata.
    if metadata::is_summary(entry) {
        return lines;
    }
    for (name, title) in TEXTS {
        if let Some(text) = entry.metadata.get(name).and_then(Value::as_str) {
            lines.push(Styled::default());
            lines.push(Styled::strong(title));
            lines.extend(text_lines(text, columns));
        }
    }
    lines
}

fn text_lines(text: &str, columns: usize) -> Vec<Styled> {
    text.lines().flat_map(|line| Styled::plain(line).wrapped(columns, 2)).collect()
}
