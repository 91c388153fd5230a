//! `recent_context`: what is going on, as far as what happened lately says it.

use std::collections::HashSet;

use nudge_context::program_of;
use nudge_core::{Fault, ObservationKind, Tier};
use nudge_store::Glimpse;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::candidates::candidates;
use super::observation::{Observation, Shelf};
use super::place::{Asked, ProjectParam};
use super::score::{Match, score};
use crate::desk::Desk;
use crate::operation::{Effect, Op, Profile};

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

    fn run(desk: &Desk<'_>, params: RecentContextParams) -> Result<Vec<ScoredObservation>, Fault> {
        let asked = Asked::of(desk, &params.project)?;
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let mut weighed = weighed(desk, &asked, params.only)?;
        weighed.sort_by(|(a, x), (b, y)| b.total_cmp(a).then_with(|| (y.at, y.id).cmp(&(x.at, x.id))));
        let mut files = HashSet::new();
        weighed.retain(|(_, glimpse)| glimpse.file.is_none_or(|file| files.insert(file)));
        let shelf = Shelf::new(desk.store());
        let mut rows = Vec::with_capacity(limit);
        for (score, glimpse) in weighed.into_iter().take(limit) {
            let Some(observation) = shelf.observation(glimpse.id)? else { continue };
            let is_open = asked == Asked::All || is_here(&asked, &glimpse);
            let observation = if is_open { observation } else { outline(observation, glimpse.kind) };
            // Four digits tell any two apart that differ.
            rows.push(ScoredObservation { observation, score: (score * 1e4).round() / 1e4 });
        }
        Ok(rows)
    }
}

fn weighed(desk: &Desk<'_>, asked: &Asked, only: bool) -> Result<Vec<(f64, Glimpse)>, Fault> {
    let mut found = candidates(desk.store(), asked, only)?;
    found.retain(|glimpse| !only || *asked == Asked::All || is_here(asked, glimpse));
    let place = |glimpse: &Glimpse| match asked {
        Asked::In(_) if is_here(asked, glimpse) => Match::Here,
        Asked::In(_) => Match::Elsewhere,
        Asked::All | Asked::Nowhere => Match::NotAsked,
    };
    let weigh = |glimpse: Glimpse| (score(glimpse.kind, glimpse.at, desk.now(), place(&glimpse)), glimpse);
    Ok(found.into_iter().map(weigh).collect())
}

fn is_here(asked: &Asked, glimpse: &Glimpse) -> bool {
    matches!(asked, Asked::In(place) if place.scopes.contains(&glimpse.scope))
}

/// What may be told of another project unasked: what sort of thing, a file's name, the program that ran.
fn outline(full: Observation, kind: Option<ObservationKind>) -> Observation {
    let file = full.file_path.as_deref().map(|path| last_part(path).to_owned());
    let ran = matches!(kind, Some(ObservationKind::Command | ObservationKind::CommandError));
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
