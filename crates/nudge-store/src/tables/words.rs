//! The words of a stored text, for searching.

use serde_json::Value;

/// Whether texts together hold all of these words, in upper or lower case, also inside JSON.
pub(crate) fn holds<'t>(words: &[String], texts: impl IntoIterator<Item = &'t str>) -> bool {
    let held: Vec<String> = texts.into_iter().map(words_of).collect();
    words.iter().map(|word| lower(word)).all(|word| held.iter().any(|text| text.contains(&word)))
}

/// A text in lower case: as it is and, if it is JSON, with all its strings decoded.
fn words_of(text: &str) -> String {
    fn add(value: &Value, words: &mut String) {
        match value {
            Value::String(said) => {
                words.push('\n');
                words.push_str(said);
                // A value may itself be JSON, written as a string.
                if let Ok(inner @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(said) {
                    add(&inner, words);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| add(item, words)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                words.push('\n');
                words.push_str(name);
                add(value, words);
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut words = text.to_owned();
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        add(&value, &mut words);
    }
    lower(&words)
}

/// A text in lower case, letter by letter: what a word becomes does not depend on what is around
/// it.
fn lower(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}
