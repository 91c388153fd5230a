//! `get_observations` returns the full entries that a search showed only the start of; `timeline`
//! returns what happened around one.

use nudge_context::clean_text;
use nudge_core::text::without_controls;
use nudge_core::{EntryId, Fault, FaultKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::observation::{EntryLookup, Observation};
use super::source::PROMPT;
use super::truncate::{self, size};
use super::unindexed;
use crate::caller::Surface;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::sessions::turns;

/// How many can be asked for at once.
const MAX_IDS: usize = 50;

/// How many before and after each of them, at most.
const MAX_AROUND: i64 = 20;

/// How much of what came of a request is shown, in characters.
const MAX_ANSWER_CHARS: usize = 600;

/// Parameters of `get_observations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetObservationsParams {
    /// Up to 50 ids.
    #[schemars(with = "Vec<i64>")]
    pub ids: Vec<EntryRef>,
    /// Add this many observations before and after each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = "Also N rows before and after each."))]
    pub around: Option<i64>,
}

/// The `get_observations` operation.
pub struct GetObservations;

impl Op for GetObservations {
    const NAME: &'static str = "get_observations";
    const TITLE: &'static str = "Get observations";
    const DOC: &'static str = "Get whole entries by the ids in search results.";
    const REFERENCE: &'static str = "Return whole entries by id. Other operations return short rows with \
        the ids.";
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Default;
    type Params = GetObservationsParams;
    type Answer = Vec<Observation>;

    fn run(ctx: &OpContext<'_>, params: GetObservationsParams) -> Result<Vec<Observation>, Fault> {
        if params.ids.is_empty() {
            return Err(Fault::invalid("ids", "ids array must not be empty").with("field", "ids"));
        }
        if params.ids.len() > MAX_IDS {
            let why = format!("{} ids; the limit is {MAX_IDS} per call", params.ids.len());
            return Err(Fault::invalid("ids", why).with("field", "ids").next("use several calls"));
        }
        let mut ids: Vec<EntryId> = Vec::with_capacity(params.ids.len());
        for id in &params.ids {
            let id = number(id)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let lookup = EntryLookup::of(ctx)?;
        let ids = match params.around {
            None | Some(0) => ids,
            Some(around) => neighbours(ctx, &lookup, &ids, checked(around)?)?,
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let entry = match lookup.observation(id)? {
                Some(entry) => Some(entry),
                None => unindexed::by_id(ctx, id)?,
            };
            found.extend(entry.map(|entry| with_answer(ctx, entry)).transpose()?);
        }
        Ok(found)
    }
}

/// A request with what came of it.
fn with_answer(ctx: &OpContext<'_>, mut entry: Observation) -> Result<Observation, Fault> {
    if entry.obs_type == PROMPT.name
        && let Some(result) =
            turns::result_of(ctx.store(), EntryId(entry.id))?.map(|whole| whole.gist(MAX_ANSWER_CHARS))
    {
        let answer = json!({"id": result.entry.0, "text": clean_text(&result.text)});
        entry.metadata.insert("answer".to_owned(), answer);
    }
    Ok(entry)
}

fn checked(around: i64) -> Result<u32, Fault> {
    u32::try_from(around).ok().filter(|_| around <= MAX_AROUND).ok_or_else(|| {
        Fault::invalid("around", format!("around {around} is not between 0 and {MAX_AROUND}"))
            .with("field", "around")
            .next("use `timeline` to see more around one of them")
    })
}

/// Each id with its neighbours in its session, in order of time, each once. When as many are
/// collected as can be asked for at once, the remaining ids get no neighbours.
fn neighbours(
    ctx: &OpContext<'_>,
    lookup: &EntryLookup<'_>,
    ids: &[EntryId],
    around: u32,
) -> Result<Vec<EntryId>, Fault> {
    let mut all: Vec<EntryId> = Vec::new();
    for &id in ids {
        let spot = lookup.placed(id)?.and_then(|(_, spot)| Some((spot.session?, spot.at)));
        let mut near = vec![id];
        if let Some((session, at)) = spot.filter(|_| all.len() < MAX_IDS) {
            near = ctx.store().before_in_session(session, at, id, around)?;
            near.push(id);
            near.extend(ctx.store().after_in_session(session, at, id, around)?);
        }
        near.retain(|id| !all.contains(id));
        all.extend(near);
    }
    Ok(all)
}

/// The entry referred to. A number without an entry is simply not found; it is not an error.
pub(super) fn number(id: &EntryRef) -> Result<EntryId, Fault> {
    match id {
        EntryRef::Number(number) => Ok(EntryId(*number)),
        EntryRef::Path(_) => id.id(),
    }
}

// `timeline`: what happened around an entry, in the same session.

/// How many are shown on each side by default, and how many at most.
const DEFAULT_BESIDE: i64 = 5;

const MAX_BESIDE: i64 = 100;

/// The fewest bytes for a row with a long text: a shorter row says nothing.
const MIN_ROW_BYTES: usize = 600;

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
    const TITLE: &'static str = "Timeline";
    const DOC: &'static str = "Return what happened just before and after an observation.";
    const EFFECT: Effect = Effect::Read;
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
        let far = |asked: Option<i64>| asked.unwrap_or(DEFAULT_BESIDE).clamp(0, MAX_BESIDE) as u32;
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
        let share = |row: &Observation| size(row).min(MIN_ROW_BYTES);
        let mut taken: usize = self.before.iter().chain(&self.after).map(share).sum();
        while taken + MIN_ROW_BYTES > truncate::MAX_ANSWER_BYTES {
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

// How a caller refers to an observation.

/// An observation id, as a number or a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "an id: a number such as 42, or a path such as obs://42")]
pub enum EntryRef {
    /// The id.
    Number(i64),
    /// The path, e.g. `obs://42`, or the id as text.
    Path(String),
}

impl EntryRef {
    /// The entry referred to.
    pub fn id(&self) -> Result<EntryId, Fault> {
        let number = match self {
            Self::Number(number) => Some(*number),
            Self::Path(text) => {
                let text = text.trim();
                // `#42` is how injected text writes ids.
                let bare = ["obs://", "prompt://", "#"].iter().find_map(|scheme| text.strip_prefix(scheme));
                bare.unwrap_or(text).parse().ok()
            }
        };
        let shown = match self {
            Self::Number(number) => number.to_string(),
            Self::Path(text) => without_controls(text, 60),
        };
        number.filter(|number| *number > 0).map(EntryId).ok_or_else(|| {
            Fault::invalid("id", format!("`{shown}` is not an id"))
                .with("field", "ids")
                .next("use a number such as 42, or a path such as obs://42")
        })
    }
}
