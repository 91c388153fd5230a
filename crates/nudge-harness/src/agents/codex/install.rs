//! Codex: hooks in `hooks.json`, the MCP server in `config.toml`.

use toml::Value;

use super::spec::SPEC;
use super::trust;
use crate::install::{
    Directory, FileEdit, FilePlace, HookEventRequest, HookGroups, Installer, Part, Registration,
    SettingsFile, Switch, TomlServer, usual_prompt,
};

/// The events we record. Codex has no failure event, and a failing MCP call fires only the event
/// before the call, so we ask for both events of every call.
const EVENTS: &[HookEventRequest] = &[
    HookEventRequest::every("SessionStart", 5),
    HookEventRequest::every("UserPromptSubmit", 5),
    HookEventRequest::every("PreToolUse", 5),
    HookEventRequest::every("PostToolUse", 5),
    HookEventRequest::every("PreCompact", 5),
    HookEventRequest::every("PostCompact", 5),
    HookEventRequest::every("SubagentStop", 5),
    HookEventRequest::every("Stop", 5),
    // Codex allows this event three seconds at most.
    HookEventRequest::every("SessionEnd", 3),
];

const WHEN_TAKEN: &str = "pass --no-mcp to keep it, or remove it: `codex mcp remove nudge`";

pub(super) const INSTALLER: Installer = Installer {
    directory: Directory {
        variable: Some(("CODEX_HOME", "")),
        in_home: ".codex",
        profiles: Some((".codex-", "config.toml")),
    },
    files: &[hooks(FilePlace::Directory(&["hooks.json"])), server(FilePlace::Directory(&["config.toml"]))],
    project_files: &[
        hooks(FilePlace::Project(&[".codex/hooks.json"])),
        server(FilePlace::Project(&[".codex/config.toml"])),
    ],
    afterwards: Some(
        "Codex runs no hook that you have not trusted: start `codex`, type /hooks, and trust those of Nudge.",
    ),
    no_http: None,
    switched_off: Some(Switch { file: "config.toml", keys: &["features", "hooks"], off: false }),
    runs_equal_lines_once: false,
    trust: Some(trust::trust),
    prompt: usual_prompt,
};

const fn hooks(place: FilePlace) -> SettingsFile {
    let groups = HookGroups { harness: SPEC.name, events: EVENTS, version: None };
    let (entries, edit) = (EVENTS.len(), FileEdit::Groups(groups));
    SettingsFile { part: Part::Hooks, place, entries, when_taken: "", edit }
}

const fn server(place: FilePlace) -> SettingsFile {
    let edit = FileEdit::TomlServer(TomlServer { servers: "mcp_servers", entry });
    SettingsFile { part: Part::Server, place, entries: 1, when_taken: WHEN_TAKEN, edit }
}

fn entry(who: &Registration<'_>) -> Vec<(&'static str, Value)> {
    let words = |words: &[&str]| Value::from(who.args(words));
    match who.http {
        None => vec![("command", who.program.into()), ("args", words(&["serve"]))],
        Some(http) => {
            let helper = who.line(&["token", "header"]);
            vec![("url", http.url.into()), ("http_headers_helper", helper.into())]
        }
    }
}

#[cfg(test)]
mod tests;
