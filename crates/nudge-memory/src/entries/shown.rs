//! An entry as a caller sees it, with what it costs.

use nudge_context::PacketEntry;
use nudge_core::entry_state::{EntryState, Visibility, status_of};
use nudge_core::scheme::rules_of;
use nudge_core::{Entry, Fault};
use nudge_store::ViewRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::place::VerbScope;
use crate::operation::OpContext;
use crate::statements::stated_by;

/// What an entry costs a model that reads it.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryTokens {
    /// Tokens with the whole body.
    pub visible: u32,
    /// Tokens with the short form.
    pub summarized: u32,
    /// Tokens that the whole body costs more than the short form.
    pub premium: u32,
    /// True if this is computed from the size alone, because the body was not read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub estimated: bool,
}

/// About how many tokens the short form of a long body has.
const SHORT_TOKENS: u32 = 125;

/// The part of a body that is shown.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LinesShown {
    /// The first line shown, from 1.
    pub from: u64,
    /// How many lines are shown.
    pub count: u64,
    /// How many lines the body has.
    pub of: u64,
}

/// An entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EntryView {
    /// The path.
    pub path: String,
    /// Id of the entry; absent for a file that was not read yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Where it lives: `global`, `project`, `session`, `run` or `team`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub scope: String,
    /// What it is: `data`, `logging`, `unknown`, `prompt` or `audit`.
    pub category: String,
    /// Version of the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<i64>,
    /// State for the viewer.
    pub state: String,
    /// Status that follows from the state.
    pub status: u16,
    /// Why it failed or was cancelled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Visibility for the viewer; absent if it is not in view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<String>,
    /// A short description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Who wrote it last, and where.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub stated_by: String,
    /// When it was written.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub updated_at: String,
    /// What it costs.
    pub tokens: EntryTokens,
    /// More facts.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub attributes: Map<String, Value>,
    /// The body, or the lines asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Which lines are shown, if not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<LinesShown>,
    /// Why the body is not shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<String>,
}

/// An entry without its body, as its viewer sees it.
pub(super) fn view(
    ctx: &OpContext<'_>,
    place: &VerbScope,
    entry: &Entry,
    row: Option<&ViewRow>,
) -> Result<EntryView, Fault> {
    let state = row.map_or(EntryState::Resolved, |row| row.state);
    let outcome = row.and_then(|row| row.outcome.clone());
    let secret = is_secret(entry);
    let summary = row.and_then(|row| row.summary.clone());
    let cost = if secret {
        EntryTokens::default()
    } else {
        cost(entry.path.as_str(), &entry.body, summary.as_deref())
    };
    Ok(EntryView {
        path: entry.path.as_str().to_owned(),
        id: Some(entry.id.0),
        scope: entry.scope.kind().to_owned(),
        category: rules_of(entry.path.scheme()).category.name().to_owned(),
        version: Some(entry.version),
        status: status_of(state, outcome.as_deref()),
        state: state.name().to_owned(),
        outcome,
        visibility: row.map(|row| row.visibility.name().to_owned()),
        summary,
        stated_by: stated_by(ctx.store(), &entry.writer)?,
        updated_at: entry.updated_at.to_string(),
        tokens: cost,
        attributes: if secret || !place.is_person() && entry.path.scheme() == "hint" {
            Map::new()
        } else {
            entry.attributes.clone()
        },
        body: None,
        lines: None,
        withheld: secret.then(|| "its value is a secret".to_owned()),
    })
}

/// What a body costs, whole and in short.
pub(super) fn cost(path: &str, body: &str, summary: Option<&str>) -> EntryTokens {
    let scheme = path.split_once("://").map_or("", |(scheme, _)| scheme);
    let cost = nudge_context::cost(&PacketEntry {
        path: path.to_owned(),
        scheme: scheme.to_owned(),
        category: rules_of(if scheme.is_empty() { "file" } else { scheme }).category,
        visibility: Visibility::Visible,
        status: 200,
        state: EntryState::Resolved,
        outcome: None,
        turn: 0,
        summary: summary.map(str::to_owned),
        attributes: Vec::new(),
        body: body.to_owned(),
        by_user: false,
        model_visible: true,
    });
    EntryTokens {
        visible: cost.visible,
        summarized: cost.summarized,
        premium: cost.premium,
        estimated: false,
    }
}

/// What a body of this size costs at about four bytes a token, with everything around it.
pub(super) fn cost_of_size(path: &str, bytes: u64, summary: Option<&str>) -> EntryTokens {
    let around = cost(path, "", summary);
    let body = u32::try_from(bytes.div_ceil(4)).unwrap_or(u32::MAX / 2);
    let short = if summary.is_some() { 0 } else { body.min(SHORT_TOKENS) };
    let summarized = around.summarized.saturating_add(short);
    let visible = around.visible.saturating_add(short).saturating_add(body);
    EntryTokens { visible, summarized, premium: visible - summarized, estimated: true }
}

/// The lines that a caller asked for. A negative first line counts from the end.
pub(super) fn lines(body: &str, line: Option<i64>, limit: Option<i64>) -> (String, LinesShown) {
    let all: Vec<&str> = body.split_inclusive('\n').collect();
    let count = all.len();
    let back =
        |from_end: i64| count.saturating_sub(usize::try_from(from_end.unsigned_abs()).unwrap_or(count));
    let mut from = match line.unwrap_or(1) {
        line if line < 0 => back(line),
        line => usize::try_from(line - 1).unwrap_or(0),
    }
    .min(count);
    let mut to = count;
    match limit {
        Some(limit) if limit >= 0 => {
            to = from.saturating_add(usize::try_from(limit).unwrap_or(count)).min(count)
        }
        // A negative limit takes the last lines.
        Some(limit) => from = from.max(back(limit)),
        None => {}
    }
    let shown: String = all[from..to.max(from)].concat();
    let shown_lines =
        LinesShown { from: from as u64 + 1, count: (to.max(from) - from) as u64, of: count as u64 };
    (shown, shown_lines)
}

/// Whether the value of a hint is marked as secret.
pub(super) fn is_secret(entry: &Entry) -> bool {
    let meta = entry.attributes.get("meta").filter(|_| entry.path.scheme() == "hint");
    meta.and_then(|meta| meta.get("sensitivity")).is_some_and(|level| level == "secret")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_either_end() {
        let body = "a\nb\nc\nd\n";
        let shown = |line, limit| lines(body, line, limit);
        assert_eq!(shown(Some(2), Some(2)).0, "b\nc\n");
        assert_eq!(shown(Some(-2), None).0, "c\nd\n");
        assert_eq!(shown(Some(-3), Some(1)), ("b\n".to_owned(), LinesShown { from: 2, count: 1, of: 4 }));
        assert_eq!(shown(None, Some(-1)).0, "d\n");
        assert_eq!(shown(Some(9), Some(2)).0, "");
        assert_eq!(shown(Some(3), Some(99)).0, "c\nd\n");
        assert_eq!(lines("", Some(1), Some(1)).0, "");
        assert_eq!(lines("no end", Some(-1), None).0, "no end");
    }
}
