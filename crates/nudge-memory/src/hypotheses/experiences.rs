//! `search_experiences`: resolved hypotheses, along one of their four sides.

use nudge_context::clean_text;
use nudge_core::hypothesis::{Domain, Status, Strategy};
use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::axes::Axis;
use super::find::{self, Wanted};
use super::likeness::Corpus;
use super::list::ListedGhap;
use super::stored::Stored;
use super::words::Word;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::ProjectParam;

/// How many are given unless asked otherwise, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// An experience that has less of the query's words, by their rarity, is not meant.
const LEAST: f32 = 0.2;

/// What is looked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperiencesParams {
    /// Words to look for. Empty: the newest.
    pub query: String,
    /// full, strategy, surprise or root_cause (full).
    #[serde(default)]
    pub axis: Axis,
    /// Only of this sort of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Word<Domain>>,
    /// Only gone about like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Word<Strategy>>,
    /// Only that ended like this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Word<Status>>,
    /// 1-50 (10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiences {
    /// The best first.
    pub results: Vec<Experience>,
    /// How many.
    pub count: usize,
}

/// An experience.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experience {
    /// The hypothesis in short.
    #[serde(flatten)]
    pub ghap: ListedGhap,
    /// What it says on the side that was searched.
    pub text: String,
    /// How much of the query it has, from 0 to 1.
    pub score: f64,
}

/// The operation.
pub struct SearchExperiences;

impl Op for SearchExperiences {
    const NAME: &'static str = "search_experiences";
    const ALIASES: &'static [&'static str] = &["nudge.search_experiences"];
    const TITLE: &'static str = "Search experiences";
    const DOC: &'static str =
        "Find resolved hypotheses by words, along one side: full, strategy, surprise or root_cause.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ExperiencesParams;
    type Answer = Experiences;

    fn run(ctx: &OpContext<'_>, params: ExperiencesParams) -> Result<Experiences, Fault> {
        let limit = params.limit.unwrap_or(LIMIT).clamp(1, MOST) as usize;
        let wanted = Wanted {
            domain: params.domain.map(|word| word.0),
            strategy: params.strategy.map(|word| word.0),
            outcome: params.outcome.map(|word| word.0),
        };
        let found = find::experiences(ctx, &params.project, wanted)?;
        let results = ranked(&found, params.axis, &params.query, limit);
        Ok(Experiences { count: results.len(), results })
    }
}

/// The best of them along a side.
fn ranked(found: &[Stored], axis: Axis, query: &str, limit: usize) -> Vec<Experience> {
    let sides: Vec<(&Stored, String)> =
        found.iter().filter_map(|stored| Some((stored, axis.text(&stored.record)?))).collect();
    let corpus = Corpus::of(sides.iter().map(|(_, text)| text.as_str()));
    let is_asked = !query.trim().is_empty();
    let mut scored: Vec<(f32, &Stored, &String)> = sides
        .iter()
        .enumerate()
        .map(|(at, (stored, text))| {
            let covers = if is_asked { corpus.covers(query, at) } else { 1.0 };
            (covers, *stored, text)
        })
        .filter(|(score, ..)| *score >= LEAST)
        .collect();
    // Of like ones what can be relied on more comes first, then the newer.
    let rank = |score: f32, stored: &Stored| score * (0.9 + 0.1 * stored.record.confidence().weight());
    scored.sort_by(|one, other| {
        rank(other.0, other.1).total_cmp(&rank(one.0, one.1)).then(other.1.row.entry.cmp(&one.1.row.entry))
    });
    let best = scored.into_iter().take(limit).map(|(score, stored, text)| Experience {
        ghap: ListedGhap::from(stored),
        text: clean_text(text),
        score: (f64::from(score) * 100.0).round() / 100.0,
    });
    best.collect()
}
