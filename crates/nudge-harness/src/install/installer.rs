//! The form that every agent's installer takes.

use super::settings_file::SettingsFile;

/// How Nudge is put into one agent.
#[derive(Debug)]
pub struct Installer {
    /// Where the agent keeps its settings.
    pub directory: Directory,
    /// The files of the person, and what goes into each.
    pub files: &'static [SettingsFile],
    /// The files of one project, for a person who wants Nudge only there.
    pub project_files: &'static [SettingsFile],
    /// What the agent itself wants the person to do before it runs our hooks.
    pub afterwards: Option<&'static str>,
    /// Why the MCP server cannot be reached over HTTP, where it cannot.
    pub no_http: Option<&'static str>,
    /// A setting of the agent by which it runs no hooks at all: its file in the directory, the keys that lead to it, and the
    /// value that switches them off.
    pub switched_off: Option<Switch>,
    /// Whether it runs a line once that it finds in two of its files.
    pub runs_equal_lines_once: bool,
    /// Tells which of our hooks the person has trusted, by the path and text of the file that holds them and the text of the
    /// agent's configuration, where it asks for trust.
    pub trust: Option<fn(&str, &str, &str) -> Trust>,
    /// A prompt as the agent's hook would send it: of a session, in a directory, with these words.
    pub prompt: fn(&str, &str, &str) -> serde_json::Value,
}

/// A setting that switches all hooks off.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The file in the agent's directory.
    pub file: &'static str,
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// The value that switches hooks off.
    pub off: bool,
}

/// How many of our hooks a person has trusted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Trusted as they are.
    pub trusted: usize,
    /// Trusted once, and changed since.
    pub changed: usize,
    /// Never trusted.
    pub untrusted: usize,
    /// Switched off one by one.
    pub disabled: usize,
}

/// The prompt of agents that send it as Claude Code does.
pub(crate) fn usual_prompt(session: &str, cwd: &str, words: &str) -> serde_json::Value {
    serde_json::json!({
        "session_id": session, "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": words
    })
}

/// Where an agent keeps its settings.
#[derive(Debug)]
pub struct Directory {
    /// The variable that names it, where a person sets one, and what follows below that.
    pub variable: Option<(&'static str, &'static str)>,
    /// Its path from the person's home otherwise.
    pub in_home: &'static str,
    /// How directories of further profiles begin, from the person's home, and a file that each has.
    pub profiles: Option<(&'static str, &'static str)>,
}
