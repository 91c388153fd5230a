//! `nudge project`: the places where agents worked.

use std::io::{BufRead, IsTerminal};

use clap::{Args, Subcommand};
use nudge_core::{Context, Fault};
use nudge_memory::hints::wire::NoParams;
use nudge_memory::projects::{
    MergeAnswer, MergeParams, ProjectAnswer, ProjectView, ProjectsAnswer, RenameParams,
};

use crate::command::mark::place;
use crate::exit::{Exit, Failure};
use crate::hint_page::{count, without_millis};
use crate::invocation::Invocation;
use crate::page::Page;

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
        /// Its id, name or directory
        project: String,
        /// What it is to be called
        name: String,
    },
    /// Make one project of two, as when a checkout has moved
    Merge {
        /// The one that goes: its id, name or directory
        from: String,
        /// The one that stays
        into: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl ProjectArgs {
    /// Does what the verb says.
    pub(crate) fn run(self, invocation: &Invocation) -> Result<Exit, Failure> {
        match self.verb {
            Verb::Ls => {
                let answer = invocation.call("list_projects", &NoParams {}, Context::unknown())?;
                invocation.show::<ProjectsAnswer>(&answer, |page, answer| list(page, &answer.projects))
            }
            Verb::Rename { project, name } => {
                let params = RenameParams { project: place(&project), name };
                let answer = invocation.call("rename_project", &params, Context::unknown())?;
                invocation.show::<ProjectAnswer>(&answer, |page, answer| {
                    let project = &answer.project;
                    page.good("✔")
                        .text(format!(" project {} is called ", project.id))
                        .strong(&project.name)
                        .end();
                })
            }
            Verb::Merge { from, into, yes } => {
                let params = MergeParams { from: place(&from), into: place(&into) };
                if !yes {
                    confirm(invocation, &params)?;
                }
                let answer = invocation.call("merge_projects", &params, Context::unknown())?;
                invocation.show::<MergeAnswer>(&answer, |page, answer| {
                    let moved = count(i64::try_from(answer.moved).unwrap_or(i64::MAX), "session");
                    page.good("✔").text(format!(" moved {moved} to ")).strong(&answer.project.name).end();
                    line(page, &answer.project);
                })
            }
        }
    }
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
    page.text("      ").faint(if project.root.is_empty() { "(no directory)" } else { &project.root }).end();
}

/// Asks where somebody can answer; elsewhere the flag is needed.
fn confirm(invocation: &Invocation, params: &MergeParams) -> Result<(), Fault> {
    let unconfirmed = || {
        let why = format!(
            "this makes one project of {} and {}, and cannot be taken back",
            params.from, params.into
        );
        Fault::invalid("not_confirmed", why)
            .next(format!("if that is meant: nudge project merge {} {} --yes", params.from, params.into))
    };
    if invocation.output.is_json() || !std::io::stdin().is_terminal() {
        return Err(unconfirmed());
    }
    invocation.output.aside(|page| {
        page.text(format!(
            "make one project of {} and {}? It cannot be taken back. [y/N]",
            params.from, params.into
        ))
        .end();
    });
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    let yes = read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes");
    if yes { Ok(()) } else { Err(unconfirmed()) }
}
