//! Calls with separate lines for their beginning and end.

use nudge_core::event::{HookEvent, McpName, ToolCall};
use serde_json::{Value, json};

use super::item::{bash, command_line, duration, patch};
use crate::hooks::event::parse_nested_json;
use crate::transcript::item::{status, text_of, word};

/// Tools that run a command; hooks report all of them as one tool.
const SHELL_TOOLS: &[&str] = &["exec_command", "shell", "shell_command", "local_shell", "container.exec"];

/// Tools that only call other tools or read the output of a command; their actions have separate
/// lines.
const CARRIER_TOOLS: &[&str] = &["exec", "wait", "write_stdin"];

/// The call that a line of the conversation begins.
pub(super) fn started_call(mut payload: Value) -> Option<ToolCall> {
    let id = word(&payload, "call_id").or_else(|| word(&payload, "id"))?.to_owned();
    let mut call = if payload["type"] == "local_shell_call" {
        bash(command_line(&payload["action"]["command"])?)
    } else {
        let key = if payload.get("arguments").is_some() { "arguments" } else { "input" };
        let input = parse_nested_json(payload.get_mut(key).map_or(Value::Null, Value::take));
        named(&payload, input)?
    };
    call.id = Some(id);
    Some(call)
}

fn named(payload: &Value, input: Value) -> Option<ToolCall> {
    let name = word(payload, "name").filter(|name| !CARRIER_TOOLS.contains(name))?;
    if SHELL_TOOLS.contains(&name) {
        let command = command_line(&input["cmd"]).or_else(|| command_line(&input["command"]))?;
        return Some(bash(command));
    }
    let Some(server) = word(payload, "namespace").and_then(|space| space.strip_prefix("mcp__")) else {
        return Some(ToolCall { input, ..ToolCall::new(name) });
    };
    let mcp = Some(McpName { server: server.to_owned(), tool: name.to_owned() });
    Some(ToolCall { input, mcp, ..ToolCall::new(&format!("mcp__{server}__{name}")) })
}

/// Adds the output in the conversation to the event of a call.
pub(super) fn answer(event: &mut HookEvent, output: &Value) {
    let Some(call) = &mut event.tool else { return };
    let text = text_of(output).unwrap_or_default();
    let old = serde_json::from_str::<Value>(&text).ok().filter(|old| old["metadata"].is_object());
    let exit =
        old.as_ref().and_then(|old| status(&old["metadata"], "exit_code")).or_else(|| exit_before(&text));
    let said = old.as_ref().and_then(|old| word(old, "output")).unwrap_or_else(|| after_head(&text));
    let mut response = json!({"output": said});
    if let Some(exit) = exit {
        response["exit_code"] = exit.into();
    }
    call.response = Some(response);
}

/// The exit status, which precedes the output.
fn exit_before(text: &str) -> Option<i32> {
    let head = text.split_once("Output:\n").map_or(text, |(head, _)| head);
    let status = |line: &str| {
        let line =
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "))?;
        line.trim().parse().ok()
    };
    head.lines().take(6).find_map(status)
}

fn after_head(text: &str) -> &str {
    text.split_once("Output:\n").map_or(text, |(_, output)| output)
}

/// The call that ended, from an event of an older version.
pub(super) fn ended(mut payload: Value) -> Option<ToolCall> {
    let id = word(&payload, "call_id")?.to_owned();
    let mut call = match word(&payload, "type")? {
        "exec_command_end" => {
            let mut call = bash(command_line(&payload["command"])?);
            let output = word(&payload, "aggregated_output").or_else(|| word(&payload, "stdout"));
            call.response =
                Some(json!({"output": output.unwrap_or_default(), "exit_code": payload["exit_code"]}));
            call
        }
        "mcp_tool_call_end" => mcp(&mut payload)?,
        "patch_apply_end" => {
            let status = if payload["success"].as_bool()? { "completed" } else { "failed" };
            let patch = payload.get("changes").and_then(patch)?;
            let response =
                Some(json!({"output": word(&payload, "stdout").unwrap_or_default(), "status": status}));
            ToolCall { input: json!({"command": patch}), response, ..ToolCall::new("apply_patch") }
        }
        "web_search_end" => {
            let response = Some(json!({"status": "completed"}));
            ToolCall {
                input: json!({"query": word(&payload, "query")?}),
                response,
                ..ToolCall::new("web_search")
            }
        }
        _ => return None,
    };
    call.id = Some(id);
    call.duration_ms = duration(&payload["duration"]);
    Some(call)
}

fn mcp(payload: &mut Value) -> Option<ToolCall> {
    let invocation = payload.get_mut("invocation")?.take();
    let (server, tool) = (word(&invocation, "server")?.to_owned(), word(&invocation, "tool")?.to_owned());
    let mut call = ToolCall::new(&format!("mcp__{server}__{tool}"));
    call.mcp = Some(McpName { server, tool });
    call.input = invocation["arguments"].clone();
    let result = payload.get_mut("result").map_or(Value::Null, Value::take);
    call.response = match (result.get("Ok"), result.get("Err")) {
        (Some(ok), _) => Some(ok.clone()),
        (None, Some(error)) => Some(json!({"isError": true, "content": error})),
        (None, None) => None,
    };
    Some(call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use nudge_core::event::EventKind;

    #[test]
    fn an_exit_status_counts_only_before_the_output() {
        assert_eq!(exit_before("Wall time: 1\nProcess exited with code 3\nOutput:\nx"), Some(3));
        assert_eq!(exit_before("Exit code: 0\nWall time: 1 seconds\nOutput:\nx"), Some(0));
        assert_eq!(exit_before("Wall time: 1\nOutput:\nProcess exited with code 3\n"), None);
    }

    #[test]
    fn what_an_older_version_answered_is_read_too() {
        let mut event = HookEvent::new("codex", "PostToolUse", EventKind::PostTool);
        event.tool = Some(bash("false".into()));
        answer(
            &mut event,
            &json!("{\"output\":\"no\",\"metadata\":{\"exit_code\":1,\"duration_seconds\":0.1}}"),
        );
        let response = event.tool.and_then(|call| call.response);
        assert_eq!(response, Some(json!({"output": "no", "exit_code": 1})));
    }
}
