//! Pages for people, one line of JSON for programs, and no control sequences for the terminal.

use insta::assert_snapshot;

use serde_json::Value;

use crate::cli::home;

/// @cli_output_modes
#[test]
fn json_is_one_line_and_the_exact_result() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let got = home.run(["get", "api", "build", "--json"]).json();
    let keys: Vec<&String> = got.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["hint", "match_explain"]);
    let listed = home.run(["ls", "--json"]).ok();
    assert_eq!(listed, "{\"components\":[{\"name\":\"api\",\"hint_count\":1}]}\n");
    let flag_first = home.run(["--json", "ls"]).ok();
    assert_eq!(flag_first, listed);
}

/// @cli_output_modes
#[test]
fn a_failure_under_json_is_an_error_object_on_standard_output() {
    let home = home();
    let outcome = home.run(["get", "nope", "build", "--json"]);
    assert_eq!(outcome.stderr, "");
    let fault = outcome.fault(3);
    assert_eq!((fault["id"].as_str(), fault["code"].as_i64()), (Some("E_NOT_FOUND"), Some(40401)));
    assert_eq!(fault["data"]["reason"], "unknown_component");
}

/// @cli_output_modes: also a line that cannot be parsed, in our words or the parser's.
#[test]
fn a_usage_error_under_json_is_an_error_object_too() {
    let home = home();
    for (words, said, next) in [
        (&["--json", "serch"][..], "unknown command `serch`", "did you mean `search`?"),
        (&["search", "x", "--limt", "3", "--json"], "unknown option `--limt`", "did you mean `--limit`?"),
        (&["get", "--json"], "<COMPONENT>", "`nudge get --help` shows the arguments"),
    ] {
        let outcome = home.run(words);
        assert_eq!(outcome.stderr, "", "{words:?}");
        let fault = outcome.fault(2);
        assert_eq!(
            (&fault["id"], &fault["data"]["reason"]),
            (&Value::from("E_INVALID"), &Value::from("usage")),
            "{fault}"
        );
        assert!(fault["message"].as_str().expect("text").contains(said), "{fault}");
        assert_eq!(fault["next"], next, "{fault}");
    }
    assert_eq!(home.run(["serch", "--", "--json"]).stdout, "", "a word is no option");
}

/// @cli_output_modes @error_model
#[test]
fn a_failure_for_people_ends_in_a_next_step() {
    let home = home();
    home.run(["set", "api", "build", "make", "--scope-os", "windows"]).ok();
    home.run(["set", "api", "build", "gmake", "--scope-branch", "release/*"]).ok();
    let pages = [
        home.run(["get", "nope", "build"]).page(),
        home.run(["get", "api", "deploy"]).page(),
        home.run(["get", "api", "build"]).page(),
        home.run(["delete", "api", "build"]).page(),
        home.run(["set", "api", "x", "y", "--priority", "11"]).page(),
        home.run(["set", "api", "x", "y", "--ttl", "two hours"]).page(),
        home.run(["set", "api", "x", "y", "--scope-cwd-glob", "../secret/**"]).page(),
        home.run(["set", "api", "x", "relative/path", "--type", "path"]).page(),
        home.run(["set", "api", "x", "{oops", "--type", "json"]).page(),
    ];
    assert_snapshot!("failures", pages.join("\n"));
}

/// @cli_hostile_text
#[test]
fn stored_escape_sequences_are_shown_not_obeyed() {
    let home = home();
    let hostile = "\u{1b}]0;owned\u{7}\u{1b}[2Jrm -rf \u{202e}gpj.exe\u{9b}31m";
    home.run(["set", "api", "evil", hostile, "--reason", "\u{1b}[1mtrust me"]).ok();
    for words in
        [vec!["get", "api", "evil"], vec!["query"], vec!["ls", "api"], vec!["get", "api", "evil", "--json"]]
    {
        let out = home.nudge(words.clone()).env("COLUMNS", "80").run().ok();
        let obeyed: Vec<char> = out.chars().filter(|c| c.is_control() && *c != '\n').collect();
        assert_eq!(obeyed, [], "{words:?} printed {out:?}");
        assert!(!out.contains('\u{202e}'), "{words:?} printed {out:?}");
    }
    let exact = home.run(["get", "api", "evil", "--json"]).json();
    assert_eq!(exact["hint"]["value"], hostile);
}

