//! GitHub Copilot CLI: hooks in a separate file, the MCP server in `mcp-config.json`.

use serde_json::{Value, json};

use super::SPEC;
use crate::edit::jsonc::Commas;
use crate::install::{
    Directory, FileEdit, FilePlace, HookEventRequest, HookGroups, Installer, JsonServer, Part, Registration,
    SettingsFile, Switch, command_of, usual_prompt,
};

/// The events we record. With this spelling a payload names its event.
const EVENTS: &[HookEventRequest] = &[
    HookEventRequest::every("SessionStart", 5),
    HookEventRequest::every("UserPromptSubmit", 5),
    HookEventRequest::every("PreToolUse", 5),
    HookEventRequest::every("PostToolUse", 5),
    HookEventRequest::every("PostToolUseFailure", 5),
    HookEventRequest::every("SubagentStart", 5),
    HookEventRequest::every("SubagentStop", 5),
    HookEventRequest::every("PreCompact", 5),
    HookEventRequest::every("Stop", 5),
    HookEventRequest::every("SessionEnd", 5),
];

const WHEN_TAKEN: &str = "pass --no-mcp to keep it, or remove it from that file";

pub(super) const INSTALLER: Installer = Installer {
    directory: Directory { variable: Some(("COPILOT_HOME", "")), in_home: ".copilot", profiles: None },
    files: &[
        hooks(FilePlace::Directory(&["hooks/nudge.json"])),
        server(FilePlace::Directory(&["mcp-config.json"])),
    ],
    project_files: &[
        hooks(FilePlace::Project(&[".github/hooks/nudge.json"])),
        server(FilePlace::Project(&[".mcp.json"])),
    ],
    afterwards: None,
    no_http: Some("Copilot CLI takes a token only as text in its settings or from its environment"),
    switched_off: Some(Switch { file: "settings.json", keys: &["disableAllHooks"], off: true }),
    runs_equal_lines_once: false,
    trust: None,
    prompt: usual_prompt,
};

const fn hooks(place: FilePlace) -> SettingsFile {
    let groups = HookGroups { harness: SPEC.name, events: EVENTS, version: Some(1) };
    let (entries, edit) = (EVENTS.len(), FileEdit::Groups(groups));
    SettingsFile { part: Part::Hooks, place, entries, when_taken: "", edit }
}

const fn server(place: FilePlace) -> SettingsFile {
    let servers: &[&str] = &["mcpServers"];
    let edit = FileEdit::JsonServer(JsonServer {
        servers,
        below_project: false,
        commas: Commas::Between,
        entry,
        program: command_of,
    });
    SettingsFile { part: Part::Server, place, entries: 1, when_taken: WHEN_TAKEN, edit }
}

fn entry(who: &Registration<'_>) -> Value {
    json!({"type": "local", "command": who.program, "args": who.args(&["serve"]), "tools": ["*"]})
}

#[cfg(test)]
mod tests;
