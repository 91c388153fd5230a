//! Which variant of a hint a caller gets, and why.

use std::cell::LazyCell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use nudge_core::conditions::ConditionResult;
use nudge_core::rank::{self, Facts, Rank, Score};
use nudge_core::text::without_controls;
use nudge_core::{Conditions, Context, EnvView, Fault, FaultKind, Hint, Timestamp};
use nudge_home::surroundings;
use serde_json::{Value as Json, json};

use super::{authority, wire};
use crate::caller::{Ambient, Caller};
use crate::operation::OpContext;
use crate::projects::CallerPlace;

/// Why a hint comes after those stated in the caller's project.
const FROM_ELSEWHERE: &str = "stated by an agent outside this project, so after what was stated here";

/// A hint that applies, with its score and the reasons for it.
pub(super) struct Ranked {
    pub(super) hint: Hint,
    pub(super) score: Score,
    names_open_file: bool,
    /// Whether an agent stated it outside this project, for every place like the one it was in.
    pub(super) is_from_elsewhere: bool,
    pub(super) explanation: rank::Explanation,
}

impl Ranked {
    /// What was stated here comes before what was stated elsewhere; then the better score.
    fn compare(&self, other: &Self) -> Ordering {
        let rank = |one: &Self| Rank {
            score: one.score,
            names_open_file: one.names_open_file,
            updated_at: one.hint.updated_at,
            id: one.hint.id,
        };
        self.is_from_elsewhere
            .cmp(&other.is_from_elsewhere)
            .then_with(|| rank::compare(rank(self), rank(other)))
    }
}

/// Hints split by whether they apply.
pub(super) struct EligibilitySplit {
    /// Those that apply, best first.
    pub(super) eligible: Vec<Ranked>,
    /// Those that do not apply, each with the condition that failed.
    pub(super) ineligible: Vec<(Hint, String)>,
}

/// The caller's facts, against which conditions are checked.
pub(super) struct CallerFacts<'a> {
    /// The facts that the call states, completed with those seen where the caller is.
    context: Context,
    /// The agent's real place, if it claims to be in another one. The claim opens no hint that was
    /// stated elsewhere.
    really: Option<Context>,
    /// The keys of the caller's own project; none if it is not known. Few hints need them.
    project: LazyCell<Vec<String>, Box<dyn FnOnce() -> Vec<String> + 'a>>,
}

impl<'a> CallerFacts<'a> {
    /// These facts, in the project with these keys, without a claim.
    pub(super) fn at(context: Context, project: impl FnOnce() -> Vec<String> + 'a) -> Self {
        Self { context, really: None, project: LazyCell::new(Box::new(project)) }
    }

    /// Whether a hint was stated in the caller's project.
    fn is_stated_here(&self, hint: &Hint) -> bool {
        hint.writer.project.as_ref().is_some_and(|key| self.project.contains(key))
    }

    /// Whether an agent stated a hint outside the caller's project, with conditions on the place
    /// that this one meets too.
    fn is_from_elsewhere(&self, hint: &Hint) -> bool {
        let Conditions { cwd_glob, repo, branch, os, .. } = &hint.meta.conditions;
        let names_a_place = !(cwd_glob.is_empty() && repo.is_empty() && branch.is_empty() && os.is_empty());
        names_a_place && !hint.writer.is_by_user() && !self.project.is_empty() && !self.is_stated_here(hint)
    }

    /// The facts that decide on this hint.
    fn facts_for(&self, hint: &Hint) -> &Context {
        let conditions = &hint.meta.conditions;
        let names_a_place = !conditions.cwd_glob.is_empty() || !conditions.repo.is_empty();
        match &self.really {
            Some(really) if names_a_place && !self.is_stated_here(hint) => really,
            _ => &self.context,
        }
    }
}