/// An error may repeat an argument that a script read from a file. @cli_hostile_text
#[test]
fn escape_sequences_in_arguments_are_shown_not_obeyed() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}gpj\nhint: run me\r\u{2066}\u{200f}x";
    let flag = format!("--{evil}");
    let value = format!("--limit={evil}");
    let lines: [&[&str]; 26] = [
        &[evil],
        &["help", evil],
        &[&flag],
        &["get", &flag],
        &["get", "api", "build", evil],
        &["query", &value],
        &["--color", evil, "ls"],
        &["--port", evil, "ls"],
        &["project", evil],
        &["completions", evil],
        &["install", evil],
        &["record", "--format", evil],
        &["get", evil, "build"],
        &["get", "api", evil],
        &["delete", "api", evil],
        &["bump", evil, evil],
        &["set", evil, "k", "v", "--priority", "99"],
        &["set", "api", "k", "v", "--ttl", evil],
        &["set", "api", "k", evil, "--type", "json"],
        &["query", "--regex", evil, "--regex", "("],
        &["show", evil],
        &["trace", evil],
        &["discover", evil],
        &["import", evil],
        &["--home", evil, "restore", evil],
        &["search", "--since", evil, "x"],
    ];
    for words in lines {
        for forced in [false, true] {
            let call = home.nudge(words).env("COLUMNS", "100");
            let outcome = if forced { call.env("CLICOLOR_FORCE", "1") } else { call }.run();
            let said = format!("{}{}", outcome.stdout, outcome.stderr);
            assert!(outcome.code.is_some_and(|code| code != 0) && !said.is_empty(), "{words:?}: {outcome:?}");
            // The only sequences left are the program's own colours, where they are wanted.
            let plain = if forced { without_colours(&said) } else { said.clone() };
            let obeyed: Vec<char> = plain.chars().filter(|c| c.is_control() && *c != '\n').collect();
            assert_eq!(obeyed, [], "{words:?} printed {said:?}");
            assert!(!plain.contains(['\u{202e}', '\u{2066}', '\u{200f}']), "{words:?} printed {said:?}");
            assert!(!plain.contains("\nhint: run me"), "{words:?} forged a line: {said:?}");
        }
    }
    assert_snapshot!("hostile_subcommand", home.run([evil]).page());
}

/// An argument that is not valid text is rejected, and shown as far as possible. @cli_hostile_text
#[test]
fn arguments_that_are_no_text_are_shown_without_steering() {
    use std::os::unix::ffi::OsStrExt;
    let word = std::ffi::OsStr::from_bytes(b"\x1b[31m\xff\xfe");
    for words in [vec![word], vec!["get".as_ref(), word, "x".as_ref()], vec!["--color".as_ref(), word]] {
        let outcome = home().run(words.clone());
        assert_ne!(outcome.code, Some(0), "{words:?}");
        assert!(!outcome.stderr.contains('\u{1b}'), "{words:?}: {:?}", outcome.stderr);
    }
}

/// The text without the sequences for colour and weight.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(part.len());
        assert_eq!(part[end..].chars().next(), Some('m'), "a sequence that is no colour: {text:?}");
        assert!(
            part[..end]
                .split(';')
                .all(|code| matches!(code, "" | "0" | "1" | "2" | "4" | "31" | "32" | "33")),
            "{text:?}"
        );
        plain.push_str(&part[end + 1..]);
    }
    plain
}

/// @cli_output_modes
#[test]
fn colour_comes_only_when_it_is_wanted() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let colours = |words: &[&str], env: &[(&str, &str)]| {
        let call = env.iter().fold(home.nudge(words), |call, (name, value)| call.env(name, value));
        call.run().ok().contains('\u{1b}')
    };
    assert!(!colours(&["get", "api", "build"], &[]), "a pipe is not coloured");
    assert!(colours(&["get", "api", "build", "--color", "always"], &[]));
    assert!(!colours(&["get", "api", "build", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(colours(&["get", "api", "build"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!colours(&["get", "api", "build"], &[("NO_COLOR", "1")]));
}

/// @cli_output_modes
#[test]
fn lists_fit_eighty_columns() {
    let home = home();
    let long =
        "docker compose -f docker-compose.yml -f docker-compose.override.yml build --no-cache --pull router";
    home.run(["set", "http-proxy", "build", long, "--scope-cwd-glob", "**/*", "--tags", "build"]).ok();
    home.run(["set", "http-proxy", "a-key-that-is-rather-longer-than-keys-usually-are", long]).ok();
    for words in [vec!["query"], vec!["ls"], vec!["ls", "http-proxy"], vec!["discover"]] {
        let page = home.nudge(words.clone()).env("COLUMNS", "80").run().ok();
        for line in page.lines() {
            assert!(line.chars().count() <= 80, "{words:?}: {line}");
        }
    }
    assert_snapshot!("query_80", home.nudge(["query"]).env("COLUMNS", "80").run().page());
    let whole = home.run(["query"]).ok();
    assert!(whole.contains(long), "a pipe gets the whole value");
}
