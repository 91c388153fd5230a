//! Sandboxes that deny sockets, as agents build them: the system denies the calls themselves, even
//! to root.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nudge_testkit::{McpStdio, Outcome, TestHome};
use serde_json::{Value, json};

use crate::cli::home;

/// Drops the system calls in the first argument for good, then runs the program in the second.
const SANDBOX: &str = r#"
import ctypes, os, platform, struct, sys
numbers = {
    "x86_64": {"socket": 41, "connect": 42, "bind": 49, "socketpair": 53},
    "aarch64": {"socket": 198, "connect": 203, "bind": 200, "socketpair": 199},
}[platform.machine()]
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, DENY = 0x7FFF0000, 0x00050001
steps = [(LOAD, 0, 0, 0)]
for name in sys.argv[1].split(","):
    steps += [(EQUAL, 0, 1, numbers[name]), (RETURN, 0, 0, DENY)]
steps.append((RETURN, 0, 0, ALLOW))
code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
NO_NEW_PRIVILEGES, SECCOMP, FILTER = 38, 22, 2
zero = ctypes.c_ulong(0)
for call in [(NO_NEW_PRIVILEGES, ctypes.c_ulong(1), zero, zero, zero), (SECCOMP, ctypes.c_ulong(FILTER), program)]:
    if prctl(*call) != 0:
        sys.exit("no sandbox: " + os.strerror(ctypes.get_errno()))
os.execv(sys.argv[2], sys.argv[2:])
"#;

/// No socket to other processes. Socket pairs inside one program are allowed, as in most sandboxes.
const NOBODY: &str = "socket,connect,bind";

/// No socket at all.
const NONE: &str = "socket,connect,bind,socketpair";

/// The binary under test in a sandbox, with these arguments.
fn sandboxed(home: &TestHome, denied: &str, args: &[&str]) -> Command {
    let mut command = Command::new("python3");
    command.args(["-B", "-c", SANDBOX, denied]).arg(home.binary()).args(args);
    command.env_clear().env("HOME", home.path()).env("PATH", "/usr/bin:/bin").current_dir(home.path());
    command
}

/// Runs it to the end, with no client on stdin.
fn run(home: &TestHome, denied: &str, args: &[&str]) -> Outcome {
    let output = sandboxed(home, denied, args).stdin(Stdio::null()).output().expect("python3 starts");
    Outcome::new(output, home.path().to_owned())
}

/// Runs it with a client on stdin that disconnects at once.
fn run_for_client(home: &TestHome, denied: &str, args: &[&str]) -> Outcome {
    let child = sandboxed(home, denied, args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("python3 starts");
    let output = child.wait_with_output().expect("it can be waited for");
    Outcome::new(output, home.path().to_owned())
}

/// A home with one prompt to find.
fn stocked() -> TestHome {
    let home = home();
    let prompt = json!({"session_id": "first", "cwd": home.path(), "hook_event_name": "UserPromptSubmit",
        "prompt_id": "p1", "prompt": "make the parser keep the last token"});
    home.nudge(["record"]).stdin(prompt.to_string()).run().ok();
    home
}

fn log(home: &TestHome) -> String {
    std::fs::read_to_string(home.memory().join("logs/server.log")).expect("a log")
}

fn verdict(report: &Value, name: &str) -> Value {
    let checks = report["checks"].as_array().expect("a list");
    checks.iter().find(|check| check["name"] == name).expect("the check")["verdict"].clone()
}

/// @server_no_sockets @mcp_stdio
#[test]
fn an_agent_on_stdio_needs_no_socket() {
    for denied in [NOBODY, NONE] {
        let home = stocked();
        let mut agent = McpStdio::start(sandboxed(&home, denied, &["mcp"]));
        assert_eq!(agent.greeting["serverInfo"]["name"], "nudge");
        let found = agent.call("search", json!({"query": "parser token"}));
        assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found}");
        agent.call("set_hint", json!({"component": "api", "key": "build", "value": "make"}));
        assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
        for status in
            [home.run(["status", "--json"]).json(), run(&home, denied, &["status", "--json"]).json()]
        {
            assert_eq!((&status["running"], &status["problem"]), (&json!(false), &Value::Null), "{status}");
        }
        let report = run(&home, denied, &["doctor", "--json"]).json();
        assert_eq!((&report["ok"], verdict(&report, "server")), (&json!(true), json!("ok")), "{report}");
        agent.hang_up();
        let log = log(&home);
        assert!(log.lines().count() == 1 && log.contains("served on the store itself"), "{log}");
    }
}

/// The lock stays free: any server that can use sockets becomes PRIMARY. @server_no_sockets
/// @server_election
#[test]
fn a_client_without_sockets_stands_in_nobodys_way() {
    let home = stocked();
    let mut agent = McpStdio::start(sandboxed(&home, NOBODY, &["mcp"]));
    let server = home.daemon(&[]);
    agent.call("set_hint", json!({"component": "api", "key": "build", "value": "make"}));
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    assert!(server.is_alive());
}

/// @server_no_sockets @server_ports
#[test]
fn what_needs_a_socket_says_so() {
    for denied in [NOBODY, NONE] {
        let home = stocked();
        let fault = run_for_client(&home, denied, &["mcp", "--port", "8799", "--json"]).fault(1);
        assert!(fault["next"].as_str().is_some_and(|next| next.contains("--port")), "{fault}");
        for args in [&["serve", "--json"][..], &["serve", "--daemon", "--json"]] {
            assert_eq!(run(&home, denied, args).fault(1)["id"], "E_UNAVAILABLE");
        }
        let fault = run_for_client(&home, denied, &["mcp", "--ephemeral", "--json"]).fault(1);
        assert_eq!(fault["id"], "E_UNAVAILABLE");
    }
}

/// Nothing waits for a server that the sandbox makes unreachable, and no message says to kill it.
/// @server_no_sockets @server_proxy
#[test]
fn a_server_that_may_not_be_called_is_passed_by() {
    let home = stocked();
    let server = home.daemon(&[]);
    let mut agent = McpStdio::start(sandboxed(&home, NOBODY, &["mcp"]));
    let began = Instant::now();
    for _ in 0..8 {
        let found = agent.call("search", json!({"query": "parser token"}));
        assert_eq!(found["results"].as_array().map(Vec::len), Some(1), "{found}");
    }
    assert!(began.elapsed() < Duration::from_secs(6), "{:?}", began.elapsed());
    let status = run(&home, NOBODY, &["status", "--json"]).json();
    assert_eq!((&status["running"], &status["responding"]), (&json!(true), &json!(false)), "{status}");
    assert!(status["problem"].as_str().is_some_and(|text| text.contains("cannot connect")), "{status}");
    let fault = run(&home, NOBODY, &["stop", "--json"]).fault(5);
    assert_eq!(fault["data"]["reason"], "socket_barred");
    assert!(server.is_alive());
}
