//! `create_marker`: a note of an agent's or a person's own, among what was observed.

use nudge_core::{Fault, FaultKind, ObservationKind, Outcome, Tier};
use nudge_store::{ObservationDraft, ProjectId, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::capture::{fingerprint, project};
use crate::operation::OWN;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::session_called;
use crate::sessions::call_session;
use crate::statements::{checked_text, project_to_write};

/// How long a note may be, in characters.
const TEXT_MOST: usize = 4_000;

/// What is said of a note from a caller of whom only the door is known.
const NOWHERE: &str =
    "nothing is known of where you stand, so the note belongs to no project and no session is told of it";

/// A note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarkParams {
    /// What is to be remembered.
    pub text: String,
    /// Directory, or id or name of a project [default: where you are].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Session id [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Where the note is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MarkAnswer {
    /// Its number.
    pub id: i64,
    /// Its path.
    pub path: String,
    /// The session it belongs to.
    pub session: String,
    /// What its project is called.
    pub project: String,
    /// What is to be known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The operation.
pub struct CreateMarker;

impl Op for CreateMarker {
    const NAME: &'static str = "create_marker";
    const ALIASES: &'static [&'static str] = &["nudge.create_marker", "mark", "nudge.mark"];
    const TITLE: &'static str = "Mark";
    const DOC: &'static str = "Leave a note of your own among what was observed in this session: a decision, a finding, a dead end.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = MarkParams;
    type Answer = MarkAnswer;

    fn run(ctx: &OpContext<'_>, params: MarkParams) -> Result<MarkAnswer, Fault> {
        let text = &*checked_text(ctx, "note", &params.text, TEXT_MOST)?;
        let writer = ctx.writer()?;
        let Place { project, session } = place(ctx, &params)?;
        let row = writer.project(project)?.ok_or_else(unknown_project)?;
        let key = row.keys.first().cloned().unwrap_or_default();
        let mut provenance = ctx.caller.provenance(Some(session.name.clone()));
        provenance.project = Some(key.clone());
        let now = ctx.now();
        let moment = now.as_millis().to_string();
        let operation = ctx.caller.operation_id.as_deref().unwrap_or_default();
        let id = writer.put_observation(&ObservationDraft {
            project: &key,
            session: session.id,
            prompt: writer.prompt_behind(session.id, None, now)?,
            kind: ObservationKind::Marker,
            at: now,
            identity: fingerprint::of(&["marker", &session.name, text, &moment, operation]),
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
        let note = (key == project::UNKNOWN).then(|| NOWHERE.to_owned());
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
struct Place {
    project: ProjectId,
    session: SessionRow,
}

/// The session that is named and its project; else the project that is named, or where the caller stands, and the session of
/// the call, which gives no right to write into its project.
fn place(ctx: &OpContext<'_>, params: &MarkParams) -> Result<Place, Fault> {
    if let Some(name) = &params.session {
        let session = session_called(ctx, name)
            .map_err(|fault| fault.next("leave it out to use the newest one of the project"))?;
        projects::may_write_into(ctx.store(), ctx.caller, Some(session.project), "")?;
        return Ok(Place { project: session.project, session });
    }
    let project = project_to_write(ctx, params.project.as_deref())?.id;
    let known = match params.project {
        Some(_) => call_session::newest_in(ctx, project)?,
        None => ctx.session()?.row.clone(),
    };
    let session = match known {
        Some(session) => session,
        // Notes of one day in one project are one session where no agent has any.
        None => call_session::enter(ctx, &call_session::generated(ctx, Some(project)), OWN, project)?,
    };
    Ok(Place { project, session })
}

fn unknown_project() -> Fault {
    Fault::new(FaultKind::Internal, "no_project", "a session has no project").next("run `nudge doctor`")
}
