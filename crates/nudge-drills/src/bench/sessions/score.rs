//! The figures of one replay of one project.

mod failures;
mod reader;

use std::collections::{BTreeMap, HashMap};

use reader::Reader;
use serde_json::{Value, json};

use super::data::{EventRef, Project};
use super::replay_output::ReplayOutput;
use super::words::Rarity;
use crate::bench::sessions::calls::Ends;
use crate::bench::sessions::data::Event;
use crate::bench::sessions::replay_output::Found;

pub(super) use failures::{Failures, Group};
pub(super) use reader::MAX_SHORT_WORDS;

/// The figures of a project.
#[derive(Debug, Default)]
pub(super) struct Score {
    /// Named shares, in display order.
    pub(super) shares: Vec<(&'static str, Tally)>,
    /// Repeats within one session: no start could have helped.
    pub(super) in_session: u64,
    /// Instructions for one task that were injected as lasting rules: session, number, line.
    pub(super) task_rules_kept: Vec<(EventRef, String)>,
    /// Tokens of each start that was given something, sorted.
    pub(super) tokens: Vec<u32>,
    pub(super) starts: u64,
    pub(super) used: BTreeMap<String, (u64, u64)>,
    pub(super) proposals: u64,
    pub(super) failures: Failures,
}

impl Score {
    pub(super) fn of(project: &Project, replay: &ReplayOutput, rarity: &Rarity) -> Self {
        let reader = Reader::new(project, replay, rarity);
        let (repeats, of_others, in_session) = reader.repeats();
        let (at_start, at_prompt, at_either) = reader.helped();
        let (control, new_topic, short) = reader.silence();
        let (recall, precision) = reader.instructions();
        let (has_question, questions) = reader.questions();
        let (found, refused) = Searches::of(project, replay).tallies();
        let starts = replay.starts();
        let mut tokens: Vec<u32> =
            starts.iter().filter_map(|(_, asked)| Some(asked.given.as_ref()?.tokens)).collect();
        tokens.sort_unstable();
        Self {
            shares: vec![
                ("instructions: become a proposal (recall)", recall),
                ("instructions: proposals that hold (precision)", precision),
                ("instructions: the agent has the question", has_question),
                ("prompts at which the agent is asked", questions),
                ("repeats: had the words before", repeats),
                ("repeats of an earlier session: had the words before", of_others),
                ("helped at the start", at_start),
                ("helped at the prompt", at_prompt),
                ("helped at the start or at the prompt", at_either),
                ("search with the prompt as it stands: hit at 10", found),
                ("search with the prompt as it stands: refused", refused),
                ("not silent: control", control),
                ("not silent: new topic", new_topic),
                ("not silent: other prompts of five words or fewer", short),
            ],
            in_session,
            task_rules_kept: reader.standing(),
            tokens,
            starts: starts.len() as u64,
            used: replay.used.clone(),
            proposals: replay.proposals.len() as u64,
            failures: Failures::of(project, replay),
        }
    }

    /// Tokens of the starts at a percentile, by nearest rank.
    pub(super) fn tokens_at(&self, percent: usize) -> Option<u32> {
        self.tokens.get((self.tokens.len() * percent).div_ceil(100).saturating_sub(1)).copied()
    }

    pub(super) fn json(&self) -> Value {
        let shares: serde_json::Map<String, Value> =
            self.shares.iter().map(|(name, tally)| ((*name).to_owned(), tally.json())).collect();
        let standing: Vec<Value> = self
            .task_rules_kept
            .iter()
            .map(
                |(event_ref, line)| json!({"session": event_ref.session, "seq": event_ref.seq, "line": line}),
            )
            .collect();
        json!({
            "shares": shares, "repeats_in_session": self.in_session, "standing": standing, "starts": self.starts,
            "starts_given": self.tokens.len(), "tokens_p50": self.tokens_at(50), "tokens_p95": self.tokens_at(95),
            "used": self.used, "proposals": self.proposals,
        })
    }
}

// Whether a search with the unchanged prompt finds what helps with it.

/// How many characters of an event identify its entry where no hook does: an agent's own words are
/// only in its transcript.
const IDENTIFYING_CHARACTERS: usize = 60;

/// A project's prompts together with the entries found for them.
struct Searches<'r> {
    project: &'r Project,
    replay: &'r ReplayOutput,
    events: HashMap<EventRef, &'r Event>,
    /// A command and its result are one entry.
    partners: HashMap<EventRef, EventRef>,
}

