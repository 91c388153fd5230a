//! The events that the sessions of the drill send: planned in advance, the same in every run.

use std::time::Duration;

use serde_json::{Value, json};

/// One event in this many is sent twice.
const TWICE_IN: u64 = 10;

/// The events of a session, including its start and end: an hour or two of work.
const SESSION_EVENTS: usize = 125;

/// The mix of an agent's events, out of a hundred between the start and the end of its session.
const EVENT_MIX: [(What, u64); 9] = [
    (What::Command, 34),
    (What::Read, 22),
    (What::Edit, 14),
    (What::Failure, 6),
    (What::Write, 6),
    (What::Mcp, 6),
    (What::Prompt, 6),
    (What::Stop, 4),
    (What::SilentStop, 2),
];

/// The kind of an event.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Start,
    Prompt,
    Command,
    Failure,
    Read,
    Edit,
    Write,
    Mcp,
    /// The agent stopped and said what it did: a conclusion.
    Stop,
    /// The agent stopped without a message.
    SilentStop,
    End,
}

impl What {
    /// How long the whole process may take, by the documented limit of hooks.
    pub(super) const fn deadline(self) -> Duration {
        Duration::from_millis(match self {
            Self::Start => 800,
            Self::Stop | Self::SilentStop | Self::End => 500,
            Self::Prompt => 200,
            Self::Command | Self::Failure | Self::Read | Self::Edit | Self::Write | Self::Mcp => 150,
        })
    }

    /// Whether the store keeps anything of it.
    pub(super) const fn is_stored(self) -> bool {
        !matches!(self, Self::SilentStop)
    }

    /// Whether the agent gives it an id. Without one, only events within two seconds count as the
    /// same.
    const fn has_id(self) -> bool {
        !matches!(self, Self::Start | Self::End | Self::Stop | Self::SilentStop)
    }
}

/// When the event is sent the second time.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum Again {
    /// After the first has ended.
    AtOnce,
    /// While the first runs.
    Beside,
    /// This many events later.
    Later(usize),
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    /// Its key in the store.
    pub(super) key: String,
    pub(super) what: What,
    pub(super) payload: String,
    pub(super) again: Option<Again>,
}

/// The sessions that one lane runs, one after the other.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) events: Vec<Event>,
    /// The names of its sessions.
    pub(super) sessions: Vec<String>,
}

impl Lane {
    /// How many processes it starts.
    pub(super) fn processes(&self) -> usize {
        self.events.len() + self.events.iter().filter(|event| event.again.is_some()).count()
    }
}

/// Plans a lane with this many processes.
pub(super) fn lane(number: usize, processes: usize, home: &str) -> Lane {
    let mut random = Random::new(number as u64);
    let mut lane = Lane { events: Vec::new(), sessions: Vec::new() };
    let mut left = processes;
    while left > 0 {
        let setting = Setting::new(home, number, lane.sessions.len());
        let mut turn = 0;
        for place in 0.. {
            let what = match place {
                0 => What::Start,
                // The last process of the lane, or the last event of the session.
                _ if left == 1 || place + 1 == SESSION_EVENTS => What::End,
                1 => What::Prompt,
                _ => random.what(),
            };
            turn += usize::from(what == What::Prompt);
            // Leaves room for the end, which every session has.
            let again = if left > 2 { random.again(what) } else { None };
            let marker = marker(number, lane.events.len());
            lane.events.push(setting.event(what, &marker, turn, again));
            left -= if again.is_some() { 2 } else { 1 };
            if what == What::End || left == 0 {
                break;
            }
        }
        lane.sessions.push(setting.session);
    }
    lane
}

/// The word that marks one event, and that is not mistaken for a credential.
fn marker(lane: usize, event: usize) -> String {
    format!("item{lane:02}{event:05}")
}

/// A random number generator that repeats the same sequence in every run.
pub(in crate::drill) struct Random(u64);

