//! `preview_context`: what a session that began now would be told. Nothing is entered in the ledger.

use std::collections::HashSet;
use std::path::Path;

use nudge_context::{Block, Budget, Trigger, clean};
use nudge_core::tokens::Tokens;
use nudge_core::{EntryId, Fault, Tier};
use nudge_store::{ProjectRow, SessionRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::decided::Decided;
use super::gather::{Gathered, gather};
use super::reason;
use super::request::{InjectionRequest, Said};
use crate::caller::Ambient;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::recall::{Asked, ProjectParam};
use crate::sessions::call_session;
use nudge_home::git;

/// How much of a project's name is shown.
const NAME: usize = 200;

/// What to look at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContextParams {
    /// Directory, or id or name of a project [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// What its newest session would be told if its context were emptied now.
    #[serde(default)]
    pub recovery: bool,
    /// What a session would get with this prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// The most tokens [default: what the settings say].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
}

/// What would be told, and what would not.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContextPreview {
    /// What the project is called; absent where nothing was ever kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `fresh`, `recovery` or `prompt`.
    pub mode: String,
    /// The text as an agent would get it; empty when it would get none.
    pub text: String,
    /// What it costs, in tokens.
    pub tokens: u32,
    /// How much it may cost.
    pub budget: u32,
    /// What it tells, line by line.
    pub told: Vec<ToldLine>,
    /// What was considered and left out.
    pub left_out: Vec<LeftOutLine>,
    /// With a prompt: whether anything is said, and what decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decided>,
}

/// One line that would be told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToldLine {
    /// The entry it is about, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The section it stands in.
    pub section: String,
    /// What it costs, in tokens.
    pub tokens: u32,
    /// Why it is told.
    pub why: String,
}

/// One entry that would not be told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOutLine {
    /// The entry.
    pub id: i64,
    /// Why not.
    pub why: String,
}

/// The operation.
pub struct PreviewContext;

