//! What sessions were given about commands that fail again, compared with people's labels.
//!
//! A group counts from its second session on, or from its second failure where all are in one
//! session. It counts as warned if the command itself came with a warning, or if a line that the
//! session got earlier has the words of the error. Its fix counts as named if a line that the
//! session got up to the failure has the words of the fix that are not in the failed command. If
//! the fix has no such words, a line must have the exact command of the fix.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::calls::{End, Ends};
use super::super::data::{Event, FailureGroup, Place, Project};
use super::super::heard::{Asked, Heard};
use super::super::payload::says_failed;
use super::super::words::{contains_statement, words};
use super::Share;

/// The result for one group.
#[derive(Clone, Debug)]
pub(in super::super) struct Group {
    pub(in super::super) name: String,
    pub(in super::super) is_worth: bool,
    /// How many of its failures count.
    pub(in super::super) of: usize,
    /// Of these: with a warning at the command, with a warning there or earlier in the session,
    /// with the fix named.
    pub(in super::super) at_command: usize,
    pub(in super::super) warned: usize,
    pub(in super::super) fixed: Option<usize>,
}

/// The figures of a project.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Failures {
    pub(in super::super) groups: Vec<Group>,
    /// Warnings after which the command failed, or which were labelled as justified.
    pub(in super::super) good: Share,
    /// Commands that should get no warning and got one.
    pub(in super::super) negatives: Share,
    /// Lines after a failure.
    pub(in super::super) after: u64,
    /// Warnings for commands that then passed.
    pub(in super::super) false_warnings: Vec<String>,
}

impl Failures {
    pub(in super::super) fn of(project: &Project, heard: &Heard) -> Self {
        let reader = Reader::new(project, heard);
        let groups: Vec<Group> = project.failures.iter().filter_map(|group| reader.group(group)).collect();
        let worth = project.failures.iter().filter(|group| group.is_worth());
        let worth: HashSet<Place> = worth.flat_map(|group| group.places()).collect();
        let warned = reader.warned();
        let is_good = |place: &Place| {
            worth.contains(place) || reader.fails(place) || reader.quoted_error_occurred(place)
        };
        let good = warned.iter().filter(|place| is_good(place)).count();
        let vain = warned.iter().filter(|place| !is_good(place));
        let mut vain: Vec<String> = vain.filter_map(|place| reader.said_of(place)).collect();
        vain.sort();
        let negative = project.negatives.iter().filter(|place| warned.contains(*place)).count();
        let after = heard.tools.values().flatten().filter(|asked| !is_before(asked)).count();
        Self {
            groups,
            good: Share { hit: good as u64, of: warned.len() as u64 },
            negatives: Share { hit: negative as u64, of: project.negatives.len() as u64 },
            after: after as u64,
            false_warnings: vain,
        }
    }
}

fn is_before(asked: &Asked) -> bool {
    asked.source.as_deref() == Some("PreToolUse")
}

struct Reader<'r> {
    events: HashMap<&'r str, Vec<&'r Event>>,
    ends: HashMap<&'r str, Ends>,
    heard: &'r Heard,
}

impl<'r> Reader<'r> {
    fn new(project: &'r Project, heard: &'r Heard) -> Self {
        let mut events: HashMap<&str, Vec<&Event>> = HashMap::new();
        for event in &project.events {
            events.entry(&event.session).or_default().push(event);
        }
        let owned = |events: &Vec<&Event>| events.iter().map(|event| (*event).clone()).collect::<Vec<_>>();
        let ends = events.iter().map(|(session, events)| (*session, Ends::of(&owned(events)))).collect();
        Self { events, ends, heard }
    }

    /// The commands that came with a warning.
    fn warned(&self) -> HashSet<Place> {
        let all = self.heard.tools.iter();
        all.flat_map(|(session, asked)| {
            let before = asked.iter().filter(|asked| is_before(asked));
            before.filter_map(|asked| Some(Place { session: session.clone(), seq: asked.seq? }))
        })
        .collect()
    }

