//! The settings of runs in the terms of the crates that need them.

use std::time::Duration;

use nudge_agent::Limits;
use nudge_home::Settings;
use nudge_home::settings::RunSettings;
use nudge_memory::runs::KnownModel;
use nudge_models::{Deadlines, ModelSpec, Provider, SpecError};

/// What a model can read if neither the user nor the provider says it.
const CONTEXT: u32 = 8_192;

/// The same for the large providers, whose current models all read at least this much.
const CONTEXT_LARGE: u32 = 128_000;

/// The limits of a loop.
pub(super) fn limits(settings: &Settings) -> Limits {
    let runs = &settings.runs;
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    Limits {
        max_turns: runs.max_turns,
        max_commands: count(runs.max_commands),
        max_strikes: runs.max_strikes,
        min_cycles: count(runs.min_cycles),
        max_cycle_period: count(runs.max_cycle_period),
        ceiling_percent: percent(runs),
        max_entry_tokens: runs.max_entry_tokens,
        ..Limits::default()
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the fraction is checked")]
fn percent(runs: &RunSettings) -> u32 {
    (runs.ceiling * 100.0).round().clamp(1.0, 100.0) as u32
}

/// How long requests are tried.
pub(super) fn deadlines(settings: &Settings) -> Deadlines {
    let runs = &settings.runs;
    let retry = Duration::from_secs(runs.retry_deadline_s);
    let default = Deadlines::default();
    Deadlines {
        retry,
        gateway: default.gateway.min(retry),
        server: default.server.min(retry),
        max_backoff: Duration::from_secs(runs.max_backoff_s),
        fetch: Duration::from_secs(runs.fetch_timeout_s),
        answer: Duration::from_secs(runs.answer_timeout_s),
    }
}

/// The model as its client needs it.
pub(super) fn spec(model: &KnownModel) -> Result<ModelSpec, SpecError> {
    Ok(ModelSpec {
        base_url: model.set.base_url.clone(),
        context: model.set.context,
        input_price: model.set.input_price,
        output_price: model.set.output_price,
        constrained: model.set.constrained,
        ..ModelSpec::parse(&model.alias, &model.set.model)?
    })
}

/// What a model can read if nobody says it.
pub(super) fn usual_context(spec: &ModelSpec) -> u32 {
    let is_usual_address = spec.base_url.is_none();
    match spec.provider {
        Provider::Anthropic | Provider::Xai | Provider::OpenAi if is_usual_address => CONTEXT_LARGE,
        _ => CONTEXT,
    }
}

/// Millionths of a dollar.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost is small and positive")]
pub(super) fn micros(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then(|| (cost * 1e6).round() as u64)
}
