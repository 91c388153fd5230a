//! Commands that Codex runs through a shell.

use nudge_core::event::ToolCall;
use serde_json::{Value, json};

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