impl Random {
    pub(in crate::drill) const fn new(seed: u64) -> Self {
        Self(seed.wrapping_add(0x9e37_79b9_7f4a_7c15))
    }

    /// A number below `bound`.
    pub(in crate::drill) const fn below(&mut self, bound: u64) -> u64 {
        // Knuth's multiplier.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn what(&mut self) -> What {
        let mut roll = self.below(EVENT_MIX.iter().map(|(_, share)| share).sum());
        for (what, share) in EVENT_MIX {
            match roll.checked_sub(share) {
                None => return what,
                Some(rest) => roll = rest,
            }
        }
        What::Command
    }

    fn again(&mut self, what: What) -> Option<Again> {
        if self.below(TWICE_IN) > 0 {
            return None;
        }
        Some(match self.below(3) {
            0 => Again::AtOnce,
            1 if what.has_id() => Again::Later(1 + self.below(30) as usize),
            _ => Again::Beside,
        })
    }
}

// Payloads in the format of Claude Code, with made-up content.

/// The number of projects that the lanes work in: a few, as one user has.
const PROJECTS: usize = 5;

/// A line of output.
const OUTPUT: &str = "test search::tests::finds_what_was_said ... ok\n";

/// A line of a file.
const SOURCE: &str = "    let found = index.search(&query, limit)?; // in the order people expect\n";

/// One session of one lane.
struct Setting {
    session: String,
    cwd: String,
    transcript: String,
}

impl Setting {
    fn new(home: &str, lane: usize, ordinal: usize) -> Self {
        let session = format!("5e551011-0000-4000-8000-{:06}{:06}", lane, ordinal);
        let transcript = format!("{home}/.claude/projects/work/{session}.jsonl");
        Self { session, cwd: format!("{home}/{}", project(lane)), transcript }
    }

    fn event(&self, what: What, marker: &str, turn: usize, again: Option<Again>) -> Event {
        let mut payload = json!({
            "session_id": self.session, "transcript_path": self.transcript, "cwd": self.cwd,
        });
        let prompt = format!("0000{turn:04}-0000-4000-8000-{}", &self.session[24..]);
        if what != What::Start {
            payload["prompt_id"] = prompt.into();
        }
        for (name, value) in self.particulars(what, marker).as_object().into_iter().flatten() {
            payload[name] = value.clone();
        }
        // The stored form of these has no room for a marker, but a session has one of each.
        let key = match what {
            What::Start => format!("{}/session_start", self.session),
            What::End => format!("{}/session_end", self.session),
            _ => marker.to_owned(),
        };
        Event { key, what, payload: payload.to_string(), again }
    }

    fn particulars(&self, what: What, marker: &str) -> Value {
        match what {
            What::Start => json!({"hook_event_name": "SessionStart", "source": "startup"}),
            What::End => json!({"hook_event_name": "SessionEnd", "reason": "other"}),
            What::Stop => json!({
                "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false,
                "last_assistant_message": format!("Done with {marker}."), "background_tasks": [], "session_crons": [],
            }),
            What::SilentStop => json!({
                "hook_event_name": "Stop", "permission_mode": "default", "stop_hook_active": false,
                "background_tasks": [marker], "session_crons": [],
            }),
            What::Prompt => json!({
                "hook_event_name": "UserPromptSubmit", "permission_mode": "default",
                "prompt": format!("Please make {marker} work as the README says, and show me the tests that prove it."),
            }),
            What::Failure => {
                let mut call = call("PostToolUseFailure", marker, "Bash", &command(marker));
                call["error"] = format!("Exit code 101\n{}", OUTPUT.repeat(5)).into();
                call["is_interrupt"] = false.into();
                call
            }
            What::Command => {
                let mut call = call("PostToolUse", marker, "Bash", &command(marker));
                call["tool_response"] = json!({"stdout": OUTPUT.repeat(12), "stderr": "", "interrupted": false, "isImage": false});
                call
            }
            What::Mcp => {
                let mut call = call(
                    "PostToolUse",
                    marker,
                    "mcp__tracker__search_issues",
                    &json!({"query": format!("who changed {marker}")}),
                );
                call["tool_response"] = json!("{\"hits\":[]}");
                call
            }
            What::Read => {
                let path = self.file(marker);
                let mut call = call("PostToolUse", marker, "Read", &json!({"file_path": path}));
                let file = json!({
                    "filePath": path, "content": SOURCE.repeat(40), "numLines": 41, "startLine": 1, "totalLines": 41,
                });
                call["tool_response"] = json!({"type": "text", "file": file});
                call
            }
            What::Edit => self.edit(marker),
            What::Write => {
                let path = self.file(marker);
                let content = SOURCE.repeat(30);
                let mut call =
                    call("PostToolUse", marker, "Write", &json!({"file_path": path, "content": content}));
                call["tool_response"] = json!({
                    "type": "create", "filePath": path, "content": content, "structuredPatch": [],
                    "originalFile": null, "userModified": false,
                });
                call
            }
        }
    }

