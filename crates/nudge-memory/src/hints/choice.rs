//! Which variant of a hint a caller gets, and why.

use std::collections::BTreeMap;
use std::path::Path;

use nudge_core::conditions::Verdict;
use nudge_core::rank::{self, Facts, Score};
use nudge_core::{Context, EnvView, Fault, FaultKind, Hint, Timestamp};
use serde_json::{Value as Json, json};

use super::wire;
use crate::ambient;
use crate::caller::{Ambient, Caller};

/// A hint whose conditions hold, with its score and the reasons for it.
pub(super) struct Ranked {
    pub(super) hint: Hint,
    pub(super) score: Score,
    pub(super) explanation: rank::Explanation,
}

/// Hints told apart by whether they apply.
pub(super) struct Sorted {
    /// Those that apply, best first.
    pub(super) eligible: Vec<Ranked>,
    /// Those that do not, each with the condition that failed.
    pub(super) refused: Vec<(Hint, String)>,
}

/// The facts that conditions are checked against: what the call says, and, on this machine, what
/// can be seen from where the caller stands. A given `cwd` moves repository and branch with it.
pub(super) fn context_for(caller: &Caller, given: Option<wire::Context>) -> Result<Context, Fault> {
    let given = given.unwrap_or_default();
    let Ambient::Here(here) = &caller.ambient else {
        return given.into_facts();
    };
    let mut facts = match &given.cwd {
        Some(cwd) if here.cwd.as_deref() != Some(cwd) => {
            Context { env: here.env.clone(), ..ambient::here(Path::new(cwd)) }
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
    Ok(facts)
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

/// Sorts hints by whether they apply here, and those that do by score.
///
/// Fails with [`FaultKind::NeedEnv`] when a condition mentions a variable that a far caller has
/// not sent: it then sends just those names and asks again.
pub(super) fn sort(hints: Vec<Hint>, context: &Context, now: Timestamp) -> Result<Sorted, Fault> {
    ask_for_env(&hints, context)?;
    let mut sorted = Sorted { eligible: Vec::new(), refused: Vec::new() };
    for hint in hints {
        match hint.meta.conditions.check(context) {
            Verdict::Met { reasons } => {
                let facts = facts_of(&hint);
                let score = rank::score(&facts, now);
                let explanation = rank::explain(&facts, reasons, now);
                sorted.eligible.push(Ranked { hint, score, explanation });
            }
            Verdict::Failed { condition } => sorted.refused.push((hint, condition)),
        }
    }
    sorted.eligible.sort_by(|a, b| {
        rank::compare((a.score, a.hint.updated_at, a.hint.id), (b.score, b.hint.updated_at, b.hint.id))
    });
    Ok(sorted)
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

fn ask_for_env(hints: &[Hint], context: &Context) -> Result<(), Fault> {
    let mut names: Vec<&str> =
        hints.iter().flat_map(|hint| hint.meta.conditions.env_to_ask(context)).collect();
    if names.is_empty() {
        return Ok(());
    }
    names.sort_unstable();
    names.dedup();
    Err(Fault::new(FaultKind::NeedEnv, "need_env", "environment values are needed to decide")
        .with("names", names))
}

/// The variant that `bump` and `delete_hint` act on: the only one, else the one `get_hint` gives.
pub(super) fn one_variant(mut hints: Vec<Hint>, context: &Context, now: Timestamp) -> Result<Hint, Fault> {
    if hints.len() == 1 {
        return Ok(hints.remove(0));
    }
    let listed: Vec<Json> =
        hints.iter().map(|hint| json!({"id": hint.id.0, "scope": scope_json(hint)})).collect();
    let name = hints.first().map(|hint| format!("{}/{}", hint.component, hint.key)).unwrap_or_default();
    let mut sorted = sort(hints, context, now)?;
    if sorted.eligible.is_empty() {
        return Err(Fault::invalid(
            "ambiguous",
            format!("{name} has several variants and none applies here"),
        )
        .with("variants", listed)
        .next("give a context that one of them applies to"));
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
