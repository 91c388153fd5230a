//! A hint that Nudge itself proposes after it has seen the same thing several times.

use nudge_core::ttl::Ttl;
use nudge_core::{Conditions, Fault, HintMeta, HintValue, Provenance, Timestamp};
use nudge_store::Writer;

use super::wire::{Meta, Value};
use super::{limits, stored};
use crate::statements::proposals::{self, Action, Change};

/// What was seen, and where it applies.
pub(crate) struct Lesson<'l> {
    /// The program it is about.
    pub(crate) component: &'l str,
    /// The key of the proposed hint.
    pub(crate) key: &'l str,
    /// The text of the proposed hint.
    pub(crate) text: String,
    /// How often it was seen.
    pub(crate) reason: String,
    /// The project's root directory.
    pub(crate) root: &'l str,
    /// Identifies the lesson, however it is worded.
    pub(crate) known_by: [&'l str; 3],
    /// The provenance of the event that showed it.
    pub(crate) by: Provenance,
    /// The time of that event.
    pub(crate) at: Timestamp,
}

/// Proposes the hint, once. It takes effect only if the user accepts it.
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
    proposals::make_unrequested(writer, change, &lesson.known_by, &lesson.by, lesson.at)?;
    Ok(())
}

/// Globs for a directory and everything below it. Glob characters in the path are escaped.
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
