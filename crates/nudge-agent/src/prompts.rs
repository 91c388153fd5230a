//! The texts of the program itself: the system prompt and the reminders.
//!
//! Same input, same bytes: a provider caches the system message by its bytes, and the reminders are
//! the same on every turn.

use nudge_grammar::Tool;

use crate::tool_docs::tool_doc;

const SYSTEM_PROMPT: &str = include_str!("prompts/system.md");

/// Who the model is when the caller names nobody.
pub const DEFAULT_PERSONA: &str = include_str!("prompts/persona.md");

/// The content of the block `instructions`, at the end of each packet.
pub const REMINDERS: &str = include_str!("prompts/reminders.md");

/// The system prompt: the template with these tools and their docs, the list of the plugins' tools,
/// and the persona below them.
///
/// The persona is text of the user: nothing in it is expanded. An empty one leaves none.
pub fn system_prompt(tools: &[Tool], plugins: &str, persona: Option<&str>) -> String {
    let names: Vec<&str> = tools.iter().map(|tool| tool.name()).collect();
    let doc = |tool: &Tool| match tool {
        Tool::Mcp => tool_doc(*tool) + plugins,
        tool => tool_doc(*tool),
    };
    let docs: Vec<String> = tools.iter().map(doc).collect();
    let look = if tools.contains(&Tool::Search) { "search or get" } else { "get" };
    let expanded = SYSTEM_PROMPT
        .replace("[%TOOLS%]", &names.join(", "))
        .replace("[%LOOK%]", look)
        .replace("[%TOOLDOCS%]", &docs.join("\n"));
    let persona = persona.unwrap_or(DEFAULT_PERSONA).trim();
    let mut text = expanded.trim_end().to_owned();
    if !persona.is_empty() {
        text.push_str("\n\n");
        text.push_str(persona);
    }
    text.push('\n');
    text
}

/// Whether a text is the text of an update in an example.
pub(crate) fn is_example(text: &str) -> bool {
    let shown = format!(">{text}</update>");
    !text.is_empty()
        && [SYSTEM_PROMPT, REMINDERS, &tool_doc(Tool::Update)].iter().any(|text| text.contains(&shown))
}

#[cfg(test)]
mod tests {
    use nudge_context::count_tokens;
    use nudge_core::run::Mode;

    use super::*;
    use crate::tools::{Flags, tools_for};

    fn prompt(mode: Mode) -> String {
        system_prompt(&tools_for(mode, Flags::default()), "", None)
    }

    #[test]
    fn the_prompt_names_and_documents_exactly_its_tools() {
        for mode in [Mode::Ask, Mode::Act] {
            let tools = tools_for(mode, Flags::default());
            let text = prompt(mode);
            for tool in Tool::ALL {
                let is_documented = text.contains(&format!("## <{}", tool.name()));
                assert_eq!(is_documented, tools.contains(&tool), "{mode:?} {tool:?}");
            }
            assert!(!text.contains("[%"), "{text}");
        }
        assert!(prompt(Mode::Ask).contains("\nTools: get, search, think, set, update, ask_user\n"));
    }

    #[test]
    fn small_models_can_pay_for_it() {
        let costs = [Mode::Ask, Mode::Act].map(|mode| count_tokens(&prompt(mode)));
        assert!(costs[0] < 900 && costs[1] < 1_500, "{costs:?}");
        assert!(count_tokens(REMINDERS) < 120, "{}", count_tokens(REMINDERS));
    }

    #[test]
    fn the_persona_stands_last_and_is_not_expanded() {
        let tools = tools_for(Mode::Ask, Flags::default());
        let text = system_prompt(&tools, "", Some("I am [%TOOLS%].\n"));
        assert!(text.ends_with("says what is not known.\n\nI am [%TOOLS%].\n"), "{text}");
        assert!(system_prompt(&tools, "", Some(" ")).ends_with("says what is not known.\n"));
        assert!(system_prompt(&tools, "", None).trim_end().ends_with(DEFAULT_PERSONA.trim()));
    }

    #[test]
    fn the_same_input_gives_the_same_bytes() {
        assert_eq!(prompt(Mode::Act), prompt(Mode::Act));
    }
}
