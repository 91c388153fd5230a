//! Another user takes the recorded port while no Nudge server is using it.

use std::process::Command;
use std::time::{Duration, Instant};

use nudge_testkit::raw_http::{Request, free_port};
use nudge_testkit::stranger::Stranger;
use nudge_testkit::{McpStdio, TestHome};
use serde_json::{Value, json};

use crate::access::doors::{HttpServer, home};

/// Every command that might call a server.
const COMMANDS: [&[&str]; 18] = [
    &["set", "a", "b", "c"],
    &["get", "a", "b"],
    &["query"],
    &["ls"],
    &["ls", "a"],
    &["bump", "a", "b"],
    &["export"],
    &["delete", "a", "b"],
    &["status"],
    &["status", "--json"],
    &["token", "show"],
    &["token", "rotate"],
    &["discover"],
    &["config"],
    &["doctor"],
    &["doctor", "--json"],
    &["backup"],
    &["stop"],
];

fn nobody_came(stranger: &Stranger) {
    let (connections, heard) = stranger.record();
    assert_eq!((connections, String::from_utf8_lossy(&heard).into_owned()), (0, String::new()));
}

/// @server_port_squatter
#[test]
fn no_command_of_ours_says_a_word_to_a_squatter() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    doors.server.kill();
    let Some(stranger) = Stranger::squat(doors.port) else { return };
    let port = doors.port.to_string();
    for words in COMMANDS {
        let outcome = home.run(words);
        assert!(!outcome.stderr.contains("panicked"), "{words:?}: {}", outcome.stderr);
        assert!(outcome.code.is_some_and(|code| code <= 6), "{words:?}: {outcome:?}");
    }
    home.run(["set", "x", "y", "z"]).ok();
    home.run(["-p", &port, "get", "x", "y"]);
    home.run(["-p", &port, "status"]);
    nobody_came(&stranger);
}

/// @server_port_squatter
#[test]
fn a_new_server_leaves_a_squatted_port_alone() {
    let home = home();
    let doors = HttpServer::open(&home, &[]);
    doors.server.kill();
    let Some(stranger) = Stranger::squat(doors.port) else { return };
    let named = home.run(["serve", "--daemon", "--port", &doors.port.to_string()]).exits(1);
    assert!(named.stderr.contains("--port"), "{}", named.stderr);
    let server = home.daemon(&[]);
    let status = home.run(["status", "--json"]).json();
    assert_ne!(status["port"], doors.port);
    home.run(["set", "a", "b", "c"]).ok();
    let mut proxy = McpStdio::start({
        let mut command = home.command();
        command.arg("serve");
        command
    });
    assert_eq!(proxy.call("get_hint", json!({"component": "a", "key": "b"}))["hint"]["value"], "c");
    drop(proxy);
    drop(server);
    nobody_came(&stranger);
}

/// A PRIMARY that was a PROXY does not stop because of a taken port: it serves the socket and takes
/// the port back when it is free. @server_port_squatter
#[test]
fn a_promoted_server_waits_for_its_port() {
    let home = home();
    let port = free_port();
    let mut first = serve(&home, &["--port", &port.to_string()]);
    let mut second = serve(&home, &[]);
    first.call("set_hint", json!({"component": "a", "key": "b", "value": "c"}));
    second.call("get_hint", json!({"component": "a", "key": "b"}));
    signal(second.pid(), "-STOP");
    signal(first.pid(), "-KILL");
    drop(first);
    let Some(stranger) = Stranger::squat(port) else {
        signal(second.pid(), "-CONT");
        return;
    };
    signal(second.pid(), "-CONT");
    assert_eq!(second.call("get_hint", json!({"component": "a", "key": "b"}))["hint"]["value"], "c");
    let pending = until(&home, |status| status["pid"] == second.pid() && status["port_pending"] == true);
    assert_eq!(pending["port"], port);
    let page = home.run(["status"]);
    assert!(
        page.stdout.contains(&port.to_string()) && page.stdout.contains("in use by another program"),
        "{}",
        page.stdout
    );
    for words in COMMANDS.iter().filter(|words| !["stop", "doctor"].contains(&words[0])) {
        assert!(!home.run(*words).stderr.contains("panicked"), "{words:?}");
    }
    second.call("set_hint", json!({"component": "a", "key": "still", "value": "here"}));
    assert_eq!(home.run(["get", "a", "still", "--json"]).json()["hint"]["value"], "here");
    nobody_came(&stranger);
    drop(stranger);
    let back = until(&home, |status| status["port_pending"] != true);
    assert_eq!((&back["pid"], &back["port"]), (&json!(second.pid()), &json!(port)));
    let health = Request::new("GET", "/health", port).send(port).json();
    assert_eq!(health["instance"], back["instance"]);
}

fn serve(home: &TestHome, args: &[&str]) -> McpStdio {
    let mut command = home.command();
    command.arg("serve").args(args);
    McpStdio::start(command)
}

/// Polls the status until it is as wanted.
fn until(home: &TestHome, wanted: impl Fn(&Value) -> bool) -> Value {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let status = serde_json::from_str(&home.run(["status", "--json"]).stdout).unwrap_or(Value::Null);
        if wanted(&status) {
            return status;
        }
        assert!(Instant::now() < deadline, "the status stays {status}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args([name, &pid.to_string()]).status().expect("kill starts");
    assert!(status.success(), "kill {name} {pid}");
}

/// A requested port that is taken is an error that names `--port`, in the background and in the
/// foreground. @server_ports
#[test]
fn a_taken_port_that_was_asked_for_is_an_error_that_names_the_flag() {
    let home = home();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = taken.local_addr().expect("it is bound").port();
    let number = port.to_string();
    for words in
        [&["serve", "--daemon", "--port", &number, "--json"][..], &["serve", "--port", &number, "--json"]]
    {
        let fault = home.run(words).fault(1);
        assert_eq!(
            (&fault["data"]["reason"], &fault["data"]["port"]),
            (&json!("port_taken"), &json!(port)),
            "{fault}"
        );
        assert!(fault["next"].as_str().is_some_and(|next| next.contains("--port")), "{fault}");
        assert!(!home.memory().join("run/state.json").exists());
    }
    drop(taken);
    let _server = home.daemon(&["--port", &number]);
    assert_eq!(home.run(["status", "--json"]).json()["port"], port);
}
