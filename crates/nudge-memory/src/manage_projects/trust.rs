//! `trust_project`: the user confirms that a directory which claims another place's name is the
//! same project.

use std::path::Path;

use nudge_core::{Fault, FaultKind, Tier};
use nudge_store::ProjectRow;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::manage::{ProjectView, view};
use crate::operation::{Effect, Op, OpContext, Profile};
use crate::projects::{ProjectRef, label, of_directory};

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
    const ALIASES: &'static [&'static str] = &["nudge.trust_project"];
    const TITLE: &'static str = "Trust a project's name";
    const DOC: &'static str = "Join a directory to the project that its settings name. This cannot be \
        undone.";
    const REFERENCE: &'static str = "Join a directory to the project that its own `.nudge.toml` names. \
        This cannot be undone.";
    const TIER: Tier = Tier::Client;
    const CLI_ONLY: bool = true;
    const EFFECT: Effect = Effect::Destructive;
    const PROFILE: Profile = Profile::Full;
    type Params = TrustParams;
    type Answer = TrustAnswer;

    fn run(ctx: &OpContext<'_>, params: TrustParams) -> Result<TrustAnswer, Fault> {
        let place = of_directory(Path::new(&params.directory));
        let writer = ctx.writer()?;
        // The name may have come from a variable that is not set here.
        let name = match &place.said.name {
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
        Ok(TrustAnswer { project: view(ctx, row)?, moved })
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
