//! A model that says what the test wrote down, over the real HTTP interfaces with streaming.
//!
//! It speaks chat completions of OpenAI and OpenRouter, Anthropic's Messages and Ollama's chat.
//! Each call takes the next [`Step`]; when none is left, the answer is [`FINAL_TEXT`], or what
//! [`ScriptedModel::answering`] says.

mod connection;
mod protocol;
mod seen;
mod shared;
mod step;

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use shared::{Shared, State};

pub use protocol::{CONTEXT_TOKENS, MODEL};
pub use seen::SeenRequest;
pub use step::{FINAL_TEXT, Say, Step, Tokens};

/// A running server. Dropping it ends every connection and frees the port.
#[derive(Debug)]
pub struct ScriptedModel {
    port: u16,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl ScriptedModel {
    /// Starts a server on a free loopback port.
    pub fn start(steps: Vec<Step>) -> Self {
        Self::serve(Shared::new(steps))
    }

    /// The same, with a model that reads what it is sent.
    pub fn answering(answer: impl Fn(&SeenRequest) -> Step + Send + Sync + 'static) -> Self {
        Self::serve(Shared::answering(answer))
    }

    fn serve(shared: Shared) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound listener has an address").port();
        let shared = Arc::new(shared);
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || accept(&listener, &shared)
        });
        Self { port, shared, accepting: Some(accepting) }
    }

    /// The port it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address to configure for a provider, by its name: `openai`, `anthropic`, `ollama`,
    /// `openrouter` or `xai`.
    pub fn base_url(&self, provider: &str) -> String {
        let path = match provider {
            "openai" | "xai" => "/v1",
            "openrouter" => "/api/v1",
            "anthropic" | "ollama" => "",
            other => panic!("`{other}` is no provider"),
        };
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Adds a step after all others.
    pub fn push(&self, step: impl Into<Step>) {
        self.shared.change(|state| state.steps.push_back(step.into()));
    }

    /// The calls of the model so far.
    pub fn requests(&self) -> Vec<SeenRequest> {
        self.shared.state().requests.clone()
    }

    /// The paths of requests that only ask about models. They take no step.
    pub fn lookups(&self) -> Vec<String> {
        self.shared.state().lookups.clone()
    }

    /// How many clients left before their answer was complete.
    pub fn clients_left(&self) -> usize {
        self.shared.state().left
    }

    /// Waits until this many clients have left. `false` if they have not in time.
    pub fn wait_until_left(&self, count: usize, within: Duration) -> bool {
        self.wait(within, |state| state.left >= count)
    }

    /// Waits until there were this many calls. `false` if there were not in time.
    pub fn wait_for_requests(&self, count: usize, within: Duration) -> bool {
        self.wait(within, |state| state.requests.len() >= count)
    }

    fn wait(&self, within: Duration, is_there: impl Fn(&State) -> bool) -> bool {
        let until = Instant::now() + within;
        let mut state = self.shared.state();
        while !is_there(&state) {
            let Some(rest) = until.checked_duration_since(Instant::now()) else { return false };
            let waited = self.shared.changed.wait_timeout(state, rest);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.shared.close();
        // Wakes the thread that accepts.
        drop(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)));
        if let Some(accepting) = self.accepting.take() {
            drop(accepting.join());
        }
    }
}

/// Serves each connection in its own thread, and waits for all of them at the end.
fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut serving: Vec<JoinHandle<()>> = Vec::new();
    for stream in listener.incoming() {
        if shared.is_closing() {
            break;
        }
        let Ok(stream) = stream else { continue };
        let shared = Arc::clone(shared);
        serving.retain(|thread| !thread.is_finished());
        serving.push(std::thread::spawn(move || connection::serve(stream, &shared)));
    }
    for thread in serving {
        drop(thread.join());
    }
}

#[cfg(test)]
mod tests;
