//! Checks whether the user has trusted our hooks, if the agent asks for trust.

use super::about::AgentFacts;
use crate::command::doctor::finding::Finding;
use crate::registration::{real, small_text};

/// A finding if the agent skips our hooks. The agent itself does not report that.
pub(super) fn check(about: &AgentFacts<'_>) -> Option<Finding> {
    let installer = about.agent.0.installer()?;
    let trust = installer.trust?;
    let (target, text) = about.hooks()?;
    let config = about.place.directory(installer).join("config.toml");
    let trust =
        trust(&real(target.path()).to_string_lossy(), &text, &small_text(&config).unwrap_or_default());
    let skipped = trust.changed + trust.untrusted + trust.disabled;
    let all = skipped + trust.trusted;
    let why = match (trust.changed, trust.disabled) {
        _ if skipped == 0 => return None,
        (0, 0) => "not trusted",
        (0, _) => "switched off or not trusted",
        _ => "changed since you trusted them",
    };
    Some(Finding::warn(
        about.name(),
        format!("{skipped} of {all} hooks are {why}: {} skips them without a word", about.agent.title()),
        installer.afterwards.unwrap_or("trust them in the agent"),
    ))
}
