//! `get_entries`: lists entries and changes nothing.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::found_files::{self, FoundFile};
use super::get::{GetAnswer, GetEntries, GetParams};
use crate::caller::Caller;
use crate::memory::Memory;
use crate::operation::{Effect, Op, OpContext, Profile};

/// The pattern of everything in memory; files have no scheme.
const EVERYTHING: &str = "*://**";

/// Parameters of `get_entries`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListEntriesParams {
    /// Path pattern. Default: everything in memory.
    #[serde(default, skip_serializing_if = "Option::is_none", alias = "path")]
    pub pattern: Option<String>,
    /// Only entries whose body this text or pattern finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The run whose view is shown. Default: the project's own view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Maximum entries to return.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// Only paths after this one: the `next` of the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    #[doc(hidden)]
    pub files: Option<Vec<FoundFile>>,
}

/// The `get_entries` operation.
pub struct ListEntries;

impl Op for ListEntries {
    const NAME: &'static str = "get_entries";
    const ALIASES: &'static [&'static str] = &["nudge.get_entries", "getEntries"];
    const TITLE: &'static str = "List entries";
    const DOC: &'static str = "List entries by pattern with state, visibility and cost; changes nothing.";
    const REFERENCE: &'static str = "List entries by pattern with their state, visibility and cost. Nothing \
        changes, and no body is returned.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ListEntriesParams;
    type Answer = GetAnswer;

    fn prepare(memory: &Memory, caller: &Caller, mut params: Value) -> Result<Value, Fault> {
        if let Some(fields) = params.as_object_mut()
            && let Some(pattern) = fields.remove("pattern")
        {
            fields.entry("path").or_insert(pattern);
        }
        found_files::find_before(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: ListEntriesParams) -> Result<GetAnswer, Fault> {
        GetEntries::run(
            ctx,
            GetParams {
                path: params.pattern.unwrap_or_else(|| EVERYTHING.to_owned()),
                body: params.body,
                preview: true,
                max: params.limit,
                after: params.after,
                run: params.run,
                files: params.files,
                ..GetParams::default()
            },
        )
    }
}
