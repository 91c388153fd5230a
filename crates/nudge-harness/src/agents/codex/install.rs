//! Codex: hooks in `hooks.json`, the MCP server in `config.toml`.

use toml::Value;

use super::spec::SPEC;
use super::trust;
use crate::install::{
    Asked, Directory, FileEdit, FilePlace, HookGroups, Installer, Part, Registration, SettingsFile, Switch,
    TomlServer, usual_prompt,
};

/// Everything that is kept of a session. It has no event of failure, and a call to an MCP tool that fails fires only the event
/// before it, so both events of every call are asked for.
const EVENTS: &[Asked] = &[
    Asked::every("SessionStart", 5),
    Asked::every("UserPromptSubmit", 5),
    Asked::every("PreToolUse", 5),
    Asked::every("PostToolUse", 5),
    Asked::every("PreCompact", 5),
    Asked::every("PostCompact", 5),
    Asked::every("SubagentStop", 5),
    Asked::every("Stop", 5),
    // It gives this event three seconds at most.
    Asked::every("SessionEnd", 3),
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
