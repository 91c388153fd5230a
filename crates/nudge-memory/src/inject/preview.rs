//! `preview_context`: what a session that started now would get. Nothing is written to the ledger.

use std::collections::HashSet;
use std::path::Path;

use nudge_context::{Block, Budget, Trigger, clean};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Fault, Tier};
use nudge_home::git;
use nudge_store::{ProjectRow, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gather::{Gathered, gather};
use super::ledger::{self, Decided};
use super::request::{self, Extras, InjectionRequest, PromptSearch};
use crate::caller::Ambient;
use crate::operation::{Effect, Op, OpContext};
use crate::recall::{Asked, ProjectParam};
use crate::sessions::call_session;

/// How much of a project's name is shown, in characters.
const MAX_NAME_CHARS: usize = 200;

/// Parameters of `preview_context`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextParams {
    /// Project name, id or directory. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Preview what the newest session would get if its context were compacted or cleared now.
    #[serde(default)]
    pub recovery: bool,
    /// Preview the block with the tables of recent rows and requests, as `nudge record` answers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub seed: bool,
    /// Preview what a session would get with this prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Maximum tokens. Default: from the settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
}

/// Answer of `preview_context`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPreview {
    /// Name of the project; absent if nothing is stored for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Kind of injection: `fresh`, `recovery` or `prompt`.
    pub mode: String,
    /// The text as an agent would get it; empty if nothing would be injected.
    pub text: String,
    /// Cost of the text in tokens.
    pub tokens: u32,
    /// Maximum cost in tokens.
    pub budget: u32,
    /// Lines that would be injected.
    #[serde(alias = "told")]
    pub injected: Vec<InjectedLine>,
    /// Entries that were considered and left out.
    pub left_out: Vec<LeftOutLine>,
    /// Number of the user's statements, pins and hints for which the budget is too small even in
    /// short form.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rules_left_out: u32,
    /// With a prompt: whether anything is injected, and what decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided>,
}

/// A line that would be injected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InjectedLine {
    /// Entry id, if the line is about one entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// Section of the text.
    pub section: String,
    /// Cost in tokens.
    pub tokens: u32,
    /// Why it would be injected.
    pub why: String,
}

/// An entry that would be left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutLine {
    /// Entry id.
    pub id: i64,
    /// Why it would be left out.
    pub why: String,
}

/// The `preview_context` operation.
pub struct PreviewContext;

