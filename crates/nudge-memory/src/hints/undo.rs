//! `undo_hint`: makes an earlier version of a hint the current one again.

use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::PastVersion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quota::Quota;
use super::set::{Outcome, Write};
use super::{log, shown, stored, wire};
use crate::operation::{Effect, Op, OpContext, Profile};

/// Parameters of `undo_hint`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoParams {
    /// Id of a version, from hint_log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Component of the hint. Without `id`, its latest change is undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Key of the hint. Required with `component`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// Answer of `undo_hint`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndoAnswer {
    /// The hint as it is now.
    pub hint: wire::Hint,
    /// The version that was restored.
    pub restored_version: i64,
}

/// The `undo_hint` operation.
pub struct UndoHint;

impl Op for UndoHint {
    const NAME: &'static str = "undo_hint";
    const ALIASES: &'static [&'static str] = &["nudge.undo_hint", "undo"];
    const TITLE: &'static str = "Undo a change of a hint";
    const DOC: &'static str = "Restore an earlier version of a hint, even a deleted one.";
    const REFERENCE: &'static str = "Restore an earlier version of a hint, even a deleted one. Secret \
        values are not kept in the log and cannot be restored.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = UndoParams;
    type Answer = UndoAnswer;

    fn run(ctx: &OpContext<'_>, params: UndoParams) -> Result<UndoAnswer, Fault> {
        let past = meant(ctx, &params)?;
        if past.secret {
            let why = "that version was secret, and the log does not save secrets";
            return Err(Fault::invalid("secret_version", why).next("set the hint again"));
        }
        let parts = past.path.parts();
        let [component, key] = parts.as_slice() else {
            return Err(unknown(past.id));
        };
        let (value, meta) = stored::statement_of(&past.body, &past.attributes)?;
        let write = Write {
            component: component.clone(),
            key: key.clone(),
            value,
            meta,
            expect: None,
            history: None,
            allow_secret: false,
            // The version is its author's statement; restoring it does not change the author.
            provenance: past.writer.clone(),
        };
        let mut quota = Quota::for_component(ctx, component)?;
        match write.run(ctx, &mut quota)? {
            Outcome::Written(hint) => {
                Ok(UndoAnswer { hint: shown::hint(ctx, &hint)?, restored_version: past.version })
            }
            Outcome::Proposed { note, .. } => Err(Fault::new(FaultKind::Forbidden, "tier", note.why)),
        }
    }
}

fn meant(ctx: &OpContext<'_>, params: &UndoParams) -> Result<PastVersion, Fault> {
    match (params.id, &params.component, &params.key) {
        (Some(id), _, _) => ctx
            .store()
            .past_version(id)?
            .filter(|past| past.path.scheme() == "hint")
            .ok_or_else(|| unknown(id)),
        (None, Some(component), Some(key)) => {
            log::past_versions(ctx, component, key)?.into_iter().next().ok_or_else(|| {
                let why = format!("there is no earlier version of {component}/{key}");
                Fault::new(FaultKind::NotFound, "no_log", why)
                    .next(format!("`nudge delete {component} {key}` removes it"))
            })
        }
        _ => Err(Fault::invalid("undo", "name a hint, or the number of a version")
            .next("run `nudge log` to see the latest changes")),
    }
}

fn unknown(id: i64) -> Fault {
    Fault::new(FaultKind::NotFound, "no_version", format!("there is no version with the number {id}"))
        .next("run `nudge log` to see the latest changes")
}
