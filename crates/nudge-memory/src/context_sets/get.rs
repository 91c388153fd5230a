//! `get_relevant_context`: returns what was marked as relevant to a session.

use nudge_core::{Fault, Tier};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::session_to_read;
use super::stored::{Sets, items_of};
use crate::operation::{Effect, Op, OpContext, Profile};

/// Parameters of `get_relevant_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetContextParams {
    /// Name of one set. Default: all sets.
    #[serde(default, rename = "setName", alias = "set_name", skip_serializing_if = "Option::is_none")]
    pub set_name: Option<String>,
    /// Session id. Default: the calling session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Answer of `get_relevant_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RelevantContext {
    /// Items of each set, by set name.
    pub context: Sets,
    /// A message when there are no sets and none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// The operation.
pub struct GetContext;

impl Op for GetContext {
    const NAME: &'static str = "get_relevant_context";
    const ALIASES: &'static [&'static str] = &["nudge.get_relevant_context"];
    const TITLE: &'static str = "Get relevant context";
    const DOC: &'static str = "Return what was saved with set_relevant_context for this session: all sets, \
        or one. Call it on resume to see what you were working on.";
    const REFERENCE: &'static str = "Return the context sets of a session: files, endpoints, ports and \
        other items that its agent marked as relevant.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    const TEXT: Option<fn(&RelevantContext) -> String> = Some(text);
    type Params = GetContextParams;
    type Answer = RelevantContext;

    fn run(ctx: &OpContext<'_>, params: GetContextParams) -> Result<RelevantContext, Fault> {
        let mut sets = match session_to_read(ctx, params.session.as_deref())? {
            Some(session) => items_of(ctx.store(), &session)?,
            None => Sets::default(),
        };
        if let Some(name) = params.set_name {
            let items = sets.remove(&name).unwrap_or_default();
            sets = Sets::from([(name, items)]);
        }
        let text = sets.is_empty().then(|| "No context stored for this session".to_owned());
        Ok(RelevantContext { context: sets, text })
    }
}

/// The answer in words: the sets themselves, or that there are none.
fn text(answer: &RelevantContext) -> String {
    answer.text.clone().unwrap_or_else(|| json!(answer.context).to_string())
}
