//! Settings: every key, where its value came from, and what a project may change.
//!
//! Layers, each over the one before: defaults, the person's `config.toml`, a project's `.nudge.toml`,
//! `NUDGE_*` variables, flags. A project file comes with a repository and is not the person's word: it
//! may only narrow. A mistake in a file or variable is a warning and the layer below stays in force,
//! because a typo must not stop an agent. Where it may have been meant to keep something out, nothing is
//! captured until it is mended. A mistake in a flag is an error, because somebody is there to read it.

use nudge_core::ttl::Ttl;

mod keys;
mod layers;
mod nearest;
mod profile;
mod report;
mod resolve;
mod retention;

pub use keys::{KEYS, Key, OTHER_VARIABLES};
pub use layers::{
    Layers, PROJECT_FILE, find_project_file, load, load_for_agent, project_name, said_by, says_private,
};
pub use profile::Profile;
pub use report::{KeyReport, Origin, Resolved};
pub use resolve::resolve;
pub use retention::Retention;

/// The port when none is given.
pub const DEFAULT_PORT: u16 = 8765;

/// How many tokens a session may get at its start: enough to know where the work stands, not more than a short
/// instruction file costs.
pub const START_TOKENS: u32 = 500;

/// How many it may get after its context was emptied: the agent has lost what it knew.
pub const RECOVERY_TOKENS: u32 = 1_500;

/// The most tokens that a session gets with a prompt.
pub const PROMPT_TOKENS: u32 = 800;

/// What is said before or after a command unless the settings say otherwise.
const TOOL_TOKENS: u32 = 200;

/// The settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The TCP port of the server; 0 is any free one.
    pub port: u16,
    /// The lifetime of a hint that names none.
    pub default_ttl: Ttl,
    /// Whether values that look like credentials are refused.
    pub secret_guard: bool,
    /// Whether little is needed for a text to look like a credential.
    pub strict_secrets: bool,
    /// Directories of projects whose own file does not make the detector strict.
    pub relaxed_secrets: Vec<String>,
    /// How much the server logs.
    pub log_level: LogLevel,
    /// Whether the start of a session starts a server, where none runs.
    pub start_server: bool,
    /// The most components.
    pub max_components: i64,
    /// The most hints in one component, variants counted.
    pub max_hints_per_component: i64,
    /// The most hints in all, variants counted.
    pub max_hints: i64,
    /// Which tools the server lists.
    pub profile: Profile,
    /// Whether agents may read and write values marked secret.
    pub mcp_secrets: bool,
    /// Whether what agents do is captured.
    pub capture: bool,
    /// What is never captured: globs of directories and files, and names of projects.
    pub exclude: Vec<String>,
    /// What the project is called, when its directory does not say it.
    pub project: Option<String>,
    /// Whether nothing of the project is shown outside it.
    pub private: bool,
    /// For how long what was captured is kept.
    pub retention: Retention,
    /// Whether agents are told anything unasked.
    pub inject: bool,
    /// Whether agents that no person watches are told anything unasked.
    pub inject_headless: bool,
    /// The most tokens that a new session is told.
    pub inject_start_tokens: u32,
    /// The most tokens that a session is told whose context was emptied.
    pub inject_recovery_tokens: u32,
    /// The most tokens that a session gets with a prompt.
    pub inject_prompt_tokens: u32,
    /// The most tokens before or after a command; 0 for none.
    pub inject_tool_tokens: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            port: DEFAULT_PORT,
            default_ttl: Ttl::Session,
            secret_guard: true,
            strict_secrets: false,
            relaxed_secrets: Vec::new(),
            log_level: LogLevel::Info,
            start_server: false,
            max_components: 500,
            max_hints_per_component: 200,
            max_hints: 5_000,
            profile: Profile::Default,
            mcp_secrets: false,
            capture: true,
            exclude: Vec::new(),
            project: None,
            private: false,
            retention: Retention::default(),
            inject: true,
            inject_headless: false,
            inject_start_tokens: START_TOKENS,
            inject_recovery_tokens: RECOVERY_TOKENS,
            inject_prompt_tokens: PROMPT_TOKENS,
            inject_tool_tokens: TOOL_TOKENS,
        }
    }
}

/// How much the server logs; each level includes those before it.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// And what looks wrong.
    Warn,
    /// And what happened.
    Info,
    /// And how.
    Debug,
}

impl LogLevel {
    /// All of them, quietest first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warn, Self::Info, Self::Debug];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }

    /// The level with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

#[cfg(test)]
mod tests;
