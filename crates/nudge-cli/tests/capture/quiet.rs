//! Whatever the input, a hook exits 0, prints only what its agent's schema allows, and prints
//! nothing on standard error.

use std::io::Write;
use std::process::Stdio;

use nudge_testkit::TestHome;

use crate::capture::kit::{SESSION, drops, endless_prompt, home, import_spool, log, prompt, quiet, stored};

/// The agents, and the answer each gets when there is nothing to say.
const AGENTS: [(&str, &str); 8] = [
    ("claude", ""),
    ("codex", ""),
    ("opencode", ""),
    ("copilot", ""),
    ("gemini", ""),
    ("qwen", ""),
    ("cline", "{}\n"),
    ("cursor", "{}\n"),
];

#[track_caller]
fn says(home: &TestHome, harness: &str, payload: &[u8], expected: &str) {
    let outcome = home.nudge(["hook", harness]).stdin(payload).run();
    let shown = String::from_utf8_lossy(&payload[..payload.len().min(80)]).into_owned();
    assert_eq!(
        (outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()),
        (Some(0), expected, ""),
        "{harness}: {shown}"
    );
}

/// @hook_always_quiet
#[test]
fn garbage_is_answered_with_silence() {
    let home = home();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let garbage: [&[u8]; 9] = [
        b"",
        b" \n",
        b"not json",
        b"{\"session_id\":",
        b"[1,2]",
        b"{}",
        b"\xff\xfe{\"a\":1}",
        deep.as_bytes(),
        b"{\"session_id\":7,\"cwd\":null,\"hook_event_name\":{}}",
    ];
    for (harness, silence) in AGENTS {
        for payload in garbage {
            says(&home, harness, payload, silence);
        }
    }
}

/// @hook_always_quiet
#[test]
fn events_of_every_agent_are_answered_with_silence() {
    let home = home();
    for (harness, silence) in AGENTS {
        for event in ["UserPromptSubmit", "SessionStart", "NeverHeardOf"] {
            let payload = format!(
                r#"{{"session_id":"s","sessionId":"s","conversation_id":"s","taskId":"s","cwd":"/p","hook_event_name":"{event}","hookName":"{event}","prompt":"x"}}"#
            );
            says(&home, harness, payload.as_bytes(), silence);
        }
    }
}

/// @hook_always_quiet
#[test]
fn an_unknown_agent_gets_nothing_at_all() {
    let home = home();
    for harness in ["clippy", "", "CLAUDE", "../../etc", "--version-of-the-future"] {
        quiet(home.nudge(["hook", harness]).stdin(prompt("x").to_string()).run());
    }
    quiet(home.nudge(["hook"]).stdin(prompt("x").to_string()).run());
    quiet(home.nudge(["hook", "claude", "--flag-of-the-future"]).stdin(prompt("kept").to_string()).run());
    assert!(log(&home).contains("unknown_harness"), "{}", log(&home));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["kept"]);
}

/// @hook_always_quiet
#[test]
fn a_wrong_command_line_is_no_reason_to_complain() {
    let home = home();
    let place = home.path().join("elsewhere").display().to_string();
    let lines: [&[&str]; 5] = [
        &["hook", "claude", "--bogus"],
        &["--json", "hook", "claude", "--bogus"],
        &["--bogus", "hook", "claude"],
        &["-p", "no port", "hook", "claude"],
        &["--json", "hook", "claude", "--home"],
    ];
    for (number, words) in lines.iter().enumerate() {
        quiet(home.nudge(*words).stdin(prompt(&number.to_string()).to_string()).run());
    }
    quiet(home.nudge(["hook", "--bogus", "--help"]).stdin(prompt("x").to_string()).run());
    quiet(
        home.nudge(["--home", &place, "--bogus", "hook", "claude"]).stdin(prompt("there").to_string()).run(),
    );
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["0", "1", "2", "3", "4"]);
    home.run(["--home", &place, "set", "t", "t", "t"]).ok();
    assert_eq!(nudge_testkit::StoredMemory::in_dir(place.as_ref()).prompt_texts(SESSION), ["there"]);
}

/// @hook_drops
#[test]
fn a_payload_that_is_too_long_is_lost_quietly() {
    let home = home();
    says(&home, "claude", endless_prompt().as_bytes(), "");
    let report = drops(&home.memory());
    assert_eq!((report.total, report.by_reason), (1, [("unreadable_input", 1)].into()));
    assert!(log(&home).contains("lost:unreadable_input:too_long"), "{}", log(&home));
}

/// @hook_always_quiet
#[test]
fn a_byte_that_is_no_text_costs_that_byte_alone() {
    let home = home();
    let mut payload = prompt("before MARK after").to_string().into_bytes();
    let at = payload.windows(4).position(|part| part == b"MARK").expect("the mark is in it");
    payload[at] = 0xff;
    says(&home, "claude", &payload, "");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION).len(), 1);
}

/// @hook_always_quiet
#[test]
fn nobody_needs_to_read_the_answer() {
    let home = home();
    let mut command = home.command();
    command.args(["hook", "cursor"]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary under test starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("piped");
    stdin.write_all(b"{\"conversation_id\":\"c\",\"hook_event_name\":\"stop\"}").expect("taken");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &[][..]));
}

/// @hook_always_quiet
#[test]
fn without_a_home_there_is_still_silence() {
    let home = home();
    quiet(
        home.nudge(["hook", "claude"]).env("NUDGE_HOME", "not/absolute").stdin(prompt("x").to_string()).run(),
    );
    quiet(home.nudge(["hook", "claude", "--home", "relative"]).stdin(prompt("x").to_string()).run());
    // A file in place of the memory's directory.
    home.file(".local/share/nudge", "in the way");
    quiet(home.nudge(["hook", "claude"]).stdin(prompt("x").to_string()).run());
}

/// @hook_always_quiet
#[test]
fn the_home_is_found_wherever_it_is_said() {
    let home = home();
    let place = |name: &str| home.path().join(name).display().to_string();
    let (one, two, three, four) = (place("one"), place("two"), place("three"), place("four"));
    let send = |args: &[&str]| quiet(home.nudge(args).stdin(prompt("x").to_string()).run());
    send(&["--home", &one, "hook", "claude"]);
    send(&["hook", "claude", &format!("--home={two}")]);
    send(&["--json", "--home", &three, "hook", "claude"]);
    quiet(home.nudge(["hook", "claude"]).env("NUDGE_HOME", &four).stdin(prompt("x").to_string()).run());
    for place in [one, two, three, four] {
        home.run(["--home", &place, "set", "t", "t", "t"]).ok();
        assert_eq!(
            nudge_testkit::StoredMemory::in_dir(place.as_ref()).prompt_texts(SESSION),
            ["x"],
            "{place}"
        );
    }
    assert!(!home.memory().exists());
}

/// @hook_always_quiet
#[test]
fn a_payload_of_twenty_megabytes_is_kept_small() {
    let home = home();
    let mut payload = crate::capture::kit::command("x");
    payload["tool_name"] = "Write".into();
    payload["tool_input"] = serde_json::json!({"file_path": "/home/dev/project/big.txt", "content": "all work and no play\n".repeat(1_000_000)});
    says(&home, "claude", payload.to_string().as_bytes(), "");
    import_spool(&home);
    assert_eq!(stored(&home).did(SESSION), ["file_write /home/dev/project/big.txt"]);
    let size = home.memory().join("nudge.db").metadata().expect("there").len();
    assert!(size < 1024 * 1024, "{size} bytes");
}
