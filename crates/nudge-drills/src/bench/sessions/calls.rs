//! Finds the call that each result, error and rejection belongs to: the data has their order but no
//! ids.
//!
//! If every command has a result, results come in the order of the commands. Otherwise a command
//! without output has no result, so a run of results belongs to the last commands before it, and
//! the commands before those printed nothing.

use std::collections::{HashMap, HashSet};

use super::data::Event;

/// The message of the agent's program that the user rejected a call.
pub(super) const REFUSED_MESSAGE: &str = "The user doesn't want to proceed with this tool use.";

/// How far back the search goes for the call that a tool error belongs to.
const MAX_EVENTS_BACK: usize = 10;

/// How a call ended, with the number of the event that says so.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It succeeded, or its output shows how it ended.
    Answered(usize),
    Failed(usize),
    Refused(usize),
}

/// The ends of a session's calls.
#[derive(Debug, Default)]
pub(super) struct Ends {
    /// By the number of the call's event. A call that is absent succeeded without output.
    pub(super) of_call: HashMap<usize, End>,
    /// The call that a result, an error or a rejection belongs to.
    pub(super) call_of: HashMap<usize, usize>,
}

impl Ends {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut pairing = Pairing {
            events,
            all_answered: results(events).count() >= commands(events).count(),
            waiting: Vec::new(),
            open: Vec::new(),
            passed: HashSet::new(),
            ends: Self::default(),
        };
        for at in 0..events.len() {
            pairing.event(at);
        }
        pairing.ends
    }
}

fn commands(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| event.is("command"))
}

fn results(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| is_result(event))
}

/// Whether an event is the output of a command. Errors of other tools name the tool.
fn is_result(event: &Event) -> bool {
    let of_shell =
        || matches!(event.tool.as_deref(), None | Some("Bash" | "bash" | "shell" | "exec_command"));
    event.is("command_result") || event.is("error") && of_shell()
}

/// Whether an event is a call that has no result when it succeeds.
fn is_quiet_call(event: &Event) -> bool {
    event.is("edit") || event.is("assistant") && event.is_by("ExitPlanMode")
}

struct Pairing<'e> {
    events: &'e [Event],
    all_answered: bool,
    /// Commands without a result so far.
    waiting: Vec<usize>,
    /// Other calls that may still fail.
    open: Vec<usize>,
    /// Results of a run that is already aligned: each run is aligned once.
    passed: HashSet<usize>,
    ends: Ends,
}

impl Pairing<'_> {
    fn event(&mut self, at: usize) {
        let event = &self.events[at];
        if event.is("command") {
            self.waiting.push(at);
        } else if is_quiet_call(event) {
            self.open.push(at);
        } else if event.is("prompt") && event.is_by("rejection") || event.text.starts_with(REFUSED_MESSAGE) {
            self.refused(at);
        } else if is_result(event) {
            self.result(at);
        } else if event.is("error") {
            self.failed(at);
        } else if event.is_typed() {
            self.waiting.clear();
            self.open.clear();
        }
    }

    fn result(&mut self, at: usize) {
        if !self.all_answered && !self.passed.contains(&at) {
            let between = |event: &Event| event.is("prompt") && event.is_by("queued");
            let run = self.events[at..].iter().enumerate().filter(|(_, event)| !between(event));
            let run: Vec<usize> =
                run.take_while(|(_, event)| is_result(event)).map(|(offset, _)| at + offset).collect();
            let silent = self.waiting.len().saturating_sub(run.len());
            self.waiting.drain(..silent);
            self.passed.extend(run);
        }
        if self.waiting.is_empty() {
            return;
        }
        let call = self.waiting.remove(0);
        self.end(call, at, if self.events[at].is("error") { End::Failed(at) } else { End::Answered(at) });
    }

    fn failed(&mut self, at: usize) {
        let event = &self.events[at];
        let is_its = |call: &usize| {
            let call = &self.events[*call];
            call.tool == event.tool && (event.files.is_empty() || call.files == event.files)
        };
        let near =
            self.open.iter().rposition(is_its).filter(|place| at - self.open[*place] <= MAX_EVENTS_BACK);
        if let Some(place) = near {
            let call = self.open.remove(place);
            self.end(call, at, End::Failed(at));
        }
    }

    /// The rejected call is the last one that has not ended.
    fn refused(&mut self, at: usize) {
        let tool = self.events[at].tool.as_deref().filter(|_| self.events[at].is("error"));
        let fits = |call: &&usize| tool.is_none_or(|tool| self.events[**call].is_by(tool));
        let waits = self.waiting.last().filter(fits).copied();
        let open = self.open.last().filter(fits).copied();
        let Some(call) = waits.max(open) else { return };
        self.waiting.retain(|waiting| *waiting != call);
        self.open.retain(|open| *open != call);
        self.end(call, at, End::Refused(at));
    }

    fn end(&mut self, call: usize, at: usize, end: End) {
        self.ends.of_call.insert(call, end);
        self.ends.call_of.insert(at, call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: &str, tool: Option<&str>, text: &str) -> Event {
        Event {
            kind: kind.to_owned(),
            tool: tool.map(str::to_owned),
            text: text.to_owned(),
            ..Event::default()
        }
    }

    fn ends(events: &[Event]) -> Vec<(usize, End)> {
        let mut ends: Vec<_> = Ends::of(events).of_call.into_iter().collect();
        ends.sort_by_key(|(call, _)| *call);
        ends
    }

    #[test]
    fn results_come_in_the_order_of_commands() {
        let events = [
            event("command", Some("Bash"), "a"),
            event("command", Some("Bash"), "b"),
            event("command_result", None, "of a"),
            event("error", Some("Bash"), "of b"),
        ];
        assert_eq!(ends(&events), [(0, End::Answered(2)), (1, End::Failed(3))]);
    }

    #[test]
    fn a_command_that_printed_nothing_has_no_result() {
        let events = [
            event("command", Some("Bash"), "git add ."),
            event("command", Some("Bash"), "git status"),
            event("prompt", Some("queued"), "and push"),
            event("command_result", None, "on main"),
        ];
        assert_eq!(ends(&events), [(1, End::Answered(3))]);
    }

    #[test]
    fn a_refusal_belongs_to_the_last_call() {
        let events = [
            event("edit", Some("Edit"), "a.rs"),
            event("edit", Some("Edit"), "b.rs"),
            event("prompt", Some("rejection"), "use tabs"),
            event("edit", Some("Edit"), "c.rs"),
            event("error", Some("Edit"), "String to replace not found"),
            event("command", Some("Bash"), "git push"),
            event("error", Some("Bash"), REFUSED_MESSAGE),
        ];
        let expected = [(1, End::Refused(2)), (3, End::Failed(4)), (5, End::Refused(6))];
        assert_eq!(ends(&events), expected);
    }
}
