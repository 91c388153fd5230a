//! Prompts as the person wrote them, apart from those that an agent's program writes itself.

use nudge_core::event::{PromptText, Speaker};

use crate::payload::Fields;

/// Elements that stand before or after a prompt and are no part of it: what hooks injected and some agents hand back, what
/// an editor shows, and what the agent's program reminds it of.
const AROUND: &[&str] = &[
    "hook_context",
    "qwen:session-start-context",
    "qwen:user-prompt-submit-context",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "system-reminder",
    "system_reminder",
    "current_datetime",
    "user-prompt-submit-hook",
];

/// Prompts that begin so were written by the agent's program.
const WRITTEN_BY_PROGRAM: &[&str] = &[
    "<task-notification",
    "<agent-notification",
    "<subagent_notification",
    "<background-",
    "<bash-notification",
    "<mcp-resource-update",
    "<mcp-polling-update",
    "<poll-event",
    "<tick>",
    "<teammate-message",
    "<cross-session-message",
    "<agent-message",
    "<system-reminder>",
    "<new-diagnostics",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<skill>",
    "# AGENTS.md instructions for",
    // Claude Code begins so when a plan was approved and the context emptied; the agent wrote the plan.
    "Implement the following plan:\n\n#",
];

/// Where a prompt came from, when it came from a person.
const FROM_A_PERSON: &[&str] = &["user", "sdk"];

/// Reads the prompt of a prompt event.
pub(crate) fn read(fields: &Fields) -> PromptText {
    let sent = fields.any_text(&["submitted_prompt", "prompt"]).unwrap_or_default();
    let by_source = fields.text(&["source"]).is_some_and(|source| !FROM_A_PERSON.contains(&source.as_str()));
    let mut prompt = written(&sent);
    if by_source {
        prompt.by = Speaker::Program;
    }
    prompt
}

/// A prompt's own text, and who wrote it. An empty one only carries tool results.
pub(crate) fn written(sent: &str) -> PromptText {
    let text = without_around(sent);
    let by_program = text.trim().is_empty() || WRITTEN_BY_PROGRAM.iter().any(|start| text.starts_with(start));
    PromptText { text: text.to_owned(), by: if by_program { Speaker::Program } else { Speaker::Person } }
}

/// What the first element of that name holds.
pub(crate) fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    after.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

fn without_around(sent: &str) -> &str {
    let mut rest = sent;
    loop {
        if let Some(after) = AROUND.iter().find_map(|name| after_element(rest.trim_start(), name)) {
            rest = after.trim_start();
        } else if let Some(before) = AROUND.iter().find_map(|name| before_element(rest.trim_end(), name)) {
            rest = before.trim_end();
        } else {
            return rest;
        }
    }
}

/// What follows the element that the text begins with.
fn after_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let close = format!("</{name}>");
    inside.split_once(close.as_str()).map(|(_, after)| after)
}

/// What comes before the element that the text ends with.
fn before_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inside = text.strip_suffix(&format!("</{name}>"))?;
    inside.rsplit_once(&format!("<{name}>")).map(|(before, _)| before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(text: &str) -> PromptText {
        PromptText { text: text.into(), by: Speaker::Person }
    }

    #[test]
    fn what_was_injected_before_a_prompt_is_taken_off() {
        assert_eq!(
            written("<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>fix it"),
            person("fix it")
        );
        assert_eq!(
            written("what is <hook_context>x</hook_context>?"),
            person("what is <hook_context>x</hook_context>?")
        );
        assert_eq!(written("<hook_context>never closed"), person("<hook_context>never closed"));
        assert_eq!(written("<ide_selection>a</ide_selection> fix it"), person("fix it"));
        assert_eq!(written("fix it\n\n<system-reminder>a</system-reminder>"), person("fix it"));
    }

    #[test]
    fn empty_prompts_and_notifications_are_the_programs_own() {
        let plan = "Implement the following plan:\n\n# Plan";
        for text in ["", " \n", "<task-notification>\n<task-id>a</task-id>", "<system-reminder>x", plan] {
            assert_eq!(written(text), PromptText { text: text.into(), by: Speaker::Program });
        }
    }
}
