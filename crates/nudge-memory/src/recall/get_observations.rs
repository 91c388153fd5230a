//! `get_observations`: the full entries that a search showed only the start of.

use nudge_core::{EntryId, Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry_ref::EntryRef;
use super::observation::{EntryLookup, Observation};
use super::unindexed;
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many can be asked for at once.
const AT_ONCE: usize = 50;

/// How many before and after each of them, at most.
const AROUND: i64 = 20;

/// Parameters of `get_observations`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetObservationsParams {
    /// Up to 50 ids.
    #[schemars(with = "Vec<i64>")]
    pub ids: Vec<EntryRef>,
    /// Add this many observations before and after each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", extend("x-listed" = "Add N rows before and after each."))]
    pub around: Option<i64>,
}

/// The `get_observations` operation.
pub struct GetObservations;

impl Op for GetObservations {
    const NAME: &'static str = "get_observations";
    const ALIASES: &'static [&'static str] = &["nudge.get_observations"];
    const TITLE: &'static str = "Get observations";
    const DOC: &'static str = "Fetch whole entries by the ids that search returned.";
    const REFERENCE: &'static str = "Return whole entries by id. Other operations return short rows with \
        the ids.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Default;
    type Params = GetObservationsParams;
    type Answer = Vec<Observation>;

    fn run(ctx: &OpContext<'_>, params: GetObservationsParams) -> Result<Vec<Observation>, Fault> {
        if params.ids.is_empty() {
            return Err(Fault::invalid("ids", "ids array must not be empty").with("field", "ids"));
        }
        if params.ids.len() > AT_ONCE {
            let why = format!("{} ids; the limit is {AT_ONCE} per call", params.ids.len());
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
            found.extend(entry);
        }
        Ok(found)
    }
}

fn checked(around: i64) -> Result<u32, Fault> {
    u32::try_from(around).ok().filter(|_| around <= AROUND).ok_or_else(|| {
        Fault::invalid("around", format!("around {around} is not between 0 and {AROUND}"))
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
        if let Some((session, at)) = spot.filter(|_| all.len() < AT_ONCE) {
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
