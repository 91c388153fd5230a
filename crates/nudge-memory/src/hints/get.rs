//! The operations that read hints: `get_hint` (the best variant for the caller's place), `query`,
//! `list_components`, `list_keys` and `hint_stats`.

use std::collections::{BTreeMap, BTreeSet};

use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind, Hint};
use nudge_store::{ComponentCount, HintFilter};
use regex::{Regex, RegexBuilder};

use super::authority::only_open;
use super::wire::{
    self, ComponentRow, ComponentsAnswer, GetAnswer, GetParams, KeyRow, KeysAnswer, KeysParams, LeftOut,
    QueryAnswer, QueryParams, RankedHint, StatsAnswer, TagCount, UseCount,
};
use super::{choice, limits, secrets, stored};
use crate::operation::{Effect, NoParams, Op, OpContext, Profile};
use crate::statements::stated_by;

/// The `get_hint` operation.
pub struct GetHint;

impl Op for GetHint {
    const NAME: &'static str = "get_hint";
    const TITLE: &'static str = "Get hint";
    const DOC: &'static str = "Get a known fact (command, path, setting) by component and key. Call before \
        you build, test, run or deploy.";
    const REFERENCE: &'static str = "Get the best variant of a hint for where the caller is, and why it \
        matched.";
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Work;
    type Params = GetParams;
    type Answer = GetAnswer;

    fn run(ctx: &OpContext<'_>, params: GetParams) -> Result<GetAnswer, Fault> {
        let GetParams { component, key, context } = params;
        let hints = variants(ctx, &component, &key)?;
        let caller_facts = choice::context_for(ctx, context)?;
        let mut sorted = choice::split_by_eligibility(hints, &caller_facts, ctx.now())?;
        if sorted.eligible.is_empty() {
            return Err(choice::not_eligible(&component, &key, &sorted.ineligible));
        }
        let best = sorted.eligible.swap_remove(0);
        secrets::check_shown(ctx, &best.hint)?;
        Ok(GetAnswer { hint: stored::wire_hint(ctx, &best.hint)?, match_explain: best.explanation.into() })
    }
}

/// All live variants of a name, or an error that says which part of the name is unknown.
pub(super) fn variants(ctx: &OpContext<'_>, component: &str, key: &str) -> Result<Vec<Hint>, Fault> {
    limits::check_name("component", component)?;
    limits::check_name("key", key)?;
    let rows = only_open(ctx, ctx.store().hints_of_key(component, key, ctx.now())?)?;
    if rows.is_empty() {
        return Err(unknown(ctx, component, key)?);
    }
    rows.into_iter().map(stored::hint_of).collect()
}

fn unknown(ctx: &OpContext<'_>, component: &str, key: &str) -> Result<Fault, Fault> {
    let filter = HintFilter { component: Some(component.to_owned()), ..HintFilter::default() };
    let known = only_open(ctx, ctx.store().hints(&filter, ctx.now())?)?;
    if known.is_empty() {
        let names = components(ctx)?.into_iter().map(|row| row.name);
        let fault = Fault::new(
            FaultKind::NotFound,
            "unknown_component",
            format!("there is no component `{component}`"),
        )
        .next("run `nudge ls` to see the components");
        return Ok(with_nearest(fault, component, names));
    }
    let names = known.into_iter().map(|row| row.key);
    let fault = Fault::new(FaultKind::NotFound, "unknown_key", format!("{component} has no hint `{key}`"))
        .next(format!("run `nudge ls {component}` to see its keys"));
    Ok(with_nearest(fault, key, names))
}

/// Adds the closest match to the fault.
fn with_nearest(fault: Fault, wanted: &str, names: impl Iterator<Item = String>) -> Fault {
    let near = names
        .map(|name| (strsim::damerau_levenshtein(wanted, &name), name))
        .min()
        .filter(|(distance, _)| *distance <= 2 && *distance < wanted.chars().count());
    match near {
        Some((_, name)) => {
            let next = format!("did you mean `{name}`?");
            fault.with("nearest", name).next(next)
        }
        None => fault,
    }
}

