//! `update`: records how far the work has come, and whether it is done.

use nudge_core::text::slug;
use nudge_core::{Fault, Tier};
use nudge_grammar::Edit;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::change::Change;
use super::outcome::VerbAnswer;
use super::place::Place;
use super::{params, select, write};
use crate::operation::{Effect, Op, OpContext, Profile};

/// The statuses that an update may have: it goes on, or it is done.
const STATUSES: [u16; 4] = [102, 200, 204, 422];

/// Parameters of `update`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateParams {
    /// What was done or found, in a sentence.
    pub body: String,
    /// 102 if the work goes on, 200 if it is done, 204 if there was nothing to do, 422 if it cannot
    /// be done. Default: 102.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The run that it belongs to. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
}

/// The `update` operation.
pub struct UpdateRun;

impl Op for UpdateRun {
    const NAME: &'static str = "update";
    const ALIASES: &'static [&'static str] = &["nudge.update", "entry_update"];
    const TITLE: &'static str = "Record progress";
    const DOC: &'static str = "Record how far the work has come: status 102 goes on, 200 done, 204 nothing \
        to do, 422 impossible.";
    const REFERENCE: &'static str = "Record how far the work has come, as an entry `update://…`. The status \
        says whether the work goes on or has ended.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = UpdateParams;
    type Answer = VerbAnswer;

    fn run(ctx: &OpContext<'_>, params: UpdateParams) -> Result<VerbAnswer, Fault> {
        let status = params.status.unwrap_or(102);
        if !STATUSES.contains(&status) {
            return Err(Fault::invalid("status", format!("{status} is no status of an update"))
                .with("field", "status")
                .next("use 102, 200, 204 or 422"));
        }
        let place = Place::to_write(ctx, params.run.as_deref())?;
        let path = params::path("path", &format!("update://{}", slug(&params.body)))?;
        let mut attributes = Map::new();
        attributes.insert("status".to_owned(), status.into());
        let change = Change {
            edit: Some(Edit::replacing(&params.body)),
            attributes: Some(attributes),
            ..Change::default()
        };
        let existing = select::one(ctx, &place, path.as_str())?;
        let mut result = write::write(ctx, &place, Self::NAME, &path, existing.as_ref(), &change)?;
        if result.status == 200 {
            result.status = status;
        }
        Ok(VerbAnswer::one(result))
    }
}
