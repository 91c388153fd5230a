//! Codex's own record of a session, which tells the exit statuses that its hooks leave out.

use nudge_core::event::Outcome;
use serde_json::Value;

use crate::transcript::ToolEnd;

/// The kind of line that is looked for. Most lines hold something else, so it is searched for before the line is parsed.
const ITEM_COMPLETED: &str = "item_completed";

/// The tool call that a line of the rollout file says has ended.
pub(crate) fn tool_end(line: &str) -> Option<ToolEnd> {
    let line = Some(line).filter(|line| line.contains(ITEM_COMPLETED))?;
    let line: Value = serde_json::from_str(line).ok()?;
    let payload = line.get("payload").filter(|payload| payload["type"] == ITEM_COMPLETED)?;
    let item = payload.get("item").filter(|item| is_tool_call(item))?;
    Some(ToolEnd { id: item.get("id")?.as_str()?.to_owned(), outcome: outcome(item)? })
}

fn is_tool_call(item: &Value) -> bool {
    ["CommandExecution", "McpToolCall", "FileChange"].iter().any(|kind| item["type"] == *kind)
}

/// `None` while the call is under way.
fn outcome(item: &Value) -> Option<Outcome> {
    if let Some(status) = item["exit_code"].as_i64().and_then(|status| i32::try_from(status).ok()) {
        return Some(Outcome::of_exit(status));
    }
    match item["status"].as_str()? {
        "completed" => Some(Outcome::Success),
        "failed" | "declined" => Some(Outcome::Failed { exit: None }),
        _ => None,
    }
}
