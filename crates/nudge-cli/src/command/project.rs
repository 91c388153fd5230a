//! `nudge project`: the places where agents worked.

use clap::{Args, Subcommand};
use nudge_core::{Context, Fault};
use nudge_home::surroundings;
use nudge_memory::manage_projects::{
    MergeAnswer, MergeParams, PrivateParams, ProjectAnswer, ProjectView, ProjectsAnswer, RenameParams,
    TrustAnswer, TrustParams, claim_words,
};
use nudge_memory::operation::NoParams;

use crate::confirm::{self, Answer};
use crate::context_args::working_directory;
use crate::exit::{Exit, Failure};
use crate::invocation::Invocation;
use crate::pages::Page;
use crate::pages::words::{count, without_millis};
use crate::projects::named;

// What can be said to it. The summary stands with the others in `cli.rs`.
#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List projects: name, directory, sessions, last activity, id
    Ls,
    /// Give a project another name
    Rename {
        /// Its name or directory, or its id as id:7
        project: String,
        /// What it is to be called
        name: String,
    },
    /// Make one project of two, as when a checkout has moved
    Merge {
        /// The one that goes: its name or directory, or its id as id:7
        from: String,
        /// The one that stays
        into: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
    /// Say that a directory is the project whose name its .nudge.toml claims
    Trust {
        /// The directory [default: where you are]
        dir: Option<String>,
        /// The project it joins, where several have the name
        #[arg(long, value_name = "PROJECT")]
        into: Option<String>,
    },
    /// Show nothing of a project outside it
    Private {
        /// Its name or directory, or its id as id:7
        project: String,
        /// Open it again
        #[arg(long)]
        off: bool,
    },
}

impl ProjectArgs {
    /// Does what the verb says.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls => {
                let answer = invocation.call("list_projects", &NoParams {}, here())?;
                invocation.show::<ProjectsAnswer>(&answer, |page, answer| list(page, &answer.projects))
            }
            Verb::Rename { project, name } => {
                let params = RenameParams { project: named(&project), name };
                let answer = invocation.call("rename_project", &params, here())?;
                invocation.show::<ProjectAnswer>(&answer, |page, answer| {
                    let project = &answer.project;
                    page.good("✔").text(" renamed: ").strong(project.label()).end();
                })
            }
            Verb::Merge { from, into, yes } => {
                let params = MergeParams { from: named(&from), into: named(&into), dry_run: false };
                if !yes {
                    check_meant(invocation, &params)?;
                }
                let answer = invocation.call("merge_projects", &params, here())?;
                invocation.show::<MergeAnswer>(&answer, |page, answer| {
                    let moved = count(i64::try_from(answer.moved).unwrap_or(i64::MAX), "session");
                    let from = answer.from.label();
                    page.good("✔")
                        .text(format!(" moved {moved} of {from} to "))
                        .strong(&answer.project.name)
                        .end();
                    line(page, &answer.project);
                })
            }
            Verb::Trust { dir, into } => trust(invocation, dir.as_deref().unwrap_or("."), into),
            Verb::Private { project, off } => {
                let params = PrivateParams { project: named(&project), private: !off };
                let answer = invocation.call("set_private", &params, here())?;
                invocation.show::<ProjectAnswer>(&answer, |page, answer| private(page, &answer.project, off))
            }
        }
    }
}

/// Joins a directory to the project whose name it claims.
fn trust(invocation: &Invocation, dir: &str, into: Option<String>) -> Result<Exit, Failure> {
    let dir = working_directory().join(dir);
    let directory = dir.canonicalize().unwrap_or(dir).to_string_lossy().into_owned();
    let params = TrustParams { directory: directory.clone(), into: into.as_deref().map(named) };
    let answer = invocation.call("trust_project", &params, here())?;
    invocation.show::<TrustAnswer>(&answer, |page, answer| {
        let moved = count(i64::try_from(answer.moved).unwrap_or(i64::MAX), "session");
        page.good("✔").text(format!(" {directory} is ")).strong(answer.project.label());
        page.text(format!("; {moved} moved")).end();
    })
}

fn private(page: &mut Page, project: &ProjectView, off: bool) {
    let label = project.label();
    match (project.private, off) {
        (true, true) => {
            page.warning("still private:").text(format!(" {label}, because its .nudge.toml says so")).end();
        }
        (true, false) => {
            page.good("✔").text(" private: ").strong(label).text("; nothing of it is shown outside it").end();
        }
        (false, _) => {
            page.good("✔").text(" open: ").strong(label).end();
        }
    }
}

fn here() -> Context {
    surroundings::here(&working_directory())
}

fn list(page: &mut Page, projects: &[ProjectView]) {
    if projects.is_empty() {
        page.text("no projects yet: they appear when an agent works in them").end();
    }
    projects.iter().for_each(|project| line(page, project));
}

fn line(page: &mut Page, project: &ProjectView) {
    let last = project
        .last_active
        .as_deref()
        .map_or_else(String::new, |at| format!(", last {}", without_millis(at)));
    let sessions = count(project.sessions, "session");
    page.text(format!("{:>4}  ", project.id)).strong(&project.name).text(format!("  {sessions}{last}")).end();
    if project.private {
        page.text("      ").text("private: nothing of it is shown outside it").end();
    }
    if let Some(name) = &project.claim {
        page.text("      ").warning(claim_words(name)).end();
    }
    page.text("      ").faint(if project.root.is_empty() { "(no directory)" } else { &project.root }).end();
}

/// Asks where somebody can answer; elsewhere the flag is needed.
fn check_meant(invocation: &Invocation, params: &MergeParams) -> Result<(), Fault> {
    let dry = MergeParams { dry_run: true, ..params.clone() };
    let both: MergeAnswer = invocation.typed(&invocation.call("merge_projects", &dry, here())?)?;
    let (from, into) = (both.from.label(), both.project.label());
    let unconfirmed = || {
        let why = format!("this makes one project of {from} and {into}, and cannot be taken back");
        Fault::invalid("not_confirmed", why)
            .next(format!("if that is meant: nudge project merge {} {} --yes", params.from, params.into))
    };
    let question = format!("make one project of {from} and {into}? It cannot be taken back.");
    if confirm::ask(invocation, &question) == Answer::Yes { Ok(()) } else { Err(unconfirmed()) }
}
