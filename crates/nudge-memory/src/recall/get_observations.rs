//! `get_observations`: the whole of what a search only showed the beginning of.

use nudge_core::{EntryId, Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::beside;
use super::entry_ref::EntryRef;
use super::observation::{Observation, Shelf};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many can be asked for at once.
const AT_ONCE: usize = 50;

/// How many before and after each of them at most.
const AROUND: i64 = 20;

/// Which ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetObservationsParams {
    /// At most 50.
    #[schemars(with = "Vec<i64>")]
    pub ids: Vec<EntryRef>,
    /// Also N around each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    pub around: Option<i64>,
}

/// The operation.
pub struct GetObservations;

impl Op for GetObservations {
    const NAME: &'static str = "get_observations";
    const ALIASES: &'static [&'static str] = &["nudge.get_observations"];
    const TITLE: &'static str = "Get observations";
    const DOC: &'static str = "Fetch search results whole, by id.";
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
            let why =
                format!("{} ids are more than the {AT_ONCE} that can be asked for at once", params.ids.len());
            return Err(Fault::invalid("ids", why).with("field", "ids").next("ask in several calls"));
        }
        let mut ids: Vec<EntryId> = Vec::with_capacity(params.ids.len());
        for id in &params.ids {
            let id = number(id)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let shelf = Shelf::of(ctx)?;
        let ids = match params.around {
            None | Some(0) => ids,
            Some(around) => neighbours(ctx, &shelf, &ids, checked(around)?)?,
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let entry = match shelf.observation(id)? {
                Some(entry) => Some(entry),
                None => beside::by_id(ctx, id)?,
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
            .next("`timeline` gives more around one of them")
    })
}

/// Each id with those just before and after it in its session, in the order they happened; each once, and no more than can be asked
/// for at once beside those that were.
fn neighbours(
    ctx: &OpContext<'_>,
    shelf: &Shelf<'_>,
    ids: &[EntryId],
    around: u32,
) -> Result<Vec<EntryId>, Fault> {
    let mut all: Vec<EntryId> = Vec::new();
    for &id in ids {
        let spot = shelf.placed(id)?.and_then(|(_, spot)| Some((spot.session?, spot.at)));
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

/// The entry that is meant. A number that no entry has is one that is not there, not a mistake.
pub(super) fn number(id: &EntryRef) -> Result<EntryId, Fault> {
    match id {
        EntryRef::Number(number) => Ok(EntryId(*number)),
        EntryRef::Path(_) => id.id(),
    }
}
