//! What is asked of a model, what is reported while the answer arrives, and the whole answer.

use std::time::Duration;

use crate::error::ErrorKind;
use crate::spec::ModelSpec;

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

/// Where progress is reported.
pub(crate) type On<'a> = &'a mut (dyn FnMut(Progress<'_>) + Send);

/// A step of a call.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// More of the answer.
    Text(&'a str),
    /// More of what the model thinks.
    Reasoning(&'a str),
    /// The call failed and is tried again.
    Retrying {
        /// What it failed with.
        kind: ErrorKind,
        /// Which retry this is, from 1.
        attempt: u32,
        /// How long until then.
        wait: Duration,
    },
}

/// The answer of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Completion {
    /// The answer.
    pub text: String,
    /// What the model thought, as far as the provider shows it.
    pub reasoning: String,
    /// How many tokens it took.
    pub usage: Usage,
    /// What the provider says it cost; else computed from the prices; else unknown.
    pub cost_usd: Option<f64>,
    /// Why the answer ended.
    pub finish: Finish,
    /// The model that answered, by the provider's name.
    pub model: Option<String>,
}

/// How many tokens a call took, as far as the provider says.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of input, cached ones included.
    pub input: Option<u64>,
    /// Tokens of input that came from the provider's cache.
    pub cached: Option<u64>,
    /// Tokens of output, reasoning included.
    pub output: Option<u64>,
    /// Tokens of reasoning.
    pub reasoning: Option<u64>,
}

/// Why an answer ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Finish {
    /// The model was done.
    #[default]
    Stop,
    /// The limit of tokens was reached.
    Length,
    /// Another reason, by the provider's name.
    Other(String),
}

/// USD by the user's prices; `None` if a price or a count is missing. Cached input counts in full,
/// so this is the most that it can have cost.
pub(crate) fn computed_cost(spec: &ModelSpec, usage: &Usage) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
    let part = |tokens: Option<u64>, price: Option<f64>| Some(tokens? as f64 * price? / 1_000_000.0);
    Some(part(usage.input, spec.input_price)? + part(usage.output, spec.output_price)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_needs_both_prices_and_both_counts() {
        let mut spec = ModelSpec::parse("a", "openai/m").unwrap();
        let mut usage = Usage { input: Some(2_000_000), output: Some(500_000), ..Usage::default() };
        assert_eq!(computed_cost(&spec, &usage), None);
        (spec.input_price, spec.output_price) = (Some(0.15), Some(0.6));
        assert_eq!(computed_cost(&spec, &usage), Some(0.6));
        usage.output = None;
        assert_eq!(computed_cost(&spec, &usage), None);
    }
}
