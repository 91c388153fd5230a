//! A server as a process: how it starts, which files it has open, where it listens, how it ends.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nudge_testkit::raw_http::{Request, free_port};
use nudge_testkit::{McpStdio, TestHome, until};
use serde_json::{Value, json};

use crate::cli::home;

/// Long, because the machine may be building something else.
const WITHIN: Duration = Duration::from_secs(20);

/// The contents of the state file, once it exists.
#[track_caller]
fn state(home: &TestHome) -> Value {
    let path = home.memory().join("run/state.json");
    until(WITHIN, || serde_json::from_slice(&std::fs::read(&path).ok()?).ok())
}

#[track_caller]
fn port(home: &TestHome) -> u16 {
    u16::try_from(state(home)["port"].as_u64().expect("a port")).expect("a port")
}

#[track_caller]
fn token(home: &TestHome) -> String {
    let token = std::fs::read_to_string(home.memory().join("run/token")).expect("a server has a token");
    token.trim().to_owned()
}

fn health(port: u16) -> (u16, Value) {
    let reply = Request::new("GET", "/health", port).send(port);
    (reply.status, reply.json())
}

/// A server in the foreground on its own port, with no client. The test can see it exit.
fn foreground(home: &TestHome) -> Child {
    let mut command = home.command();
    command.args(["serve", "--port", &free_port().to_string()]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the binary under test starts")
}

fn signal(pid: u32, name: &str) {
    let sent = Command::new("kill").args([name, &pid.to_string()]).status().expect("kill runs");
    assert!(sent.success(), "{name} reaches {pid}");
}

/// The target of a process's file descriptor.
#[track_caller]
fn descriptor_target(pid: i64, descriptor: u8) -> PathBuf {
    std::fs::read_link(format!("/proc/{pid}/fd/{descriptor}")).expect("the process lives")
}

/// A field of `/proc/<pid>/stat`, numbered from 1 as in its manual; 3 is the first one after the
/// name.
fn stat(pid: i64, field: usize) -> i64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    let rest = stat.rsplit_once(") ").expect("a name in brackets").1;
    rest.split(' ').nth(field - 3).and_then(|text| text.parse().ok()).expect("a number")
}

/// One POST with a JSON-RPC `tools/call`: no session, no handshake, no Accept header.
/// @http_bare_call
#[test]
fn a_hook_calls_a_tool_with_one_post() {
    let home = home();
    let _server = home.daemon(&["--port", &free_port().to_string()]);
    let port = port(&home);
    let post = |id: i64, tool: &str, arguments: Value| {
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
            "params": {"name": tool, "arguments": arguments}});
        let request = Request::new("POST", "/mcp", port).header("Content-Type", "application/json");
        let reply = request.token(&token(&home)).body(call.to_string()).send(port);
        assert_eq!(reply.status, 200, "{reply:?}");
        let answer = reply.json();
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &json!(id)));
        answer["result"].clone()
    };
    post(1, "set_hint", json!({"component": "api", "key": "build", "value": "make"}));
    let got = post(2, "get_hint", json!({"component": "api", "key": "build"}));
    assert_eq!(got["structuredContent"]["hint"]["value"], "make");
    let missed = post(3, "get_hint", json!({"component": "api", "key": "nope"}));
    assert_eq!(missed["isError"], true);
    assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
}

/// @http_health
#[test]
fn health_says_that_the_server_is_healthy_which_one_and_its_version() {
    let home = home();
    let _server = home.daemon(&["--port", &free_port().to_string()]);
    let (status, facts) = health(port(&home));
    let version = home.run(["--version"]).ok();
    let version = version.trim().strip_prefix("nudge ").expect("a version");
    assert_eq!(
        (status, &facts["status"], &facts["server"], &facts["version"]),
        (200, &json!("healthy"), &json!("nudge"), &json!(version))
    );
}

