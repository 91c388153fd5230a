//! Failures for callers that have tools instead of a command line.
//!
//! Operations name the command that helps, such as `nudge log`. An agent that calls a tool gets the
//! name of the tool instead. Where only the user can help, the text asks for the user.

use nudge_core::Fault;

/// Commands that an agent has a tool for. A command with arguments comes before the bare one.
const TOOLS: &[(&str, &str)] = &[
    ("correct", "correct"),
    ("delete", "delete_hint"),
    ("discover", "discover"),
    ("export", "export"),
    ("focus", "set_relevant_context"),
    ("forget", "forget"),
    ("journal ls", "list_journal_entries"),
    ("knows", "knows"),
    ("log", "hint_log"),
    ("ls ", "list_keys"),
    ("ls", "list_components"),
    ("project ls", "list_projects"),
    ("query", "query"),
    ("recent", "recent_context"),
    ("remember", "remember"),
    ("search", "search"),
    ("sessions", "list_sessions"),
    ("set", "set_hint"),
    ("why", "explain_injection"),
];

/// How a command begins in a text.
const COMMAND: &str = "`nudge ";

/// The failure with tools in the place of commands.
pub fn with_tools(mut fault: Fault) -> Fault {
    fault.message = named(&fault.message);
    fault.next = fault.next.map(|next| named(&next));
    fault
}

fn named(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, command, after)) = next_command(rest) {
        let said = before.strip_suffix("run ");
        match (tool_for(command), said) {
            (Some(tool), Some(said)) => out.push_str(&format!("{said}call `{tool}`")),
            (Some(tool), None) => out.push_str(&format!("{before}`{tool}`")),
            (None, Some(said)) if !said.contains("the user") => {
                out.push_str(&format!("{said}ask the user to run {COMMAND}{command}`"));
            }
            (None, _) => out.push_str(&format!("{before}{COMMAND}{command}`")),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The text before the next command, the command, and the text after it.
fn next_command(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(COMMAND)?;
    let (command, after) = rest.split_once('`')?;
    Some((before, command, after))
}

/// An option makes a command another one: `nudge set --allow-secret` is for the user.
fn tool_for(command: &str) -> Option<&'static str> {
    let is = |start: &str| {
        command
            .strip_prefix(start)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(' ') || start.ends_with(' '))
    };
    if command.contains(" --") {
        return None;
    }
    TOOLS.iter().find(|(start, _)| is(start)).map(|(_, tool)| *tool)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;

    #[test]
    fn commands_become_tools_and_the_rest_is_for_the_user() {
        for (text, expected) in [
            ("`nudge log` lists changes", "`hint_log` lists changes"),
            ("run `nudge ls api` to see its keys", "call `list_keys` to see its keys"),
            ("run `nudge ls` to see the components", "call `list_components` to see the components"),
            ("run `nudge discover bump` to see its parameters", "call `discover` to see its parameters"),
            ("`nudge search` and `nudge recent` show ids", "`search` and `recent_context` show ids"),
            ("run `nudge doctor`", "ask the user to run `nudge doctor`"),
            (
                "run `nudge doctor`, or set the hint again",
                "ask the user to run `nudge doctor`, or set the hint again",
            ),
            ("ask the user to run `nudge doctor`", "ask the user to run `nudge doctor`"),
            (
                "the user can run `nudge set … --allow-secret`",
                "the user can run `nudge set … --allow-secret`",
            ),
            ("no command here", "no command here"),
        ] {
            assert_eq!(named(text), expected);
        }
    }

    #[test]
    fn every_tool_exists() {
        for (_, tool) in TOOLS {
            assert_eq!(registry::find(tool).map(|operation| operation.name), Some(*tool));
        }
    }
}