    /// The warning for a command.
    fn said_of(&self, place: &Place) -> Option<String> {
        let asked = self.heard.tools.get(&place.session)?.iter();
        let mut asked = asked.filter(|asked| is_before(asked) && asked.seq == Some(place.seq));
        let text = &asked.next()?.given.as_ref()?.text;
        text.lines().find(|line| line.starts_with("- [")).map(str::to_owned)
    }

    fn command(&self, place: &Place) -> Option<(usize, &'r Event)> {
        let events = self.events.get(place.session.as_str())?;
        let at = events.iter().position(|event| event.seq == place.seq)?;
        Some((at, events[at]))
    }

    /// Whether a command fails, by its status.
    fn fails(&self, place: &Place) -> bool {
        let Some((at, _)) = self.command(place) else { return false };
        let events = &self.events[place.session.as_str()];
        match self.ends.get(place.session.as_str()).and_then(|ends| ends.of_call.get(&at)) {
            Some(End::Failed(_)) => true,
            Some(End::Answered(end)) => events.get(*end).is_some_and(|event| says_failed(&event.text)),
            _ => false,
        }
    }

    /// Whether the quoted error occurred, although a pipe hid the status.
    fn quoted_error_occurred(&self, place: &Place) -> bool {
        let Some((at, _)) = self.command(place) else { return false };
        let Some(said) = self.said_of(place) else { return false };
        let quoted =
            said.split_once(": \"").and_then(|(_, rest)| rest.split_once("\";")).map(|(line, _)| line);
        let Some(line) = quoted.map(|line| line.trim_end_matches('…').trim()) else { return false };
        let events = &self.events[place.session.as_str()];
        let end = match self.ends.get(place.session.as_str()).and_then(|ends| ends.of_call.get(&at)) {
            Some(End::Failed(end) | End::Answered(end)) => events.get(*end),
            _ => None,
        };
        end.is_some_and(|event| event.text.contains(line))
    }

    fn group(&self, group: &FailureGroup) -> Option<Group> {
        let mut places = group.places();
        places.sort_by_key(|place| self.command(place).and_then(|(_, event)| event.millis()));
        let first = places.first()?.session.clone();
        let counted: Vec<&Place> = match group.within {
            true => places.iter().skip(1).collect(),
            false => places.iter().filter(|place| place.session != first).collect(),
        };
        if counted.is_empty() {
            return None;
        }
        let warned_there = self.warned();
        let error = words(&group.error);
        let has_error = |place: &&&Place| {
            self.lines(place, place.seq).iter().any(|line| contains_statement(&error, &words(line)))
        };
        let at_command = counted.iter().filter(|place| warned_there.contains(**place)).count();
        let warned =
            counted.iter().filter(|place| warned_there.contains(**place) || has_error(place)).count();
        let fixed = group.fix.as_ref().map(|fix| {
            let named = |place: &&&Place| self.names_fix(place, group.end_of(place), &fix.text);
            counted.iter().filter(named).count()
        });
        Some(Group {
            name: group.group.clone(),
            is_worth: group.is_worth(),
            of: counted.len(),
            at_command,
            warned,
            fixed,
        })
    }

    /// The lines that a session was given up to an event.
    fn lines(&self, place: &Place, upto: u64) -> Vec<&'r str> {
        let starts = self.heard.sessions.get(&place.session).into_iter().flatten();
        let tools = self.heard.tools.get(&place.session).into_iter().flatten();
        let given = starts.chain(tools).filter(|asked| asked.seq.is_none_or(|seq| seq <= upto));
        given.filter_map(|asked| asked.given.as_ref()).flat_map(|given| given.text.lines()).collect()
    }

    fn names_fix(&self, place: &Place, upto: u64, label: &str) -> bool {
        let Some((_, command)) = self.command(place) else { return false };
        // Remarks of the labeller are in brackets after two spaces.
        let fix = label.split("  (").next().unwrap_or(label).trim().trim_end_matches("2>&1").trim();
        let failed = words(&command.text);
        let own: BTreeSet<String> = words(fix).difference(&failed).cloned().collect();
        let lines = self.lines(place, upto);
        if own.is_empty() {
            return lines.iter().any(|line| line.contains(&format!("\"{fix}")));
        }
        lines.iter().any(|line| contains_statement(&own, &words(line)))
    }
}
