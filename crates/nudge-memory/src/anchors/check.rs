//! Checks whether anchored places have changed.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

use super::make::{find, written};
use super::{ATTRIBUTE, Anchor, Freshness, READ_MOST, Span, hash};

/// A file modified this shortly before its anchor was made may have been modified again within the
/// same tick of the file system's clock. It is read even when its times match.
const SAME_TICK_MS: i64 = 2_000;

/// How many places with a matching first line are tried when searching for a span.
const TRIED: usize = 100;

/// Describes how the places an entry is about have changed; `None` when all are unchanged.
pub(crate) fn drift_of(attributes: &Map<String, Value>, root: &Path) -> Option<String> {
    drift(attributes.get(ATTRIBUTE)?.as_array()?, root)
}

/// Like [`drift_of`], for a list of anchors. When several places changed, the worst is named.
pub(crate) fn drift(anchors: &[Value], root: &Path) -> Option<String> {
    let anchors = anchors.iter().filter_map(|anchor| serde_json::from_value::<Anchor>(anchor.clone()).ok());
    let (worst, anchor) =
        anchors.map(|anchor| (check(&anchor, root), anchor)).max_by_key(|(freshness, _)| *freshness)?;
    match worst {
        Freshness::Fresh => None,
        Freshness::Drifted => Some(format!("{} changed since", anchor.path)),
        Freshness::Gone => Some(format!("{} is gone", anchor.path)),
    }
}

/// Checks one anchor: by the file's metadata if that is unchanged, otherwise by reading the file.
pub(super) fn check(anchor: &Anchor, root: &Path) -> Freshness {
    let Some((file, facts)) = find(root, &anchor.path) else { return Freshness::Gone };
    let Some(span) = &anchor.span else { return Freshness::Fresh };
    let is_same = facts.len() == anchor.size && written(&facts) == anchor.written;
    if is_same && anchor.made - anchor.written / 1_000_000 > SAME_TICK_MS {
        return Freshness::Fresh;
    }
    if facts.len() > READ_MOST {
        return Freshness::Drifted;
    }
    match fs::read_to_string(file) {
        Ok(content) if holds(&content, span) => Freshness::Fresh,
        Ok(_) | Err(_) => Freshness::Drifted,
    }
}

/// Whether the text contains the lines of a span, at their old position or anywhere else.
fn holds(content: &str, span: &Span) -> bool {
    let lines: Vec<&str> = content.lines().collect();
    let at = |first: usize| {
        lines.get(first..first.saturating_add(span.lines)).is_some_and(|those| hash(those) == span.hash)
    };
    let begins = |first: &usize| hash(&lines[*first..=*first]) == span.first;
    at(span.line.saturating_sub(1)) || (0..lines.len()).filter(begins).take(TRIED).any(at)
}
