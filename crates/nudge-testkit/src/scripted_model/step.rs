//! What a scripted model does with a call.

use std::time::Duration;

use serde_json::Value;

/// What the model says when no step is left.
pub const FINAL_TEXT: &str = "Nothing is left to say.";

/// What happens to one call.
#[derive(Clone, Debug)]
pub enum Step {
    /// It is answered.
    Say(Say),
    /// It is answered with an error.
    Fail {
        /// The HTTP status.
        status: u16,
        /// The body, sent as it is.
        body: String,
        /// More headers.
        headers: Vec<(String, String)>,
    },
    /// The connection closes in the middle of the stream, after this text.
    BreakAfter {
        /// What comes before.
        text: String,
    },
    /// The stream ends in order after this text, but without its last part.
    EndEarly {
        /// What comes before.
        text: String,
    },
    /// The connection closes before any answer.
    HangUp,
    /// This text is sent, and then nothing until the client leaves.
    Hang {
        /// What comes before.
        text: String,
    },
    /// The answer is a success, but no protocol.
    Garbage,
    /// The stream reports an error after this text.
    ErrorInside {
        /// What comes before.
        text: String,
        /// The value of `error`.
        error: Value,
    },
}

impl Step {
    /// Answers with this text.
    pub fn say(text: &str) -> Self {
        Say::new(text).into()
    }

    /// Answers with this error.
    pub fn fail(status: u16, body: &str) -> Self {
        Self::Fail { status, body: body.to_owned(), headers: Vec::new() }
    }

    /// Adds a header to an error.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        if let Self::Fail { headers, .. } = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sends this text and closes the connection.
    pub fn break_after(text: &str) -> Self {
        Self::BreakAfter { text: text.to_owned() }
    }

    /// Sends this text and ends the stream without its last part.
    pub fn end_early(text: &str) -> Self {
        Self::EndEarly { text: text.to_owned() }
    }

    /// Sends this text and then nothing.
    pub fn hang_after(text: &str) -> Self {
        Self::Hang { text: text.to_owned() }
    }

    /// Sends this text and then an error.
    pub fn error_inside(text: &str, error: Value) -> Self {
        Self::ErrorInside { text: text.to_owned(), error }
    }
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Say {
    pub(super) text: String,
    pub(super) reasoning: String,
    pub(super) chunk: usize,
    pub(super) delay: Duration,
    pub(super) tokens: Option<Tokens>,
    pub(super) finish: String,
    pub(super) bytes: Option<usize>,
}

impl Say {
    /// This text in pieces of four characters, at once, with the default usage.
    pub fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            reasoning: String::new(),
            chunk: 4,
            delay: Duration::ZERO,
            tokens: Some(Tokens::default()),
            finish: "stop".to_owned(),
            bytes: None,
        }
    }

    /// What the model thinks before it answers.
    #[must_use]
    pub fn reasoning(self, text: &str) -> Self {
        Self { reasoning: text.to_owned(), ..self }
    }

    /// How many characters come in one piece.
    #[must_use]
    pub fn chunk(self, chars: usize) -> Self {
        Self { chunk: chars.max(1), ..self }
    }

    /// How long to wait before each piece.
    #[must_use]
    pub fn delay(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// The usage that is reported; `None` reports none.
    #[must_use]
    pub fn tokens(self, tokens: Option<Tokens>) -> Self {
        Self { tokens, ..self }
    }

    /// Why the answer ends, in the words of OpenAI: `stop`, `length` or another.
    #[must_use]
    pub fn finish(self, finish: &str) -> Self {
        Self { finish: finish.to_owned(), ..self }
    }

    /// Sends the stream in pieces of this many bytes, which may cut lines and characters.
    #[must_use]
    pub fn bytes(self, bytes: usize) -> Self {
        Self { bytes: Some(bytes.max(1)), ..self }
    }
}

impl From<Say> for Step {
    fn from(say: Say) -> Self {
        Self::Say(say)
    }
}

/// The usage that a call reports.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Tokens {
    /// Tokens of input, cached ones included.
    pub input: u64,
    /// Tokens of input from the cache.
    pub cached: u64,
    /// Tokens of output, reasoning included.
    pub output: u64,
    /// Tokens of reasoning.
    pub reasoning: u64,
    /// USD. Only chat completions report it.
    pub cost: Option<f64>,
}

impl Default for Tokens {
    fn default() -> Self {
        Self { input: 10, cached: 0, output: 5, reasoning: 0, cost: None }
    }
}
