//! The replayed files: the events of each session, and the labels of people who read them.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use flate2::bufread::MultiGzDecoder;
use nudge_core::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// One event of a session.
#[derive(Clone, Debug, Default, Deserialize)]
pub(in crate::bench) struct Event {
    pub(in crate::bench) session: String,
    pub(in crate::bench) seq: u64,
    #[serde(default)]
    pub(in crate::bench) at: Option<String>,
    pub(in crate::bench) kind: String,
    #[serde(default)]
    pub(in crate::bench) text: String,
    #[serde(default)]
    pub(in crate::bench) files: Vec<String>,
    #[serde(default)]
    pub(in crate::bench) tool: Option<String>,
}

#[cfg(test)]
impl Event {
    /// An event with these fields; the others are empty.
    pub(super) fn made(kind: &str, text: &str, files: &[&str]) -> Self {
        Self {
            kind: kind.to_owned(),
            text: text.to_owned(),
            files: files.iter().map(|file| (*file).to_owned()).collect(),
            ..Self::default()
        }
    }
}

impl Event {
    /// When it happened, in milliseconds. A time without an offset counts as UTC.
    pub(super) fn millis(&self) -> Option<i64> {
        let at = self.at.as_deref()?;
        Timestamp::parse(at).or_else(|| Timestamp::parse(&format!("{at}Z"))).map(Timestamp::as_millis)
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.kind == kind
    }

    pub(super) fn is_by(&self, tool: &str) -> bool {
        self.tool.as_deref() == Some(tool)
    }

    pub(super) fn position(&self) -> EventRef {
        EventRef { session: self.session.clone(), seq: self.seq }
    }

    /// Whether a hook reports it: other words of the user are only in the transcript.
    pub(super) fn is_typed(&self) -> bool {
        self.is("prompt") && matches!(self.tool.as_deref(), None | Some("slash"))
    }
}

/// The position of an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
pub(in crate::bench) struct EventRef {
    pub(in crate::bench) session: String,
    pub(in crate::bench) seq: u64,
}

/// A prompt, and the earlier events that help with it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Pair {
    project: String,
    prompt_session: String,
    prompt_seq: u64,
    pub(super) prompt: String,
    #[serde(default)]
    pub(super) helpful: Vec<EventRef>,
    pub(super) why: String,
    #[serde(default)]
    pub(super) note: Option<String>,
}

impl Pair {
    /// Whether the helpful event is related to the prompt's own words. A repeated failure or a
    /// repeated instruction need not be.
    pub(super) fn is_helped_by_words(&self) -> bool {
        const OTHERS: [&str; 4] = ["control", "new_topic", "repeated_failure", "repeated_instruction"];
        !OTHERS.contains(&self.why.as_str())
    }

    pub(super) fn event_ref(&self) -> EventRef {
        EventRef { session: self.prompt_session.clone(), seq: self.prompt_seq }
    }
}

/// Something that a user said, and whether it was meant as a lasting rule.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Instruction {
    project: String,
    session: String,
    seq: u64,
    pub(super) text: String,
    pub(super) sample: String,
    pub(super) label: String,
    #[serde(default)]
    pub(super) statement: Option<String>,
    #[serde(default)]
    pub(super) same_as: Option<EventRef>,
}

impl Instruction {
    pub(super) fn event_ref(&self) -> EventRef {
        EventRef { session: self.session.clone(), seq: self.seq }
    }

    pub(super) fn is_lasting(&self) -> bool {
        self.label == "holds"
    }
}

/// Failures with one cause, and the fix.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct FailureGroup {
    project: String,
    pub(super) group: String,
    #[serde(default)]
    pub(super) error: String,
    occurrences: Vec<FailedAt>,
    #[serde(rename = "cure")]
    pub(super) fix: Option<Fix>,
    worth_warning: String,
    /// Whether all of them are in one session.
    #[serde(default)]
    pub(super) within: bool,
}

/// A command that failed, and the event that says so.
#[derive(Clone, Debug, Deserialize)]
struct FailedAt {
    session: String,
    seq: u64,
    #[serde(default)]
    error_seq: Option<u64>,
}

/// The fix, in the words of the person who labelled it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Fix {
    #[serde(default)]
    pub(super) text: String,
}

impl FailureGroup {
    pub(super) fn is_worth(&self) -> bool {
        self.worth_warning == "yes"
    }

    /// The commands that failed.
    pub(super) fn event_refs(&self) -> Vec<EventRef> {
        let event_ref = |at: &FailedAt| EventRef { session: at.session.clone(), seq: at.seq };
        self.occurrences.iter().map(event_ref).collect()
    }

