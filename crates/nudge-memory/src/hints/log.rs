//! The versions of hints: `hint_log` lists them with their authors, `undo_hint` goes back to one.

use nudge_core::{EntryPath, Fault, FaultKind, Hint, Scope, Tier};
use nudge_store::{Ending, PAST_VERSIONS_KEPT, PastVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::authority::{is_closed, only_open};
use super::limits::{self, Quota};
use super::set::{Outcome, Write};
use super::{stored, wire};
use crate::operation::{Effect, Op, OpContext};
use crate::statements::stated_by;

/// How many changes are listed by default, and how many at most.
const DEFAULT_LIMIT: u32 = 20;

const MAX_LIMIT: u32 = 500;

/// Parameters of `hint_log`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LogParams {
    /// Service, module or folder. Default: the latest changes of all hints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Name of the fact, e.g. "build".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Maximum rows to return. Default: 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// Answer of `hint_log`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogAnswer {
    /// Versions, newest first.
    pub versions: Vec<LogRow>,
}

/// One version of a hint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LogRow {
    /// Id to pass to undo_hint; absent for the current version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The component.
    pub component: String,
    /// The key.
    pub key: String,
    /// Conditions under which the hint applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<wire::Scope>,
    /// Version number.
    pub version: i64,
    /// The value; absent if it was secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Who stated it and where.
    pub stated_by: String,
    /// Time it was set.
    pub at: String,
    /// How this version ended; absent for the current version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Ended>,
}

/// How a version ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ended {
    /// `replaced` or `deleted`.
    pub how: String,
    /// Who did it and where.
    pub by: String,
    /// Time it ended.
    pub at: String,
}

/// The `hint_log` operation.
pub struct HintLog;

impl Op for HintLog {
    const NAME: &'static str = "hint_log";
    const ALIASES: &'static [&'static str] = &["log"];
    const TITLE: &'static str = "Hint log";
    const DOC: &'static str = "List the versions of a hint, or the latest changes of all hints, with who \
        made each.";
    const REFERENCE: &'static str = "List earlier versions of a hint, or the latest changes of all hints, \
        with who made each. The last 20 versions of a hint are kept.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    type Params = LogParams;
    type Answer = LogAnswer;

    fn run(ctx: &OpContext<'_>, params: LogParams) -> Result<LogAnswer, Fault> {
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
        let (Some(component), Some(key)) = (&params.component, &params.key) else {
            return changes(ctx, params.component.as_deref(), limit);
        };
        let mut versions = Vec::new();
        for row in only_open(ctx, ctx.store().hints_of_key(component, key, ctx.now())?)? {
            versions.push(current(ctx, &stored::hint_of(row)?)?);
        }
        for past in past_versions(ctx, component, key)?.into_iter().take(limit as usize) {
            if !is_closed(ctx, &past.writer)? {
                versions.push(ended(ctx, past)?);
            }
        }
        if versions.is_empty() {
            let why = format!("there is no hint {component}/{key}, and no earlier version of it");
            return Err(
                Fault::new(FaultKind::NotFound, "no_log", why).next("run `nudge ls` to see all hints")
            );
        }
        Ok(LogAnswer { versions })
    }
}

/// The past versions of a hint and its variants, newest first.
fn past_versions(ctx: &OpContext<'_>, component: &str, key: &str) -> Result<Vec<PastVersion>, Fault> {
    limits::check_name("component", component)?;
    limits::check_name("key", key)?;
    let path = EntryPath::from_parts("hint", &[component, key], None)
        .map_err(|error| Fault::invalid("name", format!("{component}/{key} is not a valid name: {error}")))?;
    Ok(ctx.store().past_versions(&Scope::Global, path.as_str(), PAST_VERSIONS_KEPT * 10)?)
}

fn changes(ctx: &OpContext<'_>, component: Option<&str>, limit: u32) -> Result<LogAnswer, Fault> {
    let mut versions = Vec::new();
    for past in ctx.store().newest_past_versions(MAX_LIMIT)? {
        if is_closed(ctx, &past.writer)? {
            continue;
        }
        let row = ended(ctx, past)?;
        if component.is_none_or(|wanted| wanted == row.component) {
            versions.push(row);
        }
        if versions.len() == limit as usize {
            break;
        }
    }
    Ok(LogAnswer { versions })
}

fn current(ctx: &OpContext<'_>, hint: &Hint) -> Result<LogRow, Fault> {
    Ok(LogRow {
        id: None,
        component: hint.component.clone(),
        key: hint.key.clone(),
        scope: wire::Scope::of(&hint.meta.conditions),
        version: hint.version,
        value: (!hint.is_secret()).then(|| hint.value.text()),
        stated_by: stated_by(ctx.store(), &hint.writer)?,
        at: hint.updated_at.to_string(),
        ended: None,
    })
}

fn ended(ctx: &OpContext<'_>, past: PastVersion) -> Result<LogRow, Fault> {
    let mut parts = past.path.parts().into_iter();
    let how = match past.ending {
        Ending::Replaced => "replaced",
        Ending::Deleted => "deleted",
    };
    let scope = match stored::statement_of(&past.body, &past.attributes) {
        Ok((_, meta)) => wire::Scope::of(&meta.conditions),
        Err(_) => None,
    };
    Ok(LogRow {
        id: Some(past.id),
        component: parts.next().unwrap_or_default(),
        key: parts.next().unwrap_or_default(),
        scope,
        version: past.version,
        value: (!past.secret).then_some(past.body),
        stated_by: stated_by(ctx.store(), &past.writer)?,
        at: past.written_at.to_string(),
        ended: Some(Ended {
            how: how.to_owned(),
            by: stated_by(ctx.store(), &past.ended_by)?,
            at: past.ended_at.to_string(),
        }),
    })
}

// `undo_hint`: makes an earlier version of a hint the current one again.

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
    const ALIASES: &'static [&'static str] = &["undo"];
    const TITLE: &'static str = "Undo a change of a hint";
    const DOC: &'static str = "Restore an earlier version of a hint, even a deleted one.";
    const REFERENCE: &'static str = "Restore an earlier version of a hint, even a deleted one. Secret \
        values are not kept in the log and cannot be restored.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
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
                Ok(UndoAnswer { hint: stored::wire_hint(ctx, &hint)?, restored_version: past.version })
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
            past_versions(ctx, component, key)?.into_iter().next().ok_or_else(|| {
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
