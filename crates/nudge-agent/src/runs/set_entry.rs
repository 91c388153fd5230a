//! `set`, also for runs: a body asks a run, and the state `cancelled` aborts it.

use nudge_core::view::EntryState;
use nudge_core::{Fault, Tier};
use serde_json::{Map, Value};

use super::ask::{Ask, AskParams};
use super::{abort, find};
use nudge_memory::caller::Caller;
use nudge_memory::entries::{EntryResult, SetEntries, SetEntryParams, VerbAnswer};
use nudge_memory::memory::Memory;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// What stands before the alias of a run.
const RUN: &str = "run://";

/// The `set` operation.
pub struct SetEntry;

impl Op for SetEntry {
    const NAME: &'static str = SetEntries::NAME;
    const ALIASES: &'static [&'static str] = SetEntries::ALIASES;
    const TITLE: &'static str = SetEntries::TITLE;
    const DOC: &'static str = SetEntries::DOC;
    const REFERENCE: &'static str = SetEntries::REFERENCE;
    const TIER: Tier = SetEntries::TIER;
    const EFFECT: Effect = SetEntries::EFFECT;
    const PROFILE: Profile = SetEntries::PROFILE;
    type Params = SetEntryParams;
    type Answer = VerbAnswer;

    fn reads_only(params: &Value) -> bool {
        SetEntries::reads_only(params)
    }

    fn prepare(memory: &Memory, caller: &Caller, params: Value) -> Result<Value, Fault> {
        SetEntries::prepare(memory, caller, params)
    }

    fn run(ctx: &OpContext<'_>, params: SetEntryParams) -> Result<VerbAnswer, Fault> {
        let is_run = params.path.starts_with(RUN) && !params.preview;
        if is_run { Ok(VerbAnswer::one(set_run(ctx, params)?)) } else { SetEntries::run(ctx, params) }
    }

    fn for_repeat(answer: VerbAnswer) -> VerbAnswer {
        SetEntries::for_repeat(answer)
    }
}

/// Starts, asks or aborts a run through its own entry. The attributes are the parameters of `ask`.
fn set_run(ctx: &OpContext<'_>, params: SetEntryParams) -> Result<EntryResult, Fault> {
    let path = params.path;
    if ctx.caller.surface.is_model_side() {
        return Ok(EntryResult::failed(&path, "permission:403", "a model starts no runs"));
    }
    let alias = path.trim_start_matches(RUN).to_owned();
    match (params.body, params.state.as_deref()) {
        (_, Some(state)) if state == EntryState::Cancelled.name() => {
            let run = find::run_to_change(ctx, &alias, None)?;
            abort::abort(ctx, &run)?;
            Ok(EntryResult::done(&path))
        }
        (Some(prompt), None) => {
            let mut fields: Map<String, Value> = params.attributes.unwrap_or_default();
            // What only `ask` reads.
            fields.remove("read");
            fields.insert("prompt".to_owned(), prompt.into());
            fields.insert("run".to_owned(), alias.into());
            let asked: AskParams = serde_json::from_value(Value::Object(fields))
                .map_err(|error| Fault::invalid("schema", format!("a run: {error}")))?;
            let accepted = Ask::run(ctx, asked)?;
            Ok(EntryResult { status: accepted.status, ..EntryResult::done(&path) })
        }
        _ => {
            let why = "give it a body to ask it, or the state `cancelled` to abort it";
            Ok(EntryResult::failed(&path, "invalid", why))
        }
    }
}
