//! The keys of models and runs.

use std::str::FromStr;

use super::{Key, put, switch};
use crate::settings::models::{self, MODEL_VARIABLE, MODELS_KEY};

/// Shown like any other key, but read by `models`: each model has fields of its own.
pub(super) const MODELS: Key = Key {
    name: MODELS_KEY,
    env: MODEL_VARIABLE,
    kind: models::KIND,
    doc: "Models that runs may use, each in a table `[models.NAME]`. `model` is `provider/model`; the \
        providers are openai (and every server that speaks its protocol), anthropic, ollama, openrouter and \
        xai. Optional: `base_url`; `context`, in tokens; `input_price` and `output_price`, in USD per million \
        tokens; `constrained = true`, to send a grammar to a llama.cpp server. A variable that names another \
        model drops its context and prices; one that names another provider drops the other fields, too. \
        Keys belong in the environment or in `keys.toml`, not here",
    project: "cannot set it",
    set: |_, _| Err(models::KIND.to_owned()),
    show: |settings| models::shown(&settings.models).into(),
    narrows: |_, _| false,
};

pub(super) const CEILING: Key = Key {
    name: "runs.ceiling",
    env: "NUDGE_RUNS_CEILING",
    kind: "0.1 to 1",
    doc: "How much of the model's context a packet may take, as a fraction",
    project: "cannot set it",
    set: |settings, text| put(&mut settings.runs.ceiling, within(text, 0.1, 1.0), "a number from 0.1 to 1"),
    show: |settings| settings.runs.ceiling.into(),
    narrows: |_, _| false,
};

pub(super) const MAX_ENTRY_TOKENS: Key = Key {
    name: "runs.max_entry_tokens",
    env: "NUDGE_RUNS_MAX_ENTRY_TOKENS",
    kind: "1 to 1000000",
    doc: "Maximum tokens of one entry that a run writes",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.max_entry_tokens, within(text, 1, 1_000_000), "a number from 1 to 1000000")
    },
    show: |settings| settings.runs.max_entry_tokens.into(),
    narrows: |_, _| false,
};

pub(super) const MAX_TURNS: Key = Key {
    name: "runs.max_turns",
    env: "NUDGE_RUNS_MAX_TURNS",
    kind: "1 to 9999",
    doc: "Maximum turns of one loop: one prompt and the work on it",
    project: "may only lower it",
    set: |settings, text| {
        put(&mut settings.runs.max_turns, within(text, 1, 9_999), "a number from 1 to 9999")
    },
    show: |settings| settings.runs.max_turns.into(),
    narrows: |now, then| then.runs.max_turns <= now.runs.max_turns,
};

pub(super) const MAX_COMMANDS: Key = Key {
    name: "runs.max_commands",
    env: "NUDGE_RUNS_MAX_COMMANDS",
    kind: "1 to 9999",
    doc: "Maximum commands in one turn; the others are dropped, and the model is informed",
    project: "may only lower it",
    set: |settings, text| {
        put(&mut settings.runs.max_commands, within(text, 1, 9_999), "a number from 1 to 9999")
    },
    show: |settings| settings.runs.max_commands.into(),
    narrows: |now, then| then.runs.max_commands <= now.runs.max_commands,
};

pub(super) const MAX_STRIKES: Key = Key {
    name: "runs.max_strikes",
    env: "NUDGE_RUNS_MAX_STRIKES",
    kind: "1 to 9999",
    doc: "Number of turns with errors in a row after which a loop gives up",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.max_strikes, within(text, 1, 9_999), "a number from 1 to 9999")
    },
    show: |settings| settings.runs.max_strikes.into(),
    narrows: |_, _| false,
};

pub(super) const MIN_CYCLES: Key = Key {
    name: "runs.min_cycles",
    env: "NUDGE_RUNS_MIN_CYCLES",
    kind: "2 to 9999",
    doc: "Number of times that the same turns must repeat to count as a cycle",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.min_cycles, within(text, 2, 9_999), "a number from 2 to 9999")
    },
    show: |settings| settings.runs.min_cycles.into(),
    narrows: |_, _| false,
};

pub(super) const MAX_CYCLE_PERIOD: Key = Key {
    name: "runs.max_cycle_period",
    env: "NUDGE_RUNS_MAX_CYCLE_PERIOD",
    kind: "1 to 9999",
    doc: "Maximum number of turns in one cycle",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.max_cycle_period, within(text, 1, 9_999), "a number from 1 to 9999")
    },
    show: |settings| settings.runs.max_cycle_period.into(),
    narrows: |_, _| false,
};

