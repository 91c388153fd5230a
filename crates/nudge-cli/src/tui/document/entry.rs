//! One entry in full.

use crate::pages::words::whom;
use nudge_memory::recall::Observation;
use serde_json::Value;

use super::field::field;
use crate::tui::clock::Clock;
use crate::tui::styled::{Styled, Tone};

/// Metadata that is shown as separate text, with its heading.
const TEXTS: [(&str, &str); 4] = [
    ("description", "Description"),
    ("response", "Output"),
    ("changed", "Change"),
    ("commit_message", "Message"),
];

/// Metadata that means nothing to users.
const HIDDEN: [&str; 2] = ["hash", "redacted"];

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
    lines.extend(metadata(entry, columns));
    lines.push(Styled::default());
    lines.extend(text_lines(&entry.content, columns));
    // The text of a summary repeats its metadata.
    if entry.obs_type == "session_summary" {
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

fn metadata(entry: &Observation, columns: usize) -> Vec<Styled> {
    let is_elsewhere = |name: &str| TEXTS.iter().any(|(text, _)| *text == name) || HIDDEN.contains(&name);
    let shown = entry.metadata.iter().filter(|(name, _)| !is_elsewhere(name));
    let is_summary = entry.obs_type == "session_summary";
    shown
        .filter(|_| !is_summary)
        .flat_map(|(name, value)| {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            field(&format!("{} ", name.replace('_', " ")), Tone::Plain, &text, columns)
        })
        .collect()
}

fn text_lines(text: &str, columns: usize) -> Vec<Styled> {
    text.lines().flat_map(|line| Styled::plain(line).wrapped(columns, 2)).collect()
}
