//! Claude Code: hooks in `settings.json`, the MCP server in `.claude.json`.

use serde_json::{Value, json};

use super::hooks::SPEC;
use crate::edit::jsonc::Commas;
use crate::install::{
    Directory, FileEdit, FilePlace, HookEventRequest, HookGroups, Installer, JsonServer, Part, Registration,
    SettingsFile, Switch, command_of, usual_prompt,
};

/// The events we record, and those where we may inject text. Before a call we ask only about
/// commands: the event after a call contains the same data and the outcome.
const EVENTS: &[HookEventRequest] = &[
    HookEventRequest::matching("startup|resume|clear|compact|fork", "SessionStart", 5),
    HookEventRequest::every("UserPromptSubmit", 5),
    HookEventRequest::matching("Bash", "PreToolUse", 5),
    HookEventRequest::matching("*", "PostToolUse", 5),
    HookEventRequest::matching("*", "PostToolUseFailure", 5),
    HookEventRequest::every("Stop", 5),
    HookEventRequest::every("SubagentStop", 5),
    HookEventRequest::every("PreCompact", 5),
    HookEventRequest::every("PostCompact", 5),
    // All hooks of this event share about 1.5 seconds, whatever timeout we set here.
    HookEventRequest::every("SessionEnd", 2),
];

const WHEN_TAKEN: &str = "pass --no-mcp to keep it, or remove it: `claude mcp remove --scope user nudge`";

pub(super) const INSTALLER: Installer = Installer {
    directory: Directory {
        variable: Some(("CLAUDE_CONFIG_DIR", "")),
        in_home: ".claude",
        profiles: Some((".claude-", ".claude.json")),
    },
    files: &[
        hooks(FilePlace::Directory(&["settings.json"])),
        server(FilePlace::DirectoryOr(".claude.json", ".claude.json"), false),
    ],
    // One user's settings for a project; Claude keeps this file out of the repository.
    project_files: &[
        hooks(FilePlace::Project(&[".claude/settings.local.json"])),
        server(FilePlace::DirectoryOr(".claude.json", ".claude.json"), true),
    ],
    afterwards: None,
    no_http: None,
    switched_off: Some(Switch { file: "settings.json", keys: &["disableAllHooks"], off: true }),
    runs_equal_lines_once: true,
    trust: None,
    prompt: usual_prompt,
};

const fn hooks(place: FilePlace) -> SettingsFile {
    let groups = HookGroups { harness: SPEC.name, events: EVENTS, version: None };
    let (entries, edit) = (EVENTS.len(), FileEdit::Groups(groups));
    SettingsFile { part: Part::Hooks, place, entries, when_taken: "", edit }
}

const fn server(place: FilePlace, below_project: bool) -> SettingsFile {
    let edit = FileEdit::JsonServer(JsonServer {
        servers: &["mcpServers"],
        below_project,
        commas: Commas::Between,
        entry,
        program: command_of,
    });
    SettingsFile { part: Part::Server, place, entries: 1, when_taken: WHEN_TAKEN, edit }
}

/// There are few tools, and agents should see them without searching for them.
fn entry(who: &Registration<'_>) -> Value {
    match who.http {
        None => json!({
            "type": "stdio", "command": who.program, "args": who.args(&["serve"]), "env": {}, "alwaysLoad": true
        }),
        Some(http) => {
            let helper = who.line(&["token", "header"]);
            json!({"type": "http", "url": http.url, "headersHelper": helper, "alwaysLoad": true})
        }
    }
}

#[cfg(test)]
mod tests;
