//! `get_hint`: the best variant for the caller's place.

use nudge_core::{Fault, FaultKind, Hint, Tier};
use nudge_store::HintFilter;

use super::open::open;
use super::wire::{GetAnswer, GetParams};
use super::{choice, limits, list, secrets, shown, stored};
use crate::operation::{Effect, Op, OpContext, Profile};

/// The `get_hint` operation.
pub struct GetHint;

impl Op for GetHint {
    const NAME: &'static str = "get_hint";
    const ALIASES: &'static [&'static str] = &["nudge.get_hint"];
    const TITLE: &'static str = "Get hint";
    const DOC: &'static str = "Get a known fact (command, path, setting) by component and key. Call before \
        you build, test, run or deploy.";
    const REFERENCE: &'static str = "Get the best variant of a hint for where the caller is, and why it \
        matched.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Default;
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
        Ok(GetAnswer { hint: shown::hint(ctx, &best.hint)?, match_explain: best.explanation.into() })
    }
}

/// All live variants of a name, or an error that says which part of the name is unknown.
pub(super) fn variants(ctx: &OpContext<'_>, component: &str, key: &str) -> Result<Vec<Hint>, Fault> {
    limits::check_name("component", component)?;
    limits::check_name("key", key)?;
    let rows = open(ctx, ctx.store().hints_of_key(component, key, ctx.now())?)?;
    if rows.is_empty() {
        return Err(unknown(ctx, component, key)?);
    }
    rows.into_iter().map(stored::hint_of).collect()
}

fn unknown(ctx: &OpContext<'_>, component: &str, key: &str) -> Result<Fault, Fault> {
    let filter = HintFilter { component: Some(component.to_owned()), ..HintFilter::default() };
    let known = open(ctx, ctx.store().hints(&filter, ctx.now())?)?;
    if known.is_empty() {
        let names = list::components(ctx)?.into_iter().map(|row| row.name);
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
