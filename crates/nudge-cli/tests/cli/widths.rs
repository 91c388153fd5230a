//! Lists and errors in terminals of 80 and 120 columns, in a pipe, and in colour.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use insta::assert_snapshot;
use nudge_core::Timestamp;
use nudge_core::text::width;
use nudge_testkit::TestHome;
use serde_json::json;

use crate::cli::home;

const LONG: &str = "docker compose --file deploy/compose.yaml build router --no-cache --progress plain && \
                    docker compose push router # 日本語のとても長い説明がここに続きます";

/// Every list that has something to show in [`scene`].
const LISTS: [&[&str]; 15] = [
    &["ls"],
    &["ls", "http-proxy"],
    &["query"],
    &["stats"],
    &["recent"],
    &["recent", "--all"],
    &["search", "--human", "docker"],
    &["sessions"],
    &["sessions", "--all"],
    &["knows"],
    &["project", "ls"],
    &["log"],
    &["history", "src/a-file-with-a-very-long-name-that-does-not-end-before-the-column.rs"],
    &["trace", "s-1"],
    &["learn", "--threshold", "1"],
];

/// A home with long values, wide characters, a failure and a commit.
fn scene() -> TestHome {
    let home = home();
    let shop = home.path().join("shop");
    std::fs::create_dir_all(shop.join(".git")).expect("a project");
    let set = |words: &[&str]| {
        home.nudge([&["set", "http-proxy"], words].concat()).cwd(&shop).run().ok();
    };
    set(&["build", LONG, "--ttl", "forever"]);
    set(&["build", "make", "--ttl", "forever"]);
    set(&["部署", LONG, "--scope-branch", "main,dev", "--reason", LONG]);
    home.nudge(["remember", LONG]).cwd(&shop).run().ok();
    let file = "src/a-file-with-a-very-long-name-that-does-not-end-before-the-column.rs";
    let file = shop.join(file).to_string_lossy().into_owned();
    let events = [
        json!({"hook_event_name": "UserPromptSubmit", "prompt": format!("please run {LONG}")}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Edit",
            "tool_input": {"file_path": file, "old_string": "a", "new_string": "b"}, "tool_response": {}}),
        json!({"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": "Exit code 1\nerror: boom",
            "tool_input": {"command": LONG}}),
        json!({"hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": {"command": "git commit -m 'build: fix docker'"},
            "tool_response": {"stdout": "[main 1a2b3c4] build: fix docker\n 1 file changed", "stderr": ""}}),
    ];
    for mut event in events {
        event["session_id"] = "s-1".into();
        event["cwd"] = shop.to_string_lossy().into();
        home.nudge(["record"]).stdin(event.to_string()).run().ok();
    }
    home
}

fn shown(home: &TestHome, words: &[&str], columns: Option<&str>) -> String {
    let call = home.nudge(words).cwd(home.path().join("shop"));
    columns.into_iter().fold(call, |call, columns| call.env("COLUMNS", columns)).run().ok()
}

/// @cli_output_modes
#[test]
fn lists_fit_the_terminal_and_are_whole_in_a_pipe() {
    let home = scene();
    for words in LISTS {
        for columns in [80, 120] {
            let page = shown(&home, words, Some(&columns.to_string()));
            for line in page.lines() {
                assert!(width(line) <= columns, "{words:?} at {columns}: {} columns: {line}", width(line));
            }
        }
        // These show previews, which the operation shortens, not the page.
        if ["ls", "search", "trace", "history", "learn"].contains(&words[0]) {
            continue;
        }
        let piped = shown(&home, words, None);
        assert!(!piped.contains('…'), "{words:?} is cut in a pipe: {piped}");
    }
}

/// @cli_output_modes
#[test]
fn colour_adds_nothing_but_colour() {
    let home = scene();
    for words in LISTS {
        let painted = [words, &["--color", "always"]].concat();
        let (plain, coloured) = (shown(&home, words, Some("80")), shown(&home, &painted, Some("80")));
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain, "{words:?}");
    }
}

/// @cli_output_modes
#[test]
fn failures_are_red_and_commits_green() {
    let home = scene();
    let page = shown(&home, &["recent", "--color", "always"], Some("80"));
    let line =
        |kind: &str| page.lines().find(|line| line.contains(kind)).map(str::to_owned).unwrap_or_default();
    assert!(
        line("command_error").contains("\u{1b}[31m") || line("command_error").contains("\u{1b}[1m\u{1b}[31m"),
        "{page}"
    );
    assert!(line("git_commit").contains("\u{1b}[32m"), "{page}");
}

