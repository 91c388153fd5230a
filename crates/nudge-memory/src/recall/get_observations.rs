//! `get_observations`: the whole of what a search only showed the beginning of.

use nudge_core::{EntryId, Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry_ref::EntryRef;
use super::observation::{Observation, Shelf};
use crate::operation::{Effect, Op, OpContext, Profile};

/// How many can be asked for at once.
const AT_ONCE: usize = 50;

/// Which ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetObservationsParams {
    /// At most 50.
    #[schemars(with = "Vec<i64>")]
    pub ids: Vec<EntryRef>,
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
        Shelf::of(ctx)?.observations(&ids)
    }
}

/// The entry that is meant. A number that no entry has is one that is not there, not a mistake.
pub(super) fn number(id: &EntryRef) -> Result<EntryId, Fault> {
    match id {
        EntryRef::Number(number) => Ok(EntryId(*number)),
        EntryRef::Path(_) => id.id(),
    }
}
