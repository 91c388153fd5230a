//! Listeners to `/events`, and agents with sessions that they receive events of.

use std::cell::Cell;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use nudge_home::Settings;
use nudge_memory::Memory;
use nudge_memory::capture::CapturedEvent;
use serde_json::{Value, json};

use crate::kit::{Answer, Machine, Server};

/// How long anything may take. Generous, because the machine may be busy building.
const WITHIN: Duration = Duration::from_secs(30);

/// A machine with a server.
pub fn served() -> (Machine, Server) {
    let machine = Machine::new();
    let server = machine.serve_alone(json!({}));
    (machine, server)
}

/// The memory of a machine, opened in addition to its server.
pub fn beside(machine: &Machine) -> Memory {
    nudge_memory::upkeep::open(&machine.home, &Settings::default(), nudge_client::now())
        .expect("the memory opens")
}

/// A request with the token.
#[track_caller]
pub fn ask(machine: &Machine, method: &str, path: &str, body: &Value) -> Answer {
    // Only programs of the user change sessions.
    let token = if method == "PATCH" { machine.client_token() } else { machine.token() };
    let bearer = format!("Bearer {token}");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    machine.request(method, path, &[("Authorization", &bearer)], &body)
}

/// An event received on the stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    pub id: Option<i64>,
    pub name: String,
    pub data: Value,
}

/// A listener to `/events`.
pub struct Listener {
    lines: BufReader<TcpStream>,
}

impl Listener {
    /// Listens from now on, and has received `ready`.
    #[track_caller]
    pub fn open(machine: &Machine, query: &str) -> Self {
        let mut listener = Self::connect(machine, query, None);
        assert_eq!(listener.hear().name, "ready");
        listener
    }

    /// Reconnects after having received everything up to a position.
    #[track_caller]
    pub fn back(machine: &Machine, query: &str, position: i64) -> Self {
        let mut listener = Self::connect(machine, query, Some(position));
        let ready = listener.hear();
        assert_eq!((ready.name.as_str(), ready.id), ("ready", Some(position)));
        listener
    }

    /// Whether there is a slot for another listener.
    pub fn is_let_in(machine: &Machine) -> bool {
        let mut line = String::new();
        let mut listener = Self::connect(machine, "", None);
        listener.lines.read_line(&mut line).expect("an answer in time");
        line.contains(" 200 ")
    }

    fn connect(machine: &Machine, query: &str, last: Option<i64>) -> Self {
        let port = machine.status().port.expect("a port");
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
        stream.set_read_timeout(Some(WITHIN)).expect("a time-out");
        let last = last.map_or_else(String::new, |last| format!("Last-Event-ID: {last}\r\n"));
        let head = format!(
            "GET /events{query} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {}\r\n{last}\r\n",
            machine.token()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        Self { lines: BufReader::new(stream) }
    }

    /// The next event. Each comes as a separate chunk, so that none of its lines is split.
    #[track_caller]
    pub fn hear(&mut self) -> Heard {
        let (mut id, mut name, mut data) = (None, None, Value::Null);
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).expect("an event in time");
            assert!(read > 0, "the stream ended");
            let line = line.trim_end();
            if let Some(said) = line.strip_prefix("event: ") {
                name = Some(said.to_owned());
            } else if let Some(said) = line.strip_prefix("data: ") {
                data = serde_json::from_str(said).expect("JSON");
            } else if let Some(said) = line.strip_prefix("id: ") {
                id = Some(said.parse().expect("a position"));
            } else if let (true, Some(name)) = (line.is_empty(), name.take()) {
                return Heard { id, name, data };
            }
        }
    }

    /// The next events, by their names and reasons.
    #[track_caller]
    pub fn words(&mut self, count: usize) -> Vec<String> {
        let word = |heard: Heard| match heard.data["reason"].as_str() {
            Some(reason) => format!("{} {reason}", heard.name),
            None => heard.name,
        };
        (0..count).map(|_| word(self.hear())).collect()
    }
}