/// A page at 80 and 120 columns, and in colour.
pub(crate) fn at_widths(home: &TestHome, words: &[&str]) -> String {
    at_widths_as(home, words, &[])
}

/// The same, with variables.
pub(crate) fn at_widths_as(home: &TestHome, words: &[&str], variables: &[(&str, &str)]) -> String {
    let run = |words: &[&str], columns: &str| {
        let call = home.nudge(words).cwd(home.path().join("shop")).env("COLUMNS", columns);
        variables.iter().fold(call, |call, (name, value)| call.env(name, value)).run()
    };
    let (narrow, wide) = (run(words, "80").page(), run(words, "120").page());
    let wide = if wide == narrow { "(the same)\n".to_owned() } else { wide };
    let mut coloured = run(&[words, &["--color", "always"]].concat(), "80");
    coloured.stdout = visible(&coloured.stdout);
    coloured.stderr = visible(&coloured.stderr);
    let all = format!(
        "# 80 columns\n{narrow}\n# 120 columns\n{wide}\n# 80 columns, in colour\n{}",
        coloured.page()
    );
    without_today(&all)
}

/// The text without the day of the test, or the one before it.
fn without_today(text: &str) -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    let day = |back: u64| {
        let millis = since.saturating_sub(Duration::from_secs(back * 24 * 3600)).as_millis();
        let time = Timestamp::from_millis(i64::try_from(millis).expect("a time"));
        time.to_string()[..10].to_owned()
    };
    let days = [day(0), day(1)];
    days.iter().fold(text.to_owned(), |text, day| text.replace(day, "[TODAY]"))
}

/// The text with its colour sequences as `⟨31⟩`.
fn visible(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        let (code, rest) = part.split_once('m').unwrap_or((part, ""));
        format!("{text}⟨{code}⟩{rest}")
    })
}

/// @cli_output_modes: every list and page with a table.
#[test]
fn pages_at_both_widths_and_in_colour() {
    let home = scene();
    let pages: [&[&str]; 8] = [
        &["get", "http-proxy", "build"],
        &["get", "http-proxy", "build", "--verbose"],
        &["show", "4"],
        &["timeline", "6"],
        &["usage"],
        &["why"],
        &["review", "--list"],
        &["hypotheses"],
    ];
    for words in LISTS.iter().chain(&pages) {
        let name = words.join("_").replace(['-', '/', '.'], "_");
        let name: String = name.chars().take(40).collect();
        assert_snapshot!(format!("at_widths_{name}"), at_widths(&home, words));
    }
}

/// @cli_output_modes: one error of each kind. An error is not wrapped, so that its commands can be
/// copied.
#[test]
fn errors_at_both_widths_and_in_colour() {
    let home = scene();
    let errors: [&[&str]; 12] = [
        &["serch"],
        &["search", "x", "--limt", "3"],
        &["search", "\"x"],
        &["set", "api", "k", "v", "--ttl", "soon"],
        &["set", "api", "k", "v", "--priority", "99"],
        &["get", "http-proxy", "nothing"],
        &["show", "99999"],
        &["trace", "nobody"],
        &["project", "rename", "nowhere", "x"],
        &["restore", "/nowhere/backup.db"],
        &["set", "api", "key", "AKIAIOSFODNN7EXAMPLE"],
        &["purge"],
    ];
    let all: Vec<String> = errors
        .iter()
        .map(|words| format!("$ nudge {}\n{}", words.join(" "), at_widths(&home, words)))
        .collect();
    assert_snapshot!(all.join("\n"));
}

/// @cli_output_modes
#[test]
fn times_are_those_of_the_users_zone() {
    let home = scene();
    let hour = |zone: &str| {
        let page = home.nudge(["recent"]).cwd(home.path().join("shop")).env("TZ", zone).run().ok();
        let (_, rest) = page.split_once("day ").expect("today or yesterday");
        rest[..2].parse::<i32>().expect("an hour")
    };
    let shifted = (hour("UTC0") + 3) % 24;
    assert_eq!(hour("XXX-3"), shifted);
}
