//! What sessions were given about commands that fail again, compared with people's labels.
//!
//! A group counts from its second session on, or from its second failure where all are in one
//! session. It counts as warned if the command itself came with a warning, or if a line that the
//! session got earlier has the words of the error. Its fix counts as named if a line that the
//! session got up to the failure has the words of the fix that are not in the failed command. If
//! the fix has no such words, a line must have the exact command of the fix.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::calls::{End, Ends};
use super::super::data::{Event, EventRef, FailureGroup, Project};
use super::super::payload::says_failed;
use super::super::replay_output::{InjectionPoint, ReplayOutput};
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
    pub(in super::super) fn of(project: &Project, replay: &ReplayOutput) -> Self {
        let reader = Reader::new(project, replay);
        let groups: Vec<Group> = project.failures.iter().filter_map(|group| reader.group(group)).collect();
        let worth = project.failures.iter().filter(|group| group.is_worth());
        let worth: HashSet<EventRef> = worth.flat_map(|group| group.event_refs()).collect();
        let warned = reader.warned();
        let is_good = |event_ref: &EventRef| {
            worth.contains(event_ref) || reader.fails(event_ref) || reader.quoted_error_occurred(event_ref)
        };
        let good = warned.iter().filter(|event_ref| is_good(event_ref)).count();
        let vain = warned.iter().filter(|event_ref| !is_good(event_ref));
        let mut vain: Vec<String> = vain.filter_map(|event_ref| reader.warning_for(event_ref)).collect();
        vain.sort();
        let negative = project.negatives.iter().filter(|event_ref| warned.contains(*event_ref)).count();
        let after = replay.tools.values().flatten().filter(|asked| !is_before(asked)).count();
        Self {
            groups,
            good: Share { hit: good as u64, of: warned.len() as u64 },
            negatives: Share { hit: negative as u64, of: project.negatives.len() as u64 },
            after: after as u64,
            false_warnings: vain,
        }
    }
}

fn is_before(asked: &InjectionPoint) -> bool {
    asked.source.as_deref() == Some("PreToolUse")
}

struct Reader<'r> {
    events: HashMap<&'r str, Vec<&'r Event>>,
    ends: HashMap<&'r str, Ends>,
    replay: &'r ReplayOutput,
}

impl<'r> Reader<'r> {
    fn new(project: &'r Project, replay: &'r ReplayOutput) -> Self {
        let mut events: HashMap<&str, Vec<&Event>> = HashMap::new();
        for event in &project.events {
            events.entry(&event.session).or_default().push(event);
        }
        let owned = |events: &Vec<&Event>| events.iter().map(|event| (*event).clone()).collect::<Vec<_>>();
        let ends = events.iter().map(|(session, events)| (*session, Ends::of(&owned(events)))).collect();
        Self { events, ends, replay }
    }

    /// The commands that came with a warning.
    fn warned(&self) -> HashSet<EventRef> {
        let all = self.replay.tools.iter();
        all.flat_map(|(session, asked)| {
            let before = asked.iter().filter(|asked| is_before(asked));
            before.filter_map(|asked| Some(EventRef { session: session.clone(), seq: asked.seq? }))
        })
        .collect()
    }

    /// The warning for a command.
    fn warning_for(&self, event_ref: &EventRef) -> Option<String> {
        let asked = self.replay.tools.get(&event_ref.session)?.iter();
        let mut asked = asked.filter(|asked| is_before(asked) && asked.seq == Some(event_ref.seq));
        let text = &asked.next()?.given.as_ref()?.text;
        text.lines().find(|line| line.starts_with("- [")).map(str::to_owned)
    }

    fn command(&self, event_ref: &EventRef) -> Option<(usize, &'r Event)> {
        let events = self.events.get(event_ref.session.as_str())?;
        let at = events.iter().position(|event| event.seq == event_ref.seq)?;
        Some((at, events[at]))
    }

    /// Whether a command fails, by its status.
    fn fails(&self, event_ref: &EventRef) -> bool {
        let Some((at, _)) = self.command(event_ref) else { return false };
        let events = &self.events[event_ref.session.as_str()];
        match self.ends.get(event_ref.session.as_str()).and_then(|ends| ends.of_call.get(&at)) {
            Some(End::Failed(_)) => true,
            Some(End::Answered(end)) => events.get(*end).is_some_and(|event| says_failed(&event.text)),
            _ => false,
        }
    }

    /// Whether the quoted error occurred, although a pipe hid the status.
    fn quoted_error_occurred(&self, event_ref: &EventRef) -> bool {
        let Some((at, _)) = self.command(event_ref) else { return false };
        let Some(said) = self.warning_for(event_ref) else { return false };
        let quoted =
            said.split_once(": \"").and_then(|(_, rest)| rest.split_once("\";")).map(|(line, _)| line);
        let Some(line) = quoted.map(|line| line.trim_end_matches('…').trim()) else { return false };
        let events = &self.events[event_ref.session.as_str()];
        let end = match self.ends.get(event_ref.session.as_str()).and_then(|ends| ends.of_call.get(&at)) {
            Some(End::Failed(end) | End::Answered(end)) => events.get(*end),
            _ => None,
        };
        end.is_some_and(|event| event.text.contains(line))
    }

    fn group(&self, group: &FailureGroup) -> Option<Group> {
        let mut event_refs = group.event_refs();
        event_refs.sort_by_key(|event_ref| self.command(event_ref).and_then(|(_, event)| event.millis()));
        let first = event_refs.first()?.session.clone();
        let counted: Vec<&EventRef> = match group.within {
            true => event_refs.iter().skip(1).collect(),
            false => event_refs.iter().filter(|event_ref| event_ref.session != first).collect(),
        };
        if counted.is_empty() {
            return None;
        }
        let warned_there = self.warned();
        let error = words(&group.error);
        let has_error = |event_ref: &&&EventRef| {
            self.lines(event_ref, event_ref.seq).iter().any(|line| contains_statement(&error, &words(line)))
        };
        let at_command = counted.iter().filter(|event_ref| warned_there.contains(**event_ref)).count();
        let warned = counted
            .iter()
            .filter(|event_ref| warned_there.contains(**event_ref) || has_error(event_ref))
            .count();
        let fixed = group.fix.as_ref().map(|fix| {
            let named =
                |event_ref: &&&EventRef| self.names_fix(event_ref, group.end_of(event_ref), &fix.text);
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
    fn lines(&self, event_ref: &EventRef, upto: u64) -> Vec<&'r str> {
        let starts = self.replay.sessions.get(&event_ref.session).into_iter().flatten();
        let tools = self.replay.tools.get(&event_ref.session).into_iter().flatten();
        let given = starts.chain(tools).filter(|asked| asked.seq.is_none_or(|seq| seq <= upto));
        given.filter_map(|asked| asked.given.as_ref()).flat_map(|given| given.text.lines()).collect()
    }

    fn names_fix(&self, event_ref: &EventRef, upto: u64, label: &str) -> bool {
        let Some((_, command)) = self.command(event_ref) else { return false };
        // Remarks of the labeller are in brackets after two spaces.
        let fix = label.split("  (").next().unwrap_or(label).trim().trim_end_matches("2>&1").trim();
        let failed = words(&command.text);
        let own: BTreeSet<String> = words(fix).difference(&failed).cloned().collect();
        let lines = self.lines(event_ref, upto);
        if own.is_empty() {
            return lines.iter().any(|line| line.contains(&format!("\"{fix}")));
        }
        lines.iter().any(|line| contains_statement(&own, &words(line)))
    }
}
