//! One thing that was looked at.

use std::path::PathBuf;

use nudge_core::Fault;
use serde_json::{Value, json};

use crate::registration::Agent;

/// How a thing was found.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Well.
    Ok,
    /// Works, but worth knowing.
    Warn,
    /// Needs mending.
    Fail,
}

/// A thing, how it was found, and the way out where there must be one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What was looked at, in a word.
    pub(crate) name: &'static str,
    /// How it was found.
    pub(crate) verdict: Verdict,
    /// What was seen.
    pub(crate) message: String,
    /// What to do about it. Always there unless all is well.
    pub(crate) way_out: Option<String>,
    /// What `--fix` does about it, where that is safe.
    pub(crate) fix: Option<Fix>,
}

/// What can be put right without a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fix {
    /// Put our entries into an agent's settings again.
    Install(Agent),
    /// Give a file or directory back to its owner alone.
    Close(PathBuf),
    /// Bring the search index up, and take in what waits.
    Maintain,
}

impl Finding {
    /// All is well.
    pub(crate) fn ok(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, verdict: Verdict::Ok, message: message.into(), way_out: None, fix: None }
    }

    /// Worth knowing.
    pub(crate) fn warn(name: &'static str, message: impl Into<String>, way_out: impl Into<String>) -> Self {
        Self {
            name,
            verdict: Verdict::Warn,
            message: message.into(),
            way_out: Some(way_out.into()),
            fix: None,
        }
    }

    /// Needs mending.
    pub(crate) fn fail(name: &'static str, message: impl Into<String>, way_out: impl Into<String>) -> Self {
        Self {
            name,
            verdict: Verdict::Fail,
            message: message.into(),
            way_out: Some(way_out.into()),
            fix: None,
        }
    }

    /// Needs mending, as the failure itself says.
    pub(crate) fn fault(name: &'static str, fault: Fault) -> Self {
        let way_out = fault
            .next
            .unwrap_or_else(|| "report this as a bug, with what `nudge doctor --json` prints".to_owned());
        Self::fail(name, fault.message, way_out)
    }

    /// The same, with what `--fix` does.
    pub(crate) fn fixed_by(self, fix: Fix) -> Self {
        Self { fix: Some(fix), ..self }
    }

    /// For programs.
    pub(crate) fn to_json(&self) -> Value {
        let verdict = match self.verdict {
            Verdict::Ok => "ok",
            Verdict::Warn => "warn",
            Verdict::Fail => "fail",
        };
        let mut out = json!({"name": self.name, "verdict": verdict, "message": self.message});
        if let Some(way_out) = &self.way_out {
            out["way_out"] = way_out.clone().into();
        }
        out["fixable"] = self.fix.is_some().into();
        out
    }
}