/// @server_modes
#[test]
fn without_flags_and_with_http_it_speaks_on_stdio_and_serves_http() {
    for flags in [&["serve"][..], &["serve", "--http"]] {
        let home = home();
        let mut command = home.command();
        command.args(flags).args(["--port", &free_port().to_string()]);
        let mut client = McpStdio::start(command);
        assert_eq!(client.call("list_components", json!({})), json!({"components": []}), "{flags:?}");
        assert_eq!(state(&home)["pid"], client.pid(), "{flags:?}");
        assert_eq!(health(port(&home)).0, 200, "{flags:?}");
        client.hang_up();
    }
}

/// @server_modes @server_daemon
#[test]
fn as_a_daemon_it_serves_http_in_the_background() {
    for flags in [&["serve", "--daemon"][..], &["serve", "--http", "--daemon"]] {
        let home = home();
        let mut words = flags.to_vec();
        let number = free_port().to_string();
        words.extend(["--port", &number]);
        // The command returns by itself, and the server is running.
        assert!(home.run(&words).ok().starts_with("nudge is running: pid "), "{flags:?}");
        assert_eq!(health(port(&home)).0, 200, "{flags:?}");
        home.run(["stop"]).ok();
    }
}

/// @server_daemon
#[test]
fn a_daemon_has_a_session_of_its_own_and_writes_to_the_log() {
    let home = home();
    let server = home.daemon(&["--port", &free_port().to_string()]);
    let pid = server.pid();
    const SESSION: usize = 6;
    const TERMINAL: usize = 7;
    assert_eq!((stat(pid, SESSION), stat(pid, TERMINAL)), (pid, 0));
    assert_eq!(descriptor_target(pid, 0), Path::new("/dev/null"));
    let log = home.memory().join("logs/server.log").canonicalize().expect("a log");
    assert_eq!((descriptor_target(pid, 1), descriptor_target(pid, 2)), (log.clone(), log));
}

/// Where the settings say so, a new session starts a server if none runs; after a crash the next
/// session does. Other events start none, and nothing waits for the server. @server_started
#[test]
fn a_session_starts_a_server_where_the_settings_say_so() {
    let home = home();
    let work = home.dir("work");
    let event = |session: &str, name: &str| {
        json!({"session_id": session, "cwd": work, "hook_event_name": name, "source": "startup", "prompt": "go on"})
            .to_string()
    };
    let number = free_port().to_string();
    let hook = |session: &str, name: &str| {
        let call = home.nudge(["hook", "claude"]).stdin(event(session, name)).env("NUDGE_PORT", &number);
        call.env("NUDGE_START_SERVER", "true").run().ok();
    };
    let runs = || home.nudge(["status", "--json"]).run().json()["pid"].as_i64();
    home.nudge(["hook", "claude"]).stdin(event("one", "SessionStart")).run().ok();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(runs(), None, "unasked nothing is started");
    hook("two", "UserPromptSubmit");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(runs(), None, "a prompt starts none");
    hook("three", "SessionStart");
    let first = until(WITHIN, runs);
    hook("four", "SessionStart");
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(runs(), Some(first), "one is enough");
    Command::new("kill").args(["-KILL", &first.to_string()]).status().expect("kill runs");
    until(WITHIN, || runs().is_none().then_some(()));
    hook("five", "SessionStart");
    assert_ne!(until(WITHIN, runs), first);
    home.run(["stop"]).ok();
}

/// The terminal that started the server closes, which sends a hang-up to everything in it.
/// @server_daemon
#[test]
fn a_daemon_survives_the_end_of_its_terminal() {
    const IN_A_TERMINAL: &str = "\
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
said = b''
while b'nudge is running' not in said:
    said += os.read(terminal, 1024)
os.close(terminal)
os.waitpid(child, 0)
";
    let home = home();
    let number = free_port().to_string();
    let script = home.file("terminal.py", IN_A_TERMINAL).display().to_string();
    let call = home.nudge(["serve", "--daemon", "--port", &number]);
    call.in_shell(&format!("exec python3 {script} \"$@\"")).run().ok();
    let pid = state(&home)["pid"].as_i64().expect("a process id");
    // By now the hang-up would have reached it. It still answers, and is the same process.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(health(port(&home)).0, 200);
    assert_eq!(home.run(["status", "--json"]).json()["pid"], pid);
    home.run(["stop"]).ok();
}

