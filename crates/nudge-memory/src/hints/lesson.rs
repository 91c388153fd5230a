//! A hint that Nudge proposes by itself, from what it has seen again and again.

use nudge_core::ttl::Ttl;
use nudge_core::{Conditions, Fault, HintMeta, HintValue, Provenance, Timestamp};
use nudge_store::Writer;

use super::wire::{Meta, Value};
use super::{limits, stored};
use crate::statements::proposals::{self, Action, Change};

/// What was seen, and where it holds.
pub(crate) struct Lesson<'l> {
    /// The program that it is about.
    pub(crate) component: &'l str,
    /// A name for it.
    pub(crate) key: &'l str,
    /// What the hint would say.
    pub(crate) text: String,
    /// How often it was seen.
    pub(crate) reason: String,
    /// The directory of the project.
    pub(crate) root: &'l str,
    /// What makes it one and the same, however it is worded.
    pub(crate) known_by: [&'l str; 3],
    /// Of the event that showed it.
    pub(crate) by: Provenance,
    /// When that was.
    pub(crate) at: Timestamp,
}

/// Proposes the hint, once. It holds only when the person accepts it.
pub(crate) fn propose(writer: &Writer<'_>, lesson: Lesson<'_>) -> Result<(), Fault> {
    let names = [("component", lesson.component), ("key", lesson.key)];
    if names.iter().any(|(field, name)| limits::check_name(field, name).is_err()) {
        return Ok(());
    }
    let meta = HintMeta {
        reason: Some(lesson.reason.clone()),
        ttl: Some(Ttl::Forever),
        conditions: Conditions { cwd_glob: below(lesson.root), ..Conditions::default() },
        ..HintMeta::default()
    };
    if meta.conditions.validate().is_err() {
        return Ok(());
    }
    let change = Change {
        action: Action::Set,
        component: lesson.component.to_owned(),
        key: lesson.key.to_owned(),
        target: stored::path_of(lesson.component, lesson.key, &meta)?,
        value: Some(Value(HintValue::Text(lesson.text.clone())).to_json()),
        meta: serde_json::to_value(Meta::of(&meta)).ok(),
        body: format!("set {}/{}: {}", lesson.component, lesson.key, lesson.text),
        why: lesson.reason,
    };
    proposals::make_of_seen(writer, change, &lesson.known_by, &lesson.by, lesson.at)?;
    Ok(())
}

/// Globs for a directory and all below it. Characters that a glob reads in its own way stand for themselves.
fn below(root: &str) -> Vec<String> {
    let mut plain = String::with_capacity(root.len());
    for c in root.chars() {
        if matches!(c, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            plain.push('\\');
        }
        plain.push(c);
    }
    vec![plain.clone(), format!("{plain}/**")]
}
