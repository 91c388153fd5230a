//! `resolve_run`: the user's answer to what a run waits for.

use nudge_core::run::RunState;
use nudge_core::view::EntryState;
use nudge_core::{EntryPath, Fault, FaultKind, Tier};
use nudge_store::{EntryDraft, SecretPolicy, ViewChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::find;
use super::wire::RunAccepted;
use nudge_memory::caller::Surface;
use nudge_memory::operation::{Effect, Op, OpContext, Profile};

/// The longest answer, in characters.
const ANSWER_MOST: usize = 20_000;

/// What the user decided.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Resolution {
    /// Path of what waits, such as `log://turn_2/ask_user/which`. Default: whatever waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `accept` to answer, `reject` to stop, `error` if it cannot be answered and the run goes on.
    pub action: String,
    /// The answer, or why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
}

/// Parameters of `resolve_run`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveRunParams {
    /// Name of the run.
    #[schemars(length(min = 1))]
    pub run: String,
    /// Name, id or directory of its project. Default: the caller's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// What the user decided.
    pub resolution: Resolution,
}

/// The `resolve_run` operation.
pub struct ResolveRun;

impl Op for ResolveRun {
    const NAME: &'static str = "resolve_run";
    const ALIASES: &'static [&'static str] = &["nudge.resolve_run", "run/resolve"];
    const TITLE: &'static str = "Answer a run";
    const DOC: &'static str = "Pass on the user's answer to a question of a run.";
    const REFERENCE: &'static str = "Answer the question that a run waits for, or reject it. Rejecting it \
        stops the run; with `error` the run goes on without an answer. Only the user and the user's own \
        programs answer.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    const CLIENTS_ONLY: bool = true;
    type Params = ResolveRunParams;
    type Answer = RunAccepted;

    fn run(ctx: &OpContext<'_>, params: ResolveRunParams) -> Result<RunAccepted, Fault> {
        if ctx.caller.surface == Surface::AgentCli {
            let why = "the question is for the user, and an agent started this command";
            return Err(Fault::new(FaultKind::Forbidden, "tier", why)
                .next("ask the user to run it in their own terminal"));
        }
        let (said, state) = match params.resolution.action.as_str() {
            "accept" => ("The user answered: ", (EntryState::Resolved, None)),
            "reject" => ("", (EntryState::Failed, Some("rejected:403".to_owned()))),
            "error" => ("It cannot be answered: ", (EntryState::Failed, Some("error:500".to_owned()))),
            _ => {
                return Err(Fault::invalid("action", "the action is `accept`, `reject` or `error`")
                    .with("field", "resolution.action"));
            }
        };
        let output = params.resolution.output.unwrap_or_default();
        if output.chars().count() > ANSWER_MOST {
            let why = format!("an answer is limited to {ANSWER_MOST} characters");
            return Err(Fault::invalid("output", why).with("field", "resolution.output"));
        }
        let run = find::run_to_change(ctx, &params.run, params.project.as_deref())?;
        let writer = ctx.writer()?;
        let waiting = writer.views(&run.scope)?.into_iter().find(|row| row.state == EntryState::Proposed);
        let asked = params.resolution.path.as_deref().map(EntryPath::parse).transpose();
        let asked = asked.map_err(|error| Fault::invalid("path", error.to_string()))?;
        let entry = match waiting {
            Some(row) => writer.entry_by_id(row.entry)?,
            None => None,
        };
        let Some(entry) = entry.filter(|entry| asked.as_ref().is_none_or(|path| *path == entry.path)) else {
            let why = format!("`{}` does not wait for this", run.alias);
            return Err(Fault::new(FaultKind::Conflict, "nothing_waits", why)
                .next("run `nudge run show` to see what it waits for"));
        };
        let body = if said.is_empty() { entry.body } else { format!("{}\n{said}{output}", entry.body) };
        writer.put_entry(&EntryDraft {
            scope: entry.scope,
            path: entry.path,
            body,
            attributes: entry.attributes,
            provenance: ctx.provenance()?,
            secrets: SecretPolicy::Redact,
            now: ctx.now(),
        })?;
        let change = ViewChange { state: Some(state), ..ViewChange::default() };
        writer.change_view(&run.scope, entry.id, &change, ctx.now())?;
        if run.state == RunState::Proposed {
            writer.set_run_state(run.id, RunState::Running, None, ctx.now())?;
        }
        writer.touch(run.entry, ctx.now())?;
        Ok(RunAccepted::of(&find::fresh(ctx, &run)?))
    }
}
