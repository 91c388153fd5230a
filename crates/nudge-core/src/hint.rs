//! Hints: small facts keyed by component and key, with conditions, a lifetime and a use count.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::conditions::Conditions;
use crate::context::Os;
use crate::entry::EntryId;
use crate::entry::Provenance;
use crate::time::Timestamp;
use crate::ttl::Ttl;

/// The shells that a command can name.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Shell {
    /// GNU bash.
    Bash,
    /// A POSIX shell.
    Sh,
    /// PowerShell.
    Powershell,
    /// The Windows command interpreter.
    Cmd,
}

/// The languages a template can be written in. Templates are stored as data, never rendered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum TemplateFormat {
    /// Mustache.
    Mustache,
    /// Handlebars.
    Handlebars,
    /// Jinja.
    Jinja,
    /// `${name}`.
    Interpolate,
}

/// The value of a hint.
#[derive(Clone, Debug, PartialEq)]
pub enum HintValue {
    /// Plain text.
    Text(String),
    /// A command line; returned as data, never run.
    Command {
        /// The shell it is written for.
        shell: Option<Shell>,
        /// The command line.
        cmd: String,
    },
    /// An absolute path.
    Path {
        /// The systems it is for; empty means any.
        os: Vec<Os>,
        /// The path.
        abs: String,
    },
    /// A template.
    Template {
        /// Its language.
        format: TemplateFormat,
        /// Its text.
        body: String,
        /// Default values of its variables.
        defaults: BTreeMap<String, String>,
    },
    /// Any JSON.
    Json(Value),
}

impl HintValue {
    /// The text that a user searches for and an agent reads.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Command { cmd, .. } => cmd.clone(),
            Self::Path { abs, .. } => abs.clone(),
            Self::Template { body, .. } => body.clone(),
            Self::Json(data) => data.to_string(),
        }
    }
}

/// Whether a value may be shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub enum Sensitivity {
    /// It may be shown.
    #[default]
    Normal,
    /// It is stored in its row only and shown only on request.
    Secret,
}

/// What the caller stated about a hint.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct HintMeta {
    /// Why it was set.
    pub reason: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// 1 to 10.
    pub priority: Option<i64>,
    /// 0.0 to 1.0.
    pub confidence: Option<f64>,
    /// Its lifetime: the caller's words, or the default in force when it was set.
    pub ttl: Option<Ttl>,
    /// Whether it may be shown.
    pub sensitivity: Option<Sensitivity>,
    /// When it applies.
    pub conditions: Conditions,
    /// The caller's claim where it came from, stored in addition to the provenance.
    pub source_claim: Option<String>,
    /// The caller's claim who added it.
    pub added_by: Option<String>,
}

/// The current state of one variant of a hint.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    /// Its entry.
    pub id: EntryId,
    /// The component it belongs to.
    pub component: String,
    /// Its key there.
    pub key: String,
    /// Its value.
    pub value: HintValue,
    /// What the caller stated about it.
    pub meta: HintMeta,
    /// Starts at 1 and rises with every `set`.
    pub version: i64,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
    /// When it was last bumped; `None` if never.
    pub last_used_at: Option<Timestamp>,
    /// How often it was bumped.
    pub use_count: i64,
    /// How often its command failed since it was last set or last worked.
    pub failures: i64,
    /// When it expires by the clock; `None` if it does not.
    pub expires_at: Option<Timestamp>,
    /// Where the current version came from.
    pub writer: Provenance,
}

impl Hint {
    /// Whether the value is marked as secret.
    pub fn is_secret(&self) -> bool {
        self.meta.sensitivity == Some(Sensitivity::Secret)
    }
}
