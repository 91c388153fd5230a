//! `recent_context`: what is going on, judged by recent events.

use std::collections::HashSet;

use nudge_context::program_of;
use nudge_core::{Fault, ObservationKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::candidates::{Candidate, Wanted, candidates};
use super::observation::{EntryLookup, Observation};
use super::place::{Asked, ProjectParam};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many are returned by default, and how many at most.
const LIMIT: i64 = 30;
const MOST: i64 = 100;

/// Parameters of `recent_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentContextParams {
    /// Project name, id or directory; null or "*" ranks all projects alike. Default: the current
    /// project first.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Maximum rows to return, up to 100. Default: 30.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Leave out other projects. Otherwise they rank lower, without their texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
}

/// An observation with its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredObservation {
    /// The observation.
    #[serde(flatten)]
    pub observation: Observation,
    /// Score, 0 to 1.
    pub score: f64,
}

/// The `recent_context` operation.
pub struct RecentContext;

impl Op for RecentContext {
    const NAME: &'static str = "recent_context";
    const ALIASES: &'static [&'static str] = &["nudge.recent_context"];
    const TITLE: &'static str = "Recent context";
    const DOC: &'static str = "List recent work, most important first: edits and commits before commands \
        before reads, new before old.";
    const REFERENCE: &'static str = "List recent work in order of importance and age: edits and commits \
        before commands, commands before reads. Rows of other projects rank lower and have no text.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = RecentContextParams;
    type Answer = Vec<ScoredObservation>;

    fn run(ctx: &OpContext<'_>, params: RecentContextParams) -> Result<Vec<ScoredObservation>, Fault> {
        let asked = Asked::for_list(ctx, &params.project)?;
        if matches!((&params.project, &asked), (ProjectParam::Named(_), Asked::Nowhere)) {
            return Ok(Vec::new());
        }
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let hidden = ctx.hidden()?;
        let wanted =
            Wanted { asked: &asked, only: params.only, rows: limit, now: ctx.now(), hidden: &hidden };
        let lookup = EntryLookup::of(ctx)?;
        let mut rows = Vec::with_capacity(limit);
        for best in ranked(candidates(ctx.store(), &wanted)?).into_iter().take(limit) {
            let Some(observation) = lookup.observation(best.head.id)? else { continue };
            let is_open = asked == Asked::All || best.is_here;
            let observation = if is_open { observation } else { outline(observation, best.head.kind) };
            // Four digits distinguish any two scores that differ.
            rows.push(ScoredObservation { observation, score: (best.score * 1e4).round() / 1e4 });
        }
        Ok(rows)
    }
}

/// Best first, and only the best of each file.
fn ranked(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|a, b| {
        let (x, y) = (&a.head, &b.head);
        b.score.total_cmp(&a.score).then_with(|| (y.at, y.id).cmp(&(x.at, x.id)))
    });
    let mut files = HashSet::new();
    found.retain(|candidate| candidate.file.is_none_or(|file| files.insert(file)));
    found
}

/// What may be shown of another project unasked: the kind, a file's name, the program that ran.
fn outline(full: Observation, kind: Option<ObservationKind>) -> Observation {
    let file = full.file_path.as_deref().map(|path| last_part(path).to_owned());
    let ran = kind.is_some_and(|kind| {
        use ObservationKind::{Command, CommandError, GitCommit, GitPush};
        matches!(kind, Command | CommandError | GitCommit | GitPush)
    });
    let content = if ran { program_of(&full.content) } else { file.clone().unwrap_or_default() };
    Observation {
        source_event: None,
        tool_name: None,
        content,
        file_path: file,
        metadata: Map::new(),
        ..full
    }
}

fn last_part(path: &str) -> &str {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_file_elsewhere_only_its_name_is_reported() {
        assert_eq!(last_part("/a/b/c.rs"), "c.rs");
        assert_eq!(last_part("C:\\a\\b"), "b");
    }
}