impl Op for PreviewContext {
    const NAME: &'static str = "preview_context";
    const ALIASES: &'static [&'static str] = &["context", "nudge.context_preview"];
    const TITLE: &'static str = "Preview context";
    const DOC: &'static str = "Preview the context that a new session here would get, what would be left \
        out, and why.";
    const REFERENCE: &'static str = "Preview the context that a new session in this project would get, \
        what would be left out, and why. Nothing is injected.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    type Params = ContextParams;
    type Answer = ContextPreview;

    fn run(ctx: &OpContext<'_>, params: ContextParams) -> Result<ContextPreview, Fault> {
        // Pin the index before the store is read: an index that is ahead of the store could not be
        // used.
        let index = params.prompt.as_ref().map(|_| ctx.index().pinned());
        let (trigger, allowed, name) = match (&params.prompt, params.recovery) {
            (Some(_), _) => (Trigger::Prompt, ctx.settings.inject_prompt_tokens, "prompt"),
            (None, true) => (Trigger::Compact, ctx.settings.inject_recovery_tokens, "recovery"),
            (None, false) => (Trigger::Start, ctx.settings.inject_start_tokens, "fresh"),
        };
        let budget = Budget::of(Tokens(params.tokens.unwrap_or(allowed)));
        let output =
            params.prompt.clone().zip(index.as_ref()).map(|(text, index)| PromptSearch { text, index });
        let mut answer =
            ContextPreview { mode: name.to_owned(), budget: budget.tokens.0, ..ContextPreview::default() };
        let Asked::In(place) = Asked::of(ctx, &params.project)? else { return Ok(answer) };
        let looked =
            preview_project(ctx, &params.project, &place.project, (trigger, params.seed), output, budget)?;
        answer.project = Some(clean(&place.project.name, MAX_NAME_CHARS));
        if let Some(block) = looked.block {
            for line in &block.included {
                let why = match line.entry {
                    Some(entry) => ledger::reason_of(ctx.store(), entry, Some(line.section), ctx.now())?.1,
                    None => "learned from what repeats here".to_owned(),
                };
                answer.injected.push(InjectedLine {
                    id: line.entry.map(|entry| entry.0),
                    section: line.section.name().to_owned(),
                    tokens: line.tokens.0,
                    why,
                });
            }
            answer.text = block.text;
            answer.tokens = block.tokens.0;
        }
        answer.left_out = looked.left_out;
        answer.rules_left_out = looked.rules_left_out;
        answer.decision = looked.decision;
        Ok(answer)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
const fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// The result of a preview of a project.
pub(super) struct PreviewResult {
    pub(super) block: Option<Block>,
    pub(super) left_out: Vec<LeftOutLine>,
    pub(super) rules_left_out: u32,
    pub(super) decision: Option<Decided>,
}

/// What a session of a project would get now; `asked` is the caller's name for the project.
pub(super) fn preview_project(
    ctx: &OpContext<'_>,
    asked: &ProjectParam,
    project: &ProjectRow,
    (trigger, tables): (Trigger, bool),
    prompt: Option<PromptSearch<'_>>,
    budget: Budget,
) -> Result<PreviewResult, Fault> {
    let reader = ctx.store();
    let newest: Option<SessionRow> =
        if trigger.is_recovery() { reader.agent_sessions_of(project.id, 1)?.pop() } else { None };
    let worktree = match &newest {
        Some(session) => session.worktree.clone(),
        None => worktree(ctx, asked, project)?,
    };
    let request = InjectionRequest {
        command: None,
        reader,
        project: project.id,
        cwd: cwd(ctx, asked),
        root: worktree.clone().unwrap_or_else(|| project.root.clone()),
        worktree,
        session: newest,
        prompt,
        trigger,
        has_block: false,
        tables,
        extras: Extras { may_ask: false, explains: true },
        at: ctx.now(),
        now: ctx.now(),
    };
    let gathered = gather(&request)?;
    let delimiter = request::delimiter()?;
    let block = gathered.clone().block(trigger, budget, &delimiter, ctx.now());
    let left_out = match &block {
        Some(block) => block.left_out.iter().map(|left| line(left.entry, left.why.words())).collect(),
        // If nothing is injected at all, the entries that might have been are still listed.
        None => {
            let whole = gathered.clone().block(trigger, Budget::of(Tokens(u32::MAX)), &delimiter, ctx.now());
            whole.map_or_else(|| withheld(&gathered), |whole| over_budget_lines(&whole))
        }
    };
    let decision = gathered.facts.decision.as_ref().map(Decided::from);
    let mut listed = HashSet::new();
    let left_out: Vec<LeftOutLine> =
        left_out.into_iter().filter(|left: &LeftOutLine| listed.insert(left.id)).collect();
    let rules = gathered.facts.stated.iter().filter(|one| one.by_person);
    let is_out = |entry: EntryId| left_out.iter().any(|left| left.id == entry.0);
    let rules_left_out = rules.filter(|one| is_out(one.entry)).count() as u32;
    Ok(PreviewResult { block, left_out, rules_left_out, decision })
}

/// The directory that the caller asks from; `None` if it named another project.
fn cwd(ctx: &OpContext<'_>, asked: &ProjectParam) -> Option<String> {
    match (&ctx.caller.ambient, asked) {
        (Ambient::Here(context), asked) if asked.is_here() => context.cwd.clone(),
        (_, ProjectParam::Named(dir)) if dir.starts_with('/') => Some(dir.clone()),
        _ => None,
    }
}

/// The worktree that the caller asks from, if it belongs to this project and is not the main one.
fn worktree(
    ctx: &OpContext<'_>,
    asked: &ProjectParam,
    project: &ProjectRow,
) -> Result<Option<String>, Fault> {
    let caller = ctx.caller;
    if asked.is_here()
        && let Some(session) = call_session::stated(ctx)?.and_then(|stated| stated.row)
    {
        return Ok(session.worktree);
    }
    let dir = match (asked, &caller.ambient) {
        (ProjectParam::Named(dir), _) if dir.starts_with('/') => Some(dir),
        (_, Ambient::Here(context)) => context.cwd.as_ref(),
        (_, Ambient::Nothing) => None,
    };
    let place = dir.and_then(|dir| git::checkout(Path::new(dir))).filter(|place| place.linked);
    // The caller may be in another project than the one it named.
    let is_its_own = |place: &git::Checkout| {
        asked.is_here() || project.keys.iter().any(|key| Path::new(key) == place.common_dir)
    };
    Ok(place.filter(is_its_own).map(|place| place.root.to_string_lossy().into_owned()))
}

fn line(entry: EntryId, why: &str) -> LeftOutLine {
    LeftOutLine { id: entry.0, why: why.to_owned() }
}

/// The lines that would be injected if the budget had room for one.
fn over_budget_lines(whole: &Block) -> Vec<LeftOutLine> {
    const NO_LINE: &str = "the budget is too small for a single line";
    let injected = whole.included.iter().filter_map(|injected| Some(line(injected.entry?, NO_LINE)));
    injected.chain(whole.left_out.iter().map(|left| line(left.entry, left.why.words()))).collect()
}

fn withheld(gathered: &Gathered) -> Vec<LeftOutLine> {
    const NOT_SURE: &str = "it is not relevant enough to the prompt";
    const NOT_ALONE: &str = "only read something, which is not worth injecting alone";
    const PINNED_ELSEWHERE: &str = "pinned in another project, which is not worth injecting alone";
    let Gathered { facts, .. } = gathered;
    let intents = facts.intents.iter().filter_map(|intent| Some(line(intent.entry, intent.withheld?)));
    let rows = facts.rows.iter().map(|row| line(row.entry, row.withheld.unwrap_or(NOT_ALONE)));
    let elsewhere = facts.elsewhere.iter().map(|row| {
        let why = if row.pinned { PINNED_ELSEWHERE } else { NOT_ALONE };
        line(row.entry, row.withheld.unwrap_or(why))
    });
    let held = facts.withheld.iter().map(|(entry, why)| line(*entry, why));
    let found = facts.found.iter().map(|found| line(found.entry, found.withheld.unwrap_or(NOT_SURE)));
    held.chain(intents).chain(rows).chain(elsewhere).chain(found).collect()
}
