//! opencode: a plugin that sends events to `nudge hook`, and the MCP server in `opencode.jsonc`.

use serde_json::{Value, json};

use super::SPEC;
use crate::edit::jsonc::Commas;
use crate::install::{
    Block, Directory, FileEdit, FilePlace, Installer, JsonServer, Part, Registration, SettingsFile,
};

/// The plugin, without the command it runs.
const PLUGIN: &str = include_str!("plugin.js");

/// The command goes after this.
const COMMAND_MARK: &str = "const COMMAND = ";

const WHEN_TAKEN: &str = "pass --no-mcp to keep it, or remove it from that file";

pub(super) const INSTALLER: Installer = Installer {
    directory: Directory {
        variable: Some(("XDG_CONFIG_HOME", "opencode")),
        in_home: ".config/opencode",
        profiles: None,
    },
    files: &[
        plugin(FilePlace::Directory(&["plugins/nudge.js"])),
        server(FilePlace::Directory(&["opencode.jsonc", "opencode.json"])),
        no_wait(FilePlace::Directory(&[".npmrc"])),
    ],
    project_files: &[
        plugin(FilePlace::Project(&[".opencode/plugins/nudge.js"])),
        server(FilePlace::Project(&["opencode.jsonc", "opencode.json"])),
        no_wait(FilePlace::Project(&[".opencode/.npmrc"])),
    ],
    afterwards: None,
    no_http: None,
    switched_off: None,
    runs_equal_lines_once: false,
    trust: None,
    prompt,
};

const fn plugin(place: FilePlace) -> SettingsFile {
    let edit =
        FileEdit::Block(Block { comment: "//", skip_if_present: None, lines, program: plugin_program });
    SettingsFile { part: Part::Hooks, place, entries: 1, when_taken: "", edit }
}

/// If there is a plugin, opencode installs a package next to it at start and waits for that.
/// Without a network it would try for more than a minute.
const fn no_wait(place: FilePlace) -> SettingsFile {
    let lines = |_: &Registration<'_>| "fetch-retries=0\nfetch-timeout=5000\n".to_owned();
    let unless = Some("fetch-retries");
    let edit = FileEdit::Block(Block { comment: "#", skip_if_present: unless, lines, program: |_| None });
    SettingsFile { part: Part::NoWait, place, entries: 1, when_taken: "", edit }
}

const fn server(place: FilePlace) -> SettingsFile {
    let edit = FileEdit::JsonServer(JsonServer {
        servers: &["mcp"],
        below_project: false,
        commas: Commas::AlsoTrailing,
        entry,
        program,
    });
    SettingsFile { part: Part::Server, place, entries: 1, when_taken: WHEN_TAKEN, edit }
}

fn lines(who: &Registration<'_>) -> String {
    let mut words = vec![who.program.to_owned()];
    words.extend(who.args(&["hook", SPEC.name]));
    format!("{COMMAND_MARK}{}\n{PLUGIN}", Value::from(words))
}

/// A prompt as the plugin sends it.
fn prompt(session: &str, cwd: &str, words: &str) -> Value {
    let output = json!({"message": {}, "parts": [{"type": "text", "text": words}]});
    json!({"hook": "chat.message", "input": {"sessionID": session}, "output": output, "directory": cwd})
}

fn plugin_program(lines: &str) -> Option<String> {
    let line = lines.lines().find_map(|line| line.strip_prefix(COMMAND_MARK))?;
    serde_json::from_str::<Vec<String>>(line).ok()?.into_iter().next()
}

fn entry(who: &Registration<'_>) -> Value {
    match who.http {
        None => {
            let mut command = vec![who.program.to_owned()];
            command.extend(who.args(&["serve"]));
            json!({"type": "local", "command": command, "enabled": true})
        }
        Some(http) => {
            // opencode reads the file when it starts, so the token itself is not written anywhere
            // else.
            let header = format!("Bearer {{file:{}}}", http.token_file);
            json!({"type": "remote", "url": http.url, "headers": {"Authorization": header}, "enabled": true})
        }
    }
}

fn program(present: &Value) -> Option<&str> {
    present.get("command")?.get(0)?.as_str()
}

#[cfg(test)]
mod tests;
