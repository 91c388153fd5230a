//! `ping`: whether the server is there.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// Parameters of `ping`: none.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PingParams {}

/// Answer of `ping`.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pong {
    /// Status: `healthy`.
    pub status: String,
    /// Name of the server: `nudge`.
    pub server: String,
    /// Version of the server.
    pub version: String,
}

/// The `ping` operation.
pub struct Ping;

impl Op for Ping {
    const NAME: &'static str = "ping";
    const ALIASES: &'static [&'static str] = &["nudge.ping"];
    const TITLE: &'static str = "Ping";
    const DOC: &'static str = "Check that the server runs and can read the store.";
    const REFERENCE: &'static str = "Check that the server runs and can read the store. Returns its name \
        and version.";
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
