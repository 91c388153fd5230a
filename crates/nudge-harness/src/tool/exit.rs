//! How a call ended: exit statuses that agents write into text, each in its own place, and results
//! that state it.
//!
//! The same text contains the command's output, so a status counts only where the agent writes it:
//! a log file that a command prints may contain `Exit Code: 1`.

use nudge_core::EventKind;
use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};
use serde_json::Value;

/// Lines that may follow the status line.
pub(crate) const TRAILER_LINES: &[&str] =
    &["Signal:", "Background PIDs:", "Process Group PGID:", "</untrusted_context>"];

/// `Exit code 3` or `Exit code: 3` on the first line.
pub(crate) fn on_first_line(text: &str) -> Option<i32> {
    let rest = text.lines().next()?.strip_prefix("Exit code")?;
    rest.trim_start_matches(':').trim().parse().ok()
}

/// `Exit Code: 3` on the last line before the trailer.
pub(crate) fn after_output(text: &str) -> Option<i32> {
    let mut lines = text.trim_end().lines().rev();
    let last = lines.find(|line| !TRAILER_LINES.iter().any(|start| line.starts_with(start)))?;
    last.strip_prefix("Exit Code:")?.trim().parse().ok()
}

/// `<… completed with exit code 3>` as the last line.
pub(crate) fn in_closing_tag(text: &str) -> Option<i32> {
    let tag = text.trim_end().lines().next_back()?.strip_prefix('<')?.strip_suffix('>')?;
    tag.rsplit_once("exit code ")?.1.parse().ok()
}

/// `Command exited with code 3` as the whole text.
pub(crate) fn in_sentence(text: &str) -> Option<i32> {
    text.trim().strip_prefix("Command exited with code")?.trim_start_matches(':').trim().parse().ok()
}

/// Whether an error says that the call never began, because a parallel call failed.
pub(crate) fn was_cancelled(error: &str) -> bool {
    let error = error.trim().trim_start_matches("Error: ").trim_start_matches("<tool_use_error>");
    error.starts_with("Sibling tool call errored") || error.starts_with("Cancelled: parallel tool call")
}

/// The status in the error of a failed command.
pub(super) fn in_error(tool: &ToolCall, kind: ToolKind) -> Option<i32> {
    let error = tool.error.as_deref().filter(|_| kind == ToolKind::Command)?;
    on_first_line(error).or_else(|| after_output(error)).or_else(|| in_sentence(error))
}

/// The outcome for an exit status; unknown without one.
pub(crate) fn outcome_of_status(status: Option<i32>) -> Outcome {
    status.map_or(Outcome::Unknown, Outcome::of_exit)
}

// Results that state how a call ended: those of MCP, and those that any program records.

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
    fn a_status_counts_only_in_its_place() {
        assert_eq!(on_first_line("Exit code 3\nout"), Some(3));
        assert_eq!(on_first_line("Exit code: 0\nSuccess."), Some(0));
        assert_eq!(on_first_line("out\nExit code 3"), None);
        let gemini = "<untrusted_context>\nOutput: Exit Code: 9\nmore\nExit Code: 3\nProcess Group PGID: 1\n</untrusted_context>";
        assert_eq!(after_output(gemini), Some(3));
        assert_eq!(after_output("Output: a\nExit Code: 9\nb\nProcess Group PGID: 1"), None);
        assert_eq!(after_output("Exit Code: (none)\nSignal: 9"), None);
        assert_eq!(in_closing_tag("x\n<shellId: 1 completed with exit code 3>"), Some(3));
        assert_eq!(in_closing_tag("<shellId: 1 completed with exit code 3>\nx"), None);
        assert_eq!(in_sentence("Command exited with code 3"), Some(3));
        assert_eq!(in_sentence("it said: Command exited with code 3"), None);
    }

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
