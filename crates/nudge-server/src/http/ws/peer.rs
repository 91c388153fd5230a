//! The client of one WebSocket: its methods, its project and its subscription.

use std::sync::Arc;

use nudge_core::Fault;
use serde_json::{Value, json};
use tokio_util::task::AbortOnDropHandle;

use super::binding::Binding;
use super::link::Talk;
use super::outbox::Notes;
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
        let (binding, accepted, sending) = (None, None, None);
        Self { state, local, listening, client, credential, notes, binding, accepted, sending }
    }

    async fn init(&mut self, params: Value) -> Result<Value, Fault> {
        let binding = Binding::open(params).await?;
        let mut answer = binding.to_json();
        answer["nudgeVersion"] = json!(self.state.identity.version);
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
                if let Some(binding) = self.binding.clone() {
                    params = binding.complete(operation, params).await;
                }
                methods::operate(&self.state.backend, self.client.clone(), operation, params).await
            }
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
