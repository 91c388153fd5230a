//! `undo_hint`: an earlier version of a hint becomes the current one again.

use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::PastVersion;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quota::Quota;
use super::set::{Outcome, Write};
use super::{log, shown, stored, wire};
use crate::operation::{Effect, Op, OpContext, Profile};

/// What to take back.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoParams {
    /// The number of a version in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Without a number: the component, whose newest change is taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// And the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What stands there again.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndoAnswer {
    /// The hint.
    pub hint: wire::Hint,
    /// The version that was brought back.
    pub restored_version: i64,
}

/// The operation.
pub struct UndoHint;

impl Op for UndoHint {
    const NAME: &'static str = "undo_hint";
    const ALIASES: &'static [&'static str] = &["nudge.undo_hint", "undo"];
    const TITLE: &'static str = "Undo";
    const DOC: &'static str = "Bring an earlier version of a hint back, also of a deleted one.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = UndoParams;
    type Answer = UndoAnswer;

    fn run(ctx: &OpContext<'_>, params: UndoParams) -> Result<UndoAnswer, Fault> {
        let past = meant(ctx, &params)?;
        if past.secret {
            let why = "that version held a secret, and secrets are not kept in the log";
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
            // It is what its author stated. Bringing it back makes it nobody else's.
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
                let why = format!("no earlier version of {component}/{key} is kept");
                Fault::new(FaultKind::NotFound, "no_log", why)
                    .next(format!("`nudge delete {component} {key}` removes it"))
            })
        }
        _ => Err(Fault::invalid("undo", "say which hint, or the number of a version")
            .next("`nudge log` lists what changed last")),
    }
}

fn unknown(id: i64) -> Fault {
    Fault::new(FaultKind::NotFound, "no_version", format!("no kept version has the number {id}"))
        .next("`nudge log` lists what changed last")
}
