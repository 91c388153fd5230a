//! `recent_context`: what is going on, as far as what happened lately says it.

use std::collections::HashSet;

use nudge_context::program_of;
use nudge_core::{Fault, ObservationKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::candidates::{Candidate, Wanted, candidates};
use super::observation::{Observation, Shelf};
use super::place::{Asked, ProjectParam};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 30;
const MOST: i64 = 100;

/// Of what, and how much.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecentContextParams {
    /// Project name, id or directory [default: the current one]; null or `*`: all alike.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// At most so many [default: 30, at most 100].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Leave other projects out. Otherwise they rank below, and without their texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
}

/// Something that happened, and how much it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScoredObservation {
    /// What happened.
    #[serde(flatten)]
    pub observation: Observation,
    /// From 0 to 1.
    pub score: f64,
}

/// The operation.
pub struct RecentContext;

impl Op for RecentContext {
    const NAME: &'static str = "recent_context";
    const ALIASES: &'static [&'static str] = &["nudge.recent_context"];
    const TITLE: &'static str = "Recent context";
    const DOC: &'static str = "What happened lately, the most telling first: edits and commits over commands over reads, new over old.";
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
        let walls = ctx.walls()?;
        let wanted = Wanted { asked: &asked, only: params.only, rows: limit, now: ctx.now(), walls: &walls };
        let shelf = Shelf::of(ctx)?;
        let mut rows = Vec::with_capacity(limit);
        for best in ranked(candidates(ctx.store(), &wanted)?).into_iter().take(limit) {
            let Some(observation) = shelf.observation(best.glimpse.id)? else { continue };
            let is_open = asked == Asked::All || best.is_here;
            let observation = if is_open { observation } else { outline(observation, best.glimpse.kind) };
            // Four digits tell any two apart that differ.
            rows.push(ScoredObservation { observation, score: (best.score * 1e4).round() / 1e4 });
        }
        Ok(rows)
    }
}

/// The best first, and of each file only that one.
fn ranked(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by(|a, b| {
        let (x, y) = (&a.glimpse, &b.glimpse);
        b.score.total_cmp(&a.score).then_with(|| (y.at, y.id).cmp(&(x.at, x.id)))
    });
    let mut files = HashSet::new();
    found.retain(|candidate| candidate.file.is_none_or(|file| files.insert(file)));
    found
}

/// What may be told of another project unasked: what sort of thing, a file's name, the program that ran.
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
    fn of_a_file_elsewhere_only_its_name_is_told() {
        assert_eq!(last_part("/a/b/c.rs"), "c.rs");
        assert_eq!(last_part("C:\\a\\b"), "b");
    }
}
