//! Prompts with a label, and whether what they could be given helps.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::data::{self, Pair, Project};
use super::replay_output::{Candidate, ReplayOutput};
use super::score::MAX_SHORT_WORDS;
use super::words::{self, Distinguishing, Rarity};
use super::{CANDIDATES_RUN, all, or_both_sets, stages};
use crate::stage::Programs;

/// What should happen with a prompt.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    /// Something earlier helps.
    Helped,
    /// Nothing does: its topic is new.
    NewTopic,
    /// Nothing does: it only lets the agent go on.
    Control,
}

/// An entry that a prompt could be given.
#[derive(Clone, Debug)]
pub(crate) struct LabelledCandidate {
    /// The inputs of the chance, each with its name.
    pub(crate) features: Vec<(String, f64)>,
    pub(crate) helps: bool,
}

impl LabelledCandidate {
    /// A candidate of a replay.
    fn of(candidate: &Candidate, helps: bool) -> Self {
        let features = candidate.features.iter();
        let features = features.map(|(name, value)| (name.clone(), value.as_f64().unwrap_or_default()));
        Self { features: features.collect(), helps }
    }

    /// The inputs without their names.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.features.iter().map(|(_, value)| *value).collect()
    }
}

/// A prompt, and what it could be given.
#[derive(Clone, Debug)]
pub(crate) struct LabelledPrompt {
    pub(crate) project: String,
    pub(crate) expected: Expected,
    pub(crate) candidates: Vec<LabelledCandidate>,
}

impl LabelledPrompt {
    pub(crate) fn json(&self) -> Value {
        let candidate = |one: &LabelledCandidate| {
            let features: serde_json::Map<String, Value> =
                one.features.iter().map(|(name, value)| (name.clone(), (*value).into())).collect();
            json!({"features": features, "helps": one.helps})
        };
        let candidates: Vec<Value> = self.candidates.iter().map(candidate).collect();
        json!({"project": self.project, "expected": format!("{:?}", self.expected), "candidates": candidates})
    }
}

/// Replays the sessions and labels everything that each prompt could be given.
pub(crate) fn labelled_prompts(dirs: &[PathBuf]) -> anyhow::Result<Vec<LabelledPrompt>> {
    let projects = data::projects(&or_both_sets(dirs), &[], None)?;
    let dir = tempfile::tempdir()?;
    let replays = all(&stages(&projects, dir.path())?, &[CANDIDATES_RUN], &Programs::baselines()?.bare())?;
    Ok(projects.iter().zip(&replays).flat_map(|(project, replay)| of_project(project, replay)).collect())
}

fn of_project(project: &Project, replay: &ReplayOutput) -> Vec<LabelledPrompt> {
    let rarity = Rarity::of(project.events.iter().map(|event| event.text.as_str()));
    let prompt = |pair: &Pair| {
        let expected = match pair.why.as_str() {
            "control" => Expected::Control,
            "new_topic" => Expected::NewTopic,
            _ if pair.is_helped_by_words() => Expected::Helped,
            _ => return None,
        };
        let helpful = project.events.iter().filter(|event| pair.helpful.contains(&event.position()));
        let helpful: Vec<Distinguishing> =
            helpful.map(|event| rarity.distinguishing(&event.text, &pair.prompt)).collect();
        let helps = |line: &str| helpful.iter().any(|words| words::helpful_line(words, line).is_some());
        let is_short = pair.prompt.split_whitespace().count() <= MAX_SHORT_WORDS;
        let found = if is_short { Vec::new() } else { replay.candidates_of(&pair.event_ref()) };
        let candidates = found.iter().map(|one| LabelledCandidate::of(one, helps(&one.line)));
        let candidates = candidates.collect();
        Some(LabelledPrompt { project: project.name.clone(), expected, candidates })
    };
    project.pairs.iter().filter_map(prompt).collect()
}
