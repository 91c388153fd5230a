//! `list_components` and `list_keys`: the components and keys that exist.

use std::collections::BTreeMap;

use nudge_core::text::first_chars;
use nudge_core::{Fault, FaultKind, Hint, Tier};
use nudge_store::{ComponentCount, HintFilter};

use super::open::open;
use super::wire::{self, ComponentRow, ComponentsAnswer, KeyRow, KeysAnswer, KeysParams};
use super::{choice, limits, stored};
use crate::operation::{Effect, NoParams, Op, OpContext, Profile};
use crate::statements::stated_by;

/// How much of a value a listing shows, in characters: one terminal line.
const PREVIEW_CHARS: usize = 80;

/// The `list_components` operation.
pub struct ListComponents;

impl Op for ListComponents {
    const NAME: &'static str = "list_components";
    const ALIASES: &'static [&'static str] = &["nudge.list_components"];
    const TITLE: &'static str = "List components";
    const DOC: &'static str = "List the components that have hints, with the number of hints.";
    const REFERENCE: &'static str = "List the components that have hints, with the number of hints in each.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
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
    const ALIASES: &'static [&'static str] = &["nudge.list_keys"];
    const TITLE: &'static str = "List keys";
    const DOC: &'static str = "List all hints of a component, including those that do not apply here.";
    const REFERENCE: &'static str = "List every hint of a component with a preview of its value, including \
        hints that do not apply here.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = KeysParams;
    type Answer = KeysAnswer;

    fn run(ctx: &OpContext<'_>, params: KeysParams) -> Result<KeysAnswer, Fault> {
        let component = params.component;
        limits::check_name("component", &component)?;
        let filter = HintFilter { component: Some(component.clone()), keys: Vec::new(), tags: Vec::new() };
        let mut hints = Vec::new();
        for row in open(ctx, ctx.store().hints(&filter, ctx.now())?)? {
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
    for row in open(ctx, ctx.store().hints(&HintFilter::default(), ctx.now())?)? {
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
