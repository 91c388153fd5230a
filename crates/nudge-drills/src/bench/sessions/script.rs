//! A project's sessions as steps in order of time: lines of the transcript, and payloads of hooks.

use std::collections::{HashMap, HashSet};
use std::io::Write;

use serde_json::{Value, json};

use super::data::{Event, Project};
use super::payload::Workspace;
use crate::bench::sessions::calls::{End, Ends, REFUSED_MESSAGE};

use crate::bench::sessions::payload::{self, Call, TranscriptWriter};

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

// One session as steps: its start, its turns with their calls, and its end.

/// A session starts this long before its first event, in milliseconds.
const START_LEAD_MS: i64 = 1_000;

/// Writes the steps of one session.
struct Writer<'w> {
    workspace: Workspace<'w>,
    roots: &'w Roots,
    events: &'w [Event],
    ends: Ends,
    at: i64,
    turn: String,
    /// The agent's last words in this turn.
    last: String,
    /// The id of the last call.
    call: String,
    /// Whether anything happened since the last prompt.
    is_open: bool,
    steps: Vec<Step>,
    unreported: usize,
}

impl<'w> Writer<'w> {
    fn new(workspace: Workspace<'w>, roots: &'w Roots, events: &'w [Event], at: i64) -> Self {
        Self {
            workspace,
            roots,
            events,
            ends: Ends::of(events),
            at,
            turn: String::new(),
            last: String::new(),
            call: "toolu_none".to_owned(),
            is_open: false,
            steps: Vec::new(),
            unreported: 0,
        }
    }

    fn all(&mut self) {
        self.at -= START_LEAD_MS;
        self.step(None, Vec::new(), self.workspace.start("startup"));
        self.at += START_LEAD_MS;
        for number in 0..self.events.len() {
            let event = &self.events[number];
            if event.is_typed() {
                self.stop();
            }
            // Within a session the order of the file is right, even if its times are not.
            self.at = event.millis().unwrap_or(self.at).max(self.at);
            self.event(number, event);
        }
        self.stop();
        self.at += 1;
        self.step(None, Vec::new(), self.workspace.end(&self.turn));
    }

    fn step(&mut self, seq: Option<u64>, lines: Vec<Value>, hook: Value) {
        let session = self.workspace.session.to_owned();
        self.steps.push(Step { at: self.at, session, seq, lines, hook });
    }

