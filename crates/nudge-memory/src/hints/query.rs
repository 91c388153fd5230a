//! `query`: ranked hints by component, keys, tags and pattern.

use nudge_core::{Fault, Hint, Tier};
use nudge_store::HintFilter;
use regex::{Regex, RegexBuilder};

use super::open::open;
use super::wire::{LeftOut, QueryAnswer, QueryParams, RankedHint};
use super::{choice, secrets, shown, stored};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many hints a query returns by default.
const DEFAULT_LIMIT: i64 = 10;
/// How many it returns at most: as many as one component can have.
const MAX_LIMIT: i64 = 200;
/// The largest compiled pattern; a larger one is a mistake or an attack.
const MAX_PATTERN_BYTES: usize = 1 << 20;

/// The `query` operation.
pub struct QueryHints;

impl Op for QueryHints {
    const NAME: &'static str = "query";
    const ALIASES: &'static [&'static str] = &["nudge.query", "query_hints"];
    const TITLE: &'static str = "Find hints";
    const DOC: &'static str = "Find hints by component, keys, tags or regex, best first. Call when \
        something fails or you don't know the key.";
    const REFERENCE: &'static str = "Find hints by component, keys, tags or regular expression. The best \
        matches for where the caller is come first, and hints that do not apply are counted but not \
        returned.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = QueryParams;
    type Answer = QueryAnswer;

    fn run(ctx: &OpContext<'_>, params: QueryParams) -> Result<QueryAnswer, Fault> {
        let limit = check_limit(params.limit)?;
        let pattern = params.regex.as_deref().map(compile).transpose()?;
        let filter = HintFilter { component: params.component, keys: params.keys, tags: params.tags };
        let mut hints = Vec::new();
        let mut left_out = LeftOut::default();
        for row in open(ctx, ctx.store().hints(&filter, ctx.now())?)? {
            // An unreadable row must not hide all others.
            let Ok(hint) = stored::hint_of(row) else {
                left_out.unreadable += 1;
                continue;
            };
            if hint.is_secret() && !secrets::allowed(ctx.caller, ctx.settings) {
                left_out.secret += 1;
            } else {
                hints.push(hint);
            }
        }
        let caller_facts = choice::context_for(ctx, params.context)?;
        let mut sorted = choice::split_by_eligibility(hints, &caller_facts, ctx.now())?;
        // The pattern is only tried on hints that apply: a count of other matches would reveal
        // them.
        sorted
            .eligible
            .retain(|ranked| pattern.as_ref().is_none_or(|pattern| matches(pattern, &ranked.hint)));
        left_out.not_eligible = count(sorted.ineligible.len());
        left_out.over_limit = count(sorted.eligible.len().saturating_sub(limit));
        let hints = sorted.eligible.into_iter().take(limit).map(|ranked| {
            Ok(RankedHint {
                hint: shown::hint(ctx, &ranked.hint)?,
                score: ranked.explanation.score,
                match_explain: ranked.explanation.into(),
            })
        });
        Ok(QueryAnswer { hints: hints.collect::<Result<_, Fault>>()?, left_out })
    }
}

fn check_limit(limit: Option<i64>) -> Result<usize, Fault> {
    match limit.unwrap_or(DEFAULT_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(usize::try_from(limit).unwrap_or(usize::MAX)),
        limit => Err(Fault::invalid("limit", format!("limit {limit} is not between 1 and {MAX_LIMIT}"))
            .with("field", "limit")),
    }
}

fn compile(pattern: &str) -> Result<Regex, Fault> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build()
        .map_err(|error| Fault::invalid("regex", format!("invalid regex: {error}")).with("field", "regex"))
}

fn matches(pattern: &Regex, hint: &Hint) -> bool {
    pattern.is_match(&format!("{}/{}", hint.component, hint.key))
        || pattern.is_match(&hint.value.text())
        || hint.meta.reason.as_deref().is_some_and(|reason| pattern.is_match(reason))
}

fn count(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
