//! The contents of the transcripts: their files, what people said in them, and what programs wrote
//! in their place.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde_json::Value;

nudge_core::named_enum! {
    /// How a person said something.
    pub(super) enum Kind {
        Prompt => "typed prompts",
        Refusal => "words while refusing a call",
        Queued => "messages while the agent works",
        Answer => "answers to questions",
        Beside => "text beside a tool result",
        Arguments => "arguments of commands",
        Plan => "comments on plans",
        Shell => "shell commands typed with !",
        Note => "notes typed with #",
    }
}

/// Something a person said.
#[derive(Clone, Debug)]
pub(super) struct Speech {
    pub(super) agent: &'static str,
    pub(super) file: String,
    pub(super) session: String,
    pub(super) kind: Kind,
    pub(super) words: String,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) speech: Vec<Speech>,
    /// By session: texts that programs wrote in a person's place, each with its kind.
    pub(super) programs: BTreeMap<String, Vec<(&'static str, String)>>,
    /// By session: the directory it began in.
    pub(super) places: BTreeMap<String, String>,
    /// Messages already read in another file: a transcript may be there in several versions.
    known: HashSet<(String, String, String)>,
}

/// Collects what was said in one file.
pub(super) struct Collector<'h> {
    collected: &'h mut Collected,
    pub(super) file: &'h File,
    /// The current session.
    pub(super) session: String,
}

impl<'h> Collector<'h> {
    pub(super) fn new(collected: &'h mut Collected, file: &'h File) -> Self {
        Self { collected, file, session: String::new() }
    }

    /// Records what a person said. `id` distinguishes it from the same words said again.
    pub(super) fn person(&mut self, kind: Kind, id: &str, words: &str) {
        let words = normal(words);
        if words.is_empty() {
            return;
        }
        if self.collected.known.insert((self.session.clone(), id.to_owned(), words.clone())) {
            self.collected.speech.push(Speech {
                agent: self.file.agent.name(),
                file: self.file.name.clone(),
                session: self.session.clone(),
                kind,
                words,
            });
        }
    }

    /// Records what a program wrote where a person could have.
    pub(super) fn program(&mut self, kind: &'static str, text: &str) {
        let text = normal(text);
        if !text.is_empty() {
            self.collected.programs.entry(self.session.clone()).or_default().push((kind, text));
        }
    }

    /// Records the session's directory; the first one counts.
    pub(super) fn set_directory(&mut self, dir: &str) {
        self.collected.places.entry(self.session.clone()).or_insert_with(|| dir.to_owned());
    }
}