    /// Ends the turn. A session that does not begin with a prompt has no turn before it.
    fn stop(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let last = std::mem::take(&mut self.last);
            self.step(None, Vec::new(), self.workspace.stop(&self.turn, &last));
        }
    }

    fn pen(&self) -> TranscriptWriter<'_> {
        TranscriptWriter {
            workspace: &self.workspace,
            turn: &self.turn,
            at: self.at,
            number: self.steps.len() as u64,
        }
    }

    fn event(&mut self, number: usize, event: &'w Event) {
        let seq = Some(event.seq);
        match (event.kind.as_str(), event.tool.as_deref()) {
            ("prompt", None | Some("slash")) => self.prompt(event),
            ("prompt", Some("queued")) => self.lines(seq, self.pen().queued(&event.text).to_vec()),
            ("prompt", Some("rejection")) => self.refusal(number, event),
            ("prompt", Some("answer")) => self.answer(event),
            ("prompt", _) => self.lines(seq, vec![self.pen().comment_on_result(&self.call, &event.text)]),
            ("assistant", Some("thinking")) => self.lines(seq, vec![self.pen().thought(&event.text)]),
            ("assistant", Some("compact_summary")) => self.compacted(event),
            ("assistant", Some("ExitPlanMode" | "subagent")) | ("command" | "edit", _) => {
                self.call(number, event)
            }
            ("assistant", _) => {
                self.last.clone_from(&event.text);
                self.lines(seq, vec![self.pen().assistant_text(&event.text)]);
            }
            _ => self.result(number, event),
        }
        self.is_open = true;
    }

    fn lines(&mut self, seq: Option<u64>, lines: Vec<Value>) {
        self.step(seq, lines, Value::Null);
    }

    /// The hook runs before the line is written.
    fn prompt(&mut self, event: &Event) {
        self.turn = format!("turn-{}", event.seq);
        self.step(Some(event.seq), Vec::new(), self.workspace.prompt(&self.turn, &event.text));
        self.lines(None, vec![self.pen().prompt(&event.text, event.is_by("slash"))]);
    }

    fn compacted(&mut self, event: &Event) {
        self.step(Some(event.seq), Vec::new(), self.workspace.compacts(&self.turn));
        let line = self.pen().summed_up(&event.text);
        self.step(Some(event.seq), vec![line], self.workspace.start("compact"));
    }

    /// A call begins; if nothing reports how it ended, it succeeded.
    fn call(&mut self, number: usize, event: &Event) {
        let end = self.ends.of_call.get(&number).copied();
        for call in payload::calls(event, self.roots, self.workspace.cwd) {
            self.call.clone_from(&call.id);
            self.lines(Some(event.seq), vec![self.pen().called(&call)]);
            if event.is("command") {
                self.step(Some(event.seq), Vec::new(), self.workspace.about(&self.turn, &call));
            }
            if end.is_none() {
                let text = if event.is_by("subagent") { event.text.as_str() } else { "" };
                self.done(event.seq, &call, text);
            }
        }
    }

    fn done(&mut self, seq: u64, call: &Call, text: &str) {
        let line = self.pen().answered(call, text, false);
        let response = match call.tool.as_str() {
            "Bash" => payload::output(text),
            "Edit" | "Write" => json!({"filePath": call.input["file_path"], "userModified": false}),
            _ => json!([{"type": "text", "text": text}]),
        };
        self.step(Some(seq), vec![line], self.workspace.done(&self.turn, call, response));
    }

    fn failed(&mut self, seq: u64, call: &Call, text: &str) {
        let line = self.pen().answered(call, text, true);
        self.step(Some(seq), vec![line], self.workspace.failed(&self.turn, call, text));
    }

    /// The output of a command, or an error. An output without a known call ends a call of the tool
    /// it names.
    fn result(&mut self, number: usize, event: &Event) {
        let text = self.roots.replace(&event.text, self.workspace.cwd);
        let Some(begun) = self.ends.call_of.get(&number).copied() else {
            return self.alone(event, &text);
        };
        let end = self.ends.of_call.get(&begun).copied();
        for call in payload::calls(&self.events[begun], self.roots, self.workspace.cwd) {
            match end {
                Some(End::Refused(_)) => {
                    self.lines(Some(event.seq), vec![self.pen().answered(&call, &text, true)])
                }
                Some(End::Answered(_)) if !payload::says_failed(&text) => self.done(event.seq, &call, &text),
                _ => self.failed(event.seq, &call, &text),
            }
        }
    }

    fn alone(&mut self, event: &Event, text: &str) {
        if !event.is("error") || event.tool.is_none() {
            self.unreported += 1;
            return;
        }
        for call in payload::calls(event, self.roots, self.workspace.cwd) {
            let called = self.pen().called(&call);
            self.lines(Some(event.seq), vec![called]);
            if text.starts_with(REFUSED_MESSAGE) {
                self.lines(Some(event.seq), vec![self.pen().answered(&call, text, true)]);
            } else {
                self.failed(event.seq, &call, text);
            }
        }
    }

    fn refusal(&mut self, number: usize, event: &Event) {
        let begun = self.ends.call_of.get(&number).map(|begun| &self.events[*begun]);
        let calls = begun.map(|begun| payload::calls(begun, self.roots, self.workspace.cwd));
        let call = calls.and_then(|calls| calls.into_iter().next());
        let mut lines = Vec::new();
        // For some tools the data has no calls.
        let call = call.unwrap_or_else(|| {
            let call =
                Call { id: format!("toolu_{:06}", event.seq), tool: "Agent".to_owned(), input: json!({}) };
            lines.push(self.pen().called(&call));
            call
        });
        lines.push(self.pen().refused(&call, &event.text));
        self.lines(Some(event.seq), lines);
    }

    fn answer(&mut self, event: &Event) {
        let asked = payload::answers(&event.text);
        let questions: Vec<Value> = asked.iter().map(|(question, _)| json!({"question": question})).collect();
        let call = Call {
            id: format!("toolu_{:06}", event.seq),
            tool: "AskUserQuestion".to_owned(),
            input: json!({"questions": questions}),
        };
        let answers: serde_json::Map<String, Value> =
            asked.into_iter().map(|(question, answer)| (question, answer.into())).collect();
        let lines = vec![self.pen().called(&call), self.pen().answered(&call, &event.text, false)];
        let response = json!({"questions": questions, "answers": answers});
        self.step(Some(event.seq), lines, self.workspace.done(&self.turn, &call, response));
    }
}

