//! The client of one WebSocket: its methods, its project and its subscription.

use std::sync::Arc;

use nudge_core::Fault;
use nudge_memory::registry;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::AbortOnDropHandle;

use super::binding::Binding;
use super::link::Talk;
use super::outbox::{ALWAYS, Notes};
use super::subscription::{Asked, Subscription};
use crate::backend::Local;
use crate::http::AppState;
use crate::http::feed::Listening;
use crate::http::jsonrpc::{self, Methods, Reply};
use crate::http::methods;

/// The token that a client showed. A connection may outlive it.
#[derive(Clone)]
pub(super) struct Credential {
    state: Arc<AppState>,
    shown: Arc<str>,
}

impl Credential {
    pub(super) fn new(state: Arc<AppState>, shown: &str) -> Self {
        Self { state, shown: shown.into() }
    }

    /// Whether it is still the token.
    pub(super) fn is_valid(&self) -> bool {
        self.state.token.admits(&self.shown)
    }
}

/// The client of a connection.
pub(super) struct Peer {
    state: Arc<AppState>,
    local: Arc<Local>,
    listening: Listening,
    client: Option<String>,
    credential: Credential,
    notes: Notes,
    binding: Option<Arc<Binding>>,
    /// A subscription that begins when its answer is on its way.
    accepted: Option<Subscription>,
    /// Sends notifications until it is dropped.
    sending: Option<AbortOnDropHandle<()>>,
    /// Sends what happens in the runs of the project until it is dropped.
    hearing: Option<AbortOnDropHandle<()>>,
}

impl Peer {
    pub(super) fn new(
        state: Arc<AppState>,
        local: Arc<Local>,
        listening: Listening,
        client: Option<String>,
        credential: Credential,
        notes: Notes,
    ) -> Self {
        let (binding, accepted, sending, hearing) = (None, None, None, None);
        Self { state, local, listening, client, credential, notes, binding, accepted, sending, hearing }
    }

    async fn init(&mut self, params: Value) -> Result<Value, Fault> {
        let binding = Binding::open(params).await?;
        let mut answer = binding.to_json();
        answer["nudgeVersion"] = json!(self.state.identity.version);
        let notes = run_notes(self.local.clone(), binding.key().to_owned(), self.notes.clone());
        self.hearing = Some(AbortOnDropHandle::new(tokio::spawn(notes)));
        self.binding = Some(Arc::new(binding));
        Ok(answer)
    }

    async fn subscribe(&mut self, params: Value) -> Result<Value, Fault> {
        let asked = Asked::read(params)?;
        self.end_subscription();
        let subscription = asked.open(self.local.clone(), &self.listening).await;
        let position = subscription.position();
        self.accepted = Some(subscription);
        Ok(json!({"position": position}))
    }

    fn unsubscribe(&mut self, params: &Value) -> Result<Value, Fault> {
        if params.as_object().is_some_and(|params| !params.is_empty()) {
            return Err(methods::misfit(methods::UNSUBSCRIBE, "it takes no parameters"));
        }
        self.end_subscription();
        Ok(json!({}))
    }

    fn end_subscription(&mut self) {
        self.notes.next_subscription();
        (self.accepted, self.sending) = (None, None);
    }
}

impl Methods for Peer {
    async fn call(&mut self, method: &str, mut params: Value) -> Result<Value, Fault> {
        match method {
            methods::INIT => self.init(params).await,
            methods::SUBSCRIBE => self.subscribe(params).await,
            methods::UNSUBSCRIBE => self.unsubscribe(&params),
            operation => {
                let mut place = None;
                if let Some(binding) = self.binding.clone() {
                    if needs_project(operation) || names_run(&params) {
                        place = binding.place(&self.local)?;
                    }
                    params = binding.complete(operation, params).await;
                } else if needs_project(operation) {
                    return Err(not_bound());
                }
                methods::operate(&self.state.backend, self.client.clone(), place, operation, params).await
            }
        }
    }
}

/// Whether an operation works on runs, which belong to the project of the connection.
fn needs_project(operation: &str) -> bool {
    registry::find(operation).is_some_and(|operation| operation.clients_only)
}

/// Whether a call is about the entries of a run.
fn names_run(params: &Value) -> bool {
    params.get("run").is_some_and(|run| !run.is_null())
}

fn not_bound() -> Fault {
    Fault::invalid("needs_init", "runs belong to a project, and this connection has none")
        .next("call `init` with `name` and `projectRoot` first")
}

/// Passes on what happens in the runs of a project.
async fn run_notes(local: Arc<Local>, project: String, notes: Notes) {
    let mut heard = local.runs().subscribe();
    loop {
        match heard.recv().await {
            Ok(note) if *note.project == project => {
                let text = jsonrpc::notification(note.method, &note.params);
                if notes.send(ALWAYS, text).await.is_err() {
                    return;
                }
            }
            // A client that is behind reads the state again with `getRun`.
            Ok(_) | Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return,
        }
    }
}

impl Talk for Peer {
    fn is_admitted(&self) -> bool {
        self.credential.is_valid()
    }

    async fn answer(&mut self, text: &str) -> Option<String> {
        match jsonrpc::answer(text.as_bytes(), self).await {
            Reply::Answer(reply) | Reply::Refused(reply) => Some(reply.to_string()),
            Reply::Nothing => None,
        }
    }

    fn refuse_binary(&self) -> String {
        jsonrpc::refusal(-32600, "binary_message", "a request is a text message").to_string()
    }

    fn answered(&mut self) {
        if let Some(subscription) = self.accepted.take() {
            let number = self.notes.next_subscription();
            let sends = subscription.send(number, self.notes.clone(), self.credential.clone());
            self.sending = Some(AbortOnDropHandle::new(tokio::spawn(sends)));
        }
    }
}
