//! One session as steps: its start, its turns with their calls, and its end.

use serde_json::{Value, json};

use super::Step;
use crate::bench::sessions::calls::{End, Ends, REFUSED};
use crate::bench::sessions::data::Event;
use crate::bench::sessions::payload::{self, Call, Workspace};
use crate::bench::sessions::roots::Roots;
use crate::bench::sessions::transcript::{self, TranscriptWriter};

/// A session starts this long before its first event, in milliseconds.
const BEFORE: i64 = 1_000;

/// Writes the steps of one session.
pub(super) struct Writer<'w> {
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
    pub(super) steps: Vec<Step>,
    pub(super) unreported: usize,
}

impl<'w> Writer<'w> {
    pub(super) fn new(workspace: Workspace<'w>, roots: &'w Roots, events: &'w [Event], at: i64) -> Self {
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

    pub(super) fn all(&mut self) {
        self.at -= BEFORE;
        self.step(None, Vec::new(), self.workspace.start("startup"));
        self.at += BEFORE;
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
                self.lines(seq, vec![self.pen().said(&event.text)]);
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
            if text.starts_with(REFUSED) {
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
        let asked = transcript::answers(&event.text);
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