// Finds where people had the project on their machines, so that its files can be moved to one
// directory here.
//
// Nothing in the data names that directory. If a command names the end of an absolute path as a
// relative path, the part before it is the directory that the command ran in. The directories that
// most files support are roots.

/// A directory is a root if at least this share of the files that support any directory in the same
/// home supports it.
const MIN_ROOT_SHARE: f64 = 0.05;

/// The roots of a project on people's machines, the longest first.
#[derive(Debug)]
pub(super) struct Roots(Vec<String>);

impl Roots {
    pub(super) fn of(events: &[Event]) -> Self {
        let named = relative_words(events);
        let mut votes: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
        for file in events.iter().flat_map(|event| &event.files).filter(|file| file.starts_with('/')) {
            if let Some(root) = root(file, &named) {
                *votes.entry(home(file)).or_default().entry(root).or_default() += 1;
            }
        }
        let mut roots: Vec<String> = Vec::new();
        for of_home in votes.values() {
            let all: usize = of_home.values().sum();
            let counts = of_home.iter().filter(|(_, votes)| **votes as f64 >= all as f64 * MIN_ROOT_SHARE);
            roots.extend(counts.map(|(root, _)| (*root).to_owned()));
        }
        roots.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        Self(roots)
    }

    /// The path of a file in the directory that replaces all roots. A file outside the roots keeps
    /// its path.
    pub(super) fn place(&self, file: &str, here: &str) -> String {
        if !file.starts_with('/') {
            return format!("{here}/{file}");
        }
        let under = |root: &String| file.strip_prefix(root.as_str())?.strip_prefix('/');
        self.0.iter().find_map(under).map_or_else(|| file.to_owned(), |inside| format!("{here}/{inside}"))
    }

    /// A text with every root replaced by that directory.
    pub(super) fn replace(&self, text: &str, here: &str) -> String {
        let mut text = text.to_owned();
        for root in self.0.iter().filter(|root| root.len() > 1) {
            if text.contains(root.as_str()) {
                text = text.replace(root.as_str(), here);
            }
        }
        text
    }
}

/// The relative paths in commands.
fn relative_words(events: &[Event]) -> HashSet<&str> {
    let commands = events.iter().filter(|event| event.is("command"));
    let words =
        commands.flat_map(|event| event.text.split(|c: char| c.is_whitespace() || "'\"`;=,()".contains(c)));
    let words = words.map(|word| word.trim_start_matches("./").trim_end_matches([':', '.']));
    words
        .filter(|word| {
            word.contains('/') && !word.starts_with(['/', '~', '.', '-', '$']) && !word.contains("://")
        })
        .collect()
}

/// The part of a path before its longest end that is named.
fn root<'f>(file: &'f str, named: &HashSet<&str>) -> Option<&'f str> {
    let cuts = file.match_indices('/').map(|(at, _)| at).skip(1);
    cuts.into_iter().find(|at| named.contains(&file[at + 1..])).map(|at| &file[..at])
}

/// `/home/ada` for every path below it.
fn home(file: &str) -> &str {
    file.match_indices('/').nth(2).map_or(file, |(at, _)| &file[..at])
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

    #[test]
    fn files_of_two_people_come_to_the_same_place() {
        let events = [
            Event::made("command", "git add src/a/b.rs && cargo test", &[]),
            Event::made("edit", "", &["/home/ada/shop/src/a/b.rs"]),
            Event::made("edit", "", &["/Users/bob/w/shop/src/a/b.rs"]),
            Event::made("edit", "", &["/home/ada/.claude/plans/x.md"]),
        ];
        let roots = Roots::of(&events);
        let placed = |file| roots.place(file, "/r");
        assert_eq!(placed("/home/ada/shop/src/a/b.rs"), "/r/src/a/b.rs");
        assert_eq!(placed("/Users/bob/w/shop/README.md"), "/r/README.md");
        assert_eq!(placed("docs/x.md"), "/r/docs/x.md");
        assert_eq!(placed("/home/ada/.claude/plans/x.md"), "/home/ada/.claude/plans/x.md");
        assert_eq!(roots.replace("cd /home/ada/shop && ls", "/r"), "cd /r && ls");
    }
}
