//! Sources of completed values: the memory, read only, and lists built into the program.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Instant;

use clap_complete::engine::CompletionCandidate;
use nudge_agent::registry;
use nudge_agent::runs::{GetRuns, GetRunsParams, RunView};
use nudge_client::status::status;
use nudge_core::hypothesis::Status;
use nudge_core::observation::USER_PROMPT;
use nudge_core::{ObservationKind, Os, text};
use nudge_memory::entries::{ListEntries, ListEntriesParams};
use nudge_memory::hints::wire::KeysParams;
use nudge_memory::hints::{ListComponents, ListKeys};
use nudge_memory::knowledge::{Knows, KnowsParams};
use nudge_memory::manage_projects::ListProjects;
use nudge_memory::operation::NoParams;
use nudge_memory::operation::Op;
use nudge_memory::projects as memory_projects;
use nudge_memory::recall::{ListSessions, ListSessionsParams, RecentContext, RecentContextParams};
use nudge_memory::review::{ListProposals, ProposalView, ProposalsParams};
use nudge_memory::statements::Category;

use crate::command::model;
use crate::context_args::{here, working_directory};
use crate::globals::Globals;
use crate::invocation::Invocation;
use crate::registration::Agent;

/// The maximum number of sessions, entries and so on to offer.
const MAX_VALUES: i64 = 50;

/// How many characters of text explain a value.
const MAX_EXPLANATION: usize = 50;

type Candidates = Vec<CompletionCandidate>;

/// The projects, except private ones that the user is not in.
pub(super) fn projects() -> Candidates {
    let Some(answer) = read::<ListProjects>(&NoParams {}) else { return Vec::new() };
    let key = memory_projects::of_directory(&working_directory()).key;
    let shown = answer.projects.iter().filter(|project| !project.private || project.keys.contains(&key));
    shown.map(|project| explained(&project.name, &project.root)).collect()
}

/// The newest sessions of the project.
pub(super) fn sessions() -> Candidates {
    let params = ListSessionsParams { limit: Some(MAX_VALUES), ..ListSessionsParams::default() };
    let rows = read::<ListSessions>(&params).unwrap_or_default();
    rows.iter().map(|row| explained(&row.session_id, row.goal.as_deref().unwrap_or_default())).collect()
}

/// The components that have hints.
pub(super) fn components() -> Candidates {
    let answer = read::<ListComponents>(&NoParams {});
    answer.into_iter().flat_map(|answer| answer.components).map(|row| plain(row.name)).collect()
}

/// The keys of the component typed before.
pub(super) fn keys() -> Candidates {
    let Some(component) = component_typed() else { return Vec::new() };
    let answer = read::<ListKeys>(&KeysParams { component });
    let mut keys: Vec<String> =
        answer.into_iter().flat_map(|answer| answer.hints).map(|row| row.key).collect();
    keys.dedup();
    keys.into_iter().map(plain).collect()
}

/// The statements that apply here.
pub(super) fn statements() -> Candidates {
    let answer = read::<Knows>(&KnowsParams::default());
    let rows = answer.into_iter().flat_map(|answer| answer.statements);
    rows.map(|row| explained(&row.id.to_string(), &row.text)).collect()
}

/// The proposals that wait for a decision.
pub(super) fn proposals() -> Candidates {
    let answer = read::<ListProposals>(&ProposalsParams { all: false });
    let rows = answer.into_iter().flat_map(|answer| answer.proposals);
    let about = |row: &ProposalView| row.text.as_ref().or(row.path.as_ref()).unwrap_or(&row.why).clone();
    rows.map(|row| explained(&row.id.to_string(), &about(&row))).collect()
}

/// The entries and files whose paths begin with the typed word.
pub(super) fn entry_paths() -> Candidates {
    let word = word_typed();
    // A pattern is complete as it is.
    if word.starts_with('/') || word.contains(['*', '?', '[', '{', '\\', '!']) {
        return Vec::new();
    }
    // `known:` and `known:/` begin a path as well.
    let pattern = match word.split_once(':') {
        Some((scheme, "" | "/")) => format!("{scheme}://**"),
        _ => format!("{word}**"),
    };
    let params = ListEntriesParams {
        pattern: Some(pattern),
        limit: u32::try_from(MAX_VALUES).ok(),
        ..ListEntriesParams::default()
    };
    let answer = read::<ListEntries>(&params);
    let rows = answer.into_iter().flat_map(|answer| answer.entries);
    rows.map(|row| explained(&row.path, row.summary.as_deref().unwrap_or_default())).collect()
}

