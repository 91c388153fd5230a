//! Invalid values, lifetimes, patterns and numbers, and values that attack the terminal.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::bad_input::{home, orderly};

/// Changes the window title, turns the text red, clears the screen and types for the user.
const HOSTILE: &str = "\u{1b}]0;owned\u{7}\u{1b}[31mred\u{1b}[2J\u{9b}5n\u{1b}P+q\u{1b}\\\r\u{8}end";

/// @cli_hostile_text
#[test]
fn a_hostile_value_reaches_no_terminal() {
    let home = home();
    home.run(["set", "a", "b", HOSTILE, "--reason", HOSTILE, "--ttl", "forever"]).ok();
    for words in [&["get", "a", "b"][..], &["query"], &["ls", "a"], &["get", "a", "b", "--json"], &["export"]]
    {
        let binary = home.binary().to_str().expect("test paths are text");
        let line = std::iter::once(binary).chain(words.iter().copied()).collect::<Vec<_>>().join(" ");
        let mut terminal = Command::new("script");
        terminal
            .args(["-qec", &line, "/dev/null"])
            .env_clear()
            .env("HOME", home.path())
            .current_dir(home.path());
        terminal
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TERM", "xterm-256color")
            .env("COLUMNS", "500")
            .stdin(Stdio::null());
        let output = terminal.output().expect("script starts");
        assert!(output.status.success(), "{output:?}");
        let seen = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(seen.contains("owned") && seen.contains("end"), "{words:?}: {seen:?}");
        for sequence in
            ["\u{1b}]", "\u{1b}[31mred", "\u{1b}[2J", "\u{9b}", "\u{1b}P", "\u{7}", "\u{8}", "\rend"]
        {
            assert!(!seen.contains(sequence), "{words:?} prints {sequence:?}: {seen:?}");
        }
    }
}

/// @bad_input_refused
#[test]
fn a_hostile_value_is_exact_for_programs() {
    let home = home();
    home.run(["set", "a", "b", HOSTILE]).ok();
    assert_eq!(home.run(["get", "a", "b", "--json"]).json()["hint"]["value"], HOSTILE);
}

/// @bad_input_refused
#[test]
fn a_lifetime_that_is_none_is_refused() {
    let home = home();
    let endless = format!("P{}D", "9".repeat(400));
    for ttl in [
        "",
        " ",
        "P",
        "PT",
        "T",
        "2",
        "PT2",
        "PT2X",
        "-PT2H",
        "P-1D",
        "session ",
        "SESSION",
        "never",
        "PT2H;",
        "P1D2",
        "PT1.5.5S",
        "P99999999999999999999D",
        "0",
        "PT0S",
        "\u{0661}",
        &endless,
    ] {
        let fault = orderly(home.run(["set", "a", "b", "c", "--json", &format!("--ttl={ttl}")])).fault(2);
        assert_eq!(fault["code"], 40001, "{ttl:.40}: {fault}");
        orderly(home.run(["set", "a", "b", "c", &format!("--ttl={ttl}")])).exits(2);
    }
    home.run(["get", "a", "b"]).exits(3);
}

/// @bad_input_refused
#[test]
fn a_glob_that_is_broken_or_climbs_is_refused() {
    let home = home();
    let long = "a".repeat(501);
    for glob in
        ["../x", "..", "a/../b", "/srv/../etc", "**/../x", "..\\x", "[", "[a", "{a,b", "a{b{c{", &long]
    {
        let fault =
            orderly(home.run(["set", "a", "b", "c", "--json", &format!("--scope-cwd-glob={glob}")])).fault(2);
        assert!([json!(40003), json!(40001)].contains(&fault["code"]), "{glob:.40}: {fault}");
    }
    for branch in ["[", "{a", &long] {
        orderly(home.run(["set", "a", "b", "c", "--json", &format!("--scope-branch={branch}")])).fault(2);
    }
    for path in ["relative", "../x", "/a/../b", "~/x", ""] {
        let fault = orderly(home.run(["set", "a", "b", path, "--type", "path", "--json"])).fault(2);
        assert!([json!(40003), json!(40001)].contains(&fault["code"]), "{path}: {fault}");
    }
    home.run(["get", "a", "b"]).exits(3);
}

/// @bad_input_refused
#[test]
fn a_number_out_of_range_is_refused() {
    let home = home();
    home.run(["set", "x", "y", "z"]).ok();
    for flag in [
        "--priority=0",
        "--priority=11",
        "--priority=-1",
        "--confidence=-0.1",
        "--confidence=1.1",
        "--confidence=NaN",
        "--confidence=inf",
    ] {
        let outcome = orderly(home.run(["set", "a", "b", "c", flag, "--json"]));
        assert!([Some(1), Some(2)].contains(&outcome.code), "{flag}: {outcome:?}");
    }
    for flag in [
        "--priority=five",
        "--priority=1.5",
        "--priority=99999999999999999999",
        "--confidence=high",
        "--if-match-version=x",
    ] {
        orderly(home.run(["set", "a", "b", "c", flag])).exits(2);
    }
    for delta in ["0", "-1", "1001", "9223372036854775807"] {
        let outcome = orderly(home.run(["bump", "x", "y", &format!("--delta={delta}")]));
        assert!([Some(1), Some(2)].contains(&outcome.code), "{delta}: {outcome:?}");
    }
    for limit in ["0", "-1", "201", "x"] {
        let outcome = orderly(home.run(["query", &format!("--limit={limit}")]));
        assert!([Some(1), Some(2)].contains(&outcome.code), "{limit}: {outcome:?}");
    }
    assert_eq!(home.run(["get", "x", "y", "--json"]).json()["hint"]["use_count"], 0);
    home.run(["get", "a", "b"]).exits(3);
}

