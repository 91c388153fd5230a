//! Context sets: what an agent or the user marks as relevant to a session, and how it is read back.
//!
//! A set is an entry `context://<name>` in the scope of its session. Only a call changes a set; the
//! files a session works on are derived from its actions.

mod get;
mod set;
mod stored;

pub use get::{GetContext, GetContextParams, RelevantContext};
pub use set::{ContextMode, SetContext, SetContextAnswer, SetContextParams};
pub(crate) use set::{check_sets, put_set};
pub(crate) use stored::{ENV_HINT, Sets, StoredSet, items_of, said_of, sets_of};

use nudge_core::Fault;
use nudge_store::SessionRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::OpContext;
use crate::projects;
use crate::recall::session_called;
use crate::sessions::call_session;
use crate::statements::project_to_write;

/// The session to use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParam {
    /// Session id or a unique prefix. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The session to write to: the named one if its project is the caller's, otherwise the session of
/// the call.
pub(crate) fn session_to_write(ctx: &OpContext<'_>, named: Option<&str>) -> Result<SessionRow, Fault> {
    if let Some(name) = named {
        let session = session_called(ctx, name)?;
        projects::may_write_into(ctx.store(), ctx.caller, Some(session.project), "")?;
        ctx.writer()?.note_activity(session.id, ctx.now())?;
        return Ok(session);
    }
    // The caller's hidden projects and place were already considered when the session was found.
    if let Some(session) = &ctx.session()?.row {
        // An agent that states something is active, even if no hook reports it.
        ctx.writer()?.note_activity(session.id, ctx.now())?;
        return Ok(session.clone());
    }
    let project = project_to_write(ctx, None)?.id;
    call_session::session_for_writing(ctx, project)
}

/// The session to read: the named one, otherwise the session of the call if anything is stored for
/// it.
pub(crate) fn session_to_read(ctx: &OpContext<'_>, named: Option<&str>) -> Result<Option<SessionRow>, Fault> {
    match named {
        Some(name) => session_called(ctx, name).map(Some),
        None => Ok(ctx.session()?.row.clone()),
    }
}