// `query`: ranked hints by component, keys, tags and pattern.

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
    const ALIASES: &'static [&'static str] = &["query_hints"];
    const TITLE: &'static str = "Find hints";
    const DOC: &'static str = "Find hints by component, keys, tags or regex, best first. Call when \
        something fails or you don't know the key.";
    const REFERENCE: &'static str = "Find hints by component, keys, tags or regular expression. The best \
        matches for where the caller is come first, and hints that do not apply are counted but not \
        returned.";
    const EFFECT: Effect = Effect::Read;
    type Params = QueryParams;
    type Answer = QueryAnswer;

    fn run(ctx: &OpContext<'_>, params: QueryParams) -> Result<QueryAnswer, Fault> {
        let limit = check_limit(params.limit)?;
        let pattern = params.regex.as_deref().map(compile_pattern).transpose()?;
        let filter = HintFilter { component: params.component, keys: params.keys, tags: params.tags };
        let mut hints = Vec::new();
        let mut left_out = LeftOut::default();
        for row in only_open(ctx, ctx.store().hints(&filter, ctx.now())?)? {
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
            .retain(|ranked| pattern.as_ref().is_none_or(|pattern| matches_pattern(pattern, &ranked.hint)));
        left_out.not_eligible = count_matches(sorted.ineligible.len());
        left_out.over_limit = count_matches(sorted.eligible.len().saturating_sub(limit));
        let hints = sorted.eligible.into_iter().take(limit).map(|ranked| {
            Ok(RankedHint {
                hint: stored::wire_hint(ctx, &ranked.hint)?,
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

fn compile_pattern(pattern: &str) -> Result<Regex, Fault> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .dfa_size_limit(MAX_PATTERN_BYTES)
        .build()
        .map_err(|error| Fault::invalid("regex", format!("invalid regex: {error}")).with("field", "regex"))
}

fn matches_pattern(pattern: &Regex, hint: &Hint) -> bool {
    pattern.is_match(&format!("{}/{}", hint.component, hint.key))
        || pattern.is_match(&hint.value.text())
        || hint.meta.reason.as_deref().is_some_and(|reason| pattern.is_match(reason))
}

fn count_matches(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

// `list_components` and `list_keys`: the components and keys that exist.

/// How much of a value a listing shows, in characters: one terminal line.
const PREVIEW_CHARS: usize = 80;

/// The `list_components` operation.
pub struct ListComponents;

impl Op for ListComponents {
    const NAME: &'static str = "list_components";
    const TITLE: &'static str = "List components";
    const DOC: &'static str = "List the components that have hints, with the number of hints.";
    const REFERENCE: &'static str = "List the components that have hints, with the number of hints in each.";
    const EFFECT: Effect = Effect::Read;
    type Params = NoParams;
    type Answer = ComponentsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<ComponentsAnswer, Fault> {
        let components = components(ctx)?;
        let rows = components.into_iter().map(|row| ComponentRow { name: row.name, hint_count: row.hints });
        Ok(ComponentsAnswer { components: rows.collect() })
    }
}

/// The `list_keys` operation.
pub struct ListKeys;

impl Op for ListKeys {
    const NAME: &'static str = "list_keys";
    const TITLE: &'static str = "List keys";
    const DOC: &'static str = "List all hints of a component, including those that do not apply here.";
    const REFERENCE: &'static str = "List every hint of a component with a preview of its value, including \
        hints that do not apply here.";
    const EFFECT: Effect = Effect::Read;
    type Params = KeysParams;
    type Answer = KeysAnswer;

    fn run(ctx: &OpContext<'_>, params: KeysParams) -> Result<KeysAnswer, Fault> {
        let component = params.component;
        limits::check_name("component", &component)?;
        let filter = HintFilter { component: Some(component.clone()), keys: Vec::new(), tags: Vec::new() };
        let mut hints = Vec::new();
        for row in only_open(ctx, ctx.store().hints(&filter, ctx.now())?)? {
            hints.push(key_row(ctx, &stored::hint_of(row)?)?);
        }
        if hints.is_empty() {
            return Err(Fault::new(
                FaultKind::NotFound,
                "unknown_component",
                format!("there is no component `{component}`"),
            )
            .next("run `nudge ls` to see the components"));
        }
        hints.sort_by(|a, b| {
            a.key.cmp(&b.key).then_with(|| format!("{:?}", a.scope).cmp(&format!("{:?}", b.scope)))
        });
        Ok(KeysAnswer { component, hints })
    }
}

/// The components with hints that are open to the caller.
pub(super) fn components(ctx: &OpContext<'_>) -> Result<Vec<ComponentCount>, Fault> {
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for row in only_open(ctx, ctx.store().hints(&HintFilter::default(), ctx.now())?)? {
        *counts.entry(row.component).or_default() += 1;
    }
    Ok(counts.into_iter().map(|(name, hints)| ComponentCount { name, hints }).collect())
}

fn key_row(ctx: &OpContext<'_>, hint: &Hint) -> Result<KeyRow, Fault> {
    let shown = !hint.is_secret() && choice::may_show(ctx, hint)?;
    Ok(KeyRow {
        key: hint.key.clone(),
        scope: wire::Scope::of(&hint.meta.conditions),
        kind: wire::Value(hint.value.clone()).kind().to_owned(),
        stated_by: stated_by(ctx.store(), &hint.writer)?,
        preview: shown.then(|| first_chars(&hint.value.text(), PREVIEW_CHARS).to_owned()),
        secret: hint.is_secret(),
        version: hint.version,
        use_count: hint.use_count,
        updated_at: hint.updated_at.to_string(),
    })
}

// `hint_stats`: how many hints there are and which are used.

/// How many tags and hints are listed.
const MAX_TOP_ROWS: usize = 10;

/// The `hint_stats` operation.
pub struct HintStats;

impl Op for HintStats {
    const NAME: &'static str = "hint_stats";
    const TITLE: &'static str = "Hint statistics";
    const DOC: &'static str = "Count hints and components; list the most frequent tags and the most used \
        hints.";
    const REFERENCE: &'static str = "Count hints and components, and list the most frequent tags and the \
        most used hints.";
    const EFFECT: Effect = Effect::Read;
    type Params = NoParams;
    type Answer = StatsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<StatsAnswer, Fault> {
        let store = ctx.store();
        let filter = HintFilter { component: None, keys: Vec::new(), tags: Vec::new() };
        let all = store.hints(&filter, ctx.now())?;
        let total = all.len();
        let rows = only_open(ctx, all)?;
        let top_tags = if rows.len() == total {
            store.top_tags(u32::try_from(MAX_TOP_ROWS).unwrap_or(u32::MAX), ctx.now())?
        } else {
            // Tags of hints that are closed to the caller would reveal them.
            Vec::new()
        };
        let hints = i64::try_from(rows.len()).unwrap_or(i64::MAX);
        let components: BTreeSet<&str> = rows.iter().map(|row| row.component.as_str()).collect();
        let components = i64::try_from(components.len()).unwrap_or(i64::MAX);
        let mut used: Vec<_> = rows.into_iter().filter(|row| row.use_count > 0).collect();
        used.sort_by_key(|row| (std::cmp::Reverse(row.use_count), row.entry.id));
        Ok(StatsAnswer {
            hints,
            components,
            max_hints: ctx.settings.max_hints,
            top_tags: top_tags.into_iter().map(|(tag, hints)| TagCount { tag, hints }).collect(),
            most_used: used
                .into_iter()
                .take(MAX_TOP_ROWS)
                .map(|row| UseCount {
                    component: row.component,
                    key: row.key,
                    use_count: row.use_count,
                    last_used_at: row.last_used_at.map(|at| at.to_string()),
                })
                .collect(),
        })
    }
}
