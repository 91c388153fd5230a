//! `search_experiences`: resolved hypotheses, searched along one of their four axes.

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

/// How many are returned by default, and how many at most.
const LIMIT: i64 = 10;
const MOST: i64 = 50;

/// The lowest share of the query's words, weighted by rarity, that an experience must contain.
const LEAST: f32 = 0.2;

/// Parameters of `search_experiences`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExperiencesParams {
    /// Words to search for. Empty: the newest experiences.
    pub query: String,
    /// Aspect to search: full (default), strategy, surprise or root_cause.
    #[serde(default)]
    pub axis: Axis,
    /// Only this kind of work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<Word<Domain>>,
    /// Only this strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Word<Strategy>>,
    /// Only this outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Word<Status>>,
    /// Maximum rows to return, 1-50. Default: 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub limit: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `search_experiences`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experiences {
    /// Experiences, best match first.
    pub results: Vec<Experience>,
    /// Number of results.
    pub count: usize,
}

/// A resolved hypothesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Experience {
    /// Summary of the hypothesis.
    #[serde(flatten)]
    pub ghap: ListedGhap,
    /// Its text in the aspect that was searched.
    pub text: String,
    /// How well it matches the query, 0 to 1.
    pub score: f64,
}

/// The `search_experiences` operation.
pub struct SearchExperiences;

impl Op for SearchExperiences {
    const NAME: &'static str = "search_experiences";
    const ALIASES: &'static [&'static str] = &["nudge.search_experiences"];
    const TITLE: &'static str = "Search experiences";
    const DOC: &'static str = "Search resolved hypotheses by words, in one aspect: full, strategy, \
        surprise or root_cause. Call before you try something that may have been tried before.";
    const REFERENCE: &'static str = "Search resolved hypotheses by words. The `axis` selects the aspect: \
        the whole record, the strategy, the surprise or the root cause.";
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

/// The best experiences along an axis.
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
    // Among similar ones, the more reliable comes first, then the newer.
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
