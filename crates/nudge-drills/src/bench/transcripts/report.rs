//! Compares what people said with what was stored.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::json;

use super::Stored;
use super::contents::{Agent, Unpacked};
use super::contents::{Collected, Kind, Speech};

/// The product cuts longer texts; this many characters must agree.
const COMPARED_CHARS: usize = 6_000;

/// The product's mark for a removed credential.
const REDACTED: &str = "[REDACTED]";

/// The aims, as shares.
const AIM_OVERALL: f64 = 0.99;
const AIM_EACH: f64 = 0.97;

/// The figures of a run.
#[derive(Debug)]
pub(super) struct Report {
    files: BTreeMap<&'static str, usize>,
    unknown: Vec<String>,
    failures: Vec<String>,
    counts: BTreeMap<Kind, (usize, usize)>,
    missed: Vec<Speech>,
    /// Texts stored as a person's that are not: session, what wrote it, its beginning.
    wrong: Vec<(String, String, String)>,
    /// Repositories, each with the projects it became.
    places: BTreeMap<String, BTreeSet<String>>,
}

impl Report {
    pub(super) fn new(unpacked: &Unpacked) -> Self {
        let mut files = BTreeMap::new();
        for file in &unpacked.files {
            *files.entry(file.agent.name()).or_default() += 1;
        }
        Self {
            files,
            unknown: unpacked.unknown.clone(),
            failures: Vec::new(),
            counts: BTreeMap::new(),
            missed: Vec::new(),
            wrong: Vec::new(),
            places: BTreeMap::new(),
        }
    }

    pub(super) fn failed(&mut self, agent: Agent, why: &str) {
        self.failures.push(format!("import {}: {why}", agent.name()));
    }

    /// Compares what was found with what was stored. Each stored text matches one thing that was
    /// said.
    pub(super) fn compare(&mut self, collected: Collected, stored: &Stored) {
        let mut left = stored.persons.clone();
        let mut waiting = Vec::new();
        // Exact matches come first, so that a short text does not take the row of a long text that
        // contains it.
        for speech in collected.speech {
            let rows = left.entry(speech.session.clone()).or_default();
            match rows.iter().position(|row| is_same(row, &speech)) {
                Some(at) => {
                    rows.remove(at);
                    self.count(&speech, true);
                }
                None => waiting.push(speech),
            }
        }
        for speech in waiting {
            let rows = left.entry(speech.session.clone()).or_default();
            let found = rows.iter().position(|row| holds(row, &speech.words));
            if let Some(at) = found {
                let row = rows.remove(at);
                let around = row.replacen(&speech.words, "", 1);
                if around.contains('<') {
                    self.wrong.push((speech.session.clone(), "text around".to_owned(), short(&row)));
                }
            }
            self.count(&speech, found.is_some());
        }
        for (session, rows) in left {
            let programs = collected.programs.get(&session);
            for row in rows {
                let kind = programs.into_iter().flatten().find(|(_, text)| *text == row || holds(text, &row));
                let kind = kind.map_or("nobody that was heard", |(kind, _)| kind);
                self.wrong.push((session.clone(), kind.to_owned(), short(&row)));
            }
        }
        self.repositories(collected.places.values(), &stored.projects);
    }

    fn count(&mut self, speech: &Speech, found: bool) {
        let (of, stored) = self.counts.entry(speech.kind).or_default();
        *of += 1;
        *stored += usize::from(found);
        if !found {
            self.missed.push(speech.clone());
        }
    }

