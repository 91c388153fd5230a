//! Entries: everything in memory is stored as one, with its provenance.

use serde_json::{Map, Value};

use crate::path::EntryPath;
use crate::time::Timestamp;

/// The identity of an entry in one store. Never reused.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub i64);

/// The namespace an entry lives in. A path is unique within its scope.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// All of the user's memory.
    Global,
    /// One project.
    Project(String),
    /// One agent session.
    Session(String),
    /// One run of the agent runtime.
    Run(String),
    /// One team.
    Team(String),
}

impl Scope {
    /// The kind as the store keeps it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project(_) => "project",
            Self::Session(_) => "session",
            Self::Run(_) => "run",
            Self::Team(_) => "team",
        }
    }

    /// The key within the kind; empty for the global scope.
    pub fn key(&self) -> &str {
        match self {
            Self::Global => "",
            Self::Project(key) | Self::Session(key) | Self::Run(key) | Self::Team(key) => key,
        }
    }

    /// Builds the scope from its stored kind and key.
    pub fn from_parts(kind: &str, key: &str) -> Option<Self> {
        match kind {
            "global" => Some(Self::Global),
            "project" => Some(Self::Project(key.to_owned())),
            "session" => Some(Self::Session(key.to_owned())),
            "run" => Some(Self::Run(key.to_owned())),
            "team" => Some(Self::Team(key.to_owned())),
            _ => None,
        }
    }
}

/// The current state of one remembered thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its identity.
    pub id: EntryId,
    /// The namespace it lives in.
    pub scope: Scope,
    /// Its name there, such as `hint://api/build`.
    pub path: EntryPath,
    /// Its content, as searchable text.
    pub body: String,
    /// More facts about it, as JSON.
    pub attributes: Map<String, Value>,
    /// Starts at 1 and rises with every change of body or attributes.
    pub version: i64,
    /// Where it first came from. Never changes.
    pub origin: Provenance,
    /// Where the current version came from: decides how far the text can be trusted.
    pub writer: Provenance,
    /// When it was first written.
    pub created_at: Timestamp,
    /// When the current version was written.
    pub updated_at: Timestamp,
}

// Where an entry came from. Set by the surface that received it, never by its content.

crate::named_enum! {
    /// Write permissions: each tier may do everything that the tiers below it may.
    pub enum Tier {
        /// An agent: a tool call, a program on `/rpc`, or a command line that an agent started.
        Model => "model",
        /// The user's own command line.
        Client => "client",
        /// Code inside the daemon.
        Plugin => "plugin",
        /// Nudge itself: migrations, sweeps, imports of its own state.
        System => "system",
    }
}

crate::named_enum! {
    /// The kind of source. The names are those of a hint's `meta.source`.
    pub enum Source {
        /// The user, typing.
        User => "user",
        /// An agent, through a tool call.
        Agent => "agent",
        /// Text that a tool printed.
        ToolOutput => "tool-output",
        /// A file that was imported.
        FileImport => "file-import",
    }
}

/// The surface, session, project and machine that an entry came through.
///
/// A caller's own claims (`meta.source`, `meta.added_by`) are stored in addition to this, never
/// instead of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Provenance {
    /// The kind of source.
    pub source: Source,
    /// Its permissions.
    pub tier: Tier,
    /// The client program, such as `cli`.
    pub client: Option<String>,
    /// The agent session it belongs to.
    pub session: Option<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// The machine it was written on.
    pub machine: Option<String>,
}

impl Provenance {
    /// Whether the user stated it: typed on their own command line, not run by an agent.
    pub fn is_by_user(&self) -> bool {
        self.source == Source::User && self.tier >= Tier::Client
    }
}
