//! The output of a replay: what each session was given, the proposals, and which lines were used.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;
use nudge_core::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use super::data::EventRef;

/// The headings of the question for a rule, and of what was found for a prompt.
const QUESTION_HEADING: &str = "## Nudge asks";
const FOUND_HEADING: &str = "## Earlier work on this";

/// A point at which a session may be given something: its start, or a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct InjectionPoint {
    /// The matching event of the data; `None` for a start.
    pub(super) seq: Option<u64>,
    /// How the session started; `None` at a prompt.
    pub(super) source: Option<String>,
    pub(super) at: i64,
    pub(super) given: Option<Given>,
    /// Whether the agent was asked for a rule. That alone counts as nothing given.
    pub(super) asks: bool,
}

/// What a session was given.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Given {
    pub(super) text: String,
    pub(super) tokens: u32,
}

/// A statement that is or was pending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Proposal {
    pub(super) text: String,
    /// When it was said, and in which session.
    pub(super) said: Vec<(String, i64)>,
}

/// For the lines of a section that name a file or a command: how many there were, and how many were
/// used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Used {
    section: String,
    named: u64,
    used: u64,
}

/// An entry that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Found {
    pub(super) id: i64,
    pub(super) session: Option<String>,
    pub(super) text: String,
}

/// An entry that a prompt could be given.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Candidate {
    pub(super) line: String,
    pub(super) features: serde_json::Map<String, Value>,
    withheld: Option<String>,
}

/// The whole output of one replay.
#[derive(Debug, Default)]
pub(in crate::bench) struct ReplayOutput {
    pub(super) sessions: HashMap<String, Vec<InjectionPoint>>,
    pub(super) proposals: Vec<Proposal>,
    pub(super) used: BTreeMap<String, (u64, u64)>,
    pub(super) stored: u64,
    /// What a search with each prompt found; `None` where it was rejected.
    pub(super) searches: HashMap<EventRef, Option<Vec<Found>>>,
    /// The texts given before and after commands; the source is the name of the hook.
    pub(super) tools: HashMap<String, Vec<InjectionPoint>>,
    /// What each prompt could be given, if the replay prints it.
    candidates: HashMap<EventRef, Vec<Candidate>>,
    /// The entries that an event produced.
    pub(super) entries: HashMap<EventRef, Vec<i64>>,
}

impl ReplayOutput {
    /// The output of the replay program with these arguments.
    pub(super) fn of(program: &Path, args: &[&OsStr]) -> anyhow::Result<Self> {
        let output =
            Command::new(program).arg("replay-sessions").args(args).stderr(Stdio::inherit()).output();
        let output = output.context("sessions cannot be replayed")?;
        anyhow::ensure!(output.status.success(), "the replay ended with {}", output.status);
        Self::read(&String::from_utf8(output.stdout)?)
    }

    /// What a prompt could be given.
    pub(super) fn candidates_of(&self, prompt: &EventRef) -> Vec<&Candidate> {
        let found = self.candidates.get(prompt).into_iter().flatten();
        found.filter(|candidate| candidate.withheld.is_none()).collect()
    }

    pub(super) fn read(lines: &str) -> anyhow::Result<Self> {
        let mut replay = Self::default();
        for line in lines.lines() {
            replay.line(serde_json::from_str(line)?)?;
        }
        Ok(replay)
    }

    fn line(&mut self, line: Value) -> anyhow::Result<()> {
        if let Some(proposals) = line["proposals"].as_array() {
            self.proposals = proposals.iter().filter_map(proposal).collect();
        } else if line["used"].is_array() {
            let used: Vec<Used> = serde_json::from_value(line["used"].clone())?;
            self.used = used.into_iter().map(|used| (used.section, (used.named, used.used))).collect();
        } else if let Some(stored) = line["stored"].as_u64() {
            self.stored = stored;
        } else {
            let session = line["session"].as_str().context("a line without its session")?;
            let event_ref = line["seq"].as_u64().map(|seq| EventRef { session: session.to_owned(), seq });
            if let Some(entry) = line["entry"].as_i64() {
                if let Some(event_ref) = event_ref {
                    self.entries.entry(event_ref).or_default().push(entry);
                }
                return Ok(());
            }
            if let Some(candidates) = line.get("candidates") {
                let candidates = serde_json::from_value(candidates.clone())?;
                self.candidates.extend(event_ref.map(|event_ref| (event_ref, candidates)));
                return Ok(());
            }
            if let Some(searched) = line.get("searched") {
                let found = serde_json::from_value(searched.clone())?;
                if let Some(event_ref) = event_ref {
                    self.searches.insert(event_ref, found);
                }
                return Ok(());
            }
            let given: Option<Given> = serde_json::from_value(line["given"].clone())?;
            let asks = given.as_ref().is_some_and(|given| given.text.contains(QUESTION_HEADING));
            let asked = InjectionPoint {
                asks,
                seq: line["seq"].as_u64(),
                source: line["source"].as_str().map(str::to_owned),
                at: line["at"].as_i64().context("a line without its time")?,
                given: given.filter(|given| !asks || given.text.contains(FOUND_HEADING)),
            };
            let event = line["event"].as_str().filter(|event| event.contains("ToolUse"));
            match event {
                Some(event) => {
                    let asked = InjectionPoint { source: Some(event.to_owned()), ..asked };
                    self.tools.entry(session.to_owned()).or_default().push(asked);
                }
                None => self.sessions.entry(session.to_owned()).or_default().push(asked),
            }
        }
        Ok(())
    }

