//! Whether the person has trusted our hooks, where the agent asks for that.

use super::about::About;
use crate::command::doctor::finding::Finding;
use crate::registration::{real, small_text};

/// A finding where the agent skips our hooks, which it does without a word.
pub(super) fn check(about: &About<'_>) -> Option<Finding> {
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
