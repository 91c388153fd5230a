//! The description of an agent's installer.

use super::settings_file::SettingsFile;

/// How Nudge is installed in one agent.
#[derive(Debug)]
pub struct Installer {
    /// Where the agent keeps its settings.
    pub directory: Directory,
    /// The user's settings files, and what goes into each.
    pub files: &'static [SettingsFile],
    /// The files of one project, for a user who wants Nudge only there.
    pub project_files: &'static [SettingsFile],
    /// What the agent requires the user to do before it runs our hooks.
    pub afterwards: Option<&'static str>,
    /// Why the MCP server cannot use HTTP, where it cannot.
    pub no_http: Option<&'static str>,
    /// A setting that disables all hooks of the agent.
    pub switched_off: Option<Switch>,
    /// Whether it runs a line only once that is in two of its files.
    pub runs_equal_lines_once: bool,
    /// Counts which of our hooks the user has trusted, for agents that ask for trust. Takes the
    /// path and text of the hooks file, and the text of the agent's configuration.
    pub trust: Option<fn(&str, &str, &str) -> Trust>,
    /// A prompt as the agent's hook would send it; takes the session, the directory and the
    /// prompt's text.
    pub prompt: fn(&str, &str, &str) -> serde_json::Value,
}

/// A setting that disables all hooks.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Switch {
    /// The file in the agent's directory.
    pub file: &'static str,
    /// The keys that lead to it.
    pub keys: &'static [&'static str],
    /// The value that disables hooks.
    pub off: bool,
}

/// How many of our hooks the user has trusted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Trusted and unchanged.
    pub trusted: usize,
    /// Trusted once, and changed since.
    pub changed: usize,
    /// Never trusted.
    pub untrusted: usize,
    /// Disabled individually.
    pub disabled: usize,
}

/// A prompt in Claude Code's format, which several agents use.
pub(crate) fn usual_prompt(session: &str, cwd: &str, words: &str) -> serde_json::Value {
    serde_json::json!({
        "session_id": session, "cwd": cwd, "hook_event_name": "UserPromptSubmit", "prompt": words
    })
}

/// Where an agent keeps its settings.
#[derive(Debug)]
pub struct Directory {
    /// The variable that overrides the directory, and a path below it.
    pub variable: Option<(&'static str, &'static str)>,
    /// Otherwise, its path in the home directory.
    pub in_home: &'static str,
    /// The prefix of further profile directories in the home directory, and a file that each
    /// contains.
    pub profiles: Option<(&'static str, &'static str)>,
}
