//! `pin` and `unpin`: what is pinned outlives its time.

use nudge_core::text::without_controls;
use nudge_core::{EntryId, Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::op_context::OpContext;
use crate::operation::{Effect, Op, Profile};
use crate::projects;

/// How many can be named at once.
const AT_ONCE: usize = 1_000;

/// What helps somebody whose number is that of a prompt, or of nothing.
const NOT_PINNABLE: &str =
    "only observations can be pinned, prompts cannot; `nudge search` and `nudge recent` show ids";

/// An observation, by its number or its path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an id: a number such as 42, or a path such as obs://42")]
pub enum EntryRef {
    /// Its number.
    Number(i64),
    /// Its path, such as `obs://42`, or its number as text.
    Path(String),
}

impl EntryRef {
    /// The entry that is meant.
    pub fn id(&self) -> Result<EntryId, Fault> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Path(text) => {
                let text = text.trim();
                // `#42` is how ids stand in what agents are told.
                let bare = ["obs://", "prompt://", "#"].iter().find_map(|scheme| text.strip_prefix(scheme));
                bare.unwrap_or(text).parse().ok()
            }
        };
        let shown = match self {
            Self::Number(number) => number.to_string(),
            Self::Path(text) => without_controls(text, 60),
        };
        number.filter(|number| *number > 0).map(EntryId).ok_or_else(|| {
            Fault::invalid("id", format!("`{shown}` is not the id of an observation"))
                .with("field", "ids")
                .next("give a number such as 42, or a path such as obs://42")
        })
    }
}

/// What to pin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinParams {
    /// Observations, by number or `obs://N`.
    pub ids: Vec<EntryRef>,
}

/// What was pinned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PinAnswer {
    /// Whether they are pinned now.
    pub pinned: bool,
    /// The observations.
    pub ids: Vec<i64>,
    /// Those that are not there.
    pub missing: Vec<i64>,
}

/// Pins.
pub struct PinObservations;

/// Unpins.
pub struct UnpinObservations;

impl Op for PinObservations {
    const NAME: &'static str = "pin";
    const ALIASES: &'static [&'static str] = &["nudge.pin"];
    const TITLE: &'static str = "Pin observations";
    const DOC: &'static str = "Keep observations for good: no retention removes them.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, true)
    }
}

impl Op for UnpinObservations {
    const NAME: &'static str = "unpin";
    const ALIASES: &'static [&'static str] = &["nudge.unpin"];
    const TITLE: &'static str = "Unpin observations";
    const DOC: &'static str = "Let observations go when their time is over.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = PinParams;
    type Answer = PinAnswer;

    fn run(ctx: &OpContext<'_>, params: PinParams) -> Result<PinAnswer, Fault> {
        set(ctx, &params, false)
    }
}

fn set(ctx: &OpContext<'_>, params: &PinParams, pinned: bool) -> Result<PinAnswer, Fault> {
    if params.ids.is_empty() {
        return Err(Fault::invalid("ids", "ids array must not be empty").with("field", "ids"));
    }
    if params.ids.len() > AT_ONCE {
        return Err(Fault::invalid("ids", format!("at most {AT_ONCE} ids at once")).with("field", "ids"));
    }
    let ids = params.ids.iter().map(EntryRef::id).collect::<Result<Vec<_>, _>>()?;
    let mut answer = PinAnswer { pinned, ids: Vec::new(), missing: Vec::new() };
    let walls = ctx.walls()?;
    for id in ids {
        if walls.hide_entry(ctx.store(), id)? {
            answer.missing.push(id.0);
            continue;
        }
        if let Some(project) = ctx.store().project_of(id)? {
            projects::may_write_into(ctx, Some(project), "")?;
        }
        let there = ctx.writer()?.pin_observation(id, pinned, ctx.now())?;
        if there { answer.ids.push(id.0) } else { answer.missing.push(id.0) }
    }
    if answer.ids.is_empty() {
        return Err(Fault::new(FaultKind::NotFound, "no_observation", "there is no such observation")
            .with("missing", answer.missing)
            .next(NOT_PINNABLE));
    }
    Ok(answer)
}
