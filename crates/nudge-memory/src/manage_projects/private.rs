//! `set_private`: hides a project from everything outside it.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manage::{ProjectAnswer, view};
use crate::operation::{Effect, Op, OpContext, Profile};

/// Parameters of `set_private`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateParams {
    /// The project: name, directory, or id as `id:7`.
    pub project: String,
    /// True to make it private, false to make it visible again. Default: true.
    #[serde(default = "yes")]
    pub private: bool,
}

const fn yes() -> bool {
    true
}

/// The `set_private` operation.
pub struct SetPrivate;

impl Op for SetPrivate {
    const NAME: &'static str = "set_private";
    const ALIASES: &'static [&'static str] = &["nudge.set_private"];
    const TITLE: &'static str = "Make a project private";
    const DOC: &'static str = "Make a project private: nothing of it is shown outside it. Or make it \
        visible again.";
    const REFERENCE: &'static str = "Make a project private, so that nothing of it is shown in other \
        projects, or make it visible again.";
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
