//! Who is asking, from where, and when.

use std::collections::BTreeMap;

use nudge_core::ttl::Ttl;
use nudge_core::{Context, Provenance, Source, Tier, Timestamp};

use nudge_home::Settings;

/// The door a call came in by. It decides provenance and rights; nothing a caller says does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Surface {
    /// The person's command line.
    Cli,
    /// A command line that an agent started.
    AgentCli,
    /// An MCP tool call, over stdio or HTTP.
    Mcp,
    /// A program that holds the token, over `/rpc`. It has an agent's rights.
    Rpc,
}

impl Surface {
    /// The name between our own processes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cli => "cli",
            Self::AgentCli => "agent-cli",
            Self::Mcp => "mcp",
            Self::Rpc => "rpc",
        }
    }

    /// The surface with that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Cli, Self::AgentCli, Self::Mcp, Self::Rpc].into_iter().find(|s| s.name() == name)
    }

    /// The rights that come with it.
    pub const fn tier(self) -> Tier {
        match self {
            Self::Cli => Tier::Client,
            Self::AgentCli | Self::Mcp | Self::Rpc => Tier::Model,
        }
    }

    /// What kind of thing speaks through it.
    pub const fn source(self) -> Source {
        match self {
            Self::Cli => Source::User,
            Self::AgentCli | Self::Mcp | Self::Rpc => Source::Agent,
        }
    }

    /// Whether the person speaks through it.
    pub const fn is_the_persons(self) -> bool {
        matches!(self, Self::Cli)
    }
}

/// What stands in for facts that the call's own `context` leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ambient {
    /// Nothing: over HTTP the far end is not where the server is.
    Nothing,
    /// The facts of the process that asks. A given `cwd` replaces cwd, repo and branch together.
    Here(Context),
}

/// The settings of the caller's own process that decide what becomes of what it leaves. They travel
/// with the call: the process that carries it out may have been started under other ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// How long a hint lives that names no time.
    pub default_ttl: Ttl,
    /// Whether text that looks like a credential is refused.
    pub secret_guard: bool,
    /// Whether little is needed for that.
    pub strict_secrets: bool,
    /// Whether an agent may handle secrets.
    pub mcp_secrets: bool,
}

impl Terms {
    /// Those of these settings.
    pub fn of(settings: &Settings) -> Self {
        Self {
            default_ttl: settings.default_ttl.clone(),
            secret_guard: settings.secret_guard,
            strict_secrets: settings.strict_secrets,
            mcp_secrets: settings.mcp_secrets,
        }
    }
}

/// One call's circumstances.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The door.
    pub surface: Surface,
    /// The program at the other end, such as `cli` or `claude-code`.
    pub client: Option<String>,
    /// The agent session that the call itself names.
    pub session: Option<String>,
    /// The agent's own id of the call, which its hook may have announced.
    pub tool_use: Option<String>,
    /// The agent session in the environment of the process that asks.
    pub process_session: Option<String>,
    /// The project the call belongs to.
    pub project: Option<String>,
    /// This machine's id.
    pub machine: Option<String>,
    /// Facts that stand in for a missing context.
    pub ambient: Ambient,
    /// The caller's own terms; without any, those of the process that carries the call out.
    pub terms: Option<Terms>,
    /// Marks a write, so that a repeat of it is recognised.
    pub operation_id: Option<String>,
    /// Now.
    pub now: Timestamp,
}

impl Caller {
    /// A caller of whom only the door and the time are known.
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
            now,
        }
    }

    /// The provenance of what this caller writes in a session. What a client calls itself and its session is
    /// screened like any other text.
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

/// Environment values that a far caller was asked for; `None` is known to be unset.
pub type AskedEnv = BTreeMap<String, Option<String>>;
