//! `nudge` alone: where the user is, what is remembered here, and what to do next.

use nudge_core::{Context, Fault, Timestamp};
use nudge_home::Home;
use nudge_memory::capture::pause::Pauses;
use nudge_memory::hints::HintStats;
use nudge_memory::knowledge::{Knows, KnowsParams};
use nudge_memory::manage_projects::ListProjects;
use nudge_memory::operation::NoParams;
use nudge_memory::projects;
use nudge_memory::recall::{ListSessions, ListSessionsParams, ListedSession};
use nudge_memory::review::{ListProposals, ProposalsParams};
use serde::Serialize;

use super::status::capture_off_reason;
use crate::context_args::{here, working_directory};
use crate::exit::{Exit, Failure};
use crate::invocation::{Invocation, now};
use crate::pages::words::{count, cut};
use crate::pages::{Page, time};
use crate::registration::Ledger;

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
    invocation.output.answer(&answer, |page| render(page, &overview, &next, now()));
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
        let knows = invocation.ask::<Knows>(&KnowsParams::default(), here.clone())?;
        let hints = invocation.ask::<HintStats>(&NoParams {}, Context::unknown())?;
        let newest = ListSessionsParams { limit: Some(1), ..ListSessionsParams::default() };
        let listed = invocation.ask::<ListSessions>(&newest, here.clone())?;
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
    let listed = invocation.ask::<ListProposals>(&ProposalsParams::default(), Context::unknown());
    listed.map_or(0, |listed| listed.proposals.len())
}

/// The number of sessions of the project.
fn sessions(invocation: &Invocation, here: Context) -> Result<i64, Fault> {
    let listed = invocation.ask::<ListProjects>(&NoParams {}, here)?;
    let key = projects::of_directory(&working_directory()).key;
    let project = listed.projects.iter().find(|project| project.keys.contains(&key));
    Ok(project.map_or(0, |project| project.sessions))
}

/// A command and the reason to run it.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Next {
    command: &'static str,
    why: String,
}

impl Next {
    /// The most urgent step comes first: an unreadable memory, then a memory that captures nothing.
    fn of(overview: &Overview) -> Self {
        let remembered = &overview.remembered;
        let next = |command, why: &str| Self { command, why: why.to_owned() };
        if overview.problem.is_some() {
            return next("nudge doctor", "the memory cannot be read");
        }
        if overview.agents.is_empty() {
            return next("nudge install", "set up your coding agents");
        }
        if overview.pauses > 0 {
            return next("nudge unpause", "capture is paused");
        }
        if overview.capture_off.is_some() {
            return next("nudge status", "nothing is captured here");
        }
        if remembered.proposals > 0 {
            let proposals = count(i64::try_from(remembered.proposals).unwrap_or(i64::MAX), "proposal");
            return Self { command: "nudge review", why: format!("decide on {proposals}") };
        }
        if remembered.last_session.is_none() {
            return next("nudge doctor", "no session was captured here yet; check that capture works");
        }
        if remembered.statements == 0 {
            return next("nudge remember TEXT", "save a fact or rule for your agents");
        }
        next("nudge trace", "show what the last session did")
    }
}

/// The width of the name column on the left.
const NAME_WIDTH: usize = 14;

/// Shows where the user is, what is remembered, and the next step.
fn render(page: &mut Page, overview: &Overview, next: &Next, now: Timestamp) {
    page.strong(&overview.project).text("  ").faint(&overview.directory).end();
    match &overview.problem {
        Some(problem) => row(page, "problem", problem),
        None => remembered(page, &overview.remembered, now),
    }
    row(page, "capture", &capture(overview));
    page.end();
    page.faint("next:").text(" ").strong(next.command).text("  ").faint(&next.why).end();
}

fn remembered(page: &mut Page, remembered: &Remembered, now: Timestamp) {
    let statements = i64::try_from(remembered.statements).unwrap_or(i64::MAX);
    let counts = [
        count(statements, "statement"),
        count(remembered.hints, "hint"),
        count(remembered.sessions, "session"),
    ];
    row(page, "remembered", &counts.join(", "));
    let last =
        remembered.last_session.as_ref().map_or_else(|| "none yet".to_owned(), |last| spelled(last, now));
    row(page, "last session", &last);
    if remembered.proposals > 0 {
        row(page, "waiting", &count(i64::try_from(remembered.proposals).unwrap_or(i64::MAX), "proposal"));
    }
}

fn spelled(last: &ListedSession, now: Timestamp) -> String {
    let asked = last.goal.as_deref().unwrap_or("(no prompt)");
    format!("{}, {}: {asked}", time::short_of_seconds(last.timestamp, now), last.agent)
}

fn capture(overview: &Overview) -> String {
    let agents = overview.agents.join(", ");
    match (&overview.capture_off, overview.pauses) {
        _ if overview.agents.is_empty() => "off: no agent is set up".to_owned(),
        (Some(why), _) => format!("off: {why}"),
        (None, 0) => format!("on, in {agents}"),
        (None, pauses) => format!("{} in force; else on, in {agents}", count(pauses as i64, "pause")),
    }
}

fn row(page: &mut Page, name: &str, text: &str) {
    let columns = page.columns();
    page.faint(format!("  {name:<NAME_WIDTH$}")).text(cut(text, columns, NAME_WIDTH + 2)).end();
}

#[cfg(test)]
mod tests {
    use super::super::overview::Remembered;
    use super::*;

    fn overview() -> Overview {
        Overview {
            project: "shop".to_owned(),
            directory: "/code/shop".to_owned(),
            remembered: Remembered::default(),
            capture_off: None,
            pauses: 0,
            agents: vec!["claude".to_owned()],
            problem: None,
        }
    }

    #[test]
    fn the_suggestion_follows_the_state() {
        let command = |overview: &Overview| Next::of(overview).command;
        let mut state = overview();
        assert_eq!(command(&state), "nudge doctor");
        state.remembered.proposals = 2;
        assert_eq!(Next::of(&state).why, "decide on 2 proposals");
        assert_eq!(command(&state), "nudge review");
        state.capture_off = Some("capture is false".to_owned());
        assert_eq!(command(&state), "nudge status");
        state.pauses = 1;
        assert_eq!(command(&state), "nudge unpause");
        state.agents.clear();
        assert_eq!(command(&state), "nudge install");
        state.problem = Some("damaged".to_owned());
        assert_eq!(command(&state), "nudge doctor");
    }
}