pub(super) const RETENTION_DAYS: Key = Key {
    name: "runs.retention_days",
    env: "NUDGE_RUNS_RETENTION_DAYS",
    kind: "1 to 36500",
    doc: "Number of days that a run is kept after it has ended",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.retention_days, within(text, 1, 36_500), "a number from 1 to 36500")
    },
    show: |settings| settings.runs.retention_days.into(),
    narrows: |_, _| false,
};

pub(super) const THINK: Key = Key {
    name: "runs.think",
    env: "NUDGE_RUNS_THINK",
    kind: "true or false",
    doc: "Ask the model to reason before it answers, if it can",
    project: "cannot set it",
    set: |settings, text| put(&mut settings.runs.think, switch(text), "true or false"),
    show: |settings| settings.runs.think.into(),
    narrows: |_, _| false,
};

pub(super) const TEMPERATURE: Key = Key {
    name: "runs.temperature",
    env: "NUDGE_RUNS_TEMPERATURE",
    kind: "0 to 2",
    doc: "Temperature that the model samples with",
    project: "cannot set it",
    set: |settings, text| put(&mut settings.runs.temperature, within(text, 0.0, 2.0), "a number from 0 to 2"),
    show: |settings| settings.runs.temperature.into(),
    narrows: |_, _| false,
};

pub(super) const FETCH_TIMEOUT_S: Key = Key {
    name: "runs.fetch_timeout_s",
    env: "NUDGE_RUNS_FETCH_TIMEOUT_S",
    kind: "1 to 86400",
    doc: "Seconds without a byte from the model after which a request fails",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.fetch_timeout_s, within(text, 1, 86_400), "a number from 1 to 86400")
    },
    show: |settings| settings.runs.fetch_timeout_s.into(),
    narrows: |_, _| false,
};

pub(super) const ANSWER_TIMEOUT_S: Key = Key {
    name: "runs.answer_timeout_s",
    env: "NUDGE_RUNS_ANSWER_TIMEOUT_S",
    kind: "1 to 86400",
    doc: "Seconds that an answer may take, however slowly it comes",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.answer_timeout_s, within(text, 1, 86_400), "a number from 1 to 86400")
    },
    show: |settings| settings.runs.answer_timeout_s.into(),
    narrows: |_, _| false,
};

pub(super) const RETRY_DEADLINE_S: Key = Key {
    name: "runs.retry_deadline_s",
    env: "NUDGE_RUNS_RETRY_DEADLINE_S",
    kind: "1 to 86400",
    doc: "Seconds for which a request is repeated while a model starts or limits its rate",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.retry_deadline_s, within(text, 1, 86_400), "a number from 1 to 86400")
    },
    show: |settings| settings.runs.retry_deadline_s.into(),
    narrows: |_, _| false,
};

pub(super) const MAX_BACKOFF_S: Key = Key {
    name: "runs.max_backoff_s",
    env: "NUDGE_RUNS_MAX_BACKOFF_S",
    kind: "1 to 86400",
    doc: "Maximum seconds between two attempts of a request",
    project: "cannot set it",
    set: |settings, text| {
        put(&mut settings.runs.max_backoff_s, within(text, 1, 86_400), "a number from 1 to 86400")
    },
    show: |settings| settings.runs.max_backoff_s.into(),
    narrows: |_, _| false,
};

pub(super) const HTTP_REFERER: Key = Key {
    name: "runs.http_referer",
    env: "NUDGE_RUNS_HTTP_REFERER",
    kind: HEADER,
    doc: "Address that requests to OpenRouter are credited to, sent as `HTTP-Referer`; empty sends none",
    project: "cannot set it",
    set: |settings, text| put(&mut settings.runs.http_referer, header(text), HEADER),
    show: |settings| settings.runs.http_referer.clone().into(),
    narrows: |_, _| false,
};

pub(super) const X_TITLE: Key = Key {
    name: "runs.x_title",
    env: "NUDGE_RUNS_X_TITLE",
    kind: HEADER,
    doc: "Name that requests to OpenRouter are credited to, sent as `X-Title`; empty sends none",
    project: "cannot set it",
    set: |settings, text| put(&mut settings.runs.x_title, header(text), HEADER),
    show: |settings| settings.runs.x_title.clone().into(),
    narrows: |_, _| false,
};

/// What a header takes.
const HEADER: &str = "at most 200 characters of ASCII";

/// The value of a header.
fn header(text: &str) -> Option<String> {
    let fits = text.len() <= 200 && text.chars().all(|c| c == ' ' || c.is_ascii_graphic());
    fits.then(|| text.to_owned())
}

/// A number in a range. NaN is in none.
fn within<T: FromStr + PartialOrd>(text: &str, least: T, most: T) -> Option<T> {
    text.parse().ok().filter(|number| *number >= least && *number <= most)
}