    fn edit(&self, marker: &str) -> Value {
        let path = self.file(marker);
        let (old, new) = ("    let limit = 20;", "    let limit = settings.limit;");
        let input = json!({"file_path": path, "old_string": old, "new_string": new, "replace_all": false});
        let mut call = call("PostToolUse", marker, "Edit", &input);
        let lines = [SOURCE.trim_end(), old, new].into_iter().zip([" ", "-", "+"]);
        let lines: Vec<String> = lines.map(|(line, sign)| format!("{sign}{line}")).collect();
        call["tool_response"] = json!({
            "filePath": path, "oldString": old, "newString": new, "originalFile": SOURCE.repeat(40),
            "structuredPatch": [{"oldStart": 12, "oldLines": 2, "newStart": 12, "newLines": 2, "lines": lines}],
            "userModified": false, "replaceAll": false,
        });
        call
    }

    /// A file that no other event names.
    fn file(&self, marker: &str) -> String {
        format!("{}/src/{marker}.rs", self.cwd)
    }
}

/// The directory of a lane's project.
pub(super) fn project(lane: usize) -> String {
    format!("project-{}", lane % PROJECTS)
}

fn command(marker: &str) -> Value {
    json!({"command": format!("cargo test -p engine --lib {marker} -- --nocapture"), "description": "Run the tests"})
}

fn call(event: &str, marker: &str, tool: &str, input: &Value) -> Value {
    json!({
        "hook_event_name": event, "permission_mode": "default", "effort": {"level": "medium"},
        "tool_name": tool, "tool_input": input, "tool_use_id": format!("toolu_{marker}"), "duration_ms": 42,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    #[test]
    fn a_lane_starts_as_many_processes_as_it_was_given() {
        for wanted in [1, 2, 3, 75, 126, 2_500] {
            assert_eq!(lane(3, wanted, "/home/ada").processes(), wanted);
        }
    }

    #[test]
    fn every_event_has_a_key_of_its_own() {
        let lanes: Vec<Lane> = (0..20).map(|number| lane(number, 150, "/home/ada")).collect();
        let kept: Vec<&Event> =
            lanes.iter().flat_map(|lane| &lane.events).filter(|event| event.what.is_stored()).collect();
        let keys: BTreeSet<&str> = kept.iter().map(|event| event.key.as_str()).collect();
        assert_eq!(keys.len(), kept.len());
    }

    #[test]
    fn a_tenth_is_sent_twice_and_everything_occurs() {
        let lane = lane(1, 5_000, "/home/ada");
        let twice = lane.events.iter().filter(|event| event.again.is_some()).count();
        let share = twice as f64 / lane.events.len() as f64;
        assert!((0.085..0.115).contains(&share), "{share}");
        let mut counts: BTreeMap<What, usize> = BTreeMap::new();
        for event in &lane.events {
            *counts.entry(event.what).or_default() += 1;
        }
        assert_eq!(counts.len(), 11);
        assert_eq!(counts[&What::Start], lane.sessions.len());
    }
}