    /// The repository of a project is the outermost one that contains it; a worktree belongs to the
    /// repository it was made in.
    fn repositories<'d>(&mut self, begun: impl Iterator<Item = &'d String>, projects: &[String]) {
        let homes: BTreeSet<String> = begun.map(|dir| checkout_of(dir)).collect();
        for project in projects.iter().filter(|project| !project.is_empty()) {
            let home = checkout_of(project);
            let outer = homes.iter().find(|outer| home == **outer || home.starts_with(&format!("{outer}/")));
            let repository = outer.cloned().unwrap_or(home);
            self.places.entry(repository).or_default().insert(project.clone());
        }
    }

    pub(super) fn misses(&self) -> String {
        let missed = self.missed.iter().map(|speech| {
            json!({"missed": speech.kind.name(), "agent": speech.agent, "file": speech.file, "session": speech.session, "words": speech.words})
        });
        let wrong = self
            .wrong
            .iter()
            .map(|(session, kind, text)| json!({"wrong": kind, "session": session, "kept": text}));
        missed.chain(wrong).map(|line| format!("{line}\n")).collect()
    }

    fn total(&self) -> (usize, usize) {
        self.counts.values().fold((0, 0), |sum, (of, stored)| (sum.0 + of, sum.1 + stored))
    }

    fn split(&self) -> usize {
        self.places.values().filter(|projects| projects.len() > 1).count()
    }

    pub(super) fn meets_aims(&self) -> bool {
        let share = |(of, stored): (usize, usize)| stored as f64 / of.max(1) as f64;
        self.failures.is_empty()
            && self.wrong.is_empty()
            && self.split() == 0
            && share(self.total()) >= AIM_OVERALL
            && self.counts.values().all(|counts| share(*counts) >= AIM_EACH)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<String> = self.files.iter().map(|(agent, count)| format!("{agent} {count}")).collect();
        writeln!(f, "transcripts: {}", files.join(", "))?;
        writeln!(f, "\n| what people said | in the files | kept | share |\n|---|---|---|---|")?;
        let row = |f: &mut fmt::Formatter<'_>, name: &str, (of, stored): (usize, usize)| {
            writeln!(f, "| {name} | {of} | {stored} | {:.1} % |", 100.0 * stored as f64 / of.max(1) as f64)
        };
        for kind in Kind::ALL {
            if let Some(counts) = self.counts.get(&kind) {
                row(f, kind.name(), *counts)?;
            }
        }
        row(f, "**all**", self.total())?;
        let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, kind, _) in &self.wrong {
            *kinds.entry(kind).or_default() += 1;
        }
        let kinds: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        writeln!(f, "\nkept as a person's that a program wrote: {} {}", self.wrong.len(), kinds.join(", "))?;
        writeln!(
            f,
            "repositories: {}, of which {} became several projects",
            self.places.len(),
            self.split()
        )?;
        for (repository, projects) in self.places.iter().filter(|(_, projects)| projects.len() > 1) {
            writeln!(f, "  {repository}: {} projects", projects.len())?;
        }
        for failure in &self.failures {
            writeln!(f, "FAILED: {failure}")?;
        }
        for name in &self.unknown {
            writeln!(f, "no transcript of these agents: {name}")?;
        }
        Ok(())
    }
}

/// Whether a row is exactly what was said. A command comes before its arguments.
fn is_same(row: &str, speech: &Speech) -> bool {
    let arguments =
        || row.starts_with('/') && row.split_once(' ').is_some_and(|(_, rest)| rest == speech.words);
    row == speech.words || (speech.kind == Kind::Arguments && arguments())
}

/// Whether a row contains the words, apart from credentials and from text that is too long.
fn holds(row: &str, words: &str) -> bool {
    let begin: String = words.chars().take(COMPARED_CHARS).collect();
    if row.contains(&begin) {
        return true;
    }
    if !row.contains(REDACTED) {
        return false;
    }
    let mut rest = words;
    row.split(REDACTED).map(str::trim).filter(|piece| !piece.is_empty()).all(|piece| {
        rest.find(piece).is_some_and(|at| {
            rest = &rest[at + piece.len()..];
            true
        })
    })
}

/// The checkout that a directory belongs to, by its path: worktrees are in directories with
/// `worktrees` in their names.
fn checkout_of(dir: &str) -> String {
    let parts: Vec<&str> = dir.split('/').collect();
    for (at, part) in parts.iter().enumerate() {
        let parent = parts[..at].join("/");
        match *part {
            ".worktrees" | "worktrees" => return parent.trim_end_matches("/.claude").to_owned(),
            part => {
                let sibling = ["__worktrees", ".worktrees", "-worktrees"];
                if let Some(name) = sibling.iter().find_map(|end| part.strip_suffix(end)) {
                    return format!("{parent}/{name}");
                }
            }
        }
    }
    dir.to_owned()
}

fn short(text: &str) -> String {
    text.chars().take(200).collect()
}
