//! The one error type that every surface shows: what went wrong, in which field, and the next step.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

/// Every kind of failure, with a stable id and number that never change.
///
/// The first six are the wire contract of the hint operations; the others follow the same scheme,
/// an HTTP status followed by two digits.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// Nothing is stored under that name, or nothing there is eligible.
    NotFound,
    /// A parameter violates the schema or one of its limits.
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
    /// The memory can be read but not written here.
    ReadOnly,
    /// The request exceeds the size limit.
    TooLarge,
    /// No operation has that name.
    UnknownOperation,
    /// Another process used the store for longer than we wait.
    Busy,
    /// The memory was written by a newer version of the program.
    NewerStore,
    /// Neither the server nor the store can be reached.
    Unavailable,
    /// The caller must send the named environment values and repeat the request. Never leaves our
    /// programs.
    NeedEnv,
    /// An error in Nudge itself.
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

    /// Whether Nudge failed, rather than the caller asking for something impossible.
    pub const fn is_failure(self) -> bool {
        self.code() >= 50_000
    }

    /// The kind with that id, if any.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == id)
    }
}

/// A failure to show to the user or an agent.
///
/// Invariant: the message never contains a token, nor a value that was rejected because it looks
/// like a secret.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Which failure.
    pub kind: FaultKind,
    /// One lowercase sentence with the id, path or field inside.
    pub message: String,
    /// A short word for programs, such as `not_eligible`; on the wire `data.reason`.
    pub reason: String,
    /// More facts in addition to the reason; on the wire in `data`.
    pub data: Map<String, Value>,
    /// What to do next, as a sentence or a command.
    pub next: Option<String>,
    /// The error it was made from, for the log. It stays in the process: no wire form contains it.
    source: Source,
}

/// The underlying error. It is ignored when faults are compared.
#[derive(Clone, Debug, Default)]
struct Source(Option<Arc<dyn Error + Send + Sync>>);

impl PartialEq for Source {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Fault {
    /// A failure with a reason for programs and a message for people.
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

    /// A parameter that violates the schema or one of its limits.
    pub fn invalid(reason: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(FaultKind::Invalid, reason, message)
    }

    /// The disk is too full to write.
    pub fn disk_full(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Unavailable, Self::DISK_FULL, message).next("free some space and try again")
    }

    /// Adds a fact to `data`.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Keeps the underlying error. Its text goes to the log, so it must not contain stored data.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Source(Some(Arc::from(source.into())));
        self
    }

    /// Takes over the underlying error of another fault that this one replaces.
    #[must_use]
    pub fn with_source_of(mut self, other: &Self) -> Self {
        self.source = other.source.clone();
        self
    }

    /// The underlying errors, from the nearest to the first, each once; empty if none was kept.
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

    /// Sets the next step.
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

    /// Parses the wire form; anything else becomes [`FaultKind::Internal`].
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
    /// The disk is full.
    pub const DISK_FULL: &'static str = "disk_full";
    /// Another process is using the store.
    pub const BUSY: &'static str = "busy";
    /// The stored data is not what any version of Nudge writes.
    pub const DAMAGED: &'static str = "damaged";
    /// The database existed and is gone.
    pub const MEMORY_GONE: &'static str = "memory_gone";
    /// An applied migration differs from the one in this program.
    pub const MIGRATION_CHANGED: &'static str = "migration_changed";
    /// The database failed for a reason without a name of its own.
    pub const DATABASE: &'static str = "database";
    /// A file could not be used; the message has its path.
    pub const FILE: &'static str = "file";
    /// The answer could not be written to standard output.
    pub const OUTPUT: &'static str = "output";
    /// No project has that name.
    pub const NO_PROJECT: &'static str = "no_project";
    /// Several projects have that name.
    pub const AMBIGUOUS_PROJECT: &'static str = "ambiguous_project";
    /// No session has that id.
    pub const NO_SESSION: &'static str = "no_session";
    /// Several sessions have an id that begins like this.
    pub const AMBIGUOUS_SESSION: &'static str = "ambiguous_session";
    /// The search query is not valid.
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
        let plain = Fault::new(FaultKind::Internal, Fault::DATABASE, "cannot use the memory");
        let inner = std::io::Error::other("the disk said no");
        let fault = plain.clone().because(Fault::new(FaultKind::Internal, "x", "it broke").because(inner));
        assert_eq!(fault.causes(), ["it broke", "the disk said no"]);
        assert_eq!(Fault::new(FaultKind::Busy, "y", "else").with_source_of(&fault).causes(), fault.causes());
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
