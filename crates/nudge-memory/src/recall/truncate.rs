//! Cuts answers to a length that an agent's program accepts in one piece.

use serde::Serialize;
use serde_json::{Map, Value};

/// The longest answer to an agent, in bytes of JSON. Claude Code rejects a tool result of more than
/// 25,000 tokens, and with many paths and symbols a token is two and a half bytes.
pub(super) const MAX_ANSWER_BYTES: usize = 60_000;

/// The fields with text of any length, and the fields that can contain such texts and lists.
const TEXT_FIELDS: [&str; 5] = ["content", "prompt_content", "metadata", "summary", "file_path"];

/// How many items of a list of facts are kept: the largest number that fits.
const ITEMS_KEPT: [usize; 4] = [100, 30, 10, 3];

/// The fewest bytes that are kept of every text.
const MIN_TEXT_BYTES: usize = 20;

/// How many bytes it takes to state the original length of a cut text.
const MARK_BYTES: usize = 34;

/// Cuts an answer that is too long: the longest texts are cut to one common length. If lists of
/// facts leave no room for texts, those lists are cut first. The answer states what was cut.
pub(crate) fn fitted(mut answer: Value) -> Value {
    if size(&answer) <= MAX_ANSWER_BYTES {
        return answer;
    }
    for most in ITEMS_KEPT {
        if Lengths::of(&answer).share().is_some() {
            break;
        }
        shorten_lists(&mut answer, most);
    }
    let share = Lengths::of(&answer).share().unwrap_or(MIN_TEXT_BYTES);
    cut(&mut answer, false, share);
    answer
}

/// The size of a value as JSON, in bytes.
pub(super) fn size<T: Serialize>(value: &T) -> usize {
    serde_json::to_vec(value).map_or(0, |json| json.len())
}

/// The lengths of the texts that can be cut, and of everything else.
#[derive(Default)]
struct Lengths {
    texts: Vec<usize>,
    rest: usize,
}

impl Lengths {
    fn of(answer: &Value) -> Self {
        let mut lengths = Self::default();
        lengths.gather(answer, false);
        lengths.texts.sort_unstable();
        // At this point, `rest` is the size of the marks on cut rows.
        lengths.rest += size(answer).saturating_sub(lengths.texts.iter().sum());
        lengths
    }

    fn gather(&mut self, value: &Value, is_text: bool) {
        match value {
            Value::String(text) if is_text => self.texts.push(length(text)),
            Value::Array(items) => items.iter().for_each(|item| self.gather(item, is_text)),
            Value::Object(fields) => {
                self.rest += if fields.contains_key("metadata") { MARK_BYTES } else { 0 };
                fields.iter().for_each(|(name, value)| self.gather(value, is_text || is_long(name)));
            }
            _ => {}
        }
    }

    /// The length that longer texts are cut to so that everything fits; `None` if almost nothing of
    /// them would be left.
    fn share(&self) -> Option<usize> {
        let mut room = MAX_ANSWER_BYTES.checked_sub(self.rest)?;
        for (number, length) in self.texts.iter().enumerate() {
            let share = room / (self.texts.len() - number);
            if *length > share {
                return Some(share).filter(|share| *share >= MIN_TEXT_BYTES);
            }
            room -= length;
        }
        Some(MAX_ANSWER_BYTES)
    }
}

fn cut(value: &mut Value, is_text: bool, share: usize) {
    match value {
        Value::String(text) if is_text && length(text) > share => *text = beginning(text, share),
        Value::Array(items) => items.iter_mut().for_each(|item| cut(item, is_text, share)),
        Value::Object(fields) => {
            mark(fields, share);
            fields.iter_mut().for_each(|(name, value)| cut(value, is_text || is_long(name), share));
        }
        _ => {}
    }
}

/// Records the original length of a row's text before it is cut, unless it was cut before.
fn mark(row: &mut Map<String, Value>, share: usize) {
    let whole = row.get("content").and_then(Value::as_str).filter(|text| length(text) > share);
    let Some(characters) = whole.map(|text| text.chars().count()) else { return };
    if let Some(Value::Object(metadata)) = row.get_mut("metadata") {
        metadata.entry("cut_from_characters").or_insert_with(|| characters.into());
    }
}