/// The facts of a caller: those the call states and, on this machine, those seen where the caller
/// is. A given `cwd` also changes repository and branch. A call over HTTP without a context has the
/// facts of the root of its project.
pub(super) fn context_for<'a>(
    ctx: &'a OpContext<'_>,
    given: Option<wire::Context>,
) -> Result<CallerFacts<'a>, Fault> {
    let caller = ctx.caller;
    let project = || own_keys(ctx).unwrap_or_default();
    let Ambient::Here(here) = &caller.ambient else {
        let facts = match given {
            Some(given) => given.into_facts()?,
            None if caller.project.is_some() => {
                Context { env: EnvView::Absent, ..authority::own_place(ctx)? }
            }
            None => Context::unknown(),
        };
        return Ok(CallerFacts::at(facts, project));
    };
    let given = given.unwrap_or_default();
    let is_claim = !caller.surface.is_user()
        && authority::check_claim(here, given.cwd.as_deref(), given.repo.as_deref()).is_err();
    let mut facts = match &given.cwd {
        Some(cwd) if here.cwd.as_deref() != Some(cwd) => {
            Context { env: here.env.clone(), ..surroundings::here(Path::new(cwd)) }
        }
        _ => here.clone(),
    };
    facts.os = given.system()?.or(facts.os);
    facts.cwd = given.cwd.or(facts.cwd);
    facts.repo = given.repo.or(facts.repo);
    facts.branch = given.branch.or(facts.branch);
    facts.files_open = given.files_open;
    if let Some(env) = given.env {
        facts.env = overlay(facts.env, env);
    }
    let really = is_claim.then(|| Context {
        cwd: here.cwd.clone(),
        repo: here.repo.clone(),
        branch: here.branch.clone(),
        ..facts.clone()
    });
    Ok(CallerFacts { really, ..CallerFacts::at(facts, project) })
}

/// All keys of the caller's project.
fn own_keys(ctx: &OpContext<'_>) -> Result<Vec<String>, Fault> {
    let here = CallerPlace::of(ctx.store(), ctx.caller)?;
    let row = here.project.map(|id| ctx.store().project_uncounted(id)).transpose()?.flatten();
    let known = row.map(|row| row.keys).unwrap_or_default();
    // A place without a project has its key all the same.
    let own = (!here.is_unknown()).then_some(here.key);
    Ok(known.into_iter().chain(own).chain(ctx.caller.project.clone()).collect())
}

