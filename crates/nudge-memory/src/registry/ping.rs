//! `ping`: whether anybody is there.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Op, OpContext, Profile};

/// Nothing is asked.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingParams {}

/// Who is there.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pong {
    /// `healthy`.
    pub status: String,
    /// `nudge`.
    pub server: String,
    /// Its version.
    pub version: String,
}

/// The operation.
pub struct Ping;

impl Op for Ping {
    const NAME: &'static str = "ping";
    const ALIASES: &'static [&'static str] = &["nudge.ping"];
    const TITLE: &'static str = "Ping";
    const DOC: &'static str = "Answer with the server's name and version, once the store could be read.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = PingParams;
    type Answer = Pong;

    fn run(ctx: &OpContext<'_>, _: PingParams) -> Result<Pong, Fault> {
        ctx.store().feed_head()?;
        Ok(Pong {
            status: "healthy".to_owned(),
            server: "nudge".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}
