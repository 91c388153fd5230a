//! `start_session`: a session for a program that has none of its own.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capture;
use crate::operation::{Effect, NoParams, Op, OpContext, Profile};
use crate::projects::resolve::resolve;
use crate::sessions::call_session;
use crate::statements::project_to_write;

/// Answer of `start_session`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StartedSession {
    /// Session id.
    pub session_id: String,
    /// Time it started.
    pub started_at: String,
}

/// The `start_session` operation.
pub struct StartSession;

impl Op for StartSession {
    const NAME: &'static str = "start_session";
    const ALIASES: &'static [&'static str] = &["nudge.start_session"];
    const TITLE: &'static str = "Start session";
    const DOC: &'static str = "Start a session. Only for programs without a session id of their own; their \
        later calls belong to it.";
    const REFERENCE: &'static str = "Start a session for a program that has no session id of its own. \
        Later calls of that program belong to it.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = NoParams;
    type Answer = StartedSession;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<StartedSession, Fault> {
        // A program that has no place may still count and have hypotheses; they reach no project.
        let project = match ctx.caller.has_no_place() {
            true => capture::record_project(ctx.writer()?, &resolve(None, None), ctx.now())?,
            false => project_to_write(ctx, None)?.id,
        };
        let name = uuid()?;
        let session = call_session::enter(ctx, &name, call_session::program(ctx), project)?;
        Ok(StartedSession { session_id: session.name, started_at: session.started_at.to_string() })
    }
}

/// A random UUID, in the form of RFC 9562.
fn uuid() -> Result<String, Fault> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Fault::new(
            FaultKind::Unavailable,
            "no_random",
            format!("the system returned no random numbers: {error}"),
        )
        .next("try again")
    })?;
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok([&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-"))
}
