//! `export`: all hints, or those of one component, as a file that `import` reads.

use std::collections::BTreeMap;

use nudge_core::{Fault, Hint, Tier};
use nudge_store::HintFilter;

use super::open::open;
use super::wire::{Component, ExportAnswer, ExportParams, HintRecord, Payload, SCHEMA_VERSION, Variants};
use super::{choice, secrets, stored};
use crate::operation::{Effect, Op, OpContext, Profile};

/// The `export` operation.
pub struct ExportHints;

impl Op for ExportHints {
    const NAME: &'static str = "export";
    const ALIASES: &'static [&'static str] = &["nudge.export", "export_hints"];
    const TITLE: &'static str = "Export hints";
    const DOC: &'static str = "Export hints as JSON, in the format that import reads.";
    const REFERENCE: &'static str = "Export hints as JSON, to back them up or to import them elsewhere. \
        Secret values are left out unless the user asks for them.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ExportParams;
    type Answer = ExportAnswer;

    fn run(ctx: &OpContext<'_>, params: ExportParams) -> Result<ExportAnswer, Fault> {
        if params.include_secrets {
            secrets::check_may_save(ctx)?;
        }
        let filter = HintFilter { component: params.component, keys: Vec::new(), tags: Vec::new() };
        let mut components: BTreeMap<String, Component> = BTreeMap::new();
        let (mut secrets_left_out, mut not_eligible) = (0, 0);
        // The user's export is complete: a new machine is set up from it.
        let rows = ctx.store().hints(&filter, ctx.now())?;
        let rows = if ctx.caller.surface.is_user() { rows } else { open(ctx, rows)? };
        for row in rows {
            let hint = stored::hint_of(row)?;
            if hint.is_secret() && !params.include_secrets {
                secrets_left_out += 1;
                continue;
            }
            if !choice::may_show(ctx, &hint)? {
                not_eligible += 1;
                continue;
            }
            add(&mut components, &hint);
        }
        let session = ctx.store().session()?;
        let payload = Payload {
            schema_version: SCHEMA_VERSION.to_owned(),
            created_at: session.started_at.to_string(),
            session_id: session.id,
            components,
        };
        Ok(ExportAnswer { payload, secrets_left_out, not_eligible })
    }
}

fn add(components: &mut BTreeMap<String, Component>, hint: &Hint) {
    let record = HintRecord::from(hint);
    let hints = &mut components.entry(hint.component.clone()).or_default().hints;
    match hints.remove(&hint.key) {
        None => hints.insert(hint.key.clone(), Variants::One(Box::new(record))),
        Some(Variants::One(first)) => hints.insert(hint.key.clone(), Variants::Many(vec![*first, record])),
        Some(Variants::Many(mut several)) => {
            several.push(record);
            hints.insert(hint.key.clone(), Variants::Many(several))
        }
    };
}
