//! `knows` lists the statements in force, by source and age; `silence` keeps an entry from being
//! injected.

use std::path::Path;

use nudge_context::clean;
use nudge_core::{Entry, EntryId, Fault, FaultKind, Tier};
use nudge_store::{ProjectId, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, Op, OpContext};
use crate::recall::{Asked, EntryRef, ProjectParam};
use crate::statements::{self, Origin, Statement, StatementView, in_force, said_once};
use crate::{anchors, projects};

/// How much an agent gets, in bytes of text with each statement's details: agents accept an answer
/// of this length in one piece.
const MAX_AGENT_BYTES: usize = 45_000;

const FACTS_BYTES: usize = 250;

/// How many pinned observations are counted.
const MAX_PINNED: u32 = 1_000;

/// Parameters of `knows`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnowsParams {
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// Include statements that were said once, silenced, corrected or forgotten.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// Answer of `knows`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowsAnswer {
    /// Name of the project; absent for all projects, or if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Statements: the user's first, then by when they were last said.
    pub statements: Vec<StatementView>,
    /// Number of statements left out because an agent gets a limited number.
    #[serde(default, skip_serializing_if = "is_none_left")]
    pub left_out: usize,
    /// Number of statements that were said once and wait for the user's decision.
    pub waiting: usize,
    /// Number of pinned observations.
    pub pinned: usize,
}

/// The `knows` operation.
pub struct Knows;

impl Op for Knows {
    const NAME: &'static str = "knows";
    const ALIASES: &'static [&'static str] = &["list_statements"];
    const TITLE: &'static str = "List statements";
    const DOC: &'static str = "List the statements that apply in this project, from the user and from \
        agents.";
    const REFERENCE: &'static str = "List the statements that apply in a project: what the user and agents \
        stated, with source and date.";
    const EFFECT: Effect = Effect::Read;
    type Params = KnowsParams;
    type Answer = KnowsAnswer;

    fn run(ctx: &OpContext<'_>, params: KnowsParams) -> Result<KnowsAnswer, Fault> {
        let mut answer = KnowsAnswer::default();
        match Asked::for_list(ctx, &params.project)? {
            Asked::In(place) => {
                add(ctx, &mut answer, place.project.id, params.all)?;
                answer.project = Some(place.project.name);
            }
            Asked::Nowhere => add(ctx, &mut answer, ProjectId(0), params.all)?,
            Asked::All => {
                let hidden = ctx.hidden()?;
                add(ctx, &mut answer, ProjectId(0), params.all)?;
                for project in ctx.store().projects()?.iter().filter(|project| !hidden.hide(project.id)) {
                    add(ctx, &mut answer, project.id, params.all)?;
                }
            }
        }
        answer.statements.sort_by(|one, other| {
            let freshness = other.said_at.cmp(&one.said_at).then(other.id.cmp(&one.id));
            let drifted = one.drift.is_some().cmp(&other.drift.is_some());
            rank(one.origin).cmp(&rank(other.origin)).then(drifted).then(freshness)
        });
        answer.statements.dedup_by_key(|statement| statement.id);
        if !projects::is_person(ctx.caller) {
            fit(&mut answer);
        }
        Ok(answer)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
const fn is_none_left(left_out: &usize) -> bool {
    *left_out == 0
}

/// Keeps as many statements as fit into one answer.
fn fit(answer: &mut KnowsAnswer) {
    let mut taken = 0;
    let fits = |one: &&StatementView| {
        taken += one.text.len() + FACTS_BYTES;
        taken <= MAX_AGENT_BYTES
    };
    let kept = answer.statements.iter().take_while(fits).count();
    answer.left_out = answer.statements.len() - kept;
    answer.statements.truncate(kept);
}

/// The sort order of sources.
const fn rank(origin: Origin) -> u8 {
    match origin {
        Origin::Remembered | Origin::Accepted => 0,
        Origin::SaidTwice => 1,
        Origin::SaidOnce => 2,
        Origin::Agent => 3,
    }
}

fn add(ctx: &OpContext<'_>, answer: &mut KnowsAnswer, project: ProjectId, all: bool) -> Result<(), Fault> {
    let reader = ctx.store();
    let mut found: Vec<Statement> = in_force(reader, project)?;
    let waiting = said_once(reader, project)?;
    answer.waiting += waiting.len();
    answer.pinned += reader.pinned_in(project, MAX_PINNED)?.len();
    if all {
        found.extend(waiting);
    }
    let root = reader.project_root(project)?.unwrap_or_default();
    let silenced = if all { statements::silenced(reader, project)? } else { Vec::new() };
    let shown = found.into_iter().map(|one| (one, false));
    for (statement, silenced) in shown.chain(silenced.into_iter().map(|one| (one, true))) {
        let drift = anchors::drift(&statement.anchors, Path::new(&root));
        let view = StatementView::in_force(reader, statement)?;
        answer.statements.push(StatementView { drift, silenced, ..view });
    }
    if all {
        answer.statements.extend(retired_statements(ctx, project)?);
    }
    Ok(())
}

/// The statements that were corrected or forgotten.
fn retired_statements(ctx: &OpContext<'_>, project: ProjectId) -> Result<Vec<StatementView>, Fault> {
    let reader = ctx.store();
    let ids = reader.statements_of(project)?.into_iter().filter(|known| known.stage == Stage::Over);
    let mut views = Vec::new();
    for EntryId(id) in ids.map(|known| known.id) {
        if let Some(statement) = statements::by_id(reader, EntryId(id))? {
            views.push(StatementView::stored(reader, statement)?);
        }
    }
    Ok(views)
}

// `silence`: the user no longer wants an entry injected.

/// How much of an entry's text is shown to identify it, in characters.
const MAX_SHOWN_CHARS: usize = 100;

/// Parameters of `silence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SilenceParams {
    /// Id of the entry, from explain_injection.
    pub id: EntryRef,
    /// Project name, id or directory; null or "*" for all. Default: the current project.
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// True to inject it again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// Answer of `silence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SilenceAnswer {
    /// Entry id.
    pub id: i64,
    /// The entry in short.
    pub what: String,
    /// True if it is not injected any more.
    pub silenced: bool,
    /// True if this call changed that.
    pub changed: bool,
    /// Name of the project; absent for all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
}

