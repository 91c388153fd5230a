//! Results of tool calls.

use nudge_core::event::{EventKind, HookEvent, Outcome};
use serde_json::Value;

use crate::hooks::event;
use crate::tool;
use crate::transcript::line::{text_of, word};

/// The result of one call.
#[derive(Debug)]
pub(super) struct ToolResult {
    pub(super) id: String,
    pub(super) failed: bool,
    content: Value,
}

/// Texts that the program writes for a call that the user declined.
const DECLINED: &[&str] = &[
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission for this tool use was denied",
];

/// The results in a message.
pub(super) fn all(content: &Value) -> Vec<ToolResult> {
    let of = |block: &Value| {
        let id = Some(block)
            .filter(|block| block["type"] == "tool_result")
            .and_then(|block| word(block, "tool_use_id"))?;
        Some(ToolResult {
            id: id.to_owned(),
            failed: block["is_error"].as_bool() == Some(true),
            content: block.get("content").cloned().unwrap_or(Value::Null),
        })
    };
    content.as_array().into_iter().flatten().filter_map(of).collect()
}

impl ToolResult {
    /// Its text.
    pub(super) fn text(&self) -> String {
        error_text(&self.content).unwrap_or_default()
    }

    /// Whether the user declined the call.
    pub(super) fn was_declined(&self) -> bool {
        let text = self.text();
        self.failed && DECLINED.iter().any(|start| text.trim_start().starts_with(start))
    }

    /// Whether the call never began, because a parallel call failed.
    pub(super) fn was_cancelled(&self) -> bool {
        self.failed && tool::was_cancelled(&self.text())
    }

    pub(super) fn outcome(&self) -> Outcome {
        let status = || error_text(&self.content).as_deref().and_then(tool::on_first_line);
        if self.failed { Outcome::Failed { exit: status() } } else { Outcome::Success }
    }

    /// Completes the call's event as its PostToolUse hook would have reported it. `whole` is the
    /// full result that the program stores with the line.
    pub(super) fn into_event(self, event: &mut HookEvent, whole: Option<Value>) {
        let Some(call) = &mut event.tool else { return };
        if !self.failed {
            call.response = Some(whole.unwrap_or(self.content));
            return;
        }
        event.name = "PostToolUseFailure".to_owned();
        event.kind = EventKind::ToolFailure;
        call.interrupted = whole.as_ref().is_some_and(|whole| whole["interrupted"].as_bool() == Some(true));
        call.error = error_text(&self.content);
    }
}

/// An error's text without the prefix that the program adds.
fn error_text(content: &Value) -> Option<String> {
    text_of(content).or_else(|| event::error_text(content.clone()))
}