/// Words with normalised white space.
pub(super) fn normal(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of a message: itself, or its text blocks.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

// Parses texts in a person's place.

/// The kind of a text in a person's place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Text {
    /// The person typed it.
    Typed(String),
    /// A command with its arguments.
    Command { name: String, arguments: String },
    /// A line for the shell.
    Shell(String),
    /// A line for the agent's own notes.
    Note(String),
    /// A program wrote it.
    Program(&'static str),
}

/// Beginnings of texts that programs write, with their kinds.
const PROGRAM_BEGINNINGS: &[(&str, &str)] = &[
    ("<task-notification", "notification"),
    ("<agent-notification", "notification"),
    ("<background-", "notification"),
    ("<bash-notification", "notification"),
    ("<shell-notification", "notification"),
    ("<mcp-resource-update", "notification"),
    ("<mcp-polling-update", "notification"),
    ("<poll-event", "notification"),
    ("<tick>", "notification"),
    ("<teammate-message", "another agent"),
    ("<cross-session-message", "another agent"),
    ("<agent-message", "another agent"),
    ("<local-command-", "output of a command"),
    ("<bash-stdout", "output of a command"),
    ("<bash-stderr", "output of a command"),
    ("<user-prompt-submit-hook", "hook"),
    ("<hook_context", "hook"),
    ("<system-reminder", "reminder"),
    ("<system_reminder", "reminder"),
    ("<new-diagnostics", "reminder"),
    ("[Request interrupted by user", "interruption"),
    ("<turn_aborted", "interruption"),
    ("Caveat: The messages below were generated by the user while running local commands", "caveat"),
    ("This session is being continued from a previous conversation", "summary"),
    ("Operation stopped by hook", "hook"),
    ("Stop hook feedback", "hook"),
    ("Base directory for this skill:", "skill"),
    ("Implement the following plan:\n\n#", "plan"),
    ("<environment_context", "environment"),
    ("<user_instructions", "environment"),
    ("# AGENTS.md instructions for", "environment"),
    ("<permissions instructions", "environment"),
    ("<skill>", "skill"),
    ("<user_shell_command", "output of a command"),
    ("<subagent_notification", "notification"),
];

/// Elements that a program puts before or after the typed text.
const WRAPPER_ELEMENTS: &[&str] = &[
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "system-reminder",
    "system_reminder",
    "hook_context",
    "current_datetime",
    "user-prompt-submit-hook",
    "qwen:session-start-context",
];

/// The kind of a text.
pub(super) fn read(text: &str) -> Text {
    let text = bare(text);
    let starts = |tag: &str| text.starts_with(tag);
    if starts("<command-name>") || starts("<command-message>") || starts("<command-args>") {
        let inside = |tag| element(text, tag).unwrap_or_default().trim().to_owned();
        return Text::Command { name: inside("command-name"), arguments: inside("command-args") };
    }
    if starts("<bash-input>") {
        return Text::Shell(element(text, "bash-input").unwrap_or_default().to_owned());
    }
    if starts("<user-memory-input>") {
        return Text::Note(element(text, "user-memory-input").unwrap_or_default().to_owned());
    }
    if text.is_empty() {
        return Text::Program("nothing");
    }
    match PROGRAM_BEGINNINGS.iter().find(|(start, _)| starts(start)) {
        Some((_, kind)) => Text::Program(kind),
        None => Text::Typed(text.to_owned()),
    }
}

/// The text after the mark for a person's comment on a plan that they allowed.
pub(super) fn plan_comment(text: &str) -> Option<&str> {
    text.rsplit_once("\nUser feedback on this plan: ").map(|(_, words)| words)
}

/// A text without the elements around it.
fn bare(text: &str) -> &str {
    let mut rest = text.trim();
    loop {
        let before = rest;
        for name in WRAPPER_ELEMENTS {
            let (open, close) = (format!("<{name}"), format!("</{name}>"));
            if rest.starts_with(&open)
                && let Some(at) = rest.find(&close)
            {
                rest = rest[at + close.len()..].trim();
            }
            if rest.ends_with(&close)
                && let Some(at) = rest.rfind(&format!("{open}>"))
            {
                rest = rest[..at].trim();
            }
        }
        if rest == before {
            return rest;
        }
    }
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, after) = text.split_once(&format!("<{name}>"))?;
    after.split_once(&format!("</{name}>")).map(|(inside, _)| inside)
}

// The transcripts, unpacked and grouped by the agent that wrote them.

/// How many lines are read to recognise a file.
const MAX_LINES: usize = 40;

nudge_core::named_enum! {
    /// The agent that wrote a transcript.
    pub(super) enum Agent {
        Claude => "claude",
        Codex => "codex",
        Copilot => "copilot",
        Gemini => "gemini",
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
        let lines = text.lines().take(MAX_LINES).filter_map(|line| serde_json::from_str::<Value>(line).ok());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_puts_around_words_is_taken_off() {
        let typed = |text: &str| Text::Typed(text.to_owned());
        assert_eq!(read("<ide_opened_file>a/b.rs is open</ide_opened_file>\nfix it"), typed("fix it"));
        assert_eq!(read("fix it\n<system-reminder>be kind</system-reminder>"), typed("fix it"));
        assert_eq!(read("why is <system-reminder> here?"), typed("why is <system-reminder> here?"));
        assert_eq!(read("<system-reminder>x</system-reminder>"), Text::Program("nothing"));
        assert_eq!(read("[Request interrupted by user]"), Text::Program("interruption"));
    }

    #[test]
    fn commands_notes_and_shell_lines_are_distinguished() {
        let text = "<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>a b</command-args>";
        assert_eq!(read(text), Text::Command { name: "/x".into(), arguments: "a b".into() });
        assert_eq!(read("<bash-input>git pull</bash-input>"), Text::Shell("git pull".into()));
        assert_eq!(read("<user-memory-input>use pnpm</user-memory-input>"), Text::Note("use pnpm".into()));
        assert_eq!(plan_comment("a plan\nUser feedback on this plan: smaller"), Some("smaller"));
    }
}
