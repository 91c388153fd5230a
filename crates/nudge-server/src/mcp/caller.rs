//! Identifies the caller: the transport, the client, the session and the surroundings.
//!
//! The call and the process's environment may name a session. Both are passed on, and the memory
//! decides which session it is. The connection says nothing: it may carry many sessions, and a
//! session may use many connections.

use std::sync::Arc;

use axum::http::request::Parts;
use nudge_core::text::without_controls;
use nudge_home::settings::Profile;
use nudge_memory::{Ambient, Caller, Surface};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;

use super::surroundings::Surroundings;

/// Variables in which an agent passes the session id to its stdio servers.
const SESSION_VARIABLES: [&str; 4] =
    ["CLAUDE_CODE_SESSION_ID", "COPILOT_AGENT_SESSION_ID", "QWEN_CODE_SESSION_ID", "GEMINI_SESSION_ID"];

/// The key under which Claude Code sends its id of a tool call. Its hooks use the same id.
const TOOL_USE: &str = "claudecode/toolUseId";

/// The longest name of a client or session that is kept.
const MAX_NAME: usize = 128;

/// The transport of a call.
#[derive(Clone)]
pub(crate) enum Transport {
    /// From the program that started this process: it works in the same directory.
    Stdio(Arc<Stdio>),
    /// Over HTTP: the caller's directory is unknown.
    Http,
}

/// What a stdio process knows about its one client.
pub(crate) struct Stdio {
    session: Option<String>,
    surroundings: Surroundings,
}

impl Stdio {
    /// Reads the session from the environment, if the agent sets one.
    pub(crate) fn new(variable: impl Fn(&str) -> Option<String>, surroundings: Surroundings) -> Self {
        let session =
            SESSION_VARIABLES.iter().find_map(|name| variable(name).and_then(|id| stored_name(&id)));
        Self { session, surroundings }
    }
}

impl Transport {
    /// The caller of a request.
    pub(super) fn caller(&self, context: &RequestContext<RoleServer>) -> Caller {
        let mut caller = Caller::new(Surface::Mcp, nudge_client::now());
        caller.session = session_in(&context.meta.0);
        caller.tool_use = context.meta.0.get(TOOL_USE).and_then(Value::as_str).and_then(stored_name);
        match self {
            Self::Stdio(stdio) => {
                caller.client = context.client_info().and_then(|client| stored_name(&client.name));
                caller.process_session.clone_from(&stdio.session);
                caller.project = stdio.surroundings.project();
                caller.ambient = Ambient::Here(stdio.surroundings.now());
            }
            Self::Http => {
                let agent = || client_name(parts(context)?.headers.get("user-agent")?.to_str().ok()?);
                caller.client =
                    context.meta.client_info().and_then(|client| stored_name(&client.name)).or_else(agent);
            }
        }
        caller
    }
}

/// The profile in `/mcp?profile=…`.
pub(super) fn profile_asked(context: &RequestContext<RoleServer>) -> Option<Profile> {
    profile_in(parts(context)?.uri.query()?)
}

fn profile_in(query: &str) -> Option<Profile> {
    query.split('&').find_map(|pair| Profile::from_name(pair.strip_prefix("profile=")?))
}

/// The product in a User-Agent, such as `curl` in `curl/8.5.0`.
pub(crate) fn client_name(user_agent: &str) -> Option<String> {
    stored_name(user_agent.split(['/', ' ']).next()?)
}

fn parts(context: &RequestContext<RoleServer>) -> Option<&Parts> {
    context.extensions.get::<Parts>()
}

/// The session that a call names in its `_meta`.
fn session_in(meta: &serde_json::Map<String, Value>) -> Option<String> {
    let turn = || meta.get("x-codex-turn-metadata").and_then(turn_session);
    meta.get("threadId").and_then(Value::as_str).and_then(stored_name).or_else(turn)
}

/// Codex sends its turn's facts as an object, or in some versions as JSON text.
fn turn_session(turn: &Value) -> Option<String> {
    match turn {
        Value::String(text) => {
            turn_session(&serde_json::from_str::<Value>(text).ok().filter(Value::is_object)?)
        }
        turn => turn.get("session_id").and_then(Value::as_str).and_then(stored_name),
    }
}

/// A name as it is stored: short, and without control characters.
fn stored_name(name: &str) -> Option<String> {
    let name = without_controls(name.trim(), MAX_NAME);
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn meta(value: Value) -> Option<String> {
        session_in(value.as_object().expect("an object"))
    }

    #[test]
    fn the_session_of_a_call_is_what_its_meta_says() {
        assert_eq!(
            meta(json!({"threadId": "t-1", "x-codex-turn-metadata": {"session_id": "s"}})),
            Some("t-1".into())
        );
        assert_eq!(meta(json!({"x-codex-turn-metadata": {"session_id": "s-1"}})), Some("s-1".into()));
        assert_eq!(meta(json!({"x-codex-turn-metadata": "{\"session_id\":\"s-2\"}"})), Some("s-2".into()));
        assert_eq!(meta(json!({"threadId": 7, "progressToken": 1})), None);
    }

    #[test]
    fn the_session_of_a_process_is_what_its_harness_says() {
        let here = || Surroundings::new(std::path::PathBuf::from("/"));
        let given = Stdio::new(|name| (name == "QWEN_CODE_SESSION_ID").then(|| "q-1".to_owned()), here());
        assert_eq!(given.session.as_deref(), Some("q-1"));
        assert_eq!(Stdio::new(|_| None, here()).session, None);
    }

    #[test]
    fn the_profile_is_read_from_the_query() {
        assert_eq!(profile_in("profile=full"), Some(Profile::Full));
        assert_eq!(profile_in("a=b&profile=default"), Some(Profile::Default));
        assert_eq!(profile_in("profile=other"), None);
    }

    #[test]
    fn names_are_cut_and_cleaned() {
        assert_eq!(client_name("curl/8.5.0"), Some("curl".into()));
        assert_eq!(client_name(" "), None);
        assert_eq!(stored_name(&"x".repeat(500)).map(|name| name.len()), Some(MAX_NAME));
    }
}
