//! Homes, server processes and clients for these tests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nudge_client::link::{Link, LinkOptions};
use nudge_client::status::{ServerStatus, status};
use nudge_core::Timestamp;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_home::settings::LogLevel;
use nudge_memory::{Caller, Surface};
use nudge_server::ServeOptions;
use serde_json::{Value, json};

/// How long anything may take. Generous, because the machine may be busy building.
const WITHIN: Duration = Duration::from_secs(20);

/// The variable that makes a started copy of this binary serve, with its options.
const ROLE: &str = "NUDGE_SERVER_TEST_ROLE";

/// The exit code of a server that could not serve: that of a failed test.
pub const FAILED: Option<i32> = Some(101);

/// Serves if this process was started by [`Machine::serve`].
pub fn serve_if_reported() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let role: Value = serde_json::from_str(&role).expect("the role is JSON");
    let home = Home::locate(role["home"].as_str().map(Path::new), &|_| None).expect("a home");
    let number = |value: &Value| value.as_u64().map(|port| u16::try_from(port).expect("a port"));
    let port = number(&role["port"]);
    let outcome = nudge_server::serve(ServeOptions {
        home,
        version: role["version"].as_str().unwrap_or(nudge_client::VERSION).to_owned(),
        settings: Settings {
            port: number(&role["default_port"]).unwrap_or(0),
            log_level: role["log_level"].as_str().and_then(LogLevel::from_name).unwrap_or(LogLevel::Info),
            ..Settings::default()
        },
        mistakes: 0,
        port,
        ephemeral: role["ephemeral"] == json!(true),
        daemon: false,
        detached: false,
        by_agent: false,
        arguments: Vec::new(),
        json: false,
    });
    outcome.expect("it serves");
}

/// A separate home.
pub struct Machine {
    dir: tempfile::TempDir,
    pub home: Home,
    client: OnceLock<String>,
}

impl Machine {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("ns").tempdir().expect("temporary directory");
        let home = Home::locate(Some(&dir.path().join("memory")), &|_| None).expect("a home");
        Self { dir, home, client: OnceLock::new() }
    }

    /// A server with a client on stdio.
    pub fn serve(&self, more: Value) -> Server {
        Server::start(self.command(more).stdin(Stdio::piped()))
    }

    /// A server without a client, once it answers.
    pub fn serve_alone(&self, more: Value) -> Server {
        let server = Server::start(self.command(more).stdin(Stdio::null()));
        self.wait_for(|status| status.responding && status.pid == Some(server.pid()));
        server
    }

    pub fn command(&self, more: Value) -> Command {
        let mut role = more;
        role["home"] = self.home.root().display().to_string().into();
        let mut command = Command::new(std::env::current_exe().expect("this binary"));
        command
            .args(["child", "--exact", "--nocapture", "--quiet", "--test-threads=1"])
            .env_clear()
            .env("HOME", self.dir.path())
            // An agent may be running the tests.
            .env("TEST_WITHOUT_ANCESTORS", "1")
            .env(ROLE, role.to_string())
            .current_dir(self.dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }

    pub fn status(&self) -> ServerStatus {
        status(&self.home)
    }

    /// Waits until the status is as wanted.
    #[track_caller]
    pub fn wait_for(&self, wanted: impl Fn(&ServerStatus) -> bool) -> ServerStatus {
        let began = Instant::now();
        loop {
            let status = self.status();
            if wanted(&status) {
                return status;
            }
            assert!(began.elapsed() < WITHIN, "the status stays {status:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn link(&self) -> Link {
        Link::open(&self.home, &Settings::default(), LinkOptions::default()).expect("a way")
    }

    /// Calls an operation as the command line does.
    #[track_caller]
    pub fn call(&self, op: &str, params: Value) -> Value {
        self.link().call(&cli(), op, params).unwrap_or_else(|fault| panic!("{op}: {}", fault.to_json()))
    }

    pub fn token(&self) -> String {
        nudge_client::token::read(&self.home).expect("a token")
    }

    /// A token with the user's rights, made at its first use.
    pub fn client_token(&self) -> String {
        let make = || nudge_client::client_tokens::make(&self.home, "test").expect("a token");
        self.client.get_or_init(make).clone()
    }

    /// A request to the recorded port, exactly as given; the head gets only what any client sends.
    #[track_caller]
    pub fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        self.request("POST", path, headers, body)
    }

    #[track_caller]
    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let port = self.status().port.expect("a port");
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: 127.0.0.1:{port}\r\n"));
        }
        for (name, value) in headers.iter().filter(|(_, value)| *value != "-") {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        raw(port, format!("{head}\r\n{body}").as_bytes())
    }
}