/// @server_signals
#[test]
fn a_signal_ends_a_server_in_good_order() {
    for name in ["-TERM", "-INT"] {
        let home = home();
        let mut server = foreground(&home);
        let port = port(&home);
        until(WITHIN, || (health(port).0 == 200).then_some(()));
        home.run(["set", "api", "build", "make", "--ttl", "forever"]).ok();
        signal(server.id(), name);
        assert_eq!(server.wait().expect("it ends").code(), Some(0), "{name}");
        let run = home.memory().join("run");
        assert!(!run.join("state.json").exists() && !run.join("nudge.sock").exists(), "{name}");
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok(), "{name}: the port is free");
        // After a clean shutdown, everything acknowledged is in the database file itself.
        let log = std::fs::metadata(home.memory().join("nudge.db-wal")).map_or(0, |found| found.len());
        assert_eq!(log, 0, "{name}");
        assert_eq!(home.run(["get", "api", "build", "--json"]).json()["hint"]["value"], "make");
    }
}

/// @server_state_file
#[test]
fn the_pid_in_the_state_file_is_that_of_the_server() {
    let home = home();
    let mut server = foreground(&home);
    assert_eq!(state(&home)["pid"], server.id());
    signal(server.id(), "-TERM");
    server.wait().expect("it ends");
    let detached = home.daemon(&["--port", &free_port().to_string()]);
    assert_eq!(state(&home)["pid"], detached.pid());
    let program = std::fs::read_link(format!("/proc/{}/exe", detached.pid())).expect("the process lives");
    assert_eq!(program, Path::new(home.binary()).canonicalize().expect("the binary"));
}

/// @server_state_file @file_modes
#[test]
fn the_state_file_is_for_its_user_alone_whatever_the_umask() {
    let home = home();
    let words = ["serve", "--daemon", "--port", &free_port().to_string()];
    home.nudge(words).in_shell("umask 000; exec \"$@\"").run().ok();
    state(&home);
    let mode = |name: &str| {
        let found = std::fs::metadata(home.memory().join("run").join(name)).expect("it is there");
        found.permissions().mode() & 0o777
    };
    assert_eq!((mode("state.json"), mode("")), (0o600, 0o700));
    home.run(["stop"]).ok();
}

/// @server_loopback
#[test]
fn the_port_is_open_on_the_loopback_address_alone() {
    let home = home();
    let server = home.daemon(&["--port", &free_port().to_string()]);
    let port = port(&home);
    const LISTENS: &str = "0A";
    let wanted = format!(":{port:04X}");
    let mut addresses = Vec::new();
    for table in ["tcp", "tcp6"] {
        let table =
            std::fs::read_to_string(format!("/proc/{}/net/{table}", server.pid())).unwrap_or_default();
        for line in table.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields[3] == LISTENS && fields[1].ends_with(&wanted) {
                addresses.push(fields[1].to_owned());
            }
        }
    }
    // 127.0.0.1, as the kernel writes it.
    assert_eq!(addresses, [format!("0100007F{wanted}")]);
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok());
    assert!(TcpStream::connect((Ipv4Addr::new(127, 0, 0, 2), port)).is_err());
    let anonymous = Request::new("POST", "/mcp", port).body("{}").send(port);
    assert_eq!(anonymous.status, 401);
}

/// @server_ports
#[test]
fn a_port_in_use_is_refused_by_name() {
    let home = home();
    let squatter = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port is free");
    let number = squatter.local_addr().expect("bound").port().to_string();
    for words in [&["serve", "--port", &number][..], &["serve", "--daemon", "--port", &number]] {
        let refused = home.run(words).exits(1);
        assert_eq!(refused.stdout, "", "{words:?}");
        let lines: Vec<&str> = refused.stderr.lines().collect();
        assert!(lines[0].starts_with(&format!("error: cannot use port {number}: ")), "{words:?}: {lines:?}");
        assert!(lines[1].contains("--port"), "{words:?}: {lines:?}");
        let injected = home.run([&["--json"], words].concat()).fault(1);
        assert_eq!(injected["data"]["reason"], "port_taken", "{words:?}");
    }
    assert!(!home.memory().join("run/state.json").exists());
}
