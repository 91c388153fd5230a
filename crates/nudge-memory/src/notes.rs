//! Notes: what the user or an agent marks or pins.

use nudge_core::{Fault, FaultKind, ObservationKind, Outcome, Tier};
use nudge_outcomes::fingerprint;
use nudge_store::{ObservationDraft, ProjectId, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::capture::project;
use crate::operation::{Effect, OWN, Op, OpContext, Operation};
use crate::projects;
use crate::recall::{EntryRef, session_called};
use crate::sessions::call_session;
use crate::statements::{checked_text, project_to_write};

/// The operations on notes and pins.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<CreateMarker>(),
    Operation::of::<PinObservations>(),
    Operation::of::<UnpinObservations>(),
];

// `create_marker`: an agent's or the user's own note among the observations.

/// The longest note, in characters.
const MAX_TEXT_CHARS: usize = 4_000;

/// The message about a note from a caller without a known place.
const NO_PROJECT_MESSAGE: &str = "this directory belongs to no project, so the note is not injected";

/// Parameters of `create_marker`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkParams {
    /// The note.
    pub text: String,
    /// Project name, id or directory. Default: the current project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Answer of `create_marker`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkAnswer {
    /// Observation id.
    pub id: i64,
    /// Path of the entry.
    pub path: String,
    /// Session it belongs to.
    pub session: String,
    /// Name of the project.
    pub project: String,
    /// A message about the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The `create_marker` operation.
pub struct CreateMarker;

impl Op for CreateMarker {
    const NAME: &'static str = "create_marker";
    const ALIASES: &'static [&'static str] = &["mark", "nudge.mark"];
    const TITLE: &'static str = "Add a note";
    const DOC: &'static str = "Add a note to this session: a decision, a finding, a dead end. search finds \
        it later.";
    const REFERENCE: &'static str = "Add a note to a session: a decision, a finding or a dead end. It is \
        kept with the captured work, and search finds it.";
    const EFFECT: Effect = Effect::Write;
    type Params = MarkParams;
    type Answer = MarkAnswer;

    fn run(ctx: &OpContext<'_>, params: MarkParams) -> Result<MarkAnswer, Fault> {
        let text = &*checked_text(ctx, "note", &params.text, MAX_TEXT_CHARS)?;
        let writer = ctx.writer()?;
        let NotePosition { project, session } = place(ctx, &params)?;
        let row = writer.project(project)?.ok_or_else(unknown_project)?;
        let key = row.keys.first().cloned().unwrap_or_default();
        let mut provenance = ctx.caller.provenance(Some(session.name.clone()));
        provenance.project = Some(key.clone());
        let now = ctx.now();
        let captured = now.as_millis().to_string();
        let operation = ctx.caller.operation_id.as_deref().unwrap_or_default();
        let id = writer.put_observation(&ObservationDraft {
            project: &key,
            session: session.id,
            prompt: writer.prompt_of_event(session.id, None, now)?,
            kind: ObservationKind::Marker,
            at: now,
            identity: fingerprint(&["marker", &session.name, text, &captured, operation]),
            event: "mark",
            tool: None,
            subagent: None,
            outcome: Outcome::Unknown,
            target: None,
            files: &[],
            body: text,
            attributes: Map::new(),
            provenance: &provenance,
        })?;
        let note = (key == project::UNKNOWN).then(|| NO_PROJECT_MESSAGE.to_owned());
        Ok(MarkAnswer {
            id: id.0,
            path: format!("obs://{}", id.0),
            session: session.name,
            project: row.name,
            note,
        })
    }
}

/// Where a note belongs.
struct NotePosition {
    project: ProjectId,
    session: SessionRow,
}

/// The session named and its project. Without one, the project named, with its newest session; else
/// the caller's project, with the session of the call, which gives no right to write into its own
/// project.
fn place(ctx: &OpContext<'_>, params: &MarkParams) -> Result<NotePosition, Fault> {
    if let Some(name) = &params.session {
        let session = session_called(ctx, name)
            .map_err(|fault| fault.next("remove it to use the newest session of the project"))?;
        projects::may_write_into(ctx.store(), ctx.caller, Some(session.project), "")?;
        return Ok(NotePosition { project: session.project, session });
    }
    let project = project_to_write(ctx, params.project.as_deref())?.id;
    let known = match params.project {
        Some(_) => call_session::newest_in(ctx, project)?,
        None => ctx.session()?.row.clone(),
    };
    let session = match known {
        Some(session) => session,
        // Without an agent's session, the notes of one day in one project form one session.
        None => call_session::enter(ctx, &call_session::generated(ctx, Some(project)), OWN, project)?,
    };
    Ok(NotePosition { project, session })
}

fn unknown_project() -> Fault {
    Fault::new(FaultKind::Internal, "no_project", "a session has no project").next("run `nudge doctor`")
}

// `pin` and `unpin`: a pinned observation is kept past its retention.

/// How many can be named at once.
const MAX_IDS: usize = 1_000;

/// The next step for a number that belongs to a prompt or to nothing.
const NOT_PINNABLE: &str =
    "only observations can be pinned, not prompts; run `nudge search` or `nudge recent` to see ids";

/// Parameters of `pin` and `unpin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinParams {
    /// Observation ids, as numbers or `obs://N`.
    pub ids: Vec<EntryRef>,
}

/// Answer of `pin` and `unpin`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PinAnswer {
    /// True if they are pinned now.
    pub pinned: bool,
    /// Ids that were found.
    pub ids: Vec<i64>,
    /// Ids that were not found.
    pub missing: Vec<i64>,
}

/// The `pin` operation.
pub struct PinObservations;

/// The `unpin` operation.
pub struct UnpinObservations;

impl Op for PinObservations {
    const NAME: &'static str = "pin";
    const TITLE: &'static str = "Pin observations";
    const DOC: &'static str = "Pin observations, so that retention never deletes them.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, true)
    }
}

impl Op for UnpinObservations {
    const NAME: &'static str = "unpin";
    const TITLE: &'static str = "Unpin observations";
    const DOC: &'static str = "Unpin observations, so that retention applies to them again.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, false)
    }
}

fn set(ctx: &OpContext<'_>, params: &PinParams, pinned: bool) -> Result<PinAnswer, Fault> {
    if params.ids.is_empty() {
        return Err(Fault::invalid("ids", "ids array must not be empty").with("field", "ids"));
    }
    if params.ids.len() > MAX_IDS {
        return Err(Fault::invalid("ids", format!("at most {MAX_IDS} ids per call")).with("field", "ids"));
    }
    let ids = params.ids.iter().map(EntryRef::id).collect::<Result<Vec<_>, _>>()?;
    let mut answer = PinAnswer { pinned, ids: Vec::new(), missing: Vec::new() };
    let hidden = ctx.hidden()?;
    for id in ids {
        if hidden.hide_entry(ctx.store(), id)? {
            answer.missing.push(id.0);
            continue;
        }
        if let Some(project) = ctx.store().project_of(id)? {
            projects::may_write_into(ctx.store(), ctx.caller, Some(project), "")?;
        }
        let there = ctx.writer()?.pin_observation(id, pinned, ctx.now())?;
        if there { answer.ids.push(id.0) } else { answer.missing.push(id.0) }
    }
    if answer.ids.is_empty() {
        return Err(Fault::new(FaultKind::NotFound, "no_observation", "there is no such observation")
            .with("missing", answer.missing)
            .next(NOT_PINNABLE));
    }
    Ok(answer)
}
