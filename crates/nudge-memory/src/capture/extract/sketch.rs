//! An action under construction: the parts that depend on the kind of tool.

use nudge_core::ObservationKind;
use serde_json::{Map, Value};

use super::text;

/// Marks an action from which a credential was removed, with the same key as the store.
pub(super) const REDACTED: &str = "redacted";

/// The parts of an action that depend on the kind of tool.
pub(super) struct ActionParts {
    pub(super) kind: ObservationKind,
    pub(super) body: String,
    pub(super) metadata: Map<String, Value>,
}

impl ActionParts {
    /// `None` if no text is left.
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

    /// Adds a text, cut to `most`; adds nothing if no text is left.
    pub(super) fn put_text(&mut self, key: &str, words: Option<&str>, most: usize) {
        let words = words.map(|words| text::head(words, most).text).filter(|words| !words.is_empty());
        self.put(key, words);
    }
}
