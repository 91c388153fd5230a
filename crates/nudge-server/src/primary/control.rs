//! Control words: requests to the server itself.

use std::time::Instant;

use nudge_client::frame;
use nudge_client::version::is_newer;
use nudge_core::{Fault, FaultKind};
use serde_json::{Value, json};

use super::identity::Identity;
use super::socket::ConnectionState;
use crate::backend::pool;

/// Answers a control word. [`super::socket`] acts on it after the reply is sent.
pub(super) async fn answer(word: &str, params: &Value, state: &ConnectionState) -> Result<Value, Fault> {
    match word {
        "health" => Ok(health(state).await),
        "stop" => Ok(stop(state).await),
        "hand_over" => hand_over(params, &state.identity),
        _ => Err(frame::malformed(format!("unknown control word `{word}`"))),
    }
}

/// The facts that `nudge status` shows.
async fn health(state: &ConnectionState) -> Value {
    let mut facts = serde_json::to_value(state.identity.state()).unwrap_or_default();
    let local = state.local.clone();
    let found = pool::run(move || (local.memory().session(), local.memory().stats())).await;
    let Ok(found) = found else { return facts };
    if let (Ok(session), Value::Object(facts)) = (&found.0, &mut facts) {
        facts.insert("session".into(), session.id.to_string().into());
    }
    if let (Ok(stats), Value::Object(facts)) = (&found.1, &mut facts) {
        facts.insert("entries".into(), stats.entries.into());
        facts.insert("hints".into(), stats.hints.into());
    }
    facts
}

/// Ends the memory session for `nudge stop`. If it cannot be ended (a read-only home), the server
/// still stops.
async fn stop(state: &ConnectionState) -> Value {
    let agent = crate::terminal::stdin_has_client();
    let (local, began) = (state.local.clone(), Instant::now());
    let ended = pool::run(move || local.memory().end_session(nudge_client::clock::now())).await;
    let Ok(ended) = ended else { return json!({"agent": agent}) };
    match ended {
        Ok(ended) => json!({"session": ended.next.id, "hints_ended": ended.hints, "agent": agent}),
        Err(fault) => {
            crate::log::failed("end_session", "control", began, &fault);
            json!({"agent": agent})
        }
    }
}

/// Whether this PRIMARY hands over to the server that asks: only to a newer one, and never a memory
/// that exists only in this process.
fn hand_over(params: &Value, identity: &Identity) -> Result<Value, Fault> {
    let asker = params["version"].as_str().unwrap_or_default();
    if identity.ephemeral {
        let why = "this server keeps its memory in no file (--ephemeral) and cannot hand it over";
        return Err(
            Fault::new(FaultKind::Unavailable, "ephemeral_server", why).next("stop it with `nudge stop`")
        );
    }
    if !is_newer(asker, &identity.version) {
        let why = format!("this server has version {}, and `{asker}` is not newer", identity.version);
        return Err(Fault::invalid("not_newer", why).next("use the running server"));
    }
    tracing::info!(to = asker, "a newer server asked: this one hands over");
    Ok(json!({"version": identity.version}))
}

#[cfg(test)]
mod tests {
    use nudge_home::Home;

    use super::*;
    use crate::primary::identity::Port;

    fn identity(version: &str, ephemeral: bool) -> Identity {
        let home = Home::locate(Some(std::path::Path::new("/nowhere")), &|_| None).expect("a home");
        Identity::new(&home, version, home.socket(), ephemeral, Port { number: 1, pending: false })
    }

    #[test]
    fn only_a_newer_server_is_handed_over_to() {
        let asked = |own: &str, by: Value| hand_over(&json!({"version": by}), &identity(own, false));
        assert!(asked("0.1.0", json!("0.1.1")).is_ok());
        for by in [json!("0.1.0"), json!("0.0.9"), json!("new"), json!(2), Value::Null] {
            assert_eq!(asked("0.1.0", by).expect_err("not newer").reason, "not_newer");
        }
    }

    #[test]
    fn a_memory_in_the_process_is_not_handed_over() {
        let refused = hand_over(&json!({"version": "9.0.0"}), &identity("0.1.0", true));
        assert_eq!(refused.expect_err("it stays").reason, "ephemeral_server");
    }
}
