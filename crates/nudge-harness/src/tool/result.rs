//! Results that state how a call ended: those of MCP, and those that any program records.

use nudge_core::EventKind;
use nudge_core::event::{HookEvent, Outcome};
use serde_json::Value;

/// How an MCP call ended, if the result says so.
pub(crate) fn mcp_outcome(result: Option<&Value>) -> Option<Outcome> {
    match result?.get("isError")?.as_bool()? {
        true => Some(Outcome::Failed { exit: None }),
        false => Some(Outcome::Success),
    }
}

/// Sets the outcome of a recorded call to what its response states. Without a statement, a command
/// has no known outcome; other calls are what their agent reports.
pub(crate) fn state_outcome(event: &mut HookEvent) {
    let is_command = crate::tool_use(event).is_some_and(|used| used.command.is_some());
    let Some(tool) = event.tool.as_mut().filter(|_| event.kind == EventKind::PostTool) else { return };
    let unstated = is_command.then_some(Outcome::Unknown);
    let error = tool.error.as_deref().filter(|error| !error.trim().is_empty());
    let failed = error.map(|_| Outcome::Failed { exit: None });
    tool.stated = tool.response.as_ref().and_then(stated).or(failed).or(unstated);
}

/// The outcome in a response: `exit_code`, `is_error`, `success` or `error`. Claude Code's own
/// responses to commands have `interrupted`, and it sends only those of commands that succeeded.
fn stated(response: &Value) -> Option<Outcome> {
    let ended = |success: bool| if success { Outcome::Success } else { Outcome::Failed { exit: None } };
    let flag = |name: &str| response.get(name).and_then(Value::as_bool);
    let status = response.get("exit_code").and_then(Value::as_i64);
    let has_error = || match response.get("error")? {
        Value::Null | Value::Bool(false) => None,
        Value::String(error) if error.trim().is_empty() => None,
        _ => Some(false),
    };
    match status.map(i32::try_from) {
        Some(Ok(status)) => Some(Outcome::of_exit(status)),
        Some(Err(_)) => Some(ended(false)),
        None => {
            let failed = flag("is_error").or_else(|| flag("isError"));
            let success = failed.map(|failed| !failed).or_else(|| flag("success")).or_else(has_error);
            success.or_else(|| flag("interrupted").map(|interrupted| !interrupted)).map(ended)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn responses_state_their_outcome() {
        let failed = |exit: Option<i32>| Some(Outcome::Failed { exit });
        for (response, expected) in [
            (json!({"exit_code": 1}), failed(Some(1))),
            (json!({"exit_code": 0, "stderr": "warning"}), Some(Outcome::Success)),
            (json!({"exit_code": 1_i64 << 40}), failed(None)),
            (json!({"is_error": true}), failed(None)),
            (json!({"is_error": false}), Some(Outcome::Success)),
            (json!({"success": false}), failed(None)),
            (json!({"error": "boom"}), failed(None)),
            (json!({"error": {"code": 3}}), failed(None)),
            (json!({"error": ""}), None),
            (json!({"error": null, "stdout": "1 failed"}), None),
            (json!({"stdout": "x", "interrupted": false}), Some(Outcome::Success)),
            (json!("text"), None),
        ] {
            assert_eq!(stated(&response), expected, "{response}");
        }
    }
}
