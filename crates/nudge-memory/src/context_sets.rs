//! Context sets: what an agent or the person marks as relevant to a session, and how it comes back.
//!
//! A set is an entry `context://<name>` in the scope of its session. Nothing but a call changes one;
//! the files that a session works on are told from what it did.

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

/// Which session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionParam {
    /// Session id, or its beginning [default: the session of the call].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// The session to write into: the one that is named, where its project is the caller's, or the one
/// of the call.
pub(crate) fn session_to_write(ctx: &OpContext<'_>, named: Option<&str>) -> Result<SessionRow, Fault> {
    if let Some(name) = named {
        let session = session_called(ctx, name)?;
        projects::may_write_into(ctx.store(), ctx.caller, Some(session.project), "")?;
        ctx.writer()?.note_activity(session.id, ctx.now())?;
        return Ok(session);
    }
    // Whose call it is was found with the walls and the place of the caller in mind.
    if let Some(session) = &ctx.session()?.row {
        // Who states something is at work, also where no hook tells so.
        ctx.writer()?.note_activity(session.id, ctx.now())?;
        return Ok(session.clone());
    }
    let project = project_to_write(ctx, None)?.id;
    call_session::entered(ctx, project)
}

/// The session to read: the one that is named, or the one of the call, where anything is stored of it.
pub(crate) fn session_to_read(ctx: &OpContext<'_>, named: Option<&str>) -> Result<Option<SessionRow>, Fault> {
    match named {
        Some(name) => session_called(ctx, name).map(Some),
        None => Ok(ctx.session()?.row.clone()),
    }
}