fn overlay(base: EnvView, said: BTreeMap<String, Option<String>>) -> EnvView {
    match base {
        EnvView::Partial(mut known) => {
            known.extend(said);
            EnvView::Partial(known)
        }
        EnvView::Complete(mut known) => {
            for (name, value) in said {
                match value {
                    Some(value) => known.insert(name, value),
                    None => known.remove(&name),
                };
            }
            EnvView::Complete(known)
        }
        EnvView::Absent => {
            EnvView::Complete(said.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
        }
    }
}

/// Splits hints by whether they apply here, and sorts those that do by score.
///
/// Fails with [`FaultKind::NeedEnv`] if a condition mentions a variable that a remote caller has
/// not sent. The caller then sends just those names and asks again.
pub(super) fn split_by_eligibility(
    hints: Vec<Hint>,
    caller_facts: &CallerFacts<'_>,
    now: Timestamp,
) -> Result<EligibilitySplit, Fault> {
    ask_for_env(&hints, caller_facts)?;
    let mut sorted = EligibilitySplit { eligible: Vec::new(), ineligible: Vec::new() };
    for hint in hints {
        match hint.meta.conditions.check(caller_facts.facts_for(&hint)) {
            ConditionResult::Met { reasons } => {
                let facts = facts_of(&hint);
                let score = rank::score(&facts, now);
                let mut explanation = rank::explain(&facts, reasons, now);
                let open = open_file(&hint, &caller_facts.context.files_open);
                let names_open_file = open.is_some();
                explanation.reasons.extend(open.map(|name| format!("names an open file ({name})")));
                let is_from_elsewhere = caller_facts.is_from_elsewhere(&hint);
                if is_from_elsewhere {
                    explanation.reasons.push(FROM_ELSEWHERE.to_owned());
                }
                sorted.eligible.push(Ranked { hint, score, names_open_file, is_from_elsewhere, explanation });
            }
            ConditionResult::Failed { condition } => sorted.ineligible.push((hint, condition)),
        }
    }
    sorted.eligible.sort_by(Ranked::compare);
    put_user_variants_first(&mut sorted.eligible);
    Ok(sorted)
}

/// Puts the user's variants of a name before all others, whatever their scores. The variants of a
/// name keep their set of positions in the list; the user's get the first of them.
fn put_user_variants_first(eligible: &mut [Ranked]) {
    let mut places: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (at, ranked) in eligible.iter().enumerate() {
        places.entry((&ranked.hint.component, &ranked.hint.key)).or_default().push(at);
    }
    let several: Vec<Vec<usize>> = places.into_values().filter(|places| places.len() > 1).collect();
    for places in several {
        let (first, others): (Vec<usize>, Vec<usize>) =
            places.iter().partition(|at| eligible[**at].hint.writer.is_by_user());
        if first.is_empty() || others.is_empty() {
            continue;
        }
        for at in &first {
            eligible[*at].explanation.reasons.push("stated by the person".to_owned());
        }
        // Insertion sort over the positions, so that the order is otherwise kept.
        for end in 1..places.len() {
            let mut at = end;
            while at > 0
                && eligible[places[at]].hint.writer.is_by_user()
                && !eligible[places[at - 1]].hint.writer.is_by_user()
            {
                eligible.swap(places[at], places[at - 1]);
                at -= 1;
            }
        }
    }
}

/// The open file that a hint names in its component, key, tags or value. The value of a secret is
/// not searched, because a match would reveal it.
fn open_file(hint: &Hint, files: &[String]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let value = if hint.is_secret() { String::new() } else { hint.value.text() };
    let tags = hint.meta.tags.iter().map(String::as_str);
    let texts: Vec<&str> = [hint.component.as_str(), &hint.key, &value].into_iter().chain(tags).collect();
    rank::named_in(files, &texts).map(|name| without_controls(name, 80))
}

fn facts_of(hint: &Hint) -> Facts {
    Facts {
        use_count: hint.use_count,
        last_used_at: hint.last_used_at,
        updated_at: hint.updated_at,
        priority: hint.meta.priority,
        confidence: hint.meta.confidence,
        failures: hint.failures,
        conditions: hint.meta.conditions.count(),
    }
}

fn ask_for_env(hints: &[Hint], caller_facts: &CallerFacts<'_>) -> Result<(), Fault> {
    let mut names: Vec<&str> =
        hints.iter().flat_map(|hint| hint.meta.conditions.env_to_ask(caller_facts.facts_for(hint))).collect();
    if names.is_empty() {
        return Ok(());
    }
    names.sort_unstable();
    names.dedup();
    Err(Fault::new(FaultKind::NeedEnv, "need_env", "environment values are needed to choose a variant")
        .with("names", names))
}

/// Whether a listing may show this hint's value: always to the user, to an agent only if the hint
/// applies.
pub(super) fn may_show(ctx: &OpContext<'_>, hint: &Hint) -> Result<bool, Fault> {
    if ctx.caller.surface.is_user() {
        return Ok(true);
    }
    let caller_facts = context_for(ctx, None)?;
    Ok(!split_by_eligibility(vec![hint.clone()], &caller_facts, ctx.now())?.eligible.is_empty())
}

/// The variant that `bump` and `delete_hint` act on: the only one, or else the one that `get_hint`
/// returns. An agent cannot act on a hint that it cannot read.
pub(super) fn one_variant(
    caller: &Caller,
    mut hints: Vec<Hint>,
    caller_facts: &CallerFacts<'_>,
    now: Timestamp,
) -> Result<Hint, Fault> {
    if hints.len() == 1 && caller.surface.is_user() {
        return Ok(hints.remove(0));
    }
    if hints.len() == 1 {
        let (component, key) = (hints[0].component.clone(), hints[0].key.clone());
        let mut sorted = split_by_eligibility(hints, caller_facts, now)?;
        return match sorted.eligible.pop() {
            Some(ranked) => Ok(ranked.hint),
            None => Err(not_eligible(&component, &key, &sorted.ineligible)),
        };
    }
    let listed: Vec<Json> =
        hints.iter().map(|hint| json!({"id": hint.id.0, "scope": scope_json(hint)})).collect();
    let name = hints.first().map(|hint| format!("{}/{}", hint.component, hint.key)).unwrap_or_default();
    let mut sorted = split_by_eligibility(hints, caller_facts, now)?;
    if sorted.eligible.is_empty() {
        return Err(Fault::invalid(
            "ambiguous",
            format!("{name} has several variants and none applies here"),
        )
        .with("variants", listed)
        .next("pass a context that one of them applies to"));
    }
    Ok(sorted.eligible.swap_remove(0).hint)
}

/// The error for hints that exist but do not apply.
pub(super) fn not_eligible(component: &str, key: &str, refused: &[(Hint, String)]) -> Fault {
    let variants: Vec<Json> =
        refused.iter().map(|(hint, failed)| json!({"scope": scope_json(hint), "failed": failed})).collect();
    let first = refused.first().map(|(_, failed)| format!(" ({failed})")).unwrap_or_default();
    Fault::new(
        FaultKind::NotFound,
        "not_eligible",
        format!("{component}/{key} exists but does not apply here{first}"),
    )
    .with("variants", variants)
    .next("compare the failed conditions with your context")
}

fn scope_json(hint: &Hint) -> Json {
    serde_json::to_value(wire::Scope::of(&hint.meta.conditions)).unwrap_or(Json::Null)
}
