//! `nudge` alone: where the user is, what is remembered here, and what to do next.

mod next;
mod page;

use nudge_core::{Context, Fault};
use nudge_home::Home;
use nudge_memory::capture::pause::Pauses;
use nudge_memory::hints::wire::StatsAnswer;
use nudge_memory::knowledge::{KnowsAnswer, KnowsParams};
use nudge_memory::manage_projects::ProjectsAnswer;
use nudge_memory::operation::NoParams;
use nudge_memory::projects;
use nudge_memory::recall::{ListSessionsParams, ListedSession};
use nudge_memory::review::{ProposalsAnswer, ProposalsParams};
use serde::Serialize;

use super::status::capture_off_reason;
use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::registration::Ledger;
use next::Next;

/// The contents of the overview.
#[derive(Debug, Serialize)]
struct Overview {
    /// The name of the project.
    project: String,
    /// The working directory.
    directory: String,
    /// Entries in memory here; empty if there is no memory yet.
    #[serde(flatten)]
    remembered: Remembered,
    /// Why nothing is captured here; `None` if capture is on.
    capture_off: Option<String>,
    /// The number of active pauses.
    pauses: usize,
    /// The agents that have Nudge installed.
    agents: Vec<String>,
    /// Why the memory could not be read; `None` if it could.
    problem: Option<String>,
}

/// Counts for this project.
#[derive(Debug, Default, Serialize)]
struct Remembered {
    statements: usize,
    hints: i64,
    sessions: i64,
    proposals: usize,
    last_session: Option<ListedSession>,
}

/// Shows the overview. It creates nothing. An unreadable memory is not a failure: the next step
/// says what to do.
pub(crate) fn run(invocation: &Invocation) -> Result<Exit, Failure> {
    let home = invocation.home()?;
    let overview = Overview::read(invocation, &home)?;
    let next = Next::of(&overview);
    let mut answer = serde_json::to_value(&overview).unwrap_or_default();
    answer["next"] = serde_json::to_value(&next).unwrap_or_default();
    invocation.output.answer(&answer, |page| page::render(page, &overview, &next, now()));
    Ok(Exit::Ok)
}

impl Overview {
    fn read(invocation: &Invocation, home: &Home) -> Result<Self, Fault> {
        let here = working_directory();
        let remembered = Remembered::read(invocation);
        let problem = remembered.as_ref().err().map(|fault| fault.message.clone());
        let agents =
            Ledger::read(home).map(|ledger| ledger.agents().into_iter().map(str::to_owned).collect());
        Ok(Self {
            project: projects::of_directory(&here).name,
            directory: here.to_string_lossy().into_owned(),
            remembered: remembered.unwrap_or_default(),
            capture_off: capture_off_reason(invocation).map(str::to_owned),
            pauses: Pauses::read(home, now()).pauses.len(),
            agents: agents.unwrap_or_default(),
            problem,
        })
    }
}

impl Remembered {
    fn read(invocation: &Invocation) -> Result<Self, Fault> {
        let here = here();
        let knows: KnowsAnswer = invocation.ask("knows", &KnowsParams::default(), here.clone())?;
        let hints: StatsAnswer = invocation.ask("hint_stats", &NoParams {}, Context::unknown())?;
        let newest = ListSessionsParams { limit: Some(1), ..ListSessionsParams::default() };
        let listed: Vec<ListedSession> = invocation.ask("list_sessions", &newest, here.clone())?;
        Ok(Self {
            statements: knows.statements.len(),
            hints: hints.hints,
            sessions: sessions(invocation, here)?,
            proposals: proposals(invocation),
            last_session: listed.into_iter().next(),
        })
    }
}

/// The number of proposals that wait for the user. Agents may not list them and get 0.
fn proposals(invocation: &Invocation) -> usize {
    let listed =
        invocation.ask::<ProposalsAnswer>("list_proposals", &ProposalsParams::default(), Context::unknown());
    listed.map_or(0, |listed| listed.proposals.len())
}

/// The number of sessions of the project.
fn sessions(invocation: &Invocation, here: Context) -> Result<i64, Fault> {
    let listed: ProjectsAnswer = invocation.ask("list_projects", &NoParams {}, here)?;
    let key = projects::of_directory(&working_directory()).key;
    let project = listed.projects.iter().find(|project| project.keys.contains(&key));
    Ok(project.map_or(0, |project| project.sessions))
}
