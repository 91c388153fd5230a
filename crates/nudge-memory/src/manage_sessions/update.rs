//! `update_session`: a session's name, its description and its context sets.

use nudge_core::{Fault, FaultKind};
use nudge_store::{ChangeKind, EntryDraft, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::view::{INTENT_FIELD, NAME, SessionView, view};
use crate::caller::Ambient;
use crate::context_sets::{
    ContextMode, ENV_HINT, Sets, check_sets, items_of, put_set, session_to_write, stated_about,
};
use crate::operation::{Effect, Op, OpContext};
use crate::projects;
use crate::statements::checked_text;

/// The longest name and description of a session, in characters.
const MAX_NAME_CHARS: usize = 120;
const MAX_DESCRIPTION_CHARS: usize = 500;

/// Parameters of `update_session`. Omitted fields keep their value; an empty text clears a field.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct UpdateSessionParams {
    /// Session id or a unique prefix. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Name of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// State of the environment, e.g. "venv active, db on 5433".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_hint: Option<String>,
    /// What the session is working on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_intent: Option<String>,
    /// All context sets. Sets that are not named are cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Sets>,
    /// A change to one context set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set_context: Option<SetContextOf>,
    /// True if the user has looked at the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub observed: bool,
}

impl UpdateSessionParams {
    /// Whether they change how the session is described. That the user has looked at it does not.
    const fn describes(&self) -> bool {
        let Self { session: _, name, env_hint, current_intent, context, set_context, observed: _ } = self;
        name.is_some()
            || env_hint.is_some()
            || current_intent.is_some()
            || context.is_some()
            || set_context.is_some()
    }
}

/// A change to one context set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct SetContextOf {
    /// Name of the set.
    pub set_name: String,
    /// The items.
    pub items: Vec<String>,
    /// "replace" (default) or "merge", which adds to the set.
    #[serde(default)]
    pub mode: ContextMode,
}

/// The `update_session` operation.
pub struct UpdateSession;

impl Op for UpdateSession {
    const NAME: &'static str = "update_session";
    const TITLE: &'static str = "Update session";
    const DOC: &'static str = "Name a session, describe its environment and current work, or change its \
        context sets.";
    const REFERENCE: &'static str = "Change the name, environment note, current work or context sets of a \
        session. Omitted fields keep their value; an empty text clears a field.";
    const EFFECT: Effect = Effect::Write;
    type Params = UpdateSessionParams;
    type Answer = SessionView;

    fn run(ctx: &OpContext<'_>, params: UpdateSessionParams) -> Result<SessionView, Fault> {
        let session = session_to_write(ctx, params.session.as_deref())?;
        if params.describes() {
            check_own(ctx, &session)?;
        }
        describe(ctx, &session, &params)?;
        if let Some(sets) = &params.context {
            replace_all(ctx, &session, sets)?;
        }
        if let Some(set) = &params.set_context {
            put_set(ctx, &session, &set.set_name, &set.items, set.mode)?;
        }
        let writer = ctx.writer()?;
        if params.observed {
            writer.observe_session(&session, ctx.now())?;
        }
        let session = writer.agent_session(session.id)?.unwrap_or(session);
        view(ctx, &session)
    }
}

/// Rejects a program over HTTP that changes how a session is described which is not that of its
/// call: the next session reads the description as its own.
fn check_own(ctx: &OpContext<'_>, session: &SessionRow) -> Result<(), Fault> {
    let is_remote_agent = ctx.caller.ambient == Ambient::Nothing && !projects::is_person(ctx.caller);
    if !is_remote_agent || ctx.session()?.name == session.name {
        return Ok(());
    }
    let why = "a program with the token changes no session but that of its own call";
    Err(Fault::new(FaultKind::Forbidden, "other_project", why)
        .next("leave out `session`, or use a client token (`nudge token client NAME`)"))
}

/// Replaces the whole map. Sets that shrink are written first, so that a map within the limits
/// never exceeds them on the way.
fn replace_all(ctx: &OpContext<'_>, session: &SessionRow, sets: &Sets) -> Result<(), Fault> {
    check_sets(ctx, sets)?;
    for name in items_of(ctx.store(), session)?.keys().filter(|name| !sets.contains_key(*name)) {
        put_set(ctx, session, name, &[], ContextMode::Replace)?;
    }
    let before = items_of(ctx.store(), session)?;
    let growth = |name: &String, items: &Vec<String>| {
        items.len() as i64 - before.get(name).map_or(0, |known| known.len() as i64)
    };
    let mut by_growth: Vec<(&String, &Vec<String>)> = sets.iter().collect();
    by_growth.sort_by_key(|(name, items)| growth(name, items));
    for (name, items) in by_growth {
        put_set(ctx, session, name, items, ContextMode::Replace)?;
    }
    Ok(())
}

/// Changes a session's description.
fn describe(ctx: &OpContext<'_>, session: &SessionRow, params: &UpdateSessionParams) -> Result<(), Fault> {
    let mut attributes = stated_about(ctx.store(), session)?;
    let before = attributes.clone();
    let fields = [
        (NAME, "name", &params.name, MAX_NAME_CHARS),
        (ENV_HINT, "envHint", &params.env_hint, MAX_DESCRIPTION_CHARS),
        (INTENT_FIELD, "currentIntent", &params.current_intent, MAX_DESCRIPTION_CHARS),
    ];
    for (field, name, text, most) in fields {
        if let Some(text) = text {
            put_text(ctx, &mut attributes, (field, name), text, most)?;
        }
    }
    if attributes == before {
        return Ok(());
    }
    let kind =
        if attributes.get(NAME) == before.get(NAME) { ChangeKind::Updated } else { ChangeKind::Renamed };
    let body = attributes.values().filter_map(Value::as_str).collect::<Vec<_>>().join("\n");
    let writer = ctx.writer()?;
    writer.entry_of_session(session, ctx.now())?;
    let draft = EntryDraft {
        scope: session.scope(),
        path: session.path(),
        body,
        attributes,
        provenance: ctx.provenance()?,
        secrets: ctx.secret_policy(),
        now: ctx.now(),
    };
    writer.put_entry_noting(&draft, kind)?;
    Ok(())
}

fn put_text(
    ctx: &OpContext<'_>,
    attributes: &mut Map<String, Value>,
    (field, name): (&str, &'static str),
    text: &str,
    most: usize,
) -> Result<(), Fault> {
    if text.trim().is_empty() {
        attributes.remove(field);
        return Ok(());
    }
    let text = checked_text(ctx, name, text, most).map_err(|fault| fault.with("field", name))?;
    attributes.insert(field.to_owned(), json!(text.replace(['\n', '\r'], " ")));
    Ok(())
}
