//! Prompts as the person wrote them, apart from those that an agent's program writes itself.

use nudge_core::event::{PromptText, Speaker};

use crate::fields::Fields;

/// Elements that hold what hooks injected; some agents hand them back as the beginning of the prompt.
const INJECTED: &[&str] = &["hook_context", "qwen:session-start-context", "qwen:user-prompt-submit-context"];

/// Prompts that begin so were written by the agent's program.
const WRITTEN_BY_PROGRAM: &[&str] = &["<task-notification>", "<system-reminder>"];

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
    let text = without_injected(sent);
    let by_program = text.trim().is_empty() || WRITTEN_BY_PROGRAM.iter().any(|start| text.starts_with(start));
    PromptText { text: text.to_owned(), by: if by_program { Speaker::Program } else { Speaker::Person } }
}

fn without_injected(sent: &str) -> &str {
    let mut rest = sent;
    while let Some(after) = INJECTED.iter().find_map(|name| after_element(rest, name)) {
        rest = after.trim_start();
    }
    rest
}

/// What follows the element that the text begins with.
fn after_element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let close = format!("</{name}>");
    inside.split_once(close.as_str()).map(|(_, after)| after)
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
    }

    #[test]
    fn empty_prompts_and_notifications_are_the_programs_own() {
        for text in ["", " \n", "<task-notification>\n<task-id>a</task-id>", "<system-reminder>x"] {
            assert_eq!(written(text), PromptText { text: text.into(), by: Speaker::Program });
        }
    }
}