/// The newest runs of the project.
pub(super) fn runs() -> Candidates {
    let params = GetRunsParams { limit: u32::try_from(MAX_VALUES).ok(), ..GetRunsParams::default() };
    let rows = read::<GetRuns>(&params).into_iter().flat_map(|answer| answer.runs);
    let prompt = |row: &RunView| row.loops.last().map(|one| one.prompt.clone()).unwrap_or_default();
    rows.map(|row| explained(&row.run, &prompt(&row))).collect()
}

/// The models for runs.
pub(super) fn models() -> Candidates {
    let answer = memory().and_then(|memory| model::known(&memory).ok());
    let rows = answer.into_iter().flat_map(|answer| answer.models);
    rows.map(|row| explained(&row.alias, &row.actual)).collect()
}

/// The newest entries of the project.
pub(super) fn entries() -> Candidates {
    let params =
        RecentContextParams { limit: Some(MAX_VALUES), only: true, ..RecentContextParams::default() };
    let rows = read::<RecentContext>(&params).unwrap_or_default();
    let rows = rows.iter().map(|row| &row.observation);
    rows.map(|row| explained(&row.id.to_string(), &row.content)).collect()
}

/// The types that `nudge search --type` accepts.
pub(super) fn types() -> Candidates {
    let others = ["memory", "session_summary", "agent_thought", "hint", "statement", "hypothesis", "value"];
    captured_types().into_iter().chain(others.map(plain)).collect()
}

/// The types that `nudge purge --type` accepts.
pub(super) fn captured_types() -> Candidates {
    let kinds = ObservationKind::ALL.into_iter().map(ObservationKind::name);
    kinds.chain([USER_PROMPT]).map(plain).collect()
}

/// The agents.
pub(super) fn agents() -> Candidates {
    Agent::all().map(|agent| explained(agent.name(), agent.title())).collect()
}

/// The operations.
pub(super) fn operations() -> Candidates {
    registry::all().map(|operation| explained(operation.name, operation.title)).collect()
}

/// The categories of statements.
pub(super) fn categories() -> Candidates {
    Category::ALL.into_iter().map(|category| plain(category.name())).collect()
}

/// The states of hypotheses.
pub(super) fn statuses() -> Candidates {
    Status::ALL.iter().map(|status| plain(status.name())).collect()
}

/// The operating systems.
pub(super) fn systems() -> Candidates {
    Os::ALL.into_iter().map(|os| plain(os.name())).collect()
}

/// Common lifetimes.
pub(super) fn lifetimes() -> Candidates {
    ["session", "forever", "2h", "7d"].into_iter().map(plain).collect()
}

/// The answer of a read operation; `None` if there is no memory or no answer.
fn read<O: Op>(params: &O::Params) -> Option<O::Answer> {
    memory()?.ask::<O>(params, here()).ok()
}

/// Access to the memory; `None` if there is none.
fn memory() -> Option<Invocation> {
    let globals = Globals { home: home_typed(), json: true, ..Globals::default() };
    let invocation = Invocation::new(globals, Instant::now());
    let home = invocation.home().ok()?;
    (home.db().exists() || status(&home).running).then_some(invocation)
}

/// The words before the one to complete, without the program name.
fn typed() -> Vec<String> {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(2).collect();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|text| text.parse::<usize>().ok());
    let before = index.map_or(words.len(), |index| index.saturating_sub(1)).min(words.len());
    words[..before].iter().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The word to complete.
fn word_typed() -> String {
    let words: Vec<OsString> = std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let index = std::env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|text| text.parse::<usize>().ok());
    let word = words.get(index.unwrap_or_else(|| words.len().saturating_sub(1)));
    word.map(|word| word.to_string_lossy().into_owned()).unwrap_or_default()
}

fn home_typed() -> Option<PathBuf> {
    let words = typed();
    let at = words.iter().position(|word| word == "--home");
    let next = at.and_then(|at| words.get(at + 1)).map(PathBuf::from);
    next.or_else(|| words.iter().find_map(|word| word.strip_prefix("--home=").map(PathBuf::from)))
}

/// The component before a key is the last word that is not an option.
fn component_typed() -> Option<String> {
    typed().into_iter().rev().find(|word| !word.starts_with('-') && !word.is_empty())
}

fn plain(value: impl Into<String>) -> CompletionCandidate {
    CompletionCandidate::new(value.into())
}

fn explained(value: &str, help: &str) -> CompletionCandidate {
    let help = text::one_line_of_columns(&crate::sanitize::sanitize_line(help), MAX_EXPLANATION);
    CompletionCandidate::new(value).help((!help.is_empty()).then(|| help.into()))
}
