//! The one error that every surface shows: what went wrong, in which field, and the next step.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// Every kind of failure, with a stable id and a number that never change.
///
/// The first six are the wire contract of the hint operations; the others follow the same
/// scheme, an HTTP status followed by two digits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Nothing is stored under that name, or nothing there is eligible.
    NotFound,
    /// A parameter breaks the schema or a limit of its own.
    Invalid,
    /// The stored version is not the one the caller expected.
    Conflict,
    /// The text looks like a credential.
    SecretRejected,
    /// A glob or path could reach where it must not.
    ScopeInvalid,
    /// A limit of the store is reached.
    Quota,
    /// The caller's tier may not do this.
    Forbidden,
    /// The memory can be read here but not written.
    ReadOnly,
    /// The request is larger than is accepted.
    TooLarge,
    /// No operation has that name.
    UnknownOperation,
    /// Another process kept the store for longer than we wait.
    Busy,
    /// The memory was written by a newer version of the program.
    NewerStore,
    /// Neither server nor store can be reached.
    Unavailable,
    /// The caller must send the named environment values and ask again. Never leaves our programs.
    NeedEnv,
    /// A failure of ours.
    Internal,
}

impl FaultKind {
    /// All kinds, in the order of the reference page.
    pub const ALL: [Self; 15] = [
        Self::NotFound,
        Self::Invalid,
        Self::Conflict,
        Self::SecretRejected,
        Self::ScopeInvalid,
        Self::Quota,
        Self::Forbidden,
        Self::ReadOnly,
        Self::TooLarge,
        Self::UnknownOperation,
        Self::Busy,
        Self::NewerStore,
        Self::Unavailable,
        Self::NeedEnv,
        Self::Internal,
    ];

    /// The stable name, such as `E_NOT_FOUND`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::NotFound => "E_NOT_FOUND",
            Self::Invalid => "E_INVALID",
            Self::Conflict => "E_CONFLICT",
            Self::SecretRejected => "E_SECRET_REJECTED",
            Self::ScopeInvalid => "E_SCOPE_INVALID",
            Self::Quota => "E_QUOTA",
            Self::Forbidden => "E_FORBIDDEN",
            Self::ReadOnly => "E_READ_ONLY",
            Self::TooLarge => "E_TOO_LARGE",
            Self::UnknownOperation => "E_UNKNOWN_OPERATION",
            Self::Busy => "E_BUSY",
            Self::NewerStore => "E_NEWER_STORE",
            Self::Unavailable => "E_UNAVAILABLE",
            Self::NeedEnv => "E_NEED_ENV",
            Self::Internal => "E_INTERNAL",
        }
    }

    /// The stable number, such as 40401.
    pub const fn code(self) -> i32 {
        match self {
            Self::NotFound => 40401,
            Self::Invalid => 40001,
            Self::Conflict => 40901,
            Self::SecretRejected => 40002,
            Self::ScopeInvalid => 40003,
            Self::Quota => 42901,
            Self::Forbidden => 40301,
            Self::ReadOnly => 40302,
            Self::TooLarge => 41301,
            Self::UnknownOperation => 40402,
            Self::Busy => 50301,
            Self::NewerStore => 50302,
            Self::Unavailable => 50303,
            Self::NeedEnv => 42801,
            Self::Internal => 50001,
        }
    }

    /// Whether something of ours failed, rather than the caller asking for what cannot be had.
    pub const fn is_failure(self) -> bool {
        self.code() >= 50_000
    }

    /// The kind with that id, if any.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }
}

/// A failure on its way to a person or an agent.
///
/// Invariant: the message never holds a value that was refused for looking like a secret,
/// nor a token.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which failure.
    pub kind: FaultKind,
    /// One lowercase sentence with the id, path or field inside.
    pub message: String,
    /// A short word for programs, such as `not_eligible`; on the wire `data.reason`.
    pub reason: String,
    /// More facts, beside the reason; on the wire in `data`.
    pub data: Map<String, Value>,
    /// What to do now, as a sentence or a command.
    pub next: Option<String>,
    /// The error it was made from, for the log. It stays in the process: no wire form holds it.
    source: Source,
}

