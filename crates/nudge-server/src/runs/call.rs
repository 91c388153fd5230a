//! One call of a model, under the settings of runs: its answer is stored and sent on while it
//! comes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nudge_agent::runs::LoopWork;
use nudge_agent::{FailureKind, Input, Limits, ModelTurn};
use nudge_home::Settings;
use nudge_home::settings::RunSettings;
use nudge_models::{
    Client, Deadlines, ErrorKind, Finish, Keys, ModelError, ModelRequest, ModelSpec, Progress, Provider,
};
use nudge_store::TurnUsage;
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::backend::{self, Local};
use crate::run_feed::{PROGRESS, RENDER, RunNote};

/// How often text that has come is stored, and an abort noticed.
const STORE_EVERY: Duration = Duration::from_millis(100);

/// No answer has more tokens than this.
const MAX_TOKENS: u64 = 1 << 40;

/// What came of a call.
pub(super) enum Called {
    /// An answer or a failure.
    Input(Input),
    /// The loop was ended meanwhile.
    Ended,
    /// This process stops.
    Stopped,
}

/// A call in the circumstances of its loop.
pub(super) struct Call<'c> {
    pub(super) local: &'c Arc<Local>,
    pub(super) client: &'c Client,
    pub(super) keys: &'c Keys,
    pub(super) spec: &'c ModelSpec,
    pub(super) work: &'c LoopWork,
    pub(super) project: &'c Arc<str>,
    pub(super) stop: &'c CancellationToken,
}

/// Text that has arrived and is not stored yet.
#[derive(Default)]
struct Incoming {
    text: Mutex<String>,
    arrived: Notify,
}

impl Call<'_> {
    /// Sends the request of a turn, and returns when it is answered, aborted or lost.
    pub(super) async fn run(&self, turn: &ModelTurn) -> Called {
        let settings = self.local.memory().settings();
        let incoming = Arc::new(Incoming::default());
        let request = self.request(turn, settings);
        let mut on = |step: Progress<'_>| self.on(turn, &incoming, step);
        self.note(turn, "thinking", json!({}));
        let deadlines = deadlines(settings);
        let answered = self.client.complete(self.spec, self.keys, &request, deadlines, &mut on);
        let storing = self.store_while(turn, &incoming);
        let done = tokio::select! {
            biased;
            () = self.stop.cancelled() => return Called::Stopped,
            () = storing => return Called::Ended,
            done = answered => done,
        };
        self.note(turn, "processing", json!({}));
        Called::Input(match done {
            Ok(completion) => Input::Answered {
                finish_is_length: completion.finish == Finish::Length,
                usage: TurnUsage {
                    context: counted(completion.usage.input),
                    cached: counted(completion.usage.cached),
                    completion: counted(completion.usage.output),
                    reasoning: counted(completion.usage.reasoning),
                    cost: completion.cost_usd.and_then(micro_dollars),
                },
                text: completion.text,
                reasoning: completion.reasoning,
            },
            Err(error) => failed(&error),
        })
    }

    fn request<'r>(&self, turn: &'r ModelTurn, settings: &'r Settings) -> ModelRequest<'r> {
        let stated = |text: &'r String| Some(text.as_str()).filter(|text| !text.is_empty());
        #[expect(clippy::cast_possible_truncation, reason = "a temperature is between 0 and 2")]
        let temperature = turn.temperature.unwrap_or(settings.runs.temperature) as f32;
        ModelRequest {
            system: &turn.system,
            user: &turn.user,
            temperature,
            max_tokens: None,
            think: settings.runs.think,
            grammar: turn.grammar.as_deref(),
            turn_id: &turn.id,
            referer: stated(&settings.runs.http_referer),
            title: stated(&settings.runs.x_title),
        }
    }

    /// Takes a step of the answer: text goes to the clients at once, and into the store soon.
    fn on(&self, turn: &ModelTurn, incoming: &Incoming, step: Progress<'_>) {
        match step {
            Progress::Text(text) => {
                incoming.text.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
                incoming.arrived.notify_one();
                let params = json!({"run": self.work.run.alias, "turn": turn.turn.seq, "text": text});
                self.send(RENDER, params);
            }
            Progress::Reasoning(_) => {}
            Progress::Retrying { kind, attempt, wait } => {
                let more = json!({"reason": kind.name(), "attempt": attempt,
                    "wait_ms": u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)});
                self.note(turn, "retrying", more);
            }
        }
    }

    /// Stores text as it arrives; returns when the loop was ended.
    async fn store_while(&self, turn: &ModelTurn, incoming: &Incoming) {
        loop {
            let _ = tokio::time::timeout(STORE_EVERY, incoming.arrived.notified()).await;
            let text = std::mem::take(&mut *incoming.text.lock().unwrap_or_else(PoisonError::into_inner));
            let (local, work, sent) = (self.local.clone(), self.work.clone(), turn.turn.clone());
            let stored = backend::run_write(move || {
                let memory = local.memory();
                if text.is_empty() {
                    return work.is_open(memory);
                }
                let now = nudge_client::now();
                work.stream(memory, &sent, &text, now).map(|()| true)
            })
            .await;
            match stored {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => return,
                Ok(Err(fault)) if LoopWork::is_aborted(&fault) => return,
                // What could not be stored now comes with the whole answer.
                Ok(Err(fault)) => tracing::warn!(reason = fault.reason, "a part of an answer was not stored"),
                Err(_) => tracing::error!("storing a part of an answer panicked"),
            }
            tokio::time::sleep(STORE_EVERY).await;
        }
    }

    fn note(&self, turn: &ModelTurn, state: &str, more: serde_json::Value) {
        let mut params = json!({"run": self.work.run.alias, "turn": turn.turn.seq, "status": state});
        if let (Some(params), serde_json::Value::Object(more)) = (params.as_object_mut(), more) {
            params.extend(more);
        }
        self.send(PROGRESS, params);
    }

    fn send(&self, method: &'static str, params: serde_json::Value) {
        self.local.runs().send(RunNote { project: self.project.clone(), method, params });
    }
}

