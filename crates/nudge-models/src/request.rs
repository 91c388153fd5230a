//! What is asked of a model.

/// One question: a system text and a user text.
#[derive(Copy, Clone, Debug)]
pub struct ModelRequest<'a> {
    /// The instructions. Empty: none are sent.
    pub system: &'a str,
    /// The packet.
    pub user: &'a str,
    /// How freely the model chooses. A model that does not take one is asked without it.
    pub temperature: f32,
    /// The most tokens of output. Anthropic requires a number; 4096 if there is none here.
    pub max_tokens: Option<u32>,
    /// Whether the model should reason first, where it can.
    pub think: bool,
    /// A GBNF grammar for the answer. Sent only if the model is `constrained`.
    pub grammar: Option<&'a str>,
    /// The id of the turn. Goes out as `Idempotency-Key`, the same for every retry.
    pub turn_id: &'a str,
    /// The site that OpenRouter credits the request to.
    pub referer: Option<&'a str>,
    /// The name that OpenRouter credits the request to.
    pub title: Option<&'a str>,
}

impl ModelRequest<'_> {
    /// The temperature as people write it: 0.7 and not 0.699999988079071.
    pub(crate) fn temperature(&self) -> f64 {
        (f64::from(self.temperature) * 1000.0).round() / 1000.0
    }
}
