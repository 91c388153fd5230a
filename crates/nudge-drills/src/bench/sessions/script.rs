//! A project's sessions as steps in order of time: lines of the transcript, and payloads of hooks.

mod writer;

use std::collections::HashMap;
use std::io::Write;

use serde_json::{Value, json};

use super::data::{Event, Project};
use super::payload::Workspace;
use super::roots::Roots;
use writer::Writer;

/// One point in time: lines are written, then a hook runs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    pub(super) at: i64,
    session: String,
    seq: Option<u64>,
    lines: Vec<Value>,
    pub(super) hook: Value,
}

impl Step {
    pub(super) fn write(&self, to: &mut impl Write) -> std::io::Result<()> {
        let Self { at, session, seq, lines, hook } = self;
        writeln!(to, "{}", json!({"at": at, "session": session, "seq": seq, "lines": lines, "hook": hook}))
    }
}

/// A project's steps.
#[derive(Debug, Default)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
    /// The number of sessions.
    pub(super) sessions: usize,
    /// Events that no hook and no transcript of Claude Code would report: output without a command.
    pub(super) unreported: usize,
}

/// The steps of all sessions. Overlapping sessions are merged by time; at equal times the order of
/// the file applies.
pub(super) fn script(project: &Project, cwd: &str) -> Script {
    let roots = Roots::of(&project.events);
    let mut order: Vec<&str> = Vec::new();
    let mut sessions: HashMap<&str, Vec<Event>> = HashMap::new();
    for event in &project.events {
        let events = sessions.entry(&event.session).or_default();
        if events.is_empty() {
            order.push(&event.session);
        }
        events.push(event.clone());
    }
    let mut script = Script { sessions: order.len(), ..Script::default() };
    let mut clock = 0;
    for session in order {
        let events = &sessions[session];
        clock = events.iter().find_map(Event::millis).unwrap_or(clock);
        let mut writer = Writer::new(Workspace { session, cwd }, &roots, events, clock);
        writer.all();
        script.steps.append(&mut writer.steps);
        script.unreported += writer.unreported;
    }
    script.steps.sort_by_key(|step| step.at);
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(session: &str, seq: u64, at: &str, kind: &str, text: &str) -> Event {
        Event {
            session: session.to_owned(),
            seq,
            at: Some(format!("2026-01-05T12:{at}Z")),
            kind: kind.to_owned(),
            text: text.to_owned(),
            ..Event::default()
        }
    }

    fn reported(script: &Script) -> Vec<String> {
        let hooks = script.steps.iter().filter(|step| !step.hook.is_null());
        hooks
            .map(|step| format!("{} {}", step.session, step.hook["hook_event_name"].as_str().unwrap_or("")))
            .collect()
    }

    #[test]
    fn sessions_that_overlap_take_turns() {
        let project = Project {
            name: "p".to_owned(),
            events: vec![
                event("a", 0, "00:00", "prompt", "fix it"),
                event("a", 1, "00:20", "command", "cargo test"),
                event("a", 2, "00:40", "command_result", "ok"),
                event("a", 3, "00:41", "assistant", "done"),
                event("b", 0, "00:30", "prompt", "hello"),
            ],
            ..Project::default()
        };
        let script = script(&project, "/r");
        let expected = [
            "a SessionStart",
            "a UserPromptSubmit",
            "a PreToolUse",
            "b SessionStart",
            "b UserPromptSubmit",
            "b Stop",
            "b SessionEnd",
            "a PostToolUse",
            "a Stop",
            "a SessionEnd",
        ];
        assert_eq!(reported(&script), expected);
        let stop = script.steps.iter().rfind(|step| step.hook["hook_event_name"] == "Stop").expect("a stop");
        assert_eq!(
            (&stop.hook["last_assistant_message"], &stop.hook["prompt_id"]),
            (&json!("done"), &json!("turn-0"))
        );
        assert!(script.steps.is_sorted_by_key(|step| step.at));
    }

    #[test]
    fn output_that_belongs_to_no_command_is_counted() {
        let project = Project {
            name: "p".to_owned(),
            events: vec![event("a", 0, "00:00", "command_result", "ok")],
            ..Project::default()
        };
        assert_eq!(script(&project, "/r").unreported, 1);
    }
}
