//! The schemes of entries with their own table or rule.

/// The scheme of hints.
pub(crate) const HINT_SCHEME: &str = "hint";

/// The scheme of observations.
pub(crate) const OBSERVATION_SCHEME: &str = "obs";

/// The scheme of prompts.
pub(crate) const PROMPT_SCHEME: &str = "prompt";

/// The scheme of summaries.
pub(crate) const SUMMARY_SCHEME: &str = "summary";

/// The scheme of sessions.
pub(crate) const SESSION_SCHEME: &str = "session";

/// The scheme of projects.
pub(crate) const PROJECT_SCHEME: &str = "project";

/// The kinds that have a side table and their own write function.
pub(crate) const TYPED_SCHEMES: [&str; 3] = [HINT_SCHEME, OBSERVATION_SCHEME, PROMPT_SCHEME];
