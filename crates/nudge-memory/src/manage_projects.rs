//! Operations on projects: list, rename, merge, make private, trust.

use std::path::Path;

use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::{ProjectId, ProjectRow};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Effect, NoParams, Op, OpContext, Operation, check_name};
use crate::projects::{ProjectRef, choose, declares_private, is_person, label, of_directory};

/// The operations on projects.
pub const OPERATIONS: &[Operation] = &[
    Operation::of::<ListProjects>(),
    Operation::of::<RenameProject>(),
    Operation::of::<MergeProjects>(),
    Operation::of::<TrustProject>(),
    Operation::of::<SetPrivate>(),
];

// Listing and renaming projects, and merging two when a checkout has moved.

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 200;

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
    const TITLE: &'static str = "List projects";
    const DOC: &'static str = "List the projects that agents worked in, with the number of sessions and \
        the last activity.";
    const EFFECT: Effect = Effect::Read;
    type Params = NoParams;
    type Answer = ProjectsAnswer;

    fn run(ctx: &OpContext<'_>, _: NoParams) -> Result<ProjectsAnswer, Fault> {
        let mut rows = ctx.store().projects()?;
        if !is_person(ctx.caller) {
            let hidden = ctx.hidden()?;
            rows.retain(|row| !hidden.hide(row.id));
        }
        let projects = rows.into_iter().map(|row| project_view(ctx, row)).collect::<Result<_, _>>()?;
        Ok(ProjectsAnswer { projects })
    }
}

impl Op for RenameProject {
    const NAME: &'static str = "rename_project";
    const TITLE: &'static str = "Rename project";
    const DOC: &'static str = "Rename a project.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = RenameParams;
    type Answer = ProjectAnswer;

    fn run(ctx: &OpContext<'_>, params: RenameParams) -> Result<ProjectAnswer, Fault> {
        let name = params.name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.contains(char::is_control) {
            let why = format!("a project name is one line of 1 to {MAX_NAME_CHARS} characters");
            return Err(Fault::invalid("name", why).with("field", "name"));
        }
        check_name("name", name)?;
        let row = ctx.project(&params.project)?;
        ctx.writer()?.rename_project(row.id, name, ctx.now())?;
        Ok(ProjectAnswer { project: project_view(ctx, ProjectRow { name: name.to_owned(), ..row })? })
    }
}

impl Op for MergeProjects {
    const NAME: &'static str = "merge_projects";
    const TITLE: &'static str = "Merge projects";
    const DOC: &'static str = "Merge two projects into one, e.g. after a checkout moved. This cannot be \
        undone.";
    const REFERENCE: &'static str = "Merge two projects into one, for example after a checkout moved. This \
        cannot be undone.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Destructive;
    type Params = MergeParams;
    type Answer = MergeAnswer;

    fn run(ctx: &OpContext<'_>, params: MergeParams) -> Result<MergeAnswer, Fault> {
        let (from, into) = (ctx.project(&params.from)?, ctx.project(&params.into)?);
        if from.id == into.id {
            return Err(Fault::invalid("same_project", format!("both names mean the project {}", into.name)));
        }
        let gone = project_view(ctx, from)?;
        if params.dry_run {
            let moved = usize::try_from(gone.sessions).unwrap_or(0);
            return Ok(MergeAnswer { project: project_view(ctx, into)?, from: gone, moved });
        }
        let moved = ctx.writer()?.merge_projects(ProjectId(gone.id), into.id, ctx.now())?;
        let row = ctx.store().project(into.id)?.unwrap_or(into);
        Ok(MergeAnswer { project: project_view(ctx, row)?, from: gone, moved })
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

fn project_view(ctx: &OpContext<'_>, row: ProjectRow) -> Result<ProjectView, Fault> {
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

// `set_private`: hides a project from everything outside it.

/// Parameters of `set_private`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrivateParams {
    /// The project: name, directory, or id as `id:7`.
    pub project: String,
    /// True to make it private, false to make it visible again. Default: true.
    #[serde(default = "yes")]
    pub private: bool,
}

const fn yes() -> bool {
    true
}

/// The `set_private` operation.
pub struct SetPrivate;

impl Op for SetPrivate {
    const NAME: &'static str = "set_private";
    const TITLE: &'static str = "Make a project private";
    const DOC: &'static str = "Make a project private: nothing of it is shown outside it. Or make it \
        visible again.";
    const REFERENCE: &'static str = "Make a project private, so that nothing of it is shown in other \
        projects, or make it visible again.";
    const TIER: Tier = Tier::Client;
    const EFFECT: Effect = Effect::Write;
    type Params = PrivateParams;
    type Answer = ProjectAnswer;

    fn run(ctx: &OpContext<'_>, params: PrivateParams) -> Result<ProjectAnswer, Fault> {
        let row = ctx.project(&params.project)?;
        ctx.writer()?.set_private(row.id, params.private)?;
        Ok(ProjectAnswer { project: project_view(ctx, row)? })
    }
}

// `trust_project`: the user confirms that a directory which claims another place's name is the
// same project.

/// Parameters of `trust_project`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustParams {
    /// Absolute path of the directory.
    pub directory: String,
    /// The project to join if several have the name: its directory, or its id as `id:7`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub into: Option<String>,
}

/// Answer of `trust_project`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TrustAnswer {
    /// The project as it is now.
    pub project: ProjectView,
    /// Number of sessions that moved from the directory to it.
    pub moved: usize,
}

