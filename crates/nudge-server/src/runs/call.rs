//! One call of a model: its answer is stored and sent on while it comes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nudge_agent::{FailureKind, Input, ModelTurn};
use nudge_home::Settings;
use nudge_memory::runs::LoopWork;
use nudge_models::{Client, ErrorKind, Finish, Keys, ModelError, ModelRequest, ModelSpec, Progress};
use nudge_store::TurnUsage;
use serde_json::json;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::settings;
use crate::backend::{Local, pool};
use crate::run_feed::{PROGRESS, RENDER, RunNote};

/// How often text that has come is stored, and an abort noticed.
const STORE_EVERY: Duration = Duration::from_millis(100);

/// No answer has more tokens than this.
const TOKENS_MOST: u64 = 1 << 40;

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

/// Text that has come and is not stored yet.
#[derive(Default)]
struct Incoming {
    text: Mutex<String>,
    came: Notify,
}

impl Call<'_> {
    /// Sends the request of a turn, and returns when it is answered, aborted or lost.
    pub(super) async fn run(&self, turn: &ModelTurn) -> Called {
        let settings = self.local.memory().settings();
        let incoming = Arc::new(Incoming::default());
        let request = self.request(turn, settings);
        let mut on = |step: Progress<'_>| self.on(turn, &incoming, step);
        self.note(turn, "thinking", json!({}));
        let deadlines = settings::deadlines(settings);
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
                    cost: completion.cost_usd.and_then(settings::micros),
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
                incoming.came.notify_one();
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

    /// Stores what comes; returns when the loop was ended.
    async fn store_while(&self, turn: &ModelTurn, incoming: &Incoming) {
        loop {
            let _ = tokio::time::timeout(STORE_EVERY, incoming.came.notified()).await;
            let text = std::mem::take(&mut *incoming.text.lock().unwrap_or_else(PoisonError::into_inner));
            let (local, work, sent) = (self.local.clone(), self.work.clone(), turn.turn.clone());
            let stored = pool::run_write(move || {
                let memory = local.memory();
                if text.is_empty() {
                    return work.is_open(memory);
                }
                let now = nudge_client::clock::now();
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
    tokens.map(|tokens| tokens.min(TOKENS_MOST))
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
