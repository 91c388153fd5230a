//! Compares what was given, proposed and used with what people said and needed.

use std::collections::{BTreeSet, HashMap};

use super::Tally;
use crate::bench::sessions::data::{Event, EventRef, Instruction, Pair, Project};
use crate::bench::sessions::replay_output::{Proposal, ReplayOutput};
use crate::bench::sessions::words::{self, Distinguishing, Rarity, words};

/// The heading of the lasting statements in a start block.
const STATED_HEADING: &str = "## Stated";

/// The note on a statement that nobody accepted or repeated.
const SAID_ONCE: &str = "said once";

/// A proposal belongs to an event that was said within this time of it, in milliseconds.
const MAX_DISTANCE_MS: i64 = 5_000;

/// Prompts with this many words or fewer are too short for memory to help.
pub(in crate::bench::sessions) const MAX_SHORT_WORDS: usize = 5;

/// A project together with the output of its replay.
pub(super) struct Reader<'r> {
    project: &'r Project,
    replay: &'r ReplayOutput,
    rarity: &'r Rarity,
    events: HashMap<EventRef, &'r Event>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(project: &'r Project, replay: &'r ReplayOutput, rarity: &'r Rarity) -> Self {
        let events = project.events.iter().map(|event| (event.position(), event)).collect();
        Self { project, replay, rarity, events }
    }

    /// The share of lasting instructions that became a proposal with their words; and, of the
    /// sampled instructions that became a proposal, the share that are lasting.
    pub(super) fn instructions(&self) -> (Tally, Tally) {
        let (mut recall, mut precision) = (Tally::default(), Tally::default());
        for row in &self.project.instructions {
            let born: Vec<&Proposal> =
                self.replay.proposals.iter().filter(|proposal| self.is_from(proposal, row)).collect();
            if row.is_lasting() {
                let carries = words(row.statement.as_deref().unwrap_or(&row.text));
                let with_words =
                    born.iter().find(|born| words::contains_statement(&carries, &words(&born.text)));
                recall.count(row.event_ref(), with_words.map(|born| born.text.as_str()));
            }
            if let (Some(first), true) = (born.first(), row.sample != "supplement") {
                precision.count(row.event_ref(), row.is_lasting().then_some(first.text.as_str()));
            }
        }
        (recall, precision)
    }

    /// Of the lasting instructions, those at which the agent has the question for a rule, asked at
    /// this prompt or an earlier one; of all prompts, those at which it is asked.
    pub(super) fn questions(&self) -> (Tally, Tally) {
        let (mut has, mut asks) = (Tally::default(), Tally::default());
        for row in self.project.instructions.iter().filter(|row| row.is_lasting()) {
            let question = self.replay.has_question(&row.event_ref()).then_some("asked");
            has.count(row.event_ref(), question);
        }
        for event in self.project.events.iter().filter(|event| event.is_typed()) {
            let event_ref = event.position();
            let question = self.replay.asks_at(&event_ref).then_some("asked");
            asks.count(event_ref, question);
        }
        (has, asks)
    }

    /// Whether a proposal came from this instruction: the same session, the same time, and words of
    /// it.
    fn is_from(&self, proposal: &Proposal, row: &Instruction) -> bool {
        let event_ref = row.event_ref();
        let Some(event) = self.events.get(&event_ref) else { return false };
        let Some(at) = event.millis() else { return false };
        let said = |(session, said): &(String, i64)| {
            *session == event_ref.session && (said - at).abs() <= MAX_DISTANCE_MS
        };
        proposal.said.iter().any(said)
            && words::contains_statement(&words(&proposal.text), &words(&event.text))
    }

    /// How often the session already had the earlier words when they were said again; the same for
    /// words first said in another session; and how many repeats are within one session.
    pub(super) fn repeats(&self) -> (Tally, Tally, u64) {
        let (mut tally, mut of_others, mut in_session) = (Tally::default(), Tally::default(), 0);
        let mut count = |now: EventRef, earlier: Vec<(&EventRef, BTreeSet<String>)>| {
            let is_own = earlier.iter().all(|(event_ref, _)| event_ref.session == now.session);
            in_session += u64::from(is_own);
            let given = now.clone();
            let had = |words| self.replay.before(&given).find_map(|text| words::line_with(words, text));
            let line = earlier.iter().find_map(|(_, words)| had(words));
            tally.count(now.clone(), line);
            if !is_own {
                of_others.count(now, line);
            }
        };
        for row in &self.project.instructions {
            if let Some(earlier) = &row.same_as {
                let now = row.statement.as_deref().unwrap_or(&row.text);
                count(row.event_ref(), vec![(earlier, self.earlier_words(earlier, now, None))]);
            }
        }
        for pair in self.pairs(|why| why == "repeated_instruction") {
            let note = pair.note.as_deref();
            let earlier = pair
                .helpful
                .iter()
                .map(|event_ref| (event_ref, self.earlier_words(event_ref, &pair.prompt, note)));
            count(pair.event_ref(), earlier.collect());
        }
        (tally, of_others, in_session)
    }

    /// The first instance of a repeat: the words that the note quotes, or those that a labeller
    /// marked, or the sentence most similar to the new one.
    fn earlier_words(&self, earlier: &EventRef, now: &str, note: Option<&str>) -> BTreeSet<String> {
        let row = self.project.instructions.iter().find(|row| row.event_ref() == *earlier);
        let marked = row.and_then(|row| row.statement.as_deref());
        let quoted =
            note.and_then(|note| note.split_once("before «")).map(|(_, quoted)| quoted.trim_end_matches('»'));
        let text = self.events.get(earlier).map_or("", |event| event.text.as_str());
        words(quoted.or(marked).or_else(|| words::most_similar_sentence(text, now)).unwrap_or(text))
    }

    fn pairs(&self, wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'r Pair> {
        self.project.pairs.iter().filter(move |pair| wanted(&pair.why))
    }

    /// How often what helps was given at the start of the session, with the prompt, or at either.
    /// What a session has is not given again.
    pub(super) fn helped(&self) -> (Tally, Tally, Tally) {
        let (mut at_start, mut at_prompt, mut at_either) = <(Tally, Tally, Tally)>::default();
        for pair in self.project.pairs.iter().filter(|pair| pair.is_helped_by_words()) {
            let helpful = pair.helpful.iter().filter_map(|event_ref| self.events.get(event_ref));
            let helpful: Vec<Distinguishing> =
                helpful.map(|event| self.rarity.distinguishing(&event.text, &pair.prompt)).collect();
            let event_ref = pair.event_ref();
            let line = |text| helpful.iter().find_map(|words| words::helpful_line(words, text));
            let started = self.replay.at_starts(&event_ref).find_map(line);
            let prompted = self.replay.at_prompt(&event_ref).and_then(line);
            at_start.count(event_ref.clone(), started);
            at_prompt.count(event_ref.clone(), prompted);
            at_either.count(event_ref, started.or(prompted));
        }
        (at_start, at_prompt, at_either)
    }

    /// Of the prompts that should get nothing, how many were given something.
    pub(super) fn silence(&self) -> (Tally, Tally, Tally) {
        let (mut control, mut new_topic, mut short) = (Tally::default(), Tally::default(), Tally::default());
        let mut known = BTreeSet::new();
        for pair in self.pairs(|why| ["control", "new_topic"].contains(&why)) {
            let tally = if pair.why == "control" { &mut control } else { &mut new_topic };
            tally.count(pair.event_ref(), self.replay.at_prompt(&pair.event_ref()));
            known.insert(pair.event_ref());
        }
        for event in self.project.events.iter().filter(|event| event.is_typed()) {
            let event_ref = EventRef { session: event.session.clone(), seq: event.seq };
            if event.text.split_whitespace().count() <= MAX_SHORT_WORDS && !known.contains(&event_ref) {
                short.count(event_ref.clone(), self.replay.at_prompt(&event_ref));
            }
        }
        (control, new_topic, short)
    }

    /// The instructions for one task that a later block shows as lasting rules.
    pub(super) fn standing(&self) -> Vec<(EventRef, String)> {
        let mut blocks: Vec<(i64, &str)> = Vec::new();
        for asked in self.replay.sessions.values().flatten() {
            blocks.extend(asked.given.iter().map(|given| (asked.at, given.text.as_str())));
        }
        let mut lines: Vec<(i64, &str, BTreeSet<String>)> = Vec::new();
        for (at, text) in blocks {
            lines.extend(stated(text).map(|line| (at, line, words(line))));
        }
        let mut found = Vec::new();
        for row in self.project.instructions.iter().filter(|row| row.label == "one_off") {
            let Some(event) = self.events.get(&row.event_ref()) else { continue };
            let said = event.millis().unwrap_or(i64::MAX);
            let line = lines.iter().find(|(at, _, words)| *at > said && says_the_same(words, &event.text));
            found.extend(line.map(|(_, line, _)| (row.event_ref(), (*line).to_owned())));
        }
        found
    }
}

/// The lines of a text that state lasting rules.
fn stated(text: &str) -> impl Iterator<Item = &str> {
    let mut is_inside = false;
    text.lines().filter(move |line| {
        if line.starts_with('#') {
            is_inside = line.starts_with(STATED_HEADING);
            return false;
        }
        is_inside && !line.trim().is_empty() && !line.contains(SAID_ONCE)
    })
}

/// Whether a line says the same as one sentence of a text: each has most of the words of the other.
fn says_the_same(line: &BTreeSet<String>, text: &str) -> bool {
    words::sentences(text).map(words).any(|sentence| {
        let shared = sentence.intersection(line).count();
        sentence.len() > 2 && words::contains_statement(&sentence, line) && shared * 2 >= line.len()
    })
}
