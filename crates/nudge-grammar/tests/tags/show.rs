//! Shows a parsed output as a person reads it.

use std::fmt::Write as _;

use nudge_grammar::{Call, Parsed};
use serde_json::Value;

/// How many calls or warnings are shown of each output.
const SHOWN: usize = 8;

/// The output on one line, what was found in it, and what was recovered.
pub fn show(name: &str, output: &str, parsed: &Parsed) -> String {
    let mut text = format!("=== {name}\n    {}\n", one_line(output, 400));
    for call in parsed.calls.iter().take(SHOWN) {
        let _ = writeln!(text, "  {}", show_call(call));
    }
    if parsed.calls.len() > SHOWN {
        let _ = writeln!(text, "  … {} more calls", parsed.calls.len() - SHOWN);
    }
    if parsed.calls.is_empty() {
        text.push_str("  (no call)\n");
    }
    for warning in parsed.warnings.iter().take(SHOWN) {
        let _ = writeln!(text, "  ! {} at {}: {}", warning.kind.name(), warning.at, warning.message);
    }
    if parsed.warnings.len() > SHOWN {
        let last = parsed.warnings.last().expect("not empty");
        let more = parsed.warnings.len() - SHOWN;
        let _ = writeln!(text, "  ! … {more} more warnings, the last: {} {}", last.kind.name(), last.message);
    }
    if !parsed.text.is_empty() {
        let _ = writeln!(text, "  ~ {}", one_line(&parsed.text, 160));
    }
    text
}

fn show_call(call: &Call) -> String {
    let mut line = call.tool.name().to_owned();
    if !call.target.is_empty() {
        let _ = write!(line, " {}", one_line(&call.target, 200));
    }
    if let Some(to) = &call.to {
        let _ = write!(line, " -> {}", one_line(to, 200));
    }
    if let Some(status) = call.status {
        let _ = write!(line, " [{status}]");
    }
    if !call.attributes.is_empty() {
        let _ = write!(line, " {}", Value::Object(call.attributes.clone()));
    }
    if let Some(body) = &call.body {
        let _ = write!(line, " \"{}\"", one_line(body, 300));
    }
    line
}

fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for c in text.chars().take(most) {
        match c {
            '\n' => line.push('⏎'),
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    if text.chars().count() > most {
        line.push('…');
    }
    line
}
