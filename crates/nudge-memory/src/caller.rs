//! Who is asking, from where, and when.

use std::collections::BTreeMap;

use nudge_core::ttl::Ttl;
use nudge_core::{Context, Provenance, Source, Tier, Timestamp};

use nudge_home::Settings;
use nudge_home::settings::ModelSetting;
use serde::{Deserialize, Serialize};

/// The entry point a call came in by. Provenance and rights follow from it alone, never from
/// anything the caller says.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The user's command line.
    Cli,
    /// A command line that an agent started.
    AgentCli,
    /// An MCP tool call, over stdio or HTTP.
    Mcp,
    /// A program with the token, over `/rpc`. It has an agent's rights.
    Rpc,
    /// A program with a client token, over HTTP. It has the user's rights, but for a few.
    Client,
    /// The user's browser, signed in with `nudge ui`. It has the user's rights, but for a few.
    Browser,
    /// The model of a run, inside the daemon. No caller from outside has it.
    Run,
}

impl Surface {
    /// The name used between Nudge's own processes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::AgentCli => "agent-cli",
            Self::Mcp => "mcp",
            Self::Rpc => "rpc",
            Self::Client => "client",
            Self::Browser => "browser",
            Self::Run => "run",
        }
    }

    /// The surface with this name; `None` if there is none.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Cli, Self::AgentCli, Self::Mcp, Self::Rpc].into_iter().find(|s| s.name() == name)
    }

    /// The rights that this surface gives.
    pub const fn tier(self) -> Tier {
        match self {
            Self::Cli | Self::Client | Self::Browser => Tier::Client,
            Self::AgentCli | Self::Mcp | Self::Rpc | Self::Run => Tier::Model,
        }
    }

    /// The kind of source that a caller on this surface is.
    pub const fn source(self) -> Source {
        match self {
            Self::Cli | Self::Client | Self::Browser => Source::User,
            Self::AgentCli | Self::Mcp | Self::Rpc | Self::Run => Source::Agent,
        }
    }

    /// Whether a model itself calls through this surface, and not a program or the user.
    pub const fn is_model_side(self) -> bool {
        matches!(self, Self::Mcp | Self::Run)
    }

    /// Whether only the user calls through this surface.
    pub const fn is_user(self) -> bool {
        matches!(self, Self::Cli | Self::Client | Self::Browser)
    }

    /// Whether the user calls from another place than their terminal. What grants rights is refused
    /// there.
    pub const fn is_outside_terminal(self) -> bool {
        matches!(self, Self::Client | Self::Browser)
    }

    /// Whether values that are marked secret may be shown and saved through this surface.
    pub const fn handles_secrets(self) -> bool {
        matches!(self, Self::Cli | Self::Client)
    }
}

/// Where facts come from that the call's own `context` leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ambient {
    /// Nowhere: over HTTP, the caller is not where the server is.
    Nothing,
    /// From the calling process. A given `cwd` replaces cwd, repo and branch together.
    Here(Context),
}

/// How many hints there may be.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HintLimits {
    /// How many components.
    pub components: i64,
    /// How many hints in one component.
    pub hints_per_component: i64,
    /// How many hints in total.
    pub hints: i64,
}

impl HintLimits {
    /// The limits of these settings.
    pub const fn of(settings: &Settings) -> Self {
        Self {
            components: settings.max_components,
            hints_per_component: settings.max_hints_per_component,
            hints: settings.max_hints,
        }
    }

    /// The lower of each two limits.
    pub(crate) fn lowest(self, other: Self) -> Self {
        Self {
            components: self.components.min(other.components),
            hints_per_component: self.hints_per_component.min(other.hints_per_component),
            hints: self.hints.min(other.hints),
        }
    }
}

/// The settings of the caller's own process that apply to what it writes. They travel with the
/// call, because the process that runs it may have been started with other settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    /// How long a hint lives if it names no time.
    pub default_ttl: Ttl,
    /// Whether text that looks like a credential is rejected.
    pub secret_guard: bool,
    /// Whether the check for credentials is strict.
    pub strict_secrets: bool,
    /// Whether an agent may handle secrets.
    pub mcp_secrets: bool,
    /// How many hints there may be. The user's limits apply as they are, and others only where they
    /// are lower. `None` from an older program, which does not send them.
    pub limits: Option<HintLimits>,
    /// The models that the caller's settings have.
    pub models: BTreeMap<String, ModelSetting>,
}

impl Terms {
    /// Takes the terms from these settings.
    pub fn of(settings: &Settings) -> Self {
        Self {
            default_ttl: settings.default_ttl.clone(),
            secret_guard: settings.secret_guard,
            strict_secrets: settings.strict_secrets,
            mcp_secrets: settings.mcp_secrets,
            limits: Some(HintLimits::of(settings)),
            models: settings.models.clone(),
        }
    }
}

/// The circumstances of one call.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The entry point.
    pub surface: Surface,
    /// The program at the other end, such as `cli` or `claude-code`.
    pub client: Option<String>,
    /// The agent session that the call itself names.
    pub session: Option<String>,
    /// The agent's own id of the call; its hook may have reported the same id.
    pub tool_use: Option<String>,
    /// The agent session in the environment of the calling process.
    pub process_session: Option<String>,
    /// The project that the call belongs to.
    pub project: Option<String>,
    /// This machine's id.
    pub machine: Option<String>,
    /// Facts to use where the call gives no context.
    pub ambient: Ambient,
    /// The caller's own terms. If `None`, the terms of the process that runs the call apply.
    pub terms: Option<Terms>,
    /// Identifies a write, so that a repeat is recognised.
    pub operation_id: Option<String>,
    /// The turn and loop of a run that the call belongs to.
    pub turn: Option<(i64, i64)>,
    /// Whether the call may only read, such as from a browser with `nudge ui --read-only`.
    pub read_only: bool,
    /// The time of the call.
    pub now: Timestamp,
}

impl Caller {
    /// A caller with only the surface and the time known.
    pub const fn new(surface: Surface, now: Timestamp) -> Self {
        Self {
            surface,
            client: None,
            session: None,
            tool_use: None,
            process_session: None,
            project: None,
            machine: None,
            ambient: Ambient::Nothing,
            terms: None,
            operation_id: None,
            turn: None,
            read_only: false,
            now,
        }
    }

    /// Whether nothing says where the caller is: it calls over HTTP, so its directory is unknown.
    pub(crate) const fn has_no_place(&self) -> bool {
        let is_remote =
            self.surface.is_outside_terminal() || matches!(self.surface, Surface::Mcp | Surface::Rpc);
        is_remote && matches!(self.ambient, Ambient::Nothing) && self.project.is_none()
    }

    /// The provenance of what this caller writes in a session. The names that a client gives itself
    /// and its session are screened for secrets like any other text.
    pub(crate) fn provenance(&self, session: Option<String>) -> Provenance {
        let screened =
            |name: &Option<String>| name.as_deref().map(|name| nudge_secrets::redact(name).into_owned());
        Provenance {
            source: self.surface.source(),
            tier: self.surface.tier(),
            client: screened(&self.client),
            session: screened(&session),
            project: self.project.clone(),
            machine: self.machine.clone(),
        }
    }
}

/// Environment values that a remote caller was asked for. `None` means known to be unset.
pub type AskedEnv = BTreeMap<String, Option<String>>;
