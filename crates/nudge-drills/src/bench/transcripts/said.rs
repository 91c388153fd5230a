//! The contents of the transcripts: what people said, and what programs wrote in their place.

use serde_json::Value;

use std::collections::{BTreeMap, HashSet};

use super::files::File;

/// How a person said something.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Prompt,
    Refusal,
    Queued,
    Answer,
    Beside,
    Arguments,
    Plan,
    Shell,
    Note,
}

impl Kind {
    pub(super) const ALL: [Self; 9] = [
        Self::Prompt,
        Self::Refusal,
        Self::Queued,
        Self::Answer,
        Self::Beside,
        Self::Arguments,
        Self::Plan,
        Self::Shell,
        Self::Note,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Prompt => "typed prompts",
            Self::Refusal => "words while refusing a call",
            Self::Queued => "messages while the agent works",
            Self::Answer => "answers to questions",
            Self::Beside => "text beside a tool result",
            Self::Arguments => "arguments of commands",
            Self::Plan => "comments on plans",
            Self::Shell => "shell commands typed with !",
            Self::Note => "notes typed with #",
        }
    }
}

/// Something a person said.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) agent: &'static str,
    pub(super) file: String,
    pub(super) session: String,
    pub(super) kind: Kind,
    pub(super) words: String,
}

/// Everything that was heard.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub(super) said: Vec<Said>,
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
            self.collected.said.push(Said {
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
