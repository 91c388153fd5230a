//! GitHub Copilot CLI: what its hooks send and accept.

use nudge_core::event::{HookEvent, Outcome, ToolCall, ToolKind};

use super::spec::SPEC;
use crate::hooks::{Answer, Hooks, dialect, event};
use crate::payload::{Fields, ParseError};
use crate::tool;

pub(super) const HOOKS: Hooks = Hooks { spec: &SPEC, read, outcome, emit, headless: |_| None };

fn read(fields: &mut Fields) -> Result<HookEvent, ParseError> {
    fields.required(&["session_id", "sessionId"])?;
    fields.required(&["cwd"])?;
    let name = fields.text(&["hook_event_name", "hookName"]).unwrap_or_else(|| by_shape(fields).to_owned());
    Ok(event::read(&SPEC, &name, fields))
}

/// Guesses the event's name from the fields present.
fn by_shape(fields: &Fields) -> &'static str {
    let has = |name: &str| fields.get(name).is_some();
    match () {
        () if has("toolName") && has("toolResult") => "postToolUse",
        () if has("toolName") && has("error") => "postToolUseFailure",
        () if has("toolName") => "preToolUse",
        () if has("error") => "errorOccurred",
        () if has("source") || has("initialPrompt") => "sessionStart",
        () if has("prompt") => "userPromptSubmitted",
        () if has("agentName") && has("stopReason") => "subagentStop",
        () if has("agentName") => "subagentStart",
        () if has("stopReason") => "agentStop",
        () if has("reason") => "sessionEnd",
        () if has("trigger") => "preCompact",
        () if has("message") => "notification",
        () => "unknown",
    }
}

fn outcome(call: &ToolCall, kind: ToolKind) -> Outcome {
    let said = |keys: [&str; 2]| {
        let response = call.response.as_ref()?;
        keys.iter().find_map(|key| response.get(*key)?.as_str())
    };
    match said(["resultType", "result_type"]) {
        Some("success") if kind == ToolKind::Command => {
            let text = said(["textResultForLlm", "text_result_for_llm"]);
            tool::outcome_of_status(text.and_then(tool::in_closing_tag))
        }
        Some("success") => Outcome::Success,
        Some(_) => Outcome::Failed { exit: None },
        None => Outcome::Unknown,
    }
}

fn emit(_: &HookEvent, context: Option<&str>, _: Option<&str>) -> Answer {
    dialect::flat("additionalContext", context)
}