/// A count of tokens, within what can be added up.
fn counted(tokens: Option<u64>) -> Option<u64> {
    tokens.map(|tokens| tokens.min(MAX_TOKENS))
}

/// A failure as the machine knows it.
pub(super) fn failed(error: &ModelError) -> Input {
    let kind = match error.kind {
        ErrorKind::NotConfigured => FailureKind::NotConfigured,
        ErrorKind::Auth => FailureKind::Auth,
        ErrorKind::ContextTooLong => FailureKind::ContextTooLong,
        ErrorKind::RateLimit => FailureKind::RateLimit,
        ErrorKind::Rejected => FailureKind::Rejected,
        ErrorKind::Timeout => FailureKind::Timeout,
        ErrorKind::Interrupted => FailureKind::Interrupted,
        ErrorKind::Malformed => FailureKind::Malformed,
        ErrorKind::WarmUp | ErrorKind::Gateway | ErrorKind::Server | ErrorKind::Network => {
            FailureKind::Unavailable
        }
    };
    Input::Failed { kind, message: error.message.clone() }
}

// The settings of runs in the terms of the crates that need them.

/// What a model can read if neither the user nor the provider says it.
const DEFAULT_CONTEXT: u32 = 8_192;

/// The same for the large providers, whose current models all read at least this much.
const LARGE_CONTEXT: u32 = 128_000;

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
fn deadlines(settings: &Settings) -> Deadlines {
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

/// The context of a model, if neither the settings nor its server name one.
pub(super) fn default_context(spec: &ModelSpec) -> u32 {
    let is_default_address = spec.base_url.is_none();
    match spec.provider {
        Provider::Anthropic | Provider::Xai | Provider::OpenAi if is_default_address => LARGE_CONTEXT,
        _ => DEFAULT_CONTEXT,
    }
}

/// A cost in millionths of a dollar.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cost is small and positive")]
pub(super) fn micro_dollars(cost: f64) -> Option<u64> {
    (cost.is_finite() && cost >= 0.0).then(|| (cost * 1e6).round() as u64)
}
