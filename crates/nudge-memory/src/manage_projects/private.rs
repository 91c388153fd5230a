//! `set_private`: a project that nothing is shown of outside it.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manage::{ProjectAnswer, view};
use crate::operation::{Effect, Op, OpContext, Profile};

/// Which project, and whether.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateParams {
    /// The project: its name, directory, or id as `id:7`.
    pub project: String,
    /// Whether it is private from now on [default: true].
    #[serde(default = "yes")]
    pub private: bool,
}

const fn yes() -> bool {
    true
}

/// Sets it.
pub struct SetPrivate;

impl Op for SetPrivate {
    const NAME: &'static str = "set_private";
    const ALIASES: &'static [&'static str] = &["nudge.set_private"];
    const TITLE: &'static str = "Make a project private";
    const DOC: &'static str = "Show nothing of a project outside it, or open it again.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = PrivateParams;
    type Answer = ProjectAnswer;

    fn run(ctx: &OpContext<'_>, params: PrivateParams) -> Result<ProjectAnswer, Fault> {
        let row = ctx.project(&params.project)?;
        ctx.writer()?.set_private(row.id, params.private)?;
        Ok(ProjectAnswer { project: view(ctx, row)? })
    }
}
