//! Completed items: a call with its arguments and its result in one line; commands and how they
//! ended.

use nudge_core::event::{McpName, Outcome, ToolCall};
use serde_json::{Value, json};

use crate::transcript::ToolEnd;
use crate::transcript::item::word;

/// The call of an item, with the tool name that hooks use.
pub(super) fn call(mut item: Value) -> Option<ToolCall> {
    let id = word(&item, "id")?.to_owned();
    let mut call = match word(&item, "type")? {
        "CommandExecution" => bash(command_line(&item["command"])?),
        "McpToolCall" => mcp(&mut item)?,
        "FileChange" => {
            ToolCall { input: json!({"command": patch(&item["changes"])?}), ..ToolCall::new("apply_patch") }
        }
        "WebSearch" => {
            ToolCall { input: json!({"query": word(&item, "query")?}), ..ToolCall::new("web_search") }
        }
        _ => return None,
    };
    call.id = Some(id);
    call.duration_ms = duration(&item["duration"]);
    if call.response.is_none() {
        call.response = Some(ended(&item));
    }
    Some(call)
}

/// How it ended, as a response that the outcome can be read from.
pub(super) fn ended(item: &Value) -> Value {
    let mut response = json!({"output": word(item, "aggregated_output").unwrap_or_default()});
    if item["type"] == "WebSearch" {
        // It is written when it is done, without a status.
        response["status"] = json!("completed");
    }
    for key in ["exit_code", "status"] {
        if let Some(value) = item.get(key).filter(|value| !value.is_null()) {
            response[key] = value.clone();
        }
    }
    response
}

fn mcp(item: &mut Value) -> Option<ToolCall> {
    let (server, tool) = (word(item, "server")?.to_owned(), word(item, "tool")?.to_owned());
    let mut call = ToolCall::new(&format!("mcp__{server}__{tool}"));
    call.mcp = Some(McpName { server, tool });
    call.input = item.get_mut("arguments").map_or(Value::Null, Value::take);
    call.response = item.get_mut("result").map(Value::take).filter(Value::is_object);
    call.error = item["error"].get("message").and_then(Value::as_str).map(Into::into);
    Some(call)
}

/// The patch that makes these changes, in the format that Codex's patch tool accepts.
pub(super) fn patch(changes: &Value) -> Option<String> {
    let mut patch = String::from("*** Begin Patch\n");
    for (file, change) in changes.as_object()? {
        let body = word(change, "unified_diff").or_else(|| word(change, "diff")).unwrap_or_default();
        let kind = word(change, "type").or_else(|| change.get("kind").and_then(|kind| word(kind, "type")));
        match kind {
            Some("add") => {
                patch.push_str(&format!("*** Add File: {file}\n"));
                let content = word(change, "content").unwrap_or(body);
                content.lines().for_each(|line| patch.push_str(&format!("+{line}\n")));
            }
            Some("delete") => patch.push_str(&format!("*** Delete File: {file}\n")),
            _ => {
                patch.push_str(&format!("*** Update File: {file}\n"));
                if let Some(to) = word(change, "move_path") {
                    patch.push_str(&format!("*** Move to: {to}\n"));
                }
                body.lines().for_each(|line| patch.push_str(&format!("{line}\n")));
            }
        }
    }
    patch.push_str("*** End Patch");
    Some(patch)
}

/// The milliseconds of a `{"secs", "nanos"}` object.
pub(super) fn duration(value: &Value) -> Option<u64> {
    let part = |key: &str| value.get(key).and_then(Value::as_u64);
    Some(part("secs")?.saturating_mul(1000).saturating_add(part("nanos").unwrap_or(0) / 1_000_000))
}

// Commands that Codex runs through a shell.

/// A call of the tool that runs commands.
pub(super) fn bash(command: String) -> ToolCall {
    ToolCall { input: json!({"command": command}), ..ToolCall::new("Bash") }
}

/// The command in a list of words; for `/bin/bash -lc …` the part after it.
pub(super) fn command_line(words: &Value) -> Option<String> {
    if let Some(command) = words.as_str() {
        return Some(command.to_owned());
    }
    let words: Vec<&str> = words.as_array()?.iter().filter_map(Value::as_str).collect();
    match words.as_slice() {
        [_, flag, command] if matches!(*flag, "-lc" | "-c" | "-Command") => Some((*command).to_owned()),
        [] => None,
        words => Some(words.join(" ")),
    }
}

// Exit statuses from the rollout file, which Codex's hooks leave out.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shell_that_runs_a_command_is_not_part_of_it() {
        assert_eq!(command_line(&json!(["/bin/bash", "-lc", "ls -l"])).as_deref(), Some("ls -l"));
        assert_eq!(command_line(&json!(["git", "status"])).as_deref(), Some("git status"));
        assert_eq!(command_line(&json!("ls")).as_deref(), Some("ls"));
        assert_eq!(command_line(&json!([])), None);
    }
}
