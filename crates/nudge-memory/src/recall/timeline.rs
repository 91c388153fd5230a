//! `timeline`: what happened around something, in the same session.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry_ref::EntryRef;
use super::get_observations::number;
use super::observation::{Observation, Shelf};
use super::truncate::{self, size};
use crate::caller::Surface;
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many are shown on either side unless asked otherwise, and how many at most.
const BESIDE: i64 = 5;
const MOST: i64 = 100;

/// What a row with a long text is given at least, in bytes: a row of less says nothing.
const SHARE: usize = 600;

/// Around what, and how far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimelineParams {
    /// Its id.
    #[schemars(with = "i64")]
    pub anchor: EntryRef,
    /// How many (5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// How many (5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
}

/// Something and what lies around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineAnswer {
    /// What was asked about.
    pub anchor: Observation,
    /// What came before it, oldest first.
    pub before: Vec<Observation>,
    /// What came after it, oldest first.
    pub after: Vec<Observation>,
    /// Whether there are more that were asked for: those farthest away had no room.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The operation.
pub struct Timeline;

impl Op for Timeline {
    const NAME: &'static str = "timeline";
    const ALIASES: &'static [&'static str] = &["nudge.timeline"];
    const TITLE: &'static str = "Timeline";
    const DOC: &'static str = "What happened around an observation.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = TimelineParams;
    type Answer = TimelineAnswer;

    fn run(ctx: &OpContext<'_>, params: TimelineParams) -> Result<TimelineAnswer, Fault> {
        let reader = ctx.store();
        let shelf = Shelf::of(ctx)?;
        let id = number(&params.anchor).map_err(|fault| fault.with("field", "anchor"))?;
        let Some((anchor, spot)) = shelf.placed(id)? else { return Err(not_there()) };
        let Some(session) = spot.session else {
            return Ok(TimelineAnswer { anchor, before: Vec::new(), after: Vec::new(), truncated: false });
        };
        let far = |asked: Option<i64>| asked.unwrap_or(BESIDE).clamp(0, MOST) as u32;
        let before = reader.before_in_session(session, spot.at, id, far(params.before))?;
        let after = reader.after_in_session(session, spot.at, id, far(params.after))?;
        let (before, after) = (shelf.observations(&before)?, shelf.observations(&after)?);
        let answer = TimelineAnswer { anchor, before, after, truncated: false };
        Ok(if ctx.caller.surface == Surface::Mcp { answer.narrowed() } else { answer })
    }
}

impl TimelineAnswer {
    /// As many as an answer to an agent has room for, when their texts are cut.
    fn narrowed(mut self) -> Self {
        let share = |row: &Observation| size(row).min(SHARE);
        let mut taken: usize = self.before.iter().chain(&self.after).map(share).sum();
        while taken + SHARE > truncate::MOST {
            let is_before = self.before.len() >= self.after.len();
            let farthest = if is_before { Some(self.before.remove(0)) } else { self.after.pop() };
            taken -= farthest.as_ref().map_or(taken, share);
            self.truncated = true;
        }
        self
    }
}

fn not_there() -> Fault {
    Fault::new(FaultKind::NotFound, "no_observation", "anchor observation not found")
        .with("field", "anchor")
        .next("take an id from `search`; it may have been removed since")
}