    /// The number of the event that reports the failure of this event.
    pub(super) fn end_of(&self, event_ref: &EventRef) -> u64 {
        let at =
            self.occurrences.iter().find(|at| at.session == event_ref.session && at.seq == event_ref.seq);
        at.and_then(|at| at.error_seq).unwrap_or(event_ref.seq)
    }
}

/// A command that should get no warning.
#[derive(Clone, Debug, Deserialize)]
struct Negative {
    project: String,
    session: String,
    seq: u64,
}

/// All data of one project.
#[derive(Debug, Default)]
pub(in crate::bench) struct Project {
    pub(in crate::bench) name: String,
    /// In the order of the file, which is the order of time within a session.
    pub(in crate::bench) events: Vec<Event>,
    pub(super) pairs: Vec<Pair>,
    pub(super) instructions: Vec<Instruction>,
    pub(super) failures: Vec<FailureGroup>,
    /// Commands that should get no warning.
    pub(super) negatives: Vec<EventRef>,
}

impl Project {
    /// A project without labels.
    pub(in crate::bench) fn of_events(name: &str, events: Vec<Event>) -> Self {
        Self { name: name.to_owned(), events, ..Self::default() }
    }
}

/// The projects in some directories, the largest file first; the named ones, or all.
pub(super) fn projects(
    dirs: &[PathBuf],
    named: &[String],
    largest: Option<u64>,
) -> anyhow::Result<Vec<Project>> {
    let mut found = Vec::new();
    let mut labels: [Vec<PathBuf>; 4] = Default::default();
    let mut entries = Vec::new();
    for dir in dirs {
        let listed =
            std::fs::read_dir(dir).with_context(|| format!("there is no directory {}", dir.display()))?;
        entries.extend(listed);
    }
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(project) = name.strip_suffix(".jsonl.gz") {
            found.push((entry.metadata()?.len(), project.to_owned(), entry.path()));
        } else if name.ends_with(".jsonl") {
            let kinds = ["pairs", "instructions", "failures", "negatives"];
            if let Some(kind) = kinds.iter().position(|kind| name.starts_with(kind)) {
                labels[kind].push(entry.path());
            }
        }
    }
    if let Some(unknown) = named.iter().find(|name| !found.iter().any(|(_, project, _)| project == *name)) {
        anyhow::bail!("there is no {unknown}.jsonl.gz in {dirs:?}");
    }
    found.retain(|(size, name, _)| {
        (named.is_empty() || named.contains(name)) && largest.is_none_or(|largest| *size <= largest)
    });
    found.sort_by(|(one, ..), (other, ..)| other.cmp(one));
    anyhow::ensure!(!found.is_empty(), "no project to replay in {dirs:?}");
    let mut pairs = by_project::<Pair>(&labels[0], |pair| &pair.project)?;
    let mut instructions = by_project::<Instruction>(&labels[1], |said| &said.project)?;
    let mut failures = by_project::<FailureGroup>(&labels[2], |group| &group.project)?;
    let mut negatives = by_project::<Negative>(&labels[3], |negative| &negative.project)?;
    let project = |(_, name, path): (u64, String, PathBuf)| {
        Ok(Project {
            events: lines(&path)?,
            pairs: pairs.remove(&name).unwrap_or_default(),
            instructions: instructions.remove(&name).unwrap_or_default(),
            failures: failures.remove(&name).unwrap_or_default(),
            negatives: negatives
                .remove(&name)
                .unwrap_or_default()
                .into_iter()
                .map(|negative| EventRef { session: negative.session, seq: negative.seq })
                .collect(),
            name,
        })
    };
    found.into_iter().map(project).collect()
}

fn by_project<T: DeserializeOwned>(
    files: &[PathBuf],
    project: fn(&T) -> &String,
) -> anyhow::Result<BTreeMap<String, Vec<T>>> {
    let mut all: BTreeMap<String, Vec<T>> = BTreeMap::new();
    for file in files {
        for row in lines::<T>(file)? {
            all.entry(project(&row).clone()).or_default().push(row);
        }
    }
    Ok(all)
}

/// The lines of a JSON file, plain or gzip.
pub(in crate::bench) fn lines<T: DeserializeOwned>(file: &Path) -> anyhow::Result<Vec<T>> {
    let raw = std::fs::File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut raw = BufReader::new(raw);
    let is_packed = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    let unpacked: Box<dyn Read> = if is_packed { Box::new(MultiGzDecoder::new(raw)) } else { Box::new(raw) };
    let lines = BufReader::new(unpacked).lines();
    let parsed = lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<anyhow::Result<_>>();
    parsed.with_context(|| format!("in {}", file.display()))
}
