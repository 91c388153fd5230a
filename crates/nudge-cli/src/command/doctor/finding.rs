//! The result of one check.

use std::path::PathBuf;

use nudge_core::Fault;
use serde_json::{Value, json};

use crate::registration::Agent;

/// The verdict of a check.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Severity {
    /// No problem.
    Ok,
    /// Works, but worth knowing.
    Warn,
    /// Needs a fix.
    Fail,
}

/// A check, its verdict, and the next step if there is a problem.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// A short name for the check.
    pub(crate) name: &'static str,
    /// The verdict.
    pub(crate) severity: Severity,
    /// The facts that the check found.
    pub(crate) message: String,
    /// What to do about it. `None` only when the verdict is `Ok`.
    pub(crate) next_step: Option<String>,
    /// What `--fix` does about it, if that is safe.
    pub(crate) fix: Option<Fix>,
}

/// A fix that needs no confirmation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fix {
    /// Write our entries into an agent's settings again.
    Install(Agent),
    /// Make a file or directory private to its owner.
    Close(PathBuf),
    /// Update the search index, and import waiting events.
    Maintain,
    /// Remove files that killed processes left.
    Remove(Vec<PathBuf>),
}

/// Paths in a message.
pub(crate) fn paths_in_words(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

impl Finding {
    /// A finding without a problem.
    pub(crate) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, severity: Severity::Ok, message: message.into(), next_step: None, fix: None }
    }

    /// A finding worth knowing.
    pub(crate) fn warn(name: &'static str, message: impl Into<String>, way_out: impl Into<String>) -> Self {
        Self {
            name,
            severity: Severity::Warn,
            message: message.into(),
            next_step: Some(way_out.into()),
            fix: None,
        }
    }

    /// A finding that needs a fix.
    pub(crate) fn fail(name: &'static str, message: impl Into<String>, way_out: impl Into<String>) -> Self {
        Self {
            name,
            severity: Severity::Fail,
            message: message.into(),
            next_step: Some(way_out.into()),
            fix: None,
        }
    }

    /// A finding that needs a fix, with the message and next step of the fault.
    pub(crate) fn fault(name: &'static str, fault: Fault) -> Self {
        let way_out = fault
            .next
            .unwrap_or_else(|| "report this as a bug, with what `nudge doctor --json` prints".to_owned());
        Self::fail(name, fault.message, way_out)
    }

    /// The same finding, with a fix for `--fix`.
    pub(crate) fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// The finding as JSON.
    pub(crate) fn to_json(&self) -> Value {
        let severity = match self.severity {
            Severity::Ok => "ok",
            Severity::Warn => "warn",
            Severity::Fail => "fail",
        };
        let mut out = json!({"name": self.name, "verdict": severity, "message": self.message});
        if let Some(way_out) = &self.next_step {
            out["way_out"] = way_out.clone().into();
        }
        out["fixable"] = self.fix.is_some().into();
        out
    }
}
