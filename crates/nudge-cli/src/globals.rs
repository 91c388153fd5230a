//! Flags that every command accepts.

use std::path::PathBuf;

use clap::Args;

use crate::durations;
use crate::output::ColorMode;

/// The heading of the flags for settings.
pub(crate) const SETTINGS_HEADING: &str = "Settings";

/// The flags of this invocation, before any file or variable is read.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Globals {
    /// Use the memory and settings in this directory [env: NUDGE_HOME]
    #[arg(long, global = true, value_name = "DIR", hide_short_help = true)]
    pub(crate) home: Option<PathBuf>,
    /// Port of the server; fails if it uses another port [default: 8765]
    #[arg(short, long, global = true, value_name = "PORT", hide_short_help = true)]
    pub(crate) port: Option<u16>,
    /// Print the result as one line of JSON
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) json: bool,
    /// When to use colour; auto respects NO_COLOR
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_short_help = true)]
    pub(crate) color: ColorMode,
    #[command(flatten)]
    pub(crate) settings: SettingFlags,
}

impl Globals {
    /// The settings given as flags, as keys and values.
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

/// One flag for each setting that a command obeys; hooks decide what is captured, and take none of
/// these. Only `nudge --help` and `nudge config --help` show them: they are rarely typed.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = SETTINGS_HEADING)]
pub(crate) struct SettingFlags {
    /// Accept values that look like credentials [env: NUDGE_SECRET_GUARD=0]
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) no_secret_guard: bool,
    /// Lifetime of hints set without --ttl, such as 2h, forever, or session (until a reboot or
    /// `nudge stop`) [env: NUDGE_DEFAULT_TTL]
    #[arg(long, global = true, value_name = "TTL", value_parser = durations::ttl, hide_short_help = true)]
    pub(crate) default_ttl: Option<String>,
    /// Log level of the server: error, warn, info or debug [env: NUDGE_LOG_LEVEL]
    #[arg(long, global = true, value_name = "LEVEL", hide_short_help = true)]
    pub(crate) log_level: Option<String>,
    /// Maximum number of hints [env: NUDGE_MAX_HINTS]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_hints: Option<u32>,
    /// Maximum number of components [env: NUDGE_MAX_COMPONENTS]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_components: Option<u32>,
    /// Maximum number of hints per component [env: NUDGE_MAX_HINTS_PER_COMPONENT]
    #[arg(long, global = true, value_name = "N", hide_short_help = true)]
    pub(crate) max_hints_per_component: Option<u32>,
    /// Which MCP tools agents see: auto, default, work or full [env: NUDGE_PROFILE]
    #[arg(long, global = true, value_name = "PROFILE", hide_short_help = true)]
    pub(crate) profile: Option<String>,
    /// Let agents read and write hints saved with --allow-secret [env: NUDGE_MCP_SECRETS=1]
    #[arg(long, global = true, hide_short_help = true)]
    pub(crate) mcp_secrets: bool,
}