/// The `silence` operation.
pub struct Silence;

impl Op for Silence {
    const NAME: &'static str = "silence";
    const ALIASES: &'static [&'static str] = &["stop_showing"];
    const TITLE: &'static str = "Stop injecting";
    const DOC: &'static str = "Stop injecting an entry in a project, or inject it again. It stays readable.";
    const REFERENCE: &'static str = "Stop injecting an entry in a project, or start again. The entry \
        itself stays, and search still finds it.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = SilenceParams;
    type Answer = SilenceAnswer;

    fn run(ctx: &OpContext<'_>, params: SilenceParams) -> Result<SilenceAnswer, Fault> {
        let id = params.id.id()?;
        let asked = Asked::of(ctx, &params.project)?;
        let what = shown(ctx, id)?;
        let project = match asked {
            Asked::In(place) => Some(place.project),
            Asked::All => None,
            Asked::Nowhere => return Err(nowhere()),
        };
        let (writer, place) = (ctx.writer()?, project.as_ref().map(|project| project.id));
        let changed =
            if params.again { writer.unsilence(id, place)? } else { writer.silence(id, place, ctx.now())? };
        let project = project.map(|project| project.name);
        Ok(SilenceAnswer { id: id.0, what, silenced: !params.again, changed, project })
    }
}

fn shown(ctx: &OpContext<'_>, id: EntryId) -> Result<String, Fault> {
    let is_hidden = ctx.hidden()?.hide_entry(ctx.store(), id)?;
    // Entries of sessions and projects have no text to inject.
    let is_said = |entry: &Entry| !["session", "project"].contains(&entry.path.scheme());
    let entry = ctx.store().entry_by_id(id)?.filter(|entry| !is_hidden && is_said(entry));
    entry.map(|entry| clean(&entry.body, MAX_SHOWN_CHARS)).ok_or_else(|| {
        Fault::new(FaultKind::NotFound, "no_entry", format!("there is no entry {}", id.0))
            .next("run `nudge why` to see the numbers of injected entries")
    })
}

fn nowhere() -> Fault {
    Fault::new(
        FaultKind::NotFound,
        Fault::NO_PROJECT,
        "nothing was captured in this project yet, so nothing is injected here",
    )
    .next("name the project with --project, or hide it everywhere with --everywhere")
}