impl<'r> Searches<'r> {
    fn of(project: &'r Project, replay: &'r ReplayOutput) -> Self {
        let mut sessions: HashMap<&str, Vec<Event>> = HashMap::new();
        for event in &project.events {
            sessions.entry(&event.session).or_default().push(event.clone());
        }
        let mut partners = HashMap::new();
        for events in sessions.values() {
            for (result, call) in Ends::of(events).call_of {
                partners.insert(events[result].position(), events[call].position());
                partners.insert(events[call].position(), events[result].position());
            }
        }
        let events = project.events.iter().map(|event| (event.position(), event)).collect();
        Self { project, replay, events, partners }
    }

    /// Of the prompts that something helps with, how many find it; of all prompts, how many are
    /// rejected.
    fn tallies(&self) -> (Tally, Tally) {
        let (mut hit, mut refused) = (Tally::default(), Tally::default());
        for pair in self.project.pairs.iter().filter(|pair| pair.is_helped_by_words()) {
            let found = self.replay.searches.get(&pair.event_ref());
            let found = found.into_iter().flatten().flatten();
            let is_hit = |row: &&Found| pair.helpful.iter().any(|helpful| self.is_of(row, helpful));
            hit.count(pair.event_ref(), found.clone().find(is_hit).map(|row| row.text.as_str()));
        }
        let mut asked: Vec<_> = self.replay.searches.iter().collect();
        asked.sort_by_key(|(event_ref, _)| *event_ref);
        for (event_ref, found) in asked {
            refused.count(event_ref.clone(), found.is_none().then_some("refused"));
        }
        (hit, refused)
    }

    fn is_of(&self, found: &Found, helpful: &EventRef) -> bool {
        let entries = |event_ref: &EventRef| {
            self.replay.entries.get(event_ref).is_some_and(|ids| ids.contains(&found.id))
        };
        if entries(helpful) || self.partners.get(helpful).is_some_and(entries) {
            return true;
        }
        let Some(event) = self.events.get(helpful) else { return false };
        let telling: String = plain(&event.text).chars().take(IDENTIFYING_CHARACTERS).collect();
        found.session.as_deref() == Some(&helpful.session)
            && !telling.is_empty()
            && plain(&found.text).contains(&telling)
    }
}

/// A text without the characters that a store may change: spaces and brackets.
fn plain(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

// Counts, with the reason for each hit.

/// A number of hits out of a total.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Share {
    pub(in super::super::sessions) hit: u64,
    pub(in super::super::sessions) of: u64,
}

impl Share {
    pub(in super::super::sessions) fn value(self) -> Option<f64> {
        (self.of > 0).then(|| self.hit as f64 / self.of as f64)
    }
}

/// What was counted for a share: the event, and the line or words that made it a hit.
#[derive(Debug, Default)]
pub(super) struct Tally(Vec<(EventRef, Option<String>)>);

impl Tally {
    fn count(&mut self, event_ref: EventRef, hit: Option<&str>) {
        self.0.push((event_ref, hit.map(str::to_owned)));
    }

    pub(in super::super::sessions) fn share(&self) -> Share {
        let hit = self.0.iter().filter(|(_, hit)| hit.is_some()).count();
        Share { hit: hit as u64, of: self.0.len() as u64 }
    }

    /// The session of each row, and whether the row is a hit.
    pub(in super::super::sessions) fn rows(&self) -> impl Iterator<Item = (&str, bool)> {
        self.0.iter().map(|(event_ref, hit)| (event_ref.session.as_str(), hit.is_some()))
    }

    /// A row for each of these.
    #[cfg(test)]
    pub(in super::super::sessions) fn of_sessions(rows: impl Iterator<Item = (String, bool)>) -> Self {
        let row =
            |(session, is_hit): (String, bool)| (EventRef { session, seq: 0 }, is_hit.then(String::new));
        Self(rows.map(row).collect())
    }

    /// This many hits out of a total.
    #[cfg(test)]
    pub(in super::super::sessions) fn of(hit: u64, of: u64) -> Self {
        let row =
            |number| (EventRef { session: String::new(), seq: number }, (number < hit).then(String::new));
        Self((0..of).map(row).collect())
    }

    /// Each row, for debugging.
    fn json(&self) -> Value {
        let row = |(event_ref, hit): &(EventRef, Option<String>)| json!({"session": event_ref.session, "seq": event_ref.seq, "hit": hit});
        let Share { hit, of } = self.share();
        json!({"hit": hit, "of": of, "rows": self.0.iter().map(row).collect::<Vec<_>>()})
    }
}

#[cfg(test)]
mod tests;