impl Op for PreviewContext {
    const NAME: &'static str = "preview_context";
    const ALIASES: &'static [&'static str] = &["nudge.preview_context", "context", "nudge.context_preview"];
    const TITLE: &'static str = "Preview context";
    const DOC: &'static str =
        "Show what a session that began now would be told of earlier work here, what was left out, and why.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = ContextParams;
    type Answer = ContextPreview;

    fn run(ctx: &OpContext<'_>, params: ContextParams) -> Result<ContextPreview, Fault> {
        // Before the store is looked at: an index that is ahead of what is read could not be used.
        let index = params.prompt.as_ref().map(|_| ctx.index().pinned());
        let (trigger, allowed, name) = match (&params.prompt, params.recovery) {
            (Some(_), _) => (Trigger::Prompt, ctx.settings.inject_prompt_tokens, "prompt"),
            (None, true) => (Trigger::Compact, ctx.settings.inject_recovery_tokens, "recovery"),
            (None, false) => (Trigger::Start, ctx.settings.inject_start_tokens, "fresh"),
        };
        let budget = Budget::of(Tokens(params.tokens.unwrap_or(allowed)));
        let said = params.prompt.clone().zip(index.as_ref()).map(|(text, index)| Said { text, index });
        let mut answer =
            ContextPreview { mode: name.to_owned(), budget: budget.tokens.0, ..ContextPreview::default() };
        let Asked::In(place) = Asked::of(ctx, &params.project)? else { return Ok(answer) };
        let looked = look(ctx, &params.project, &place.project, trigger, said, budget)?;
        answer.project = Some(clean(&place.project.name, NAME));
        if let Some(block) = looked.block {
            for line in &block.included {
                let why = match line.entry {
                    Some(entry) => reason::of(ctx.store(), entry, Some(line.section), ctx.now())?.1,
                    None => "learned from what repeats here".to_owned(),
                };
                answer.told.push(ToldLine {
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
        answer.decision = looked.decision;
        Ok(answer)
    }
}

/// What a look at a project came to.
pub(super) struct Looked {
    pub(super) block: Option<Block>,
    pub(super) left_out: Vec<LeftOutLine>,
    pub(super) decision: Option<Decided>,
}

/// What a session of a project would be told now; `asked` is how the caller named the project.
pub(super) fn look(
    ctx: &OpContext<'_>,
    asked: &ProjectParam,
    project: &ProjectRow,
    trigger: Trigger,
    prompt: Option<Said<'_>>,
    budget: Budget,
) -> Result<Looked, Fault> {
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
        at: ctx.now(),
        now: ctx.now(),
    };
    let gathered = gather(&request)?;
    let delimiter = super::delimiter()?;
    let block = gathered.clone().block(trigger, budget, &delimiter, ctx.now());
    let left_out = match &block {
        Some(block) => block.left_out.iter().map(|left| line(left.entry, left.why.words())).collect(),
        // Where nothing is told at all, what might have been is still worth a word.
        None => {
            let whole = gathered.clone().block(trigger, Budget::of(Tokens(u32::MAX)), &delimiter, ctx.now());
            whole.map_or_else(|| withheld(&gathered), |whole| too_dear(&whole))
        }
    };
    let decision = gathered.facts.decision.as_ref().map(Decided::from);
    let mut listed = HashSet::new();
    let left_out: Vec<LeftOutLine> =
        left_out.into_iter().filter(|left: &LeftOutLine| listed.insert(left.id)).collect();
    Ok(Looked { block, left_out, decision })
}

/// The directory that the caller looks from; `None` where another project was named.
fn cwd(ctx: &OpContext<'_>, asked: &ProjectParam) -> Option<String> {
    match (&ctx.caller.ambient, asked) {
        (Ambient::Here(context), asked) if asked.is_here() => context.cwd.clone(),
        (_, ProjectParam::Named(dir)) if dir.starts_with('/') => Some(dir.clone()),
        _ => None,
    }
}

/// The worktree that the caller looks from, where it is of this project and not the main one.
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
    let place = dir.and_then(|dir| git::place(Path::new(dir))).filter(|place| place.linked);
    // A project that was named otherwise may be another one than the caller stands in.
    let is_its_own = |place: &git::Place| {
        asked.is_here() || project.keys.iter().any(|key| Path::new(key) == place.common_dir)
    };
    Ok(place.filter(is_its_own).map(|place| place.root.to_string_lossy().into_owned()))
}

fn line(entry: EntryId, why: &str) -> LeftOutLine {
    LeftOutLine { id: entry.0, why: why.to_owned() }
}

/// What would be told if there were room for a line.
fn too_dear(whole: &Block) -> Vec<LeftOutLine> {
    const NO_LINE: &str = "the budget holds no line at all";
    let told = whole.included.iter().filter_map(|told| Some(line(told.entry?, NO_LINE)));
    told.chain(whole.left_out.iter().map(|left| line(left.entry, left.why.words()))).collect()
}

fn withheld(gathered: &Gathered) -> Vec<LeftOutLine> {
    const NOT_SURE: &str = "it has too little to do with the prompt";
    const NOT_ALONE: &str = "only a look at something, which is not worth telling by itself";
    const PINNED_ELSEWHERE: &str = "pinned in another project, which is not worth telling by itself";
    let Gathered { facts, .. } = gathered;
    let intents = facts.intents.iter().filter_map(|intent| Some(line(intent.entry, intent.withheld?)));
    let rows = facts.rows.iter().map(|row| line(row.entry, row.withheld.unwrap_or(NOT_ALONE)));
    let elsewhere = facts.elsewhere.iter().map(|row| {
        let why = if row.pinned { PINNED_ELSEWHERE } else { NOT_ALONE };
        line(row.entry, row.withheld.unwrap_or(why))
    });
    let held = facts.held.iter().map(|(entry, why)| line(*entry, why));
    let found = facts.found.iter().map(|found| line(found.entry, found.withheld.unwrap_or(NOT_SURE)));
    held.chain(intents).chain(rows).chain(elsewhere).chain(found).collect()
}