/// Keeps the first items of every list of facts, and records that next to them.
fn shorten_lists(value: &mut Value, most: usize) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_lists(item, most)),
        Value::Object(fields) => {
            for (name, value) in fields.iter_mut() {
                match value {
                    Value::Object(facts) if is_long(name) => {
                        let was_cut = facts.values_mut().fold(false, |cut, fact| shortened(fact, most) | cut);
                        if was_cut {
                            facts.insert("lists_cut_to".to_owned(), most.into());
                        }
                    }
                    other => shorten_lists(other, most),
                }
            }
        }
        _ => {}
    }
}

/// Shortens the lists in a fact; returns whether there was one to shorten.
fn shortened(fact: &mut Value, most: usize) -> bool {
    match fact {
        Value::Array(items) => {
            let is_long = items.len() > most;
            items.truncate(most);
            items.iter_mut().fold(is_long, |cut, item| shortened(item, most) | cut)
        }
        Value::Object(fields) => fields.values_mut().fold(false, |cut, field| shortened(field, most) | cut),
        _ => false,
    }
}

fn is_long(field: &str) -> bool {
    TEXT_FIELDS.contains(&field)
}

/// The size of a text in an answer, in bytes without its quotes.
fn length(text: &str) -> usize {
    text.chars().map(width).sum()
}

/// The size of a character in JSON, in bytes.
const fn width(c: char) -> usize {
    match c {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        c => c.len_utf8(),
    }
}

/// The start of a text that fits, with a sign that something is missing.
fn beginning(text: &str, most: usize) -> String {
    let mut room = most.saturating_sub('…'.len_utf8());
    let mut beginning = String::with_capacity(most);
    for c in text.chars() {
        let Some(left) = room.checked_sub(width(c)) else { break };
        room = left;
        beginning.push(c);
    }
    beginning.push('…');
    beginning
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(content: &str) -> Value {
        json!({"id": 1, "content": content, "metadata": {"response": "ok"}})
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let answer = json!([row(&"x".repeat(50_000)), row("short")]);
        assert_eq!(fitted(answer.clone()), answer);
    }

    #[test]
    fn only_the_longest_are_cut_and_all_to_one_length() {
        let quotes = "\"é\n".repeat(20_000);
        let answer = fitted(json!([row(&quotes), row("short"), row(&"x".repeat(20_000)), row(&quotes)]));
        let size = size(&answer);
        assert!((MAX_ANSWER_BYTES - 500..=MAX_ANSWER_BYTES).contains(&size), "{size}");
        assert_eq!(answer[1], row("short"));
        assert_eq!(answer[2]["content"].as_str().map(|text| text.ends_with("x…")), Some(true));
        let marks = [0, 2, 3].map(|number| answer[number]["metadata"]["cut_from_characters"].clone());
        assert_eq!(marks, [json!(60_000), json!(20_000), json!(60_000)]);
        assert_eq!(answer[0]["content"], answer[3]["content"]);
    }

    #[test]
    fn what_was_cut_before_says_from_how_long_it_was_first() {
        let long = json!({"content": "x".repeat(70_000), "metadata": {"cut_from_characters": 90_000}});
        assert_eq!(fitted(long)["metadata"]["cut_from_characters"], json!(90_000));
    }

    #[test]
    fn long_lists_of_facts_give_way_and_say_so() {
        let steps: Vec<Value> = (0..3_000).map(|t| json!({"t": t, "kind": "file_edit"})).collect();
        let answer =
            fitted(json!({"summary": {"intent": "fix it", "episodes": [{"trace": steps}]}, "prompts": []}));
        assert!(size(&answer) <= MAX_ANSWER_BYTES);
        assert_eq!(answer["summary"]["lists_cut_to"], json!(100));
        assert_eq!(answer["summary"]["intent"], json!("fix it"));
    }
}
