//! What a model's server accepts in a request, learned from what it refuses.
//!
//! Providers differ from model to model: some refuse a temperature, some want another name for the
//! limit of output. Tables of models would be old next month. So the usual request is sent, and a
//! field that the server refuses by name is left out from then on.

/// The form of a request.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) temperature: bool,
    /// `max_completion_tokens` instead of `max_tokens`.
    pub(crate) new_limit_name: bool,
    pub(crate) stream_options: bool,
    pub(crate) thinking: Thinking,
    /// How often something was changed.
    pub(crate) changes: u32,
}

/// How a model is asked to reason. Each server accepts some of these.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// As much as the model likes, and for other protocols the usual field.
    Usual,
    /// With a number of tokens, for older models of Anthropic.
    Budget,
    /// The field is not sent.
    Unsaid,
}

impl Default for Shape {
    fn default() -> Self {
        let thinking = Thinking::Usual;
        Self { temperature: true, new_limit_name: false, stream_options: true, thinking, changes: 0 }
    }
}

/// Words with which a server refuses a field, in lower case.
const REFUSAL_WORDS: [&str; 9] = [
    "support",
    "deprecated",
    "unknown",
    "unrecognized",
    "not permitted",
    "not allowed",
    "unexpected",
    "extra",
    "only the default",
];

/// Fields that ask for reasoning, as servers name them.
const REASONING_FIELDS: [&str; 4] = ["think", "reasoning", "chat_template_kwargs", "enable_thinking"];

impl Shape {
    /// Leaves out what a refused request was refused for. `false`: it was refused for something
    /// else. Every change happens once, so a call ends.
    pub(crate) fn adapt(&mut self, status: u16, body: &str) -> bool {
        let body = body.to_lowercase();
        if !matches!(status, 400 | 422) || !REFUSAL_WORDS.iter().any(|word| body.contains(word)) {
            return false;
        }
        let before = *self;
        if body.contains("max_completion_tokens") {
            self.new_limit_name = true;
        } else if body.contains("stream_options") {
            self.stream_options = false;
        } else if body.contains("temperature") {
            self.temperature = false;
        } else if REASONING_FIELDS.iter().any(|word| body.contains(word)) {
            self.thinking = match self.thinking {
                Thinking::Usual => Thinking::Budget,
                Thinking::Budget | Thinking::Unsaid => Thinking::Unsaid,
            };
        }
        let changed = *self != before;
        self.changes += u32::from(changed);
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_field_is_left_out_once() {
        let mut shape = Shape::default();
        let body = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."}}"#;
        assert!(shape.adapt(400, body) && shape.new_limit_name);
        assert!(!shape.adapt(400, body));
        assert!(shape.adapt(400, "`temperature` is deprecated for this model.") && !shape.temperature);
        assert!(shape.adapt(422, "stream_options: Extra inputs are not permitted") && !shape.stream_options);
        assert_eq!(shape.changes, 3);
    }

    #[test]
    fn thinking_is_asked_for_in_another_way_and_then_not_at_all() {
        let mut shape = Shape::default();
        let body = "adaptive thinking is not supported on this model";
        assert!(shape.adapt(400, body) && shape.thinking == Thinking::Budget);
        assert!(
            shape.adapt(400, "\"llama\" does not support thinking") && shape.thinking == Thinking::Unsaid
        );
        assert!(!shape.adapt(400, body));
    }

    #[test]
    fn other_refusals_change_nothing() {
        let mut shape = Shape::default();
        assert!(!shape.adapt(400, "temperature must be between 0 and 2"));
        assert!(!shape.adapt(401, "temperature is not supported"));
        assert!(!shape.adapt(400, "model not supported"));
        assert_eq!(shape, Shape::default());
    }
}
