//! `knows`: what is stated, by source and freshness.

use std::path::Path;

use nudge_core::{EntryId, Fault, Tier};
use nudge_store::{ProjectId, Stage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::anchors;
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects;
use crate::recall::{Asked, ProjectParam};
use crate::statements::{self, Origin, Statement, StatementView, in_force, said_once};

/// How much an agent is given, in bytes of text, each statement with what is said of it: its program takes an answer of this
/// length in one piece.
const AGENTS_BYTES: usize = 45_000;
const FACTS_BYTES: usize = 250;

/// How many pinned observations are counted.
const PINNED_MOST: u32 = 1_000;

/// Which statements to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnowsParams {
    /// Directory, or id or name of a project; null for all [default: where you are].
    #[serde(default, skip_serializing_if = "ProjectParam::is_here")]
    pub project: ProjectParam,
    /// What was said once, silenced, corrected or forgotten, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
}

/// What is stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnowsAnswer {
    /// The project; absent for all, and where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// By source (the person's first), then by when they were last said.
    pub statements: Vec<StatementView>,
    /// How many more there are than an agent is given at once.
    #[serde(default, skip_serializing_if = "is_none_left")]
    pub left_out: usize,
    /// How many were said once and wait for the person.
    pub waiting: usize,
    /// How many observations are pinned.
    pub pinned: usize,
}

/// The operation.
pub struct Knows;

impl Op for Knows {
    const NAME: &'static str = "knows";
    const ALIASES: &'static [&'static str] = &["nudge.knows", "list_statements"];
    const TITLE: &'static str = "What is stated";
    const DOC: &'static str =
        "List what people and agents stated and what holds in this project, by source and freshness.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
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
                let walls = ctx.walls()?;
                add(ctx, &mut answer, ProjectId(0), params.all)?;
                for project in ctx.store().projects()?.iter().filter(|project| !walls.hide(project.id)) {
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

/// Leaves as many statements as fit into one answer.
fn fit(answer: &mut KnowsAnswer) {
    let mut taken = 0;
    let fits = |one: &&StatementView| {
        taken += one.text.len() + FACTS_BYTES;
        taken <= AGENTS_BYTES
    };
    let kept = answer.statements.iter().take_while(fits).count();
    answer.left_out = answer.statements.len() - kept;
    answer.statements.truncate(kept);
}

/// The order of sources.
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
    answer.pinned += reader.pinned_in(project, PINNED_MOST)?.len();
    if all {
        found.extend(waiting);
    }
    let root = reader.project_root(project)?.unwrap_or_default();
    let silenced = if all { statements::silenced(reader, project)? } else { Vec::new() };
    let shown = found.into_iter().map(|one| (one, false));
    for (statement, silenced) in shown.chain(silenced.into_iter().map(|one| (one, true))) {
        let drift = anchors::drift(&statement.anchors, Path::new(&root));
        let view = StatementView::standing(reader, statement)?;
        answer.statements.push(StatementView { drift, silenced, ..view });
    }
    if all {
        answer.statements.extend(over(ctx, project)?);
    }
    Ok(())
}

/// What was corrected or forgotten.
fn over(ctx: &OpContext<'_>, project: ProjectId) -> Result<Vec<StatementView>, Fault> {
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