/// Looks again and again until there is something.
#[track_caller]
pub fn until<T>(look: impl Fn() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(began.elapsed() < WITHIN, "it did not come about");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends bytes and reads until the server closes.
#[track_caller]
pub fn raw(port: u16, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
    stream.set_read_timeout(Some(WITHIN)).expect("time-out");
    // A server that rejects early closes while we still send; only its answer counts.
    let _ = stream.write_all(bytes);
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    Answer {
        status,
        head: head.to_ascii_lowercase(),
        json: serde_json::from_str(body).unwrap_or(Value::Null),
    }
}

/// An HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub json: Value,
}

/// A server process; killed when dropped.
pub struct Server {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
    last_id: i64,
}

impl Server {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().expect("this binary starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("stdout is piped");
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                // The test harness prints a line of its own before the server does.
                if let Ok(message @ Value::Object(_)) = serde_json::from_str(&line) {
                    let _ = sender.send(message);
                }
            }
        });
        Self { child, stdin, lines, last_id: 0 }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Initialises as an MCP client does.
    #[track_caller]
    pub fn greet(mut self) -> Self {
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "kit", "version": "0"}});
        let greeting = self.request("initialize", hello);
        assert_eq!(greeting["result"]["serverInfo"]["name"], json!("nudge"), "{greeting}");
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        self
    }

    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// An id that was not used yet.
    pub fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// The next message of any kind.
    #[track_caller]
    pub fn hear(&mut self) -> Value {
        self.lines.recv_timeout(WITHIN).expect("a message in time")
    }

    /// Sends a request without waiting for its answer.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.lines.recv_timeout(WITHIN).expect("an answer in time");
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// Calls a tool that must succeed.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(answer["result"]["isError"], json!(false), "{tool}: {answer}");
        answer["result"]["structuredContent"].clone()
    }

    /// Kills it, as a crash would.
    pub fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it can be waited for");
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.pid().to_string()]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Stops it, and waits until none of its threads runs any more.
    pub fn freeze(&self) {
        self.signal("-STOP");
        let tasks = format!("/proc/{}/task", self.pid());
        let is_stopped = |task: &std::path::Path| {
            let stat = std::fs::read_to_string(task.join("stat")).unwrap_or_default();
            stat.rsplit_once(')').is_some_and(|(_, after)| after.trim_start().starts_with('T'))
        };
        let began = Instant::now();
        loop {
            let mut threads = std::fs::read_dir(&tasks).expect("its threads are listed").flatten();
            if threads.all(|thread| is_stopped(&thread.path())) {
                return;
            }
            assert!(began.elapsed().as_secs() < 20, "it does not stop");
            std::thread::yield_now();
        }
    }

    pub fn hang_up(&mut self) {
        self.stdin = None;
    }

    /// Waits for it to exit by itself.
    #[track_caller]
    pub fn leaves(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("it can be waited for") {
                return status.code();
            }
            assert!(began.elapsed() < WITHIN, "the server does not leave");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn send(&mut self, message: &Value) {
        self.send_bytes(message.to_string().as_bytes());
    }

    /// Sends a line as it is.
    pub fn send_bytes(&mut self, line: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        let sent = stdin.write_all(line).and_then(|()| stdin.write_all(b"\n")).and_then(|()| stdin.flush());
        sent.expect("the server reads its input");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command line as a caller.
pub fn cli() -> Caller {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let mut caller = Caller::new(
        Surface::Cli,
        Timestamp::from_millis(i64::try_from(now.as_millis()).expect("a near date")),
    );
    caller.client = Some("cli".into());
    caller
}

/// Parameters of a plain hint.
pub fn hint(key: &str, value: &str) -> Value {
    json!({"component": "api", "key": key, "value": value})
}

/// Parameters that name a hint.
pub fn at(key: &str) -> Value {
    json!({"component": "api", "key": key})
}