    /// The texts that a session was given before a prompt, without the one given with it.
    pub(super) fn before(&self, prompt: &EventRef) -> impl Iterator<Item = &str> {
        let asked = self.sessions.get(&prompt.session).into_iter().flatten();
        let earlier = move |asked: &&InjectionPoint| asked.seq.is_none_or(|seq| seq < prompt.seq);
        asked.filter(earlier).filter_map(|asked| Some(asked.given.as_ref()?.text.as_str()))
    }

    /// The texts that it was given when it started, or when its context was refilled, before a
    /// prompt.
    pub(super) fn at_starts(&self, prompt: &EventRef) -> impl Iterator<Item = &str> {
        let asked = self.sessions.get(&prompt.session).into_iter().flatten();
        let start = move |asked: &&InjectionPoint| {
            asked.source.is_some() && asked.seq.is_none_or(|seq| seq < prompt.seq)
        };
        asked.filter(start).filter_map(|asked| Some(asked.given.as_ref()?.text.as_str()))
    }

    /// The text that it was given with a prompt.
    pub(in crate::bench) fn at_prompt(&self, prompt: &EventRef) -> Option<&str> {
        let asked = self.sessions.get(&prompt.session)?;
        let of = |asked: &&InjectionPoint| asked.source.is_none() && asked.seq == Some(prompt.seq);
        asked.iter().find(of)?.given.as_ref().map(|given| given.text.as_str())
    }

    /// Whether the session was asked for a rule at this prompt.
    pub(super) fn asks_at(&self, prompt: &EventRef) -> bool {
        let asked = self.sessions.get(&prompt.session).into_iter().flatten();
        asked.filter(|asked| asked.seq == Some(prompt.seq)).any(|asked| asked.asks)
    }

    /// Whether it was asked at this prompt or before, and still has the question in its context.
    pub(super) fn has_question(&self, prompt: &EventRef) -> bool {
        let asked = self.sessions.get(&prompt.session).into_iter().flatten();
        let upto = asked.filter(|asked| asked.seq.is_none_or(|seq| seq <= prompt.seq));
        upto.fold(false, |has, asked| asked.asks || has && asked.source.is_none())
    }

    /// All starts of sessions, in the order of time.
    pub(super) fn starts(&self) -> Vec<(&str, &InjectionPoint)> {
        let is_start = |asked: &&InjectionPoint| asked.source.as_deref() == Some("startup");
        let all = self.sessions.iter();
        let mut starts: Vec<_> = all
            .flat_map(|(session, asked)| asked.iter().filter(is_start).map(|asked| (session.as_str(), asked)))
            .collect();
        starts.sort_by_key(|(session, asked)| (asked.at, *session));
        starts
    }
}

/// A statement among the proposals. If it does not list when it was said, it has one session and
/// one time.
fn proposal(value: &Value) -> Option<Proposal> {
    if value["kind"] != "statement" {
        return None;
    }
    let said = match value["said"].as_array() {
        Some(said) => said.iter().filter_map(|said| Some((session(said)?, time(&said["at"])?))).collect(),
        None => session(value).zip(time(&value["first_at"])).into_iter().collect(),
    };
    Some(Proposal { text: value["text"].as_str()?.to_owned(), said })
}

fn session(value: &Value) -> Option<String> {
    value["session"].as_str().map(str::to_owned)
}

fn time(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| Timestamp::parse(value.as_str()?).map(Timestamp::as_millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_given_before_a_prompt_is_distinguished_from_what_was_given_with_it() {
        let lines = r#"{"session":"s","seq":null,"event":"SessionStart","source":"startup","at":1,"given":{"text":"start","lines":1,"tokens":9}}
{"session":"s","seq":3,"event":"UserPromptSubmit","source":null,"at":2,"given":{"text":"at three","lines":1,"tokens":2}}
{"session":"s","seq":7,"event":"UserPromptSubmit","source":null,"at":3,"given":null}
{"proposals":[{"kind":"edit","id":1},{"kind":"statement","text":"use tabs","said":[{"session":"s","at":"1970-01-01T00:00:00.002Z"}]}]}
{"session":"s","seq":7,"entry":31}
{"session":"s","seq":7,"searched":null}
{"used":[{"section":"project","named":4,"used":1}]}
{"stored":12,"not_stored":0}"#;
        let replay = ReplayOutput::read(lines).expect("well formed");
        let event_ref = |seq| EventRef { session: "s".to_owned(), seq };
        assert_eq!(replay.before(&event_ref(7)).collect::<Vec<_>>(), ["start", "at three"]);
        assert_eq!(replay.before(&event_ref(3)).collect::<Vec<_>>(), ["start"]);
        assert_eq!(replay.at_starts(&event_ref(7)).collect::<Vec<_>>(), ["start"]);
        assert_eq!(
            (replay.at_prompt(&event_ref(3)), replay.at_prompt(&event_ref(7))),
            (Some("at three"), None)
        );
        assert_eq!(
            replay.proposals,
            [Proposal { text: "use tabs".to_owned(), said: vec![("s".to_owned(), 2)] }]
        );
        assert_eq!((&replay.entries[&event_ref(7)], &replay.searches[&event_ref(7)]), (&vec![31], &None));
        assert_eq!((replay.used["project"], replay.stored, replay.starts().len()), ((4, 1), 12, 1));
    }
}