/// @bad_input_refused
#[test]
fn a_pattern_that_is_broken_or_explodes_is_refused() {
    let home = home();
    home.run(["set", "a", "b", &"a".repeat(60_000)]).ok();
    for pattern in ["(", "[", "*", "\\", "(?<x", "a{1000}{1000}{1000}", "(?P>x)"] {
        let fault = orderly(home.run(["query", "--json", &format!("--regex={pattern}")])).fault(2);
        assert_eq!(fault["code"], 40001, "{pattern:.20}: {fault}");
        assert!(fault.to_string().len() < 5_000);
    }
    let began = std::time::Instant::now();
    let long = format!("({})", "a|".repeat(50_000));
    orderly(home.run(["query", &format!("--regex={long}")]));
    orderly(home.run(["query", "--regex=(a*)*(a*)*b$"])).ok();
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
}

/// @bad_input_refused
#[test]
fn a_value_too_large_or_of_no_kind_is_refused() {
    let home = home();
    let large = "v".repeat(64 * 1024 + 1);
    let refused = |outcome: nudge_testkit::Outcome| assert_eq!(orderly(outcome).fault(2)["code"], 40001);
    refused(home.nudge(["set", "a", "b", "-", "--json"]).stdin(large).run());
    refused(home.nudge(["set", "a", "b", "-", "--json"]).stdin(vec![0xff, 0xfe]).run());
    refused(home.run(["set", "a", "b", "", "--json"]));
    refused(home.run(["set", "a", "b", "{", "--type", "json", "--json"]));
    refused(home.run(["set", "a", "b", &"[".repeat(100_000), "--type", "json", "--json"]));
    orderly(home.run(["set", "a", "b", "x", "--type", "template"])).exits(2);
    orderly(home.run(["set", "a", "b", "x", "--type", "path", "--shell", "bash"])).exits(2);
    orderly(home.run(["set", "a", "b", "x", "--shell", "fish"])).exits(2);
    orderly(home.run(["set", "a", "b", "x", "--scope-os", "plan9"])).exits(2);
    home.run(["get", "a", "b"]).exits(3);
}

/// JSON is not stored if it is too deep to be read back from an export. @bad_input_refused
#[test]
fn a_value_that_is_too_deep_is_refused_and_the_deepest_survives_an_export() {
    let home = home();
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    for levels in [65, 100, 120, 127] {
        let fault =
            orderly(home.run(["set", "a", "b", &nested(levels), "--type", "json", "--json"])).fault(2);
        assert_eq!(fault["data"]["reason"], "value_too_deep", "{levels}: {fault}");
    }
    home.run(["set", "a", "b", &nested(64), "--type", "json"]).ok();
    let exported = home.run(["export", "--json"]).ok();
    let other = crate::bad_input::home();
    let taken = orderly(other.nudge(["import", "-", "--json"]).stdin(exported).run()).json();
    assert_eq!(taken, json!({"imported": 1, "skipped": 0}));
}

/// The secret guard checks every field of a hint. @hint_secret_guard
#[test]
fn a_credential_is_refused_in_every_field() {
    let home = home();
    let key = ["AKIA", "IOSFODNN7EXAMPLQ"].concat();
    let pair = format!("X={key}");
    let json = format!("{{\"x\":{{\"{key}\":1}}}}");
    let fields: [&[&str]; 10] = [
        &["a", "b", "v", "--reason", &key],
        &["a", "b", "v", "--tags", &key],
        &["a", "b", "v", "--added-by", &key],
        &["a", "b", "v", "--env", &pair],
        &["a", "b", "v", "--scope-cwd-glob", &key],
        &["a", "b", "v", "--scope-branch", &key],
        &["a", &key, "v"],
        &[&key, "b", "v"],
        &["a", "b", "{{x}}", "--format", "jinja", "--default", &pair],
        &["a", "b", &json, "--type", "json"],
    ];
    for words in fields {
        let outcome = orderly(home.run(["set", "--json"].iter().chain(words)));
        assert!(!outcome.stdout.contains(&key), "{}", outcome.stdout);
        assert_eq!(outcome.fault(4)["id"], "E_SECRET_REJECTED", "{words:?}");
    }
    for (component, name) in [("a", key.as_str()), (key.as_str(), "b")] {
        for value in [json!("v"), json!(7)] {
            let payload = json!({"schema_version": "1.0", "components": {component: {"hints": {name: {"value": value}}}}});
            let outcome = orderly(home.nudge(["import", "-", "--json"]).stdin(payload.to_string()).run());
            assert!(!outcome.stdout.contains(&key), "{}", outcome.stdout);
            outcome.fault(2);
        }
    }
    assert_eq!(home.run(["ls", "--json"]).json(), json!({"components": []}));
}