/// The `trust_project` operation.
pub struct TrustProject;

impl Op for TrustProject {
    const NAME: &'static str = "trust_project";
    const TITLE: &'static str = "Trust a project's name";
    const DOC: &'static str = "Join a directory to the project that its settings name. This cannot be \
        undone.";
    const REFERENCE: &'static str = "Join a directory to the project that its own `.nudge.toml` names. \
        This cannot be undone.";
    const TIER: Tier = Tier::Client;
    const CLI_ONLY: bool = true;
    const EFFECT: Effect = Effect::Destructive;
    type Params = TrustParams;
    type Answer = TrustAnswer;

    fn run(ctx: &OpContext<'_>, params: TrustParams) -> Result<TrustAnswer, Fault> {
        let place = of_directory(Path::new(&params.directory));
        let writer = ctx.writer()?;
        // The name may have come from a variable that is not set here.
        let name = match &place.claims.name {
            Some(name) => Some(name.clone()),
            None => writer.claim_of(&place.key)?,
        };
        let name = name.ok_or_else(|| claims_nothing(&params.directory))?;
        let own = writer.project_by_key(&place.key)?;
        let into = match &params.into {
            Some(text) => ctx.project(text)?,
            None => only_other(ctx, &place, &name)?,
        };
        let moved = match own {
            Some(own) if own == into.id => 0,
            Some(own) => writer.merge_projects(own, into.id, ctx.now())?,
            None => {
                writer.add_key(into.id, &place.key)?;
                0
            }
        };
        let row = writer.project(into.id)?.unwrap_or(into);
        Ok(TrustAnswer { project: project_view(ctx, row)?, moved })
    }
}

/// The one other place with this name.
fn only_other(ctx: &OpContext<'_>, place: &ProjectRef, name: &str) -> Result<ProjectRow, Fault> {
    let own = ctx.store().project_by_key(&place.key)?;
    let called = ctx.store().places_named(name)?;
    let is_own = called.iter().any(|row| Some(row.id) == own);
    let mut others: Vec<ProjectRow> = called.into_iter().filter(|row| Some(row.id) != own).collect();
    match others.len() {
        1 => Ok(others.remove(0)),
        0 if is_own => Err(Fault::invalid("nothing_to_trust", format!("it is already the project `{name}`"))
            .next("run `nudge project ls` to see the projects")),
        0 => Err(Fault::new(
            FaultKind::NotFound,
            "nothing_to_trust",
            format!("no other project is called `{name}`"),
        )
        .next("nothing to do: it keeps that name; run `nudge project ls` to see the projects")),
        _ => {
            let list: Vec<String> = others.iter().map(|row| label(row.id.0, &row.name, &row.root)).collect();
            Err(Fault::invalid(
                Fault::AMBIGUOUS_PROJECT,
                format!("several projects are called `{name}`: {}", list.join(", ")),
            )
            .next("choose one with `--into`, by its directory or id"))
        }
    }
}

fn claims_nothing(directory: &str) -> Fault {
    let why = format!("no {} in {directory} sets a project name", nudge_home::settings::PROJECT_FILE);
    Fault::invalid("no_claim", why)
        .next("to join two projects with different names, use `nudge project merge`")
}
