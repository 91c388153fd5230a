//! A run, turn by turn, for people who ask why a test failed.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// How many characters of a body are shown.
const MAX_BODY_CHARS: usize = 120;

/// An entry as it stood.
#[derive(Clone, Debug, PartialEq)]
pub struct DumpEntry {
    /// The kind: `get`, `error`, `known`.
    pub scheme: String,
    /// State and outcome in a word, or the status.
    pub state: String,
    /// Its path.
    pub path: String,
    /// Its attributes.
    pub attributes: Map<String, Value>,
    /// Its body.
    pub body: String,
}

/// The entries of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct DumpTurn {
    /// Its number.
    pub turn: u32,
    /// In the order in which they happened.
    pub entries: Vec<DumpEntry>,
}

/// The dump: for each entry `scheme:state path {attributes}`, and below it the first 120 characters
/// of its body.
pub fn dump(turns: &[DumpTurn]) -> String {
    let mut text = String::new();
    for turn in turns {
        let _ = writeln!(text, "turn {}", turn.turn);
        if turn.entries.is_empty() {
            text.push_str("  (no entries)\n");
        }
        for entry in &turn.entries {
            write_entry(&mut text, entry);
        }
    }
    text
}

fn write_entry(text: &mut String, entry: &DumpEntry) {
    let DumpEntry { scheme, state, path, attributes, body } = entry;
    let attributes = Value::Object(attributes.clone());
    let _ = writeln!(text, "  {scheme}:{state} {} {attributes}", one_line(path));
    if !body.is_empty() {
        let shown: String = body.chars().take(MAX_BODY_CHARS).collect();
        let more = if body.chars().count() > MAX_BODY_CHARS { "…" } else { "" };
        let _ = writeln!(text, "    {}{more}", one_line(&shown));
    }
}

/// The text on one line: line breaks are shown, other control characters escaped.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => line.push('⏎'),
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(body: &str) -> DumpEntry {
        let attributes = Map::from_iter([("line".to_owned(), Value::from(3))]);
        DumpEntry {
            scheme: "get".to_owned(),
            state: "resolved".to_owned(),
            path: "log://turn_1/get/a".to_owned(),
            attributes,
            body: body.to_owned(),
        }
    }

    #[test]
    fn a_dump_shows_each_entry_under_its_turn() {
        let bare = DumpEntry { attributes: Map::new(), body: String::new(), ..entry("") };
        let turns = [
            DumpTurn { turn: 1, entries: vec![entry("one\ntwo\u{1b}"), bare] },
            DumpTurn { turn: 2, entries: vec![] },
        ];
        assert_eq!(
            dump(&turns),
            "turn 1\n  get:resolved log://turn_1/get/a {\"line\":3}\n    one⏎two\\u{1b}\n  get:resolved \
             log://turn_1/get/a {}\nturn 2\n  (no entries)\n"
        );
    }

    #[test]
    fn a_long_body_is_cut_between_characters() {
        let text = dump(&[DumpTurn { turn: 1, entries: vec![entry(&"ü".repeat(121))] }]);
        assert!(text.ends_with(&format!("    {}…\n", "ü".repeat(120))), "{text}");
    }
}
