//! `nudge project`: the directories where agents worked.

use clap::{Args, Subcommand};
use nudge_core::Fault;
use nudge_memory::manage_projects::{
    ListProjects, MergeParams, MergeProjects, PrivateParams, ProjectView, RenameParams, RenameProject,
    SetPrivate, TrustParams, TrustProject, claim_words,
};
use nudge_memory::operation::NoParams;

use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::flags::{YesFlag, project_named};
use crate::input::{self, Answer};
use crate::invocation::Invocation;
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};

#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List projects: name, directory, sessions, last activity, id
    Ls,
    /// Rename a project
    Rename {
        /// Project name, directory, or id such as id:7
        project: String,
        /// New name
        name: String,
    },
    /// Merge a project into another, for example after a checkout moved
    Merge {
        /// Project that goes away: name, directory, or id such as id:7
        from: String,
        /// Project that stays
        into: String,
        #[command(flatten)]
        yes: YesFlag,
    },
    /// Accept the project name in the .nudge.toml of a directory
    Trust {
        /// Directory [default: the current directory]
        dir: Option<String>,
        /// Project to join, if several have this name
        #[arg(long, value_name = "PROJECT")]
        into: Option<String>,
    },
    /// Hide a project: nothing of it is shown outside it
    Private {
        /// Project name, directory, or id such as id:7
        project: String,
        /// Make it visible again
        #[arg(long)]
        off: bool,
    },
}

impl ProjectArgs {
    /// Runs the subcommand.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls => {
                let answer = invocation.call::<ListProjects>(&NoParams {}, here())?;
                invocation.show(&answer, |page, answer| list(page, &answer.projects))
            }
            Verb::Rename { project, name } => {
                let params = RenameParams { project: project_named(&project), name };
                let answer = invocation.call::<RenameProject>(&params, here())?;
                invocation.show(&answer, |page, answer| {
                    let project = &answer.project;
                    page.good("✔").text(" renamed: ").strong(project.label()).end();
                })
            }
            Verb::Merge { from, into, yes } => {
                let params =
                    MergeParams { from: project_named(&from), into: project_named(&into), dry_run: false };
                if !yes.yes {
                    check_confirmed(invocation, &params)?;
                }
                let answer = invocation.call::<MergeProjects>(&params, here())?;
                invocation.show(&answer, |page, answer| {
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
                let params = PrivateParams { project: project_named(&project), private: !off };
                let answer = invocation.call::<SetPrivate>(&params, here())?;
                invocation.show(&answer, |page, answer| private(page, &answer.project, off))
            }
        }
    }
}

/// Joins a directory to the project with the name it claims.
fn trust(invocation: &Invocation, dir: &str, into: Option<String>) -> Result<Exit, Failure> {
    let dir = working_directory().join(dir);
    let directory = dir.canonicalize().unwrap_or(dir).to_string_lossy().into_owned();
    let params = TrustParams { directory: directory.clone(), into: into.as_deref().map(project_named) };
    let answer = invocation.call::<TrustProject>(&params, here())?;
    invocation.show(&answer, |page, answer| {
        let moved = count(i64::try_from(answer.moved).unwrap_or(i64::MAX), "session");
        page.good("✔").text(format!(" {directory} is now ")).strong(answer.project.label());
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
            page.good("✔")
                .text(" private: ")
                .strong(label)
                .text("; it is not shown outside the project")
                .end();
        }
        (false, _) => {
            page.good("✔").text(" no longer private: ").strong(label).end();
        }
    }
}

fn list(page: &mut Page, projects: &[ProjectView]) {
    if projects.is_empty() {
        page.text("no projects yet; they appear when an agent works in them").end();
    }
    projects.iter().for_each(|project| line(page, project));
}

fn line(page: &mut Page, project: &ProjectView) {
    let last = project
        .last_active
        .as_deref()
        .map_or_else(String::new, |at| format!(", last {}", time::short_of_text(at)));
    let sessions = count(project.sessions, "session");
    let columns = page.columns();
    let facts = format!("  {sessions}{last}");
    let name = cut(&project.name, columns, 6 + facts.len());
    page.text(format!("{:>4}  ", project.id)).strong(name).text(facts).end();
    if project.private {
        page.text("      ").text("private: not shown outside the project").end();
    }
    if let Some(name) = &project.claim {
        page.text("      ").warning(claim_words(name)).end();
    }
    let root = if project.root.is_empty() { "(no directory)" } else { &project.root };
    page.text("      ").faint(cut(root, columns, 6)).end();
}

/// Asks for confirmation if somebody can answer. Otherwise the flag is required.
fn check_confirmed(invocation: &Invocation, params: &MergeParams) -> Result<(), Fault> {
    let dry = MergeParams { dry_run: true, ..params.clone() };
    let both = invocation.ask::<MergeProjects>(&dry, here())?;
    let (from, into) = (both.from.label(), both.project.label());
    let unconfirmed = || {
        let why = format!("this merges {from} into {into} and cannot be undone; nothing was changed");
        Fault::invalid("not_confirmed", why)
            .next(format!("to confirm, run `nudge project merge {} {} --yes`", params.from, params.into))
    };
    let question = format!("Merge {from} into {into}? This cannot be undone.");
    if input::ask(invocation, &question) == Answer::Yes { Ok(()) } else { Err(unconfirmed()) }
}
