//! The token is in its file and nowhere else.

use std::fs;
use std::path::{Path, PathBuf};

use nudge_testkit::raw_http::Request;
use serde_json::json;

use crate::access::person::TestUser;

/// Every file below `dir`.
fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in fs::read_dir(dir).into_iter().flatten().flatten() {
        match item.file_type() {
            Ok(kind) if kind.is_dir() => found.extend(files(&item.path())),
            Ok(kind) if kind.is_file() => found.push(item.path()),
            _ => {}
        }
    }
    found
}

/// What the system shows of all processes: argument lists and environments.
fn reported_by_the_system() -> Vec<(PathBuf, Vec<u8>)> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten().map(|item| item.path());
    let files = processes.flat_map(|process| ["cmdline", "environ"].map(|name| process.join(name)));
    files.filter_map(|file| Some((file.clone(), fs::read(&file).ok()?))).collect()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// @token_secrecy
#[test]
fn the_token_is_in_no_log_argument_environment_or_message() {
    let person = TestUser::new();
    let status = person.serve(&["--log-level", "debug"]);
    let port = u16::try_from(status["port"].as_u64().expect("a port")).expect("a port");
    let first = person.token();
    let mut said = Vec::new();
    let mut agent = person.stdio(&["--log-level", "debug"]);
    said.push(agent.call_raw("set_hint", json!({"component": "a", "key": "b", "value": "c"})).to_string());
    said.push(agent.call_raw("get_hint", json!({"component": "no", "key": "such"})).to_string());
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"no_such_thing"}"#;
    for shown in [first.clone(), format!("{first}x"), "0".repeat(64)] {
        for path in ["/rpc", "/mcp", "/nothing", "/"] {
            let request = Request::new("POST", path, port).token(&shown).body(body);
            said.push(format!("{:?}", request.send(port)));
            said.push(format!("{:?}", request.clone().instead("Host", "evil.example").send(port)));
            said.push(format!("{:?}", request.header("Origin", "null").send(port)));
        }
    }
    for words in [
        &["status"][..],
        &["status", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["config"],
        &["config", "--json"],
        &["discover", "--json"],
        &["token", "show"],
        &["token", "show", "--json"],
        &["export"],
        &["get", "no", "such"],
        &["serve", "--daemon"],
        &["-p", "1", "ls"],
    ] {
        let outcome = person.run(words);
        said.push(format!("{words:?} {}{}", outcome.stdout, outcome.stderr));
    }
    let processes = reported_by_the_system();
    said.push(person.run(&["token", "rotate", "--json"]).ok());
    let second = person.token();
    assert_ne!(first, second);
    assert_eq!(Request::new("POST", "/rpc", port).token(&second).body(body).send(port).status, 200);
    drop(agent);
    person.run(&["stop"]).ok();
    for token in [&first, &second] {
        for text in &said {
            assert!(!text.contains(token.as_str()), "{text}");
        }
        for (file, bytes) in processes.iter().chain(&reported_by_the_system()) {
            assert!(!holds(bytes, token), "{}", file.display());
        }
        let logs: Vec<_> = files(&person.memory().join("logs"));
        assert!(!logs.is_empty(), "there is no log to look into");
        for file in files(&person.home()).iter().filter(|file| !file.ends_with("run/token")) {
            assert!(!holds(&fs::read(file).unwrap_or_default(), token), "{}", file.display());
        }
    }
}

/// @token_secrecy
#[test]
fn the_token_is_shown_when_the_person_asks_for_it_and_only_then() {
    let person = TestUser::new();
    person.serve(&[]);
    assert_eq!(person.run(&["token", "show", "--reveal"]).ok().trim(), person.token());
    assert!(!person.run(&["token", "show"]).ok().contains(&person.token()));
}
