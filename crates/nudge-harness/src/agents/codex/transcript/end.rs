//! Exit statuses from the rollout file, which Codex's hooks leave out.

use nudge_core::event::Outcome;
use serde_json::Value;

use crate::transcript::ToolEnd;

/// The tool call that ended, from the payload of a rollout line.
pub(crate) fn tool_end(payload: &Value) -> Option<ToolEnd> {
    let item =
        payload.get("item").filter(|item| payload["type"] == "item_completed" && is_tool_call(item))?;
    let output = item["aggregated_output"].as_str().map(str::to_owned);
    Some(ToolEnd { id: item.get("id")?.as_str()?.to_owned(), outcome: outcome(item)?, output })
}

fn is_tool_call(item: &Value) -> bool {
    ["CommandExecution", "McpToolCall", "FileChange"].iter().any(|kind| item["type"] == *kind)
}

/// How an item ended; `None` while the call is running.
pub(crate) fn outcome(item: &Value) -> Option<Outcome> {
    if let Some(status) = item["exit_code"].as_i64().and_then(|status| i32::try_from(status).ok()) {
        return Some(Outcome::of_exit(status));
    }
    match item["status"].as_str()? {
        "completed" => Some(Outcome::Success),
        "failed" | "declined" => Some(Outcome::Failed { exit: None }),
        _ => None,
    }
}
