//! Lists and errors in terminals of 80 and 120 columns, in a pipe, and in colour.

use insta::assert_snapshot;
use nudge_core::text::width;
use nudge_testkit::TestHome;
use serde_json::json;

use crate::home;

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

/// @cli_output_modes
#[test]
fn the_main_pages_at_both_widths() {
    let home = scene();
    for words in [&["recent"][..], &["sessions"], &["knows"], &["ls", "http-proxy"], &["query"], &["log"]] {
        let page = |columns: &str| {
            home.nudge(words).cwd(home.path().join("shop")).env("COLUMNS", columns).run().page()
        };
        let both = format!("# 80\n{}\n# 120\n{}", page("80"), page("120"));
        assert_snapshot!(format!("at_both_widths_{}", words.join("_").replace('-', "_")), both);
    }
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
