//! `silence`: the user no longer wants an entry injected.

use nudge_context::clean;
use nudge_core::{Entry, EntryId, Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{Asked, EntryRef, ProjectParam};

/// How much of an entry's text is shown to identify it, in characters.
const SHOWN: usize = 100;

/// Parameters of `silence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SilenceParams {
    /// Id of the entry, from explain_injection.
    pub id: EntryRef,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// True to inject it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// Answer of `silence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceAnswer {
    /// Entry id.
    pub id: i64,
    /// The entry in short.
    pub what: String,
    /// True if it is not injected any more.
    pub silenced: bool,
    /// True if this call changed that.
    pub changed: bool,
    /// Name of the project; absent for all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The `silence` operation.
pub struct Silence;

impl Op for Silence {
    const NAME: &'static str = "silence";
    const ALIASES: &'static [&'static str] = &["nudge.silence", "stop_showing"];
    const TITLE: &'static str = "Stop injecting";
    const DOC: &'static str = "Stop injecting an entry in a project, or inject it again. It stays readable.";
    const REFERENCE: &'static str = "Stop injecting an entry in a project, or start again. The entry \
        itself stays, and search still finds it.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = SilenceParams;
    type Answer = SilenceAnswer;

    fn run(ctx: &OpContext<'_>, params: SilenceParams) -> Result<SilenceAnswer, Fault> {
        let id = params.id.id()?;
        let asked = Asked::of(ctx, &params.project)?;
        let what = shown(ctx, id)?;
        let project = match asked {
            Asked::In(place) => Some(place.project),
            Asked::All => None,
            Asked::Nowhere => return Err(nowhere()),
        };
        let (writer, place) = (ctx.writer()?, project.as_ref().map(|project| project.id));
        let changed =
            if params.again { writer.unsilence(id, place)? } else { writer.silence(id, place, ctx.now())? };
        let project = project.map(|project| project.name);
        Ok(SilenceAnswer { id: id.0, what, silenced: !params.again, changed, project })
    }
}

fn shown(ctx: &OpContext<'_>, id: EntryId) -> Result<String, Fault> {
    let is_hidden = ctx.hidden()?.hide_entry(ctx.store(), id)?;
    // Entries of sessions and projects have no text to inject.
    let is_said = |entry: &Entry| !["session", "project"].contains(&entry.path.scheme());
    let entry = ctx.store().entry_by_id(id)?.filter(|entry| !is_hidden && is_said(entry));
    entry.map(|entry| clean(&entry.body, SHOWN)).ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_entry", format!("there is no entry {}", id.0))
            .next("run `nudge why` to see the numbers of injected entries")
    })
}

fn nowhere() -> Fault {
    Fault::new(
        FaultKind::NotFound,
        Fault::NO_PROJECT,
        "nothing was captured in this project yet, so nothing is injected here",
    )
    .next("name the project with --project, or hide it everywhere with --everywhere")
}
