//! An action while it is made out: the parts that depend on the kind of tool.

use nudge_core::ObservationKind;
use serde_json::{Map, Value};

use super::text;

/// Says of an action that a credential was taken out, as the store does.
pub(super) const REDACTED: &str = "redacted";

/// The parts of an action that depend on the kind of tool.
pub(super) struct Sketch {
    pub(super) kind: ObservationKind,
    pub(super) body: String,
    pub(super) metadata: Map<String, Value>,
}

impl Sketch {
    /// `None` when nothing is left of the text.
    pub(super) fn new(kind: ObservationKind, said: &str, most: usize) -> Option<Self> {
        let body = text::head(said, most);
        let mut sketch = Self { kind, body: body.text, metadata: Map::new() };
        sketch.put("truncated", body.cut.then_some(true));
        (!sketch.body.is_empty()).then_some(sketch)
    }

    pub(super) fn put<T: Into<Value>>(&mut self, key: &str, value: Option<T>) {
        if let Some(value) = value {
            self.metadata.insert(key.to_owned(), value.into());
        }
    }

    /// Words, as far as they are kept; nothing where none are left.
    pub(super) fn put_words(&mut self, key: &str, words: Option<&str>, most: usize) {
        let words = words.map(|words| text::head(words, most).text).filter(|words| !words.is_empty());
        self.put(key, words);
    }
}
