//! `timeline`: what happened around an entry, in the same session.

use nudge_core::{Fault, FaultKind, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry_ref::EntryRef;
use super::get_observations::number;
use super::observation::{EntryLookup, Observation};
use super::truncate::{self, size};
use crate::caller::Surface;
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many are shown on each side by default, and how many at most.
const BESIDE: i64 = 5;
const MOST: i64 = 100;

/// The fewest bytes for a row with a long text: a shorter row says nothing.
const SHARE: usize = 600;

/// Parameters of `timeline`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimelineParams {
    /// Id of the observation.
    #[schemars(with = "i64")]
    pub anchor: EntryRef,
    /// Number of observations before it. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub before: Option<i64>,
    /// Number of observations after it. Default: 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub after: Option<i64>,
}

/// Answer of `timeline`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimelineAnswer {
    /// The observation.
    pub anchor: Observation,
    /// Observations before it, oldest first.
    pub before: Vec<Observation>,
    /// Observations after it, oldest first.
    pub after: Vec<Observation>,
    /// True if the farthest observations were left out to limit the size.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// The `timeline` operation.
pub struct Timeline;

impl Op for Timeline {
    const NAME: &'static str = "timeline";
    const ALIASES: &'static [&'static str] = &["nudge.timeline"];
    const TITLE: &'static str = "Timeline";
    const DOC: &'static str = "Return what happened just before and after an observation.";
    const REFERENCE: &'static str = "Return what happened just before and after an observation.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = TimelineParams;
    type Answer = TimelineAnswer;

    fn run(ctx: &OpContext<'_>, params: TimelineParams) -> Result<TimelineAnswer, Fault> {
        let reader = ctx.store();
        let lookup = EntryLookup::of(ctx)?;
        let id = number(&params.anchor).map_err(|fault| fault.with("field", "anchor"))?;
        let Some((anchor, spot)) = lookup.placed(id)? else { return Err(not_there()) };
        let Some(session) = spot.session else {
            return Ok(TimelineAnswer { anchor, before: Vec::new(), after: Vec::new(), truncated: false });
        };
        let far = |asked: Option<i64>| asked.unwrap_or(BESIDE).clamp(0, MOST) as u32;
        let before = reader.before_in_session(session, spot.at, id, far(params.before))?;
        let after = reader.after_in_session(session, spot.at, id, far(params.after))?;
        let (before, after) = (lookup.observations(&before)?, lookup.observations(&after)?);
        let answer = TimelineAnswer { anchor, before, after, truncated: false };
        Ok(if ctx.caller.surface == Surface::Mcp { answer.narrowed() } else { answer })
    }
}

impl TimelineAnswer {
    /// Drops the farthest rows until the rest fits into an answer to an agent with its texts cut.
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
        .next("use an id from `search`; this one may have been removed")
}