/// Where a fault came from. It makes no difference to which fault it is.
#[derive(Clone, Debug, Default)]
struct Source(Option<Arc<dyn Error + Send + Sync>>);

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Fault {
    /// A failure with the word programs read and the sentence people read.
    pub fn new(kind: FaultKind, reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            reason: reason.into(),
            data: Map::new(),
            next: None,
            source: Source::default(),
        }
    }

    /// A parameter that breaks the schema or a limit of its own.
    pub fn invalid(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FaultKind::Invalid, reason, message)
    }

    /// There is no room on the disk for what was to be written.
    pub fn disk_full(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Unavailable, Self::DISK_FULL, message).next("free some space and try again")
    }

    /// Adds a fact beside the reason.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Keeps the error that led to it. Its words go to the log, so they hold nothing that is stored.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Source(Some(Arc::from(source.into())));
        self
    }

    /// Comes from where another fault came from, whose place it takes.
    #[must_use]
    pub fn instead_of(mut self, other: &Self) -> Self {
        self.source = other.source.clone();
        self
    }

    /// What led to it, from the nearest error to the first one, each once; empty where nobody kept it.
    pub fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = Vec::new();
        let mut next = self.source();
        while let Some(error) = next {
            let said = error.to_string();
            if !causes.iter().any(|known| known.contains(&said)) {
                causes.push(said);
            }
            next = error.source();
        }
        causes
    }

    /// Says what to do now.
    #[must_use]
    pub fn next(mut self, step: impl Into<String>) -> Self {
        self.next = Some(step.into());
        self
    }

    /// The wire form shared by all surfaces: `{id, code, message, data: {reason, …}, next?}`.
    pub fn to_json(&self) -> Value {
        let mut data = Map::new();
        data.insert("reason".into(), self.reason.clone().into());
        data.extend(self.data.clone());
        let mut out = Map::new();
        out.insert("id".into(), self.kind.id().into());
        out.insert("code".into(), self.kind.code().into());
        out.insert("message".into(), self.message.clone().into());
        out.insert("data".into(), data.into());
        if let Some(next) = &self.next {
            out.insert("next".into(), next.clone().into());
        }
        out.into()
    }

    /// Reads the wire form back; anything else becomes [`FaultKind::Internal`].
    pub fn from_json(value: &Value) -> Self {
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let kind = text("id").and_then(|id| FaultKind::from_id(&id)).unwrap_or(FaultKind::Internal);
        let mut data = value.get("data").and_then(Value::as_object).cloned().unwrap_or_default();
        let reason = match data.shift_remove("reason") {
            Some(Value::String(reason)) => reason,
            _ => "unreadable_error".to_owned(),
        };
        let message = text("message").unwrap_or_else(|| "the server sent an unreadable error".to_owned());
        Self { kind, message, reason, data, next: text("next"), source: Source::default() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Fault {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.0.as_deref().map(|source| source as &(dyn Error + 'static))
    }
}

/// Reasons that code compares.
impl Fault {
    /// There is no room on the disk.
    pub const DISK_FULL: &'static str = "disk_full";
    /// Another process keeps the store.
    pub const BUSY: &'static str = "busy";
    /// What is stored is not what any program of ours writes.
    pub const DAMAGED: &'static str = "damaged";
    /// There was a database, and it is gone.
    pub const MEMORY_GONE: &'static str = "memory_gone";
    /// An applied migration is not the one this program carries.
    pub const MIGRATION_CHANGED: &'static str = "migration_changed";
    /// The database failed in a way that has no word of its own.
    pub const DATABASE: &'static str = "database";
    /// A file could not be used; the message holds its path.
    pub const FILE: &'static str = "file";
    /// The answer could not be written to standard output.
    pub const OUTPUT: &'static str = "output";
    /// No project is called so.
    pub const NO_PROJECT: &'static str = "no_project";
    /// Several projects are called so.
    pub const AMBIGUOUS_PROJECT: &'static str = "ambiguous_project";
    /// No session has that id.
    pub const NO_SESSION: &'static str = "no_session";
    /// Several sessions have an id that begins so.
    pub const AMBIGUOUS_SESSION: &'static str = "ambiguous_session";
    /// The words to search for break the query language.
    pub const QUERY: &'static str = "query";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wire_form_reads_back() {
        let fault = Fault::new(FaultKind::Conflict, "version_mismatch", "a/b is at version 3, not 2")
            .with("expected_version", 2)
            .with("current_version", 3)
            .next("read it again and retry");
        assert_eq!(Fault::from_json(&fault.to_json()), fault);
    }

    #[test]
    fn the_source_is_kept_and_shows_nowhere() {
        let plain = Fault::new(FaultKind::Internal, Fault::DATABASE, "the memory could not be used");
        let inner = std::io::Error::other("the disk said no");
        let fault = plain.clone().because(Fault::new(FaultKind::Internal, "x", "it broke").because(inner));
        assert_eq!(fault.causes(), ["it broke", "the disk said no"]);
        assert_eq!(Fault::new(FaultKind::Busy, "y", "else").instead_of(&fault).causes(), fault.causes());
        assert_eq!(
            (&fault, fault.to_string(), fault.to_json()),
            (&plain, plain.to_string(), plain.to_json())
        );
        assert_eq!(Fault::from_json(&fault.to_json()).causes(), Vec::<String>::new());
    }

    #[test]
    fn ids_and_codes_are_unique() {
        let mut ids: Vec<_> = FaultKind::ALL.iter().map(|kind| kind.id()).collect();
        let mut codes: Vec<_> = FaultKind::ALL.iter().map(|kind| kind.code()).collect();
        ids.sort_unstable();
        ids.dedup();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!((ids.len(), codes.len()), (FaultKind::ALL.len(), FaultKind::ALL.len()));
    }
}
