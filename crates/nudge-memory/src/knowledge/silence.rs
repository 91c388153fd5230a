//! `silence`: the person does not want to see an entry injected any more.

use nudge_context::clean;
use nudge_core::{Entry, EntryId, Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{Asked, EntryRef, ProjectParam};

/// How much of an entry's text is shown to say which one it is.
const SHOWN: usize = 100;

/// What is not to be shown, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SilenceParams {
    /// The entry's number, as `why` shows it.
    pub id: EntryRef,
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Whether it may be shown again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceAnswer {
    /// The entry's number.
    pub id: i64,
    /// Which it is, in short.
    pub what: String,
    /// Whether it is kept from being injected now.
    pub silenced: bool,
    /// Whether that was otherwise before.
    pub changed: bool,
    /// The project; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The operation.
pub struct Silence;

impl Op for Silence {
    const NAME: &'static str = "silence";
    const ALIASES: &'static [&'static str] = &["nudge.silence", "stop_showing"];
    const TITLE: &'static str = "Stop showing";
    const DOC: &'static str =
        "Keep an entry from being injected in a project, or let it be injected again. It stays readable.";
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
    let is_hidden = ctx.walls()?.hide_entry(ctx.store(), id)?;
    // Sessions and projects are entries that say nothing.
    let is_said = |entry: &Entry| !["session", "project"].contains(&entry.path.scheme());
    let entry = ctx.store().entry_by_id(id)?.filter(|entry| !is_hidden && is_said(entry));
    entry.map(|entry| clean(&entry.body, SHOWN)).ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_entry", format!("there is no entry {}", id.0))
            .next("`nudge why` shows the numbers of what was injected")
    })
}

fn nowhere() -> Fault {
    Fault::new(
        FaultKind::NotFound,
        Fault::NO_PROJECT,
        "nothing was kept here yet, so nothing is injected here",
    )
    .next("name the project with --project, or hide it everywhere with --everywhere")
}
