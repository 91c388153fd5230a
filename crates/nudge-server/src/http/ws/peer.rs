//! The client of one WebSocket: its methods, its project and its subscription.

use std::sync::Arc;
use std::time::Duration;

use nudge_agent::registry;
use nudge_core::{Context, Fault, FaultKind};
use nudge_memory::{Caller, Surface};
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;
use tokio_util::task::AbortOnDropHandle;

use super::binding::Binding;
use super::link::{Goodbye, Talk};
use super::outbox::{NO_SUBSCRIPTION, Notes};
use super::subscription::{SubscribeParams, Subscription};
use crate::backend::{self, Local};
use crate::http::feed::Listening;
use crate::http::jsonrpc::{self, Methods, Reply};
use crate::http::methods;
use crate::http::state::{AppState, Shown};

/// What a client showed to be let in. A connection may outlive it.
#[derive(Clone)]
pub(super) struct Credential {
    state: Arc<AppState>,
    shown: Shown,
}

impl Credential {
    pub(super) fn new(state: Arc<AppState>, shown: Shown) -> Self {
        Self { state, shown }
    }

    /// Whether it still counts.
    pub(super) fn is_valid(&self) -> bool {
        self.state.rights_of(&self.shown).is_some()
    }
}

/// The client of a connection.
pub(super) struct Peer {
    state: Arc<AppState>,
    local: Arc<Local>,
    listening: Listening,
    /// Who calls, at the time of the connection.
    caller: Caller,
    credential: Credential,
    notes: Notes,
    binding: Option<Arc<Binding>>,
    /// A subscription that begins when its answer is on its way.
    accepted: Option<Subscription>,
    /// Sends notifications until it is dropped.
    sending: Option<AbortOnDropHandle<()>>,
    /// Sends what happens in the runs of the project until it is dropped.
    hearing: Option<AbortOnDropHandle<()>>,
    /// Closes the connection of a browser that is signed out, until it is dropped.
    _watching: Option<AbortOnDropHandle<()>>,
}

impl Peer {
    pub(super) fn new(
        state: Arc<AppState>,
        local: Arc<Local>,
        listening: Listening,
        caller: Caller,
        credential: Credential,
        notes: Notes,
    ) -> Self {
        let is_browser = caller.surface == Surface::Browser;
        let watch = is_browser.then(|| tokio::spawn(sign_out(credential.clone(), notes.clone())));
        let _watching = watch.map(AbortOnDropHandle::new);
        let (binding, accepted, sending, hearing) = (None, None, None, None);
        Self {
            state,
            local,
            listening,
            caller,
            credential,
            notes,
            binding,
            accepted,
            sending,
            hearing,
            _watching,
        }
    }

    async fn init(&mut self, params: Value) -> Result<Value, Fault> {
        let binding = Binding::open(params).await?;
        let mut answer = binding.to_json();
        answer["nudgeVersion"] = json!(self.state.identity.version);
        let binding = Arc::new(binding);
        let is_user = self.caller.surface.is_user();
        let credential = self.credential.clone();
        let notes = run_notes(self.local.clone(), binding.clone(), is_user, credential, self.notes.clone());
        self.hearing = Some(AbortOnDropHandle::new(tokio::spawn(notes)));
        self.binding = Some(binding);
        Ok(answer)
    }

    async fn subscribe(&mut self, params: Value) -> Result<Value, Fault> {
        let asked = SubscribeParams::read(params)?;
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
                    place = self.place_of(&binding, operation, &params)?;
                    params = binding.complete(operation, params).await;
                } else if methods::works_on_runs(operation)
                    || (self.caller.surface.is_user() && methods::is_verb(operation))
                {
                    return Err(not_bound());
                }
                let caller = Caller { now: nudge_client::now(), ..self.caller.clone() };
                methods::operate(&self.state.backend, caller, place, operation, params).await
            }
        }
    }
}

impl Peer {
    /// Where a call works after `init`. The user works in that directory. A program with an agent's
    /// rights reads there, and works on runs; it writes nothing else into a project that it only
    /// names.
    fn place_of(&self, binding: &Binding, operation: &str, params: &Value) -> Result<Option<Context>, Fault> {
        if self.caller.surface.is_user() {
            return Ok(Some(binding.place_of_user()));
        }
        let in_run = methods::works_on_runs(operation) || starts_run(operation, params);
        if in_run {
            return binding.known_place(&self.local).map(Some);
        }
        if methods::is_reading_verb(operation) {
            return binding.place(&self.local);
        }
        if methods::is_verb(operation) {
            return Err(reads_only());
        }
        Ok(None)
    }
}

/// Whether a call makes a run, or changes the state of one.
fn starts_run(operation: &str, params: &Value) -> bool {
    let path = params.get("path").and_then(Value::as_str);
    let is_set = registry::find(operation).is_some_and(|operation| operation.name == "set");
    is_set && path.is_some_and(|path| path.starts_with("run://"))
}

/// How often a browser's connection is checked. A page that shows nothing new still shows what it
/// has.
const SIGNED_IN_EVERY: Duration = Duration::from_secs(1);

/// Closes the connection once the browser is signed out.
async fn sign_out(credential: Credential, notes: Notes) {
    while credential.is_valid() {
        tokio::time::sleep(SIGNED_IN_EVERY).await;
    }
    notes.close(Goodbye::TokenReplaced);
}

fn not_bound() -> Fault {
    Fault::invalid("needs_init", "this call works in a project, and the connection has none")
        .next("call `init` with `name` and `projectRoot` first")
}

fn reads_only() -> Fault {
    let why = "a program with an agent's token writes into no project that it only names";
    Fault::new(FaultKind::Forbidden, "other_project", why)
        .next("give the program a token of its own with `nudge token client NAME`")
}

/// Passes on what happens in the runs of a project; to an agent only while it is not private, which
/// can change at any time.
async fn run_notes(
    local: Arc<Local>,
    binding: Arc<Binding>,
    is_user: bool,
    credential: Credential,
    notes: Notes,
) {
    let mut heard = local.runs().subscribe();
    loop {
        match heard.recv().await {
            Ok(note) if *note.project == *binding.key() => {
                if !credential.is_valid() {
                    return notes.close(Goodbye::TokenReplaced);
                }
                let (local, binding) = (local.clone(), binding.clone());
                let is_open = is_user
                    || matches!(backend::run_blocking(move || binding.place(&local)).await, Ok(Ok(Some(_))));
                if !is_open {
                    continue;
                }
                let text = jsonrpc::notification(note.method, &note.params);
                if notes.send(NO_SUBSCRIPTION, text).await.is_err() {
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
