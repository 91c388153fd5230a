//! Projects as people handle them: listed, renamed, and made one when a checkout has moved.

use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::{ProjectRow, Reader};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::resolve::{BY_NAME, key_of_name};
use crate::desk::Desk;
use crate::hints::wire::NoParams;
use crate::operation::{Effect, Op, Profile};

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
    /// The project: its id, name, or directory.
    pub project: String,
    /// What it is to be called.
    pub name: String,
}

/// Two that are one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeParams {
    /// The project that goes: its id, name, or directory.
    pub from: String,
    /// The project that stays.
    pub into: String,
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

    fn run(desk: &Desk<'_>, _: NoParams) -> Result<ProjectsAnswer, Fault> {
        let rows = desk.store().projects()?;
        let projects = rows.into_iter().map(|row| view(desk.store(), row)).collect::<Result<_, _>>()?;
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

    fn run(desk: &Desk<'_>, params: RenameParams) -> Result<ProjectAnswer, Fault> {
        let name = params.name.trim();
        if name.is_empty() || name.chars().count() > NAME_MOST || name.contains(char::is_control) {
            let why = format!("a project's name is one line of 1 to {NAME_MOST} characters");
            return Err(Fault::invalid("name", why).with("field", "name"));
        }
        let row = meant(desk.store(), &params.project)?;
        desk.writer()?.rename_project(row.id, name)?;
        Ok(ProjectAnswer { project: view(desk.store(), ProjectRow { name: name.to_owned(), ..row })? })
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

    fn run(desk: &Desk<'_>, params: MergeParams) -> Result<MergeAnswer, Fault> {
        let (from, into) = (meant(desk.store(), &params.from)?, meant(desk.store(), &params.into)?);
        if from.id == into.id {
            return Err(Fault::invalid("same_project", format!("both are the project {}", into.name)));
        }
        let moved = desk.writer()?.merge_projects(from.id, into.id)?;
        let row = desk.store().project(into.id)?.unwrap_or(into);
        Ok(MergeAnswer { project: view(desk.store(), row)?, moved })
    }
}

impl ProjectsAnswer {
    /// The one project that is meant by an id, a name, a directory or a key.
    pub fn meant(&self, text: &str) -> Result<&ProjectView, Fault> {
        choose(&self.projects, text, |view| (view.id, &view.name, &view.root, &view.keys))
    }
}

/// The one project that is meant by an id, a name, a directory or a key.
pub(crate) fn meant(reader: &Reader<'_>, text: &str) -> Result<ProjectRow, Fault> {
    choose(&reader.projects()?, text, |row| (row.id.0, &row.name, &row.root, &row.keys)).cloned()
}

/// What a project is known by: id, name, root and keys.
type Marks<'p> = (i64, &'p str, &'p str, &'p [String]);

fn choose<'p, P>(all: &'p [P], text: &str, marks: impl Fn(&P) -> Marks<'_>) -> Result<&'p P, Fault> {
    let text = text.trim();
    let place = text.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(text);
    let by_id = text.parse::<i64>().ok().and_then(|id| all.iter().find(|one| marks(one).0 == id));
    let is_there = |(_, _, root, keys): Marks<'_>| root == place || keys.iter().any(|key| key == place);
    if let Some(one) = by_id.or_else(|| all.iter().find(|one| is_there(marks(one)))) {
        return Ok(one);
    }
    let named: Vec<&P> = all.iter().filter(|one| marks(one).1 == text).collect();
    let placed: Vec<&P> = named.iter().copied().filter(|one| !is_by_name(marks(one).3)).collect();
    match (&placed[..], &named[..]) {
        ([one], _) | ([], [one]) => Ok(one),
        (_, []) => Err(Fault::new(FaultKind::NotFound, "no_project", format!("no project is `{text}`"))
            .next("`nudge project ls` lists them")),
        _ => {
            let listed = if placed.is_empty() { named } else { placed };
            let list: Vec<String> = listed
                .iter()
                .map(|one| marks(one))
                .map(|(id, _, root, _)| format!("{id} ({root})"))
                .collect();
            let why = format!("{} projects are called {text}: {}", listed.len(), list.join(", "));
            Err(Fault::invalid("ambiguous_project", why)
                .next("give its id or its directory; `nudge project merge` makes them one"))
        }
    }
}

/// Whether nothing but its name is known of a project: memories were brought in for it.
pub(crate) fn is_by_name(keys: &[String]) -> bool {
    !keys.is_empty() && keys.iter().all(|key| key.starts_with(BY_NAME))
}

/// The keys under which a project's entries lie, with those that were brought in for it by its name, unless another place
/// is called the same.
pub(crate) fn keys_of(reader: &Reader<'_>, project: &ProjectRow) -> Result<Vec<String>, Fault> {
    let mut keys = project.keys.clone();
    let called = reader.projects_called(&project.name)?;
    if called.iter().all(|other| other.id == project.id || is_by_name(&other.keys)) {
        keys.push(key_of_name(&project.name));
    }
    Ok(keys)
}

fn view(reader: &Reader<'_>, row: ProjectRow) -> Result<ProjectView, Fault> {
    Ok(ProjectView {
        id: row.id.0,
        last_active: reader.last_in_project(row.id)?.map(|at| at.to_string()),
        name: row.name,
        root: row.root,
        keys: row.keys,
        sessions: row.sessions,
    })
}
