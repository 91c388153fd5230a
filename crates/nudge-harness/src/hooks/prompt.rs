//! Distinguishes prompts that the user wrote from those that the agent's program writes.

use nudge_core::event::{PromptText, Speaker};

use crate::payload::Fields;

/// Elements before or after a prompt that are not part of it: text that hooks injected and some
/// agents send back, what an editor shows, and reminders from the agent's program.
const WRAPPER_ELEMENTS: &[&str] = &[
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

/// The agent's program writes prompts with these beginnings.
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
    // Claude Code begins so after a plan was approved and the context cleared; the agent wrote the
    // plan.
    "Implement the following plan:\n\n#",
];

/// Values of a prompt's source that mean the user.
const FROM_A_PERSON: &[&str] = &["user", "sdk"];

/// Reads the prompt of a prompt event.
pub(crate) fn read(fields: &Fields) -> PromptText {
    let sent = fields.any_text(&["submitted_prompt", "prompt"]).unwrap_or_default();
    let by_source = fields.text(&["source"]).is_some_and(|source| !FROM_A_PERSON.contains(&source.as_str()));
    let mut prompt = classify_prompt(&sent);
    if by_source {
        prompt.by = Speaker::Program;
    }
    prompt
}

/// A prompt's own text, and who wrote it. An empty prompt only carries tool results.
pub(crate) fn classify_prompt(sent: &str) -> PromptText {
    let text = strip_wrappers(sent);
    let by_program = text.trim().is_empty() || WRITTEN_BY_PROGRAM.iter().any(|start| text.starts_with(start));
    PromptText { text: text.to_owned(), by: if by_program { Speaker::Program } else { Speaker::Person } }
}

/// The content of the first element of that name.
pub(crate) fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    after.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

fn strip_wrappers(sent: &str) -> &str {
    let mut rest = sent;
    loop {
        if let Some(after) = WRAPPER_ELEMENTS.iter().find_map(|name| after_element(rest.trim_start(), name)) {
            rest = after.trim_start();
        } else if let Some(before) =
            WRAPPER_ELEMENTS.iter().find_map(|name| before_element(rest.trim_end(), name))
        {
            rest = before.trim_end();
        } else {
            return rest;
        }
    }
}

/// The text after the element that the text begins with.
fn after_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let close = format!("</{name}>");
    inside.split_once(close.as_str()).map(|(_, after)| after)
}

/// The text before the element that the text ends with.
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
            classify_prompt("<hook_context>a</hook_context>\n\n<hook_context>b</hook_context>fix it"),
            person("fix it")
        );
        assert_eq!(
            classify_prompt("what is <hook_context>x</hook_context>?"),
            person("what is <hook_context>x</hook_context>?")
        );
        assert_eq!(classify_prompt("<hook_context>never closed"), person("<hook_context>never closed"));
        assert_eq!(classify_prompt("<ide_selection>a</ide_selection> fix it"), person("fix it"));
        assert_eq!(classify_prompt("fix it\n\n<system-reminder>a</system-reminder>"), person("fix it"));
    }

    #[test]
    fn empty_prompts_and_notifications_are_the_programs_own() {
        let plan = "Implement the following plan:\n\n# Plan";
        for text in ["", " \n", "<task-notification>\n<task-id>a</task-id>", "<system-reminder>x", plan] {
            assert_eq!(classify_prompt(text), PromptText { text: text.into(), by: Speaker::Program });
        }
    }
}
