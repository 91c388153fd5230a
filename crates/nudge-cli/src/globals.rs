//! Flags that every command takes.

use std::path::PathBuf;

use clap::Args;

use crate::output::ColorWish;

/// What the flags of this invocation say, before any file or variable is asked.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Use the memory in this directory, with its own configuration [env: NUDGE_HOME]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Port of the server (8765); other commands refuse a server on another one
    #[arg(short, long, global = true, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Print the exact result as one line of JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to colour; auto honours NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    pub(crate) color: ColorWish,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

impl Globals {
    /// The settings that flags name, as keys and values.
    pub(crate) fn setting_flags(&self) -> Vec<(&'static str, String)> {
        let flags = &self.settings;
        let text = |number: &Option<u32>| number.map(|number| number.to_string());
        let given = [
            ("port", self.port.map(|port| port.to_string())),
            ("secret_guard", flags.no_secret_guard.then(|| "false".to_owned())),
            ("default_ttl", flags.default_ttl.clone()),
            ("log_level", flags.log_level.clone()),
            ("max_hints", text(&flags.max_hints)),
            ("max_components", text(&flags.max_components)),
            ("max_hints_per_component", text(&flags.max_hints_per_component)),
            ("profile", flags.profile.clone()),
            ("mcp_secrets", flags.mcp_secrets.then(|| "true".to_owned())),
        ];
        given.into_iter().filter_map(|(key, value)| Some((key, value?))).collect()
    }
}

/// One flag for each setting that a command obeys; what is captured is decided in hooks, which take none. Shown by
/// `--help` alone: they are seldom typed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct SettingFlags {
    /// Take values that look like credentials [env: NUDGE_SECRET_GUARD=0]
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_secret_guard: bool,
    /// Lifetime of hints that name none: session, forever or an ISO-8601 duration [env: NUDGE_DEFAULT_TTL]
    #[arg(long, global = true, value_name = "TTL", hide_short_help = true)]
    pub(crate) default_ttl: Option<String>,
    /// How much the server logs: error, warn, info or debug [env: NUDGE_LOG_LEVEL]
    #[arg(long, global = true, value_name = "LEVEL", hide_short_help = true)]
    pub(crate) log_level: Option<String>,
    /// Most hints in all [env: NUDGE_MAX_HINTS]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_hints: Option<u32>,
    /// Most components [env: NUDGE_MAX_COMPONENTS]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_components: Option<u32>,
    /// Most hints in one component [env: NUDGE_MAX_HINTS_PER_COMPONENT]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_hints_per_component: Option<u32>,
    /// Which tools the server lists: default or full [env: NUDGE_PROFILE]
    #[arg(long, global = true, value_name = "PROFILE", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Let agents read and write values marked secret [env: NUDGE_MCP_SECRETS=1]
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) mcp_secrets: bool,
}
