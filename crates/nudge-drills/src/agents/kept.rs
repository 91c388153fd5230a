//! Checks what the memory stored of a session: prompts, calls, files and outcomes, under the
//! agent's own session id.

use std::path::Path;

use anyhow::Context;
use nudge_core::{ObservationKind, Outcome};
use nudge_store::{ObservationRow, PromptRow, Reader, SessionRow, Store, StoreError};

use super::installed::WORDS;
use crate::stage::Home;

pub(super) const SUCCEEDS: &str = "cat names.txt";
pub(super) const FAILS: &str = "echo 'no such tongue' >&2; exit 3";
pub(super) const COMMITS: &str =
    "git add -A && git -c user.name=Ada -c user.email=ada@example.org commit -qm 'greet in German'";

/// Component, key and command of the hint that the agent sets through our server.
pub(super) const HINT: (&str, &str, &str) = ("greeting", "show", "cat greeting.txt");

/// More rows than the session can have.
const LIMIT: u32 = 100;

/// The differences between the stored session and what happened.
pub(super) fn violations(home: &Home, session: &str, project: &Path) -> anyhow::Result<Vec<String>> {
    // The next process that opens the memory imports whatever a hook could not store in time.
    home.run(&["status"])?;
    let store = Store::open(&home.read_options())?;
    let wanted = Wanted { session, project };
    let mut wrong = store.read(|reader| wanted.violations(reader)).context("the memory cannot be read")?;
    let hint = &home.run_json(&["get", HINT.0, HINT.1])?["hint"];
    if hint["value"]["cmd"] != HINT.2 || hint["meta"]["ttl"] != "forever" {
        wrong.push(format!("the hint that the agent left is {hint}"));
    }
    Ok(wrong)
}

struct Wanted<'a> {
    session: &'a str,
    project: &'a Path,
}

impl Wanted<'_> {
    fn violations(&self, reader: &Reader<'_>) -> Result<Vec<String>, StoreError> {
        let Some(session) = reader.agent_session_by_name(self.session)? else {
            return Ok(vec![format!("no session {} in the memory", self.session)]);
        };
        let root = reader.project(session.project)?.map(|project| project.root);
        let mut wrong = self.of_session(&session, root.as_deref());
        let prompts = reader.prompts_of_session(session.id, LIMIT)?;
        wrong.extend(of_prompts(&prompts));
        let observations = reader.observations_of_session(session.id, LIMIT)?;
        wrong.extend(self.of_observations(&observations, &prompts));
        Ok(wrong)
    }

    fn of_session(&self, session: &SessionRow, root: Option<&str>) -> Vec<String> {
        let mut wrong = Vec::new();
        if session.harness != "claude" {
            wrong.push(format!("the session is one of {}", session.harness));
        }
        if root != self.project.to_str() {
            wrong.push(format!("the project is {root:?}"));
        }
        if session.ended_at.is_none() {
            wrong.push("the session has no end".to_owned());
        }
        wrong
    }

    /// Each call is stored once, in order and as the right kind. Calls of our own server are not
    /// stored: their effects are in the memory already.
    fn of_observations(&self, found: &[ObservationRow], prompts: &[PromptRow]) -> Vec<String> {
        let file = |name: &str| Some(self.project.join(name).to_string_lossy().into_owned());
        let ok = Outcome::Success;
        let wanted = [
            (ObservationKind::FileRead, file("greeting.txt"), ok, "greeting.txt"),
            (ObservationKind::FileWrite, file("names.txt"), ok, "names.txt"),
            (ObservationKind::FileEdit, file("greeting.txt"), ok, "greeting.txt"),
            (ObservationKind::Command, None, ok, SUCCEEDS),
            (ObservationKind::CommandError, None, Outcome::Failed { exit: Some(3) }, FAILS),
            (ObservationKind::GitCommit, None, ok, "greet in German"),
        ];
        let calls: Vec<&ObservationRow> = found.iter().filter(|row| row.kind.is_action()).collect();
        let names = |rows: &mut dyn Iterator<Item = ObservationKind>| {
            rows.map(ObservationKind::name).collect::<Vec<_>>().join(" ")
        };
        let (got, want) =
            (names(&mut calls.iter().map(|row| row.kind)), names(&mut wanted.iter().map(|row| row.0)));
        if got != want {
            return vec![format!("kept were: {got}; not: {want}")];
        }
        let mut wrong = Vec::new();
        for (row, (kind, file, outcome, text)) in calls.iter().zip(&wanted) {
            let name = kind.name();
            if file.is_some() && row.files.first() != file.as_ref() {
                wrong.push(format!("{name} is of {:?}", row.files));
            }
            if row.outcome != *outcome {
                wrong.push(format!("{name} ended in {:?}", row.outcome));
            }
            if !row.body.contains(text) {
                wrong.push(format!("{name} says {:?}, not {text:?}", row.body));
            }
            if row.prompt != prompts.first().map(|prompt| prompt.id) {
                wrong.push(format!("{name} belongs to prompt {:?}", row.prompt));
            }
        }
        for kind in [ObservationKind::SessionStart, ObservationKind::SessionEnd] {
            let times = found.iter().filter(|row| row.kind == kind).count();
            if times != 1 {
                wrong.push(format!("{} is there {times} times", kind.name()));
            }
        }
        wrong
    }
}

fn of_prompts(found: &[PromptRow]) -> Vec<String> {
    match found {
        [prompt] if prompt.body.starts_with(WORDS) => Vec::new(),
        [prompt] => vec![format!("the prompt is {:?}", prompt.body)],
        _ => vec![format!("{} prompts were kept, not one", found.len())],
    }
}
