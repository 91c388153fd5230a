//! What a tool showed the user or asked them.

use nudge_core::event::ToolCall;
use serde_json::Value;

/// Tools with which an agent shows its plan.
const PLANNING: [&str; 2] = ["ExitPlanMode", "exit_plan_mode"];

/// The plan that the agent showed the user: from the call, else from its response, else the path of
/// its file.
pub(super) fn plan(call: &ToolCall) -> Option<&str> {
    if !PLANNING.contains(&call.name.as_str()) {
        return None;
    }
    let response = call.response.as_ref().unwrap_or(&Value::Null);
    let places = [(&call.input, "plan"), (response, "plan"), (response, "filePath")];
    let mut texts = places.into_iter().filter_map(|(value, key)| value.get(key)?.as_str());
    texts.next().filter(|plan| !plan.trim().is_empty())
}

/// The first question of a tool that asks the user.
pub(super) fn question(input: &Value) -> Option<&str> {
    let first = input.get("questions").and_then(|questions| questions.get(0));
    let asked = first.map_or_else(|| input.get("question"), |first| first.get("question").or(Some(first)));
    asked?.as_str().filter(|question| !question.trim().is_empty())
}