/// An agent in a session, with hooks that reach the server. Its events are a second apart, the
/// first an hour ago.
pub struct Agent<'m> {
    machine: &'m Machine,
    pub session: &'static str,
    name: &'static str,
    root: String,
    key: String,
    clock: Cell<i64>,
}

impl<'m> Agent<'m> {
    /// One that works in `/w/p`.
    pub fn new(machine: &'m Machine, session: &'static str) -> Self {
        Self::within(machine, session, "p")
    }

    /// One that works in a project under `/w`.
    pub fn within(machine: &'m Machine, session: &'static str, project: &'static str) -> Self {
        let root = format!("/w/{project}");
        let key = format!("{root}/.git");
        Self { name: project, key, ..Self::at(machine, session, &root) }
    }

    /// One that works in a directory that is no repository.
    pub fn at(machine: &'m Machine, session: &'static str, root: &str) -> Self {
        let now = nudge_client::now().minus(Duration::from_secs(3_600));
        let (key, root) = (root.to_owned(), root.to_owned());
        Self { machine, session, name: "there", root, key, clock: Cell::new(now.as_millis()) }
    }

    /// The project's key.
    pub fn key(&self) -> String {
        self.key.clone()
    }

    #[track_caller]
    pub fn start(&self, source: &str) {
        self.tell("SessionStart", "other", &json!({"is": "start", "source": source}));
    }

    #[track_caller]
    pub fn prompt(&self, text: &str) {
        self.tell("UserPromptSubmit", "other", &json!({"is": "prompt", "text": text, "by": "user"}));
    }

    #[track_caller]
    pub fn act(&self, command: &str) {
        let action = json!({"is": "action", "kind": "command", "tool": "Bash", "body": command,
            "outcome": "success"});
        self.tell("PostToolUse", "after_tool", &action);
    }

    #[track_caller]
    pub fn stop(&self) {
        self.tell("Stop", "turn_ended", &json!({"is": "concluded", "text": "It is done."}));
    }

    #[track_caller]
    pub fn end(&self) {
        self.tell("SessionEnd", "other", &json!({"is": "end", "reason": "exit"}));
    }

    /// Sends an event over the socket, as a hook does.
    #[track_caller]
    fn tell(&self, event: &str, phase: &str, what: &Value) {
        static NUMBER: AtomicI64 = AtomicI64::new(1);
        let at = self.clock.get() + 1_000;
        self.clock.set(at);
        let captured: CapturedEvent = serde_json::from_value(json!({
            "harness": "claude", "event": event, "session": self.session, "cwd": self.root, "at": at,
            "project": {"key": self.key, "name": self.name, "root": self.root},
            "identity": {"hash": NUMBER.fetch_add(1, Ordering::Relaxed)},
            "phase": phase, "via": "hook", "what": what,
        }))
        .expect("a moment");
        let until = Instant::now() + WITHIN;
        let delivered =
            nudge_client::deliver::deliver(&self.machine.home, &captured, None, until, || {}, |_| {});
        delivered.map(drop).unwrap_or_else(|fault| panic!("{event}: {}", fault.to_json()));
    }

    /// Requests this session from `/api/sessions`.
    #[track_caller]
    pub fn ask(&self, method: &str, more: &str, body: &Value) -> Answer {
        ask(self.machine, method, &format!("/api/sessions/{}{more}", self.session), body)
    }

    /// The session as `GET` shows it.
    #[track_caller]
    pub fn get(&self) -> Value {
        let answer = self.ask("GET", "", &Value::Null);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json
    }

    /// Changes the session; the change must succeed.
    #[track_caller]
    pub fn patch(&self, body: &Value) -> Value {
        let answer = self.ask("PATCH", "", body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json
    }

    /// Changes one context set.
    #[track_caller]
    pub fn set(&self, name: &str, items: &[&str]) -> Value {
        self.patch(&json!({"setContext": {"setName": name, "items": items}}))
    }
}
