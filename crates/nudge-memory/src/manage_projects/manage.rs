//! Projects as people handle them: listed, renamed, and made one when a checkout has moved.

use nudge_core::{Fault, Tier};
use nudge_store::{ProjectId, ProjectRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, NoParams, Op, OpContext, Profile};
use crate::projects::{choose, label, says_so};

/// How long a name may be, in characters.
const NAME_MOST: usize = 200;

/// A project as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectView {
    /// Its number.
    pub id: i64,
    /// What people call it.
    pub name: String,
    /// Its topmost directory, as last seen.
    pub root: String,
    /// What tells it from others: one key for each place it was found in.
    pub keys: Vec<String>,
    /// How many sessions it has had.
    pub sessions: i64,
    /// When something last happened in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_active: Option<String>,
    /// Whether nothing of it is shown outside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// What a directory of it calls itself, where another place has that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// All projects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsAnswer {
    /// By name.
    pub projects: Vec<ProjectView>,
}

/// Another name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameParams {
    /// The project: its name, directory, or id as `id:7`.
    pub project: String,
    /// What it is to be called.
    pub name: String,
}

/// Two that are one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeParams {
    /// The project that goes: its name, directory, or id as `id:7`.
    pub from: String,
    /// The project that stays.
    pub into: String,
    /// Only say which two it would be.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectAnswer {
    /// As it is now.
    pub project: ProjectView,
}

/// What became of two.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeAnswer {
    /// The one that stays, as it is now.
    pub project: ProjectView,
    /// The one that went, or would.
    pub from: ProjectView,
    /// How many sessions moved.
    pub moved: usize,
}

/// Lists.
pub struct ListProjects;

/// Renames.
pub struct RenameProject;

/// Merges.
pub struct MergeProjects;

impl Op for ListProjects {
    const NAME: &'static str = "list_projects";
    const ALIASES: &'static [&'static str] = &["nudge.list_projects"];
    const TITLE: &'static str = "List projects";
    const DOC: &'static str = "List the projects that agents worked in, with sessions and last activity.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = NoParams;
    type Answer = ProjectsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<ProjectsAnswer, Fault> {
        let mut rows = ctx.store().projects()?;
        let walls = ctx.walls()?;
        rows.retain(|row| !walls.hide(row.id));
        let projects = rows.into_iter().map(|row| view(ctx, row)).collect::<Result<_, _>>()?;
        Ok(ProjectsAnswer { projects })
    }
}

impl Op for RenameProject {
    const NAME: &'static str = "rename_project";
    const ALIASES: &'static [&'static str] = &["nudge.rename_project"];
    const TITLE: &'static str = "Rename project";
    const DOC: &'static str = "Give a project another name.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = RenameParams;
    type Answer = ProjectAnswer;

    fn run(ctx: &OpContext<'_>, params: RenameParams) -> Result<ProjectAnswer, Fault> {
        let name = params.name.trim();
        if name.is_empty() || name.chars().count() > NAME_MOST || name.contains(char::is_control) {
            let why = format!("a project's name is one line of 1 to {NAME_MOST} characters");
            return Err(Fault::invalid("name", why).with("field", "name"));
        }
        let row = ctx.project(&params.project)?;
        ctx.writer()?.rename_project(row.id, name, ctx.now())?;
        Ok(ProjectAnswer { project: view(ctx, ProjectRow { name: name.to_owned(), ..row })? })
    }
}

impl Op for MergeProjects {
    const NAME: &'static str = "merge_projects";
    const ALIASES: &'static [&'static str] = &["nudge.merge_projects"];
    const TITLE: &'static str = "Merge projects";
    const DOC: &'static str =
        "Make one project of two, as when a checkout has moved. It cannot be taken back.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = MergeParams;
    type Answer = MergeAnswer;

    fn run(ctx: &OpContext<'_>, params: MergeParams) -> Result<MergeAnswer, Fault> {
        let (from, into) = (ctx.project(&params.from)?, ctx.project(&params.into)?);
        if from.id == into.id {
            return Err(Fault::invalid("same_project", format!("both are the project {}", into.name)));
        }
        let gone = view(ctx, from)?;
        if params.dry_run {
            let moved = usize::try_from(gone.sessions).unwrap_or(0);
            return Ok(MergeAnswer { project: view(ctx, into)?, from: gone, moved });
        }
        let moved = ctx.writer()?.merge_projects(ProjectId(gone.id), into.id, ctx.now())?;
        let row = ctx.store().project(into.id)?.unwrap_or(into);
        Ok(MergeAnswer { project: view(ctx, row)?, from: gone, moved })
    }
}

impl ProjectsAnswer {
    /// The one project that is meant by a name, an id, a directory or a key.
    pub fn meant(&self, text: &str) -> Result<&ProjectView, Fault> {
        choose(&self.projects, text, |view| (view.id, &view.name, &view.root, &view.keys))
    }
}

impl ProjectView {
    /// Name, directory and id: what it is told from others by.
    pub fn label(&self) -> String {
        label(self.id, &self.name, &self.root)
    }
}

/// What is said where a directory claims a name that another place has.
pub fn claim_words(name: &str) -> String {
    format!(
        "calls itself `{name}`, as another place does; run `nudge project trust` there if it is the same project"
    )
}

pub(super) fn view(ctx: &OpContext<'_>, row: ProjectRow) -> Result<ProjectView, Fault> {
    let reader = ctx.store();
    let walls = ctx.walls()?;
    let mut claim = None;
    for open in reader.open_claims()?.into_iter().filter(|open| open.project == row.id) {
        if reader.placed_called(&open.name)?.iter().any(|other| other.id != row.id && !walls.hide(other.id)) {
            claim = Some(open.name);
        }
    }
    Ok(ProjectView {
        id: row.id.0,
        last_active: reader.last_in_project(row.id)?.map(|at| at.to_string()),
        private: reader.is_private(row.id)? || says_so(&row.root),
        claim,
        name: row.name,
        root: row.root,
        keys: row.keys,
        sessions: row.sessions,
    })
}
