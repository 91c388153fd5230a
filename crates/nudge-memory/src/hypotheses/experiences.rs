//! Resolved hypotheses: `search_experiences` searches them along one of their four axes,
//! `group_experiences` groups those about the same topic.

use nudge_context::clean_text;
use nudge_core::Fault;
use nudge_core::hypothesis::{Domain, Status, Strategy};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::likeness::{Corpus, words};
use super::list::ListedGhap;
use super::record::{Axis, Word};
use super::stored::{self, Stored, Wanted};
use crate::operation::{Effect, Op, OpContext};
use crate::recall::ProjectParam;

/// How many are returned by default, and how many at most.
const DEFAULT_LIMIT: i64 = 10;

const MAX_LIMIT: i64 = 50;

/// The lowest share of the query's words, weighted by rarity, that an experience must contain.
const MIN_COVERED: f32 = 0.2;

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
    const TITLE: &'static str = "Search experiences";
    const DOC: &'static str = "Search resolved hypotheses by words, in one aspect: full, strategy, \
        surprise or root_cause. Call before you try something that may have been tried before.";
    const REFERENCE: &'static str = "Search resolved hypotheses by words. The `axis` selects the aspect: \
        the whole record, the strategy, the surprise or the root cause.";
    const EFFECT: Effect = Effect::Read;
    type Params = ExperiencesParams;
    type Answer = Experiences;

    fn run(ctx: &OpContext<'_>, params: ExperiencesParams) -> Result<Experiences, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize;
        let wanted = Wanted {
            domain: params.domain.map(|word| word.0),
            strategy: params.strategy.map(|word| word.0),
            outcome: params.outcome.map(|word| word.0),
        };
        let found = stored::experiences(ctx, &params.project, wanted)?;
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
        .filter(|(score, ..)| *score >= MIN_COVERED)
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

// `group_experiences`: groups experiences about the same topic.
//
// There are few experiences, so the rule is simple: each joins the group it is most similar to, or
// starts its own if none is similar enough.

/// The lowest average similarity to a group's members at which an experience joins it.
const MIN_SIMILARITY: f32 = 0.25;

/// The default for the fewest members of a group.
const MIN_MEMBERS: i64 = 2;

/// How many experiences are grouped at most.
const MAX_GROUPED: usize = 300;

/// How many words name a group.
const MAX_NAME_WORDS: usize = 5;

/// Parameters of `group_experiences`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroupsParams {
    /// Aspect to group by: full (default), strategy, surprise or root_cause.
    #[serde(default)]
    pub axis: Axis,
    /// Minimum members of a group. Default: 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub at_least: Option<i64>,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
}

/// Answer of `group_experiences`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GroupsAnswer {
    /// Groups, largest first.
    pub groups: Vec<ExperienceGroup>,
    /// Number of experiences in no group.
    pub alone: usize,
}

/// Experiences about the same thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExperienceGroup {
    /// Id of the group: `<axis>_<number>`.
    pub cluster_id: String,
    /// Words that most members share.
    pub words: Vec<String>,
    /// The members.
    pub members: Vec<ListedGhap>,
}

/// The `group_experiences` operation.
pub struct GroupExperiences;

impl Op for GroupExperiences {
    const NAME: &'static str = "group_experiences";
    const ALIASES: &'static [&'static str] = &["get_clusters"];
    const TITLE: &'static str = "Group experiences";
    const DOC: &'static str = "Group resolved hypotheses that are about the same thing. Summarise a group \
        in one sentence with store_value.";
    const REFERENCE: &'static str = "Group resolved hypotheses by the words they share.";
    const EFFECT: Effect = Effect::Read;
    type Params = GroupsParams;
    type Answer = GroupsAnswer;

    fn run(ctx: &OpContext<'_>, params: GroupsParams) -> Result<GroupsAnswer, Fault> {
        let least = params.at_least.unwrap_or(MIN_MEMBERS).clamp(1, 100) as usize;
        let found = stored::experiences(ctx, &params.project, Wanted::default())?;
        let sides: Vec<(&Stored, String)> = found
            .iter()
            .filter_map(|stored| Some((stored, params.axis.text(&stored.record)?)))
            .take(MAX_GROUPED)
            .collect();
        let texts: Vec<&str> = sides.iter().map(|(_, text)| text.as_str()).collect();
        let (groups, alone): (Vec<_>, Vec<_>) =
            grouped(&texts).into_iter().partition(|group| group.len() >= least);
        let groups = groups.into_iter().enumerate().map(|(number, members)| ExperienceGroup {
            cluster_id: format!("{}_{number}", params.axis.name()),
            words: shared(&members, &texts),
            members: members.iter().map(|at| ListedGhap::from(sides[*at].0)).collect(),
        });
        Ok(GroupsAnswer { groups: groups.collect(), alone: alone.iter().map(Vec::len).sum() })
    }
}

/// Groups texts by similarity, the largest group first. A text is given by its index.
fn grouped(texts: &[&str]) -> Vec<Vec<usize>> {
    let corpus = Corpus::of(texts.iter().copied());
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in 0..texts.len() {
        let likeness = |group: &Vec<usize>| {
            group.iter().map(|other| corpus.alike(at, *other)).sum::<f32>() / group.len() as f32
        };
        let nearest = groups.iter_mut().map(|group| (likeness(group), group));
        let nearest = nearest.max_by(|one, other| one.0.total_cmp(&other.0));
        match nearest.filter(|(alike, _)| *alike >= MIN_SIMILARITY) {
            Some((_, group)) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    groups.sort_by_key(|group| (std::cmp::Reverse(group.len()), group[0]));
    groups
}

/// The words that most members of a group share.
fn shared(members: &[usize], texts: &[&str]) -> Vec<String> {
    let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for at in members {
        let mut own = words(texts[*at]);
        own.sort_unstable();
        own.dedup();
        own.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let mut by_count: Vec<(String, usize)> = counts.into_iter().filter(|(_, count)| *count > 1).collect();
    by_count.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    by_count.into_iter().take(MAX_NAME_WORDS).map(|(word, _)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_experiences_are_enough_for_a_group() {
        let texts = [
            "stale prices: the cache key lacks the currency",
            "the cache returned a stale price for another currency key",
            "a column was missing in the migration",
            "the migration ran before the column was added",
            "the button has the wrong colour",
        ];
        assert_eq!(grouped(&texts), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(shared(&[2, 3], &texts), ["column", "migration"]);
        assert_eq!(grouped(&[]), Vec::<Vec<usize>>::new());
    }
}
