//! Listing and renaming projects, and merging two when a checkout has moved.

use nudge_core::{Fault, Tier};
use nudge_store::{ProjectId, ProjectRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, NoParams, Op, OpContext, Profile, check_name};
use crate::projects::{choose, declares_private, label};

/// The longest name, in characters.
const NAME_MOST: usize = 200;

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectView {
    /// Project id.
    pub id: i64,
    /// Name of the project.
    pub name: String,
    /// Root directory, as last seen.
    pub root: String,
    /// Keys that identify the project, one for each place it was found in.
    pub keys: Vec<String>,
    /// Number of sessions.
    pub sessions: i64,
    /// Time of the last activity.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_active: Option<String>,
    /// True if nothing of it is shown outside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The name that one of its directories claims, if another place has that name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
}

/// Answer of `list_projects`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectsAnswer {
    /// Projects, sorted by name.
    pub projects: Vec<ProjectView>,
}

/// Parameters of `rename_project`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameParams {
    /// The project: name, directory, or id as `id:7`.
    pub project: String,
    /// The new name.
    pub name: String,
}

/// Parameters of `merge_projects`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeParams {
    /// The project to merge and remove: name, directory, or id as `id:7`.
    pub from: String,
    /// The project to keep.
    pub into: String,
    /// Only report which two projects would be merged.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// Answer of `rename_project`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProjectAnswer {
    /// The project as it is now.
    pub project: ProjectView,
}

/// Answer of `merge_projects`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergeAnswer {
    /// The project that was kept, as it is now.
    pub project: ProjectView,
    /// The project that was removed, or would be.
    pub from: ProjectView,
    /// Number of sessions moved.
    pub moved: usize,
}

/// The `list_projects` operation.
pub struct ListProjects;

/// The `rename_project` operation.
pub struct RenameProject;

/// The `merge_projects` operation.
pub struct MergeProjects;

impl Op for ListProjects {
    const NAME: &'static str = "list_projects";
    const ALIASES: &'static [&'static str] = &["nudge.list_projects"];
    const TITLE: &'static str = "List projects";
    const DOC: &'static str = "List the projects that agents worked in, with the number of sessions and \
        the last activity.";
    const REFERENCE: &'static str = "List the projects that agents worked in, with the number of sessions \
        and the last activity.";
    const TIER: Tier = Tier::Model;
    const EFFECT: Effect = Effect::Read;
    const PROFILE: Profile = Profile::Full;
    type Params = NoParams;
    type Answer = ProjectsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<ProjectsAnswer, Fault> {
        let mut rows = ctx.store().projects()?;
        let hidden = ctx.hidden()?;
        rows.retain(|row| !hidden.hide(row.id));
        let projects = rows.into_iter().map(|row| view(ctx, row)).collect::<Result<_, _>>()?;
        Ok(ProjectsAnswer { projects })
    }
}

impl Op for RenameProject {
    const NAME: &'static str = "rename_project";
    const ALIASES: &'static [&'static str] = &["nudge.rename_project"];
    const TITLE: &'static str = "Rename project";
    const DOC: &'static str = "Rename a project.";
    const REFERENCE: &'static str = "Rename a project.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    const PROFILE: Profile = Profile::Full;
    type Params = RenameParams;
    type Answer = ProjectAnswer;

    fn run(ctx: &OpContext<'_>, params: RenameParams) -> Result<ProjectAnswer, Fault> {
        let name = params.name.trim();
        if name.is_empty() || name.chars().count() > NAME_MOST || name.contains(char::is_control) {
            let why = format!("a project name is one line of 1 to {NAME_MOST} characters");
            return Err(Fault::invalid("name", why).with("field", "name"));
        }
        check_name("name", name)?;
        let row = ctx.project(&params.project)?;
        ctx.writer()?.rename_project(row.id, name, ctx.now())?;
        Ok(ProjectAnswer { project: view(ctx, ProjectRow { name: name.to_owned(), ..row })? })
    }
}

impl Op for MergeProjects {
    const NAME: &'static str = "merge_projects";
    const ALIASES: &'static [&'static str] = &["nudge.merge_projects"];
    const TITLE: &'static str = "Merge projects";
    const DOC: &'static str = "Merge two projects into one, e.g. after a checkout moved. This cannot be \
        undone.";
    const REFERENCE: &'static str = "Merge two projects into one, for example after a checkout moved. This \
        cannot be undone.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = MergeParams;
    type Answer = MergeAnswer;

    fn run(ctx: &OpContext<'_>, params: MergeParams) -> Result<MergeAnswer, Fault> {
        let (from, into) = (ctx.project(&params.from)?, ctx.project(&params.into)?);
        if from.id == into.id {
            return Err(Fault::invalid("same_project", format!("both names mean the project {}", into.name)));
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
    /// The one project that a name, an id, a directory or a key refers to.
    pub fn meant(&self, text: &str) -> Result<&ProjectView, Fault> {
        choose(&self.projects, text, |view| (view.id, &view.name, &view.root, &view.keys))
    }
}

impl ProjectView {
    /// Name, directory and id, which identify it.
    pub fn label(&self) -> String {
        label(self.id, &self.name, &self.root)
    }
}

/// The message for a directory that claims a name which another place has.
pub fn claim_words(name: &str) -> String {
    format!(
        "has the name `{name}`, as another directory does; if it is the same project, run `nudge project trust` there"
    )
}

pub(super) fn view(ctx: &OpContext<'_>, row: ProjectRow) -> Result<ProjectView, Fault> {
    let reader = ctx.store();
    let hidden = ctx.hidden()?;
    let mut claim = None;
    for open in reader.open_claims()?.into_iter().filter(|open| open.project == row.id) {
        if reader.places_named(&open.name)?.iter().any(|other| other.id != row.id && !hidden.hide(other.id)) {
            claim = Some(open.name);
        }
    }
    Ok(ProjectView {
        id: row.id.0,
        last_active: reader.last_in_project(row.id)?.map(|at| at.to_string()),
        private: reader.is_private(row.id)? || declares_private(&row.root),
        claim,
        name: row.name,
        root: row.root,
        keys: row.keys,
        sessions: row.sessions,
    })
}
