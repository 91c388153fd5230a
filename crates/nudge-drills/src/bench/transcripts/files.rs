//! The transcripts, unpacked and grouped by the agent that wrote them.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

/// How many lines are read to recognise a file.
const LINES: usize = 40;

/// The agent that wrote a transcript.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Agent {
    Claude,
    Codex,
    Copilot,
    Gemini,
}

impl Agent {
    const ALL: [Self; 4] = [Self::Claude, Self::Codex, Self::Copilot, Self::Gemini];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
        }
    }
}

/// One transcript.
#[derive(Debug)]
pub(super) struct File {
    pub(super) agent: Agent,
    pub(super) path: PathBuf,
    /// Its path relative to the directory it came from.
    pub(super) name: String,
}

/// All transcripts.
#[derive(Debug)]
pub(super) struct Unpacked {
    pub(super) files: Vec<File>,
    /// Files of no known agent.
    pub(super) unknown: Vec<String>,
    to: PathBuf,
}

impl Unpacked {
    pub(super) fn agents(&self) -> BTreeSet<Agent> {
        self.files.iter().map(|file| file.agent).collect()
    }

    /// The directory that contains an agent's transcripts.
    pub(super) fn dir(&self, agent: Agent) -> PathBuf {
        self.to.join(agent.name())
    }
}

/// Unpacks every transcript below a directory.
pub(super) fn unpack(from: &Path, to: &Path) -> anyhow::Result<Unpacked> {
    let mut unpacked = Unpacked { files: Vec::new(), unknown: Vec::new(), to: to.to_owned() };
    let mut found = Vec::new();
    walk(from, &mut found)?;
    found.sort();
    for path in found {
        let name = path.strip_prefix(from)?.to_string_lossy().into_owned();
        let plain = name.strip_suffix(".gz").unwrap_or(&name).to_owned();
        if !(plain.ends_with(".jsonl") || plain.ends_with(".json")) || plain == "provenance.jsonl" {
            continue;
        }
        let mut bytes = fs::read(&path)?;
        if name.ends_with(".gz") {
            let mut text = Vec::new();
            MultiGzDecoder::new(&bytes[..]).read_to_end(&mut text)?;
            bytes = text;
        }
        let Some(agent) = agent(&String::from_utf8_lossy(&bytes), &name) else {
            unpacked.unknown.push(name);
            continue;
        };
        let path = to.join(agent.name()).join(&plain);
        fs::create_dir_all(path.parent().unwrap_or(to))?;
        fs::write(&path, bytes)?;
        unpacked.files.push(File { agent, path, name: plain });
    }
    anyhow::ensure!(!unpacked.files.is_empty(), "there are no transcripts in {}", from.display());
    Ok(unpacked)
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    for item in fs::read_dir(dir)? {
        let path = item?.path();
        if path.is_dir() { walk(&path, found)? } else { found.push(path) }
    }
    Ok(())
}

/// The agent, by the content of the file, else by a directory with the agent's name.
fn agent(text: &str, name: &str) -> Option<Agent> {
    let by_content = || {
        if let Ok(Value::Object(whole)) = serde_json::from_str::<Value>(text) {
            return of_object(&Value::Object(whole));
        }
        let lines = text.lines().take(LINES).filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(Value::is_object).find_map(|line| of_object(&line))
    };
    let by_folder = || {
        let folders: Vec<&str> = name.split('/').collect();
        Agent::ALL.into_iter().find(|agent| folders.contains(&agent.name()))
    };
    by_content().or_else(by_folder)
}

fn of_object(line: &Value) -> Option<Agent> {
    let kind = line["type"].as_str().unwrap_or_default();
    if line["payload"].is_object() && line["timestamp"].is_string() {
        return Some(Agent::Codex);
    }
    if line["data"].is_object() && kind.contains('.') {
        return Some(Agent::Copilot);
    }
    let has = |key: &str| !line[key].is_null();
    if has("projectHash") || (has("messages") && has("sessionId")) || has("$set") {
        return Some(Agent::Gemini);
    }
    let named = has("sessionId") || has("session_id") || has("leafUuid");
    (named || (has("message") && matches!(kind, "user" | "assistant"))).then_some(Agent::Claude)
}
