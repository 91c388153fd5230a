//! Settings: every key, where its value came from, and what a project may change.
//!
//! Each layer overrides the one before: defaults, the user's `config.toml`, a project's
//! `.nudge.toml`, `NUDGE_*` variables, flags. A project file comes with a repository and not from
//! the user, so it may only narrow settings. A mistake in a file or variable is a warning and the
//! layer below stays in force, because a typo must not stop an agent. If the setting may have been
//! meant to keep something out, nothing is captured until it is fixed. A mistake in a flag is an
//! error, because somebody is there to read it.

use std::collections::BTreeMap;

use nudge_core::ttl::Ttl;

mod keys;
mod layers;
mod models;
mod plugins;
mod report;
mod resolve;
mod values;

pub use keys::{KEYS, Key, OTHER_VARIABLES};
pub use layers::{
    Layers, PROJECT_FILE, find_project_file, is_declared_private, load, load_for_agent, project_declarations,
    project_name,
};
pub use models::{MAX_MODEL_NAME, ModelSetting, PROVIDERS, is_model_name};
pub use plugins::PluginSetting;
pub use report::{KeyReport, Origin, Resolved};
pub use resolve::resolve;
pub use values::{Profile, Retention, RunSettings, WebSearchSettings};

/// The default port.
pub const DEFAULT_PORT: u16 = 8765;

/// The most tokens that a session gets at its start: enough to know the state of the work, no more
/// than a short instruction file costs.
pub const START_TOKENS: u32 = 500;

/// The most tokens after the context was emptied: the agent has lost what it knew.
pub const RECOVERY_TOKENS: u32 = 1_000;

/// The most tokens that a session gets with a prompt.
pub const PROMPT_TOKENS: u32 = 800;

/// The default number of tokens before or after a command.
const TOOL_TOKENS: u32 = 200;

/// The settings in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The TCP port of the server; 0 means any free port.
    pub port: u16,
    /// The lifetime of a hint that sets none.
    pub default_ttl: Ttl,
    /// Whether values that look like credentials are rejected.
    pub secret_guard: bool,
    /// Whether the secret detector is strict: weaker signs are enough to treat a text as a
    /// credential.
    pub strict_secrets: bool,
    /// Directories of projects that may not make the detector strict with their own file.
    pub relaxed_secrets: Vec<String>,
    /// How much the server logs.
    pub log_level: LogLevel,
    /// Whether the start of a session starts a server when none is running.
    pub start_server: bool,
    /// The most components.
    pub max_components: i64,
    /// The most hints in one component, including variants.
    pub max_hints_per_component: i64,
    /// The most hints in total, including variants.
    pub max_hints: i64,
    /// Which tools the server lists; `None` lets the project decide.
    pub profile: Option<Profile>,
    /// Whether agents may read and write values marked secret.
    pub mcp_secrets: bool,
    /// Whether the actions of agents are captured.
    pub capture: bool,
    /// Never captured: globs of directories and files, and names of projects.
    pub exclude: Vec<String>,
    /// The project's name, if it is not the name of its directory.
    pub project: Option<String>,
    /// Whether everything of the project is hidden outside it.
    pub private: bool,
    /// How long captured data is kept.
    pub retention: Retention,
    /// Whether agents get anything unasked.
    pub inject: bool,
    /// Whether agents that no user watches get anything unasked.
    pub inject_headless: bool,
    /// The most tokens that a new session gets.
    pub inject_start_tokens: u32,
    /// The most tokens that a session gets after its context was emptied.
    pub inject_recovery_tokens: u32,
    /// The most tokens that a session gets with a prompt.
    pub inject_prompt_tokens: u32,
    /// The most tokens before or after a command; 0 for none.
    pub inject_tool_tokens: u32,
    /// Whether an agent may be asked to remember a rule that a prompt states.
    pub ask_agent: bool,
    /// The models that runs may use, by name.
    pub models: BTreeMap<String, ModelSetting>,
    /// The settings of runs.
    pub runs: RunSettings,
    /// The plugins that runs may use, by name.
    pub plugins: BTreeMap<String, PluginSetting>,
    /// The settings of the plugin that searches the web.
    pub web_search: WebSearchSettings,
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
            profile: None,
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
            ask_agent: true,
            models: BTreeMap::new(),
            runs: RunSettings::default(),
            plugins: BTreeMap::new(),
            web_search: WebSearchSettings::default(),
        }
    }
}

nudge_core::named_enum! {
    /// How much the server logs; each level includes those before it.
    pub enum LogLevel {
        /// Failures.
        Error => "error",
        /// Plus anything that looks wrong.
        Warn => "warn",
        /// Plus what happened.
        Info => "info",
        /// Plus how it happened.
        Debug => "debug",
    }
}

#[cfg(test)]
mod tests;
