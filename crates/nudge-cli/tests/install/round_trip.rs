//! Install and uninstall with generated files of every format.

use std::fs;

use nudge_testkit::TestHome;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::install::{home, text, tree};

/// Few, because each case runs whole processes; the generated files vary widely.
const CASES: u32 = 24;

/// A JSON value, formatted in one of the usual ways.
fn json_value(depth: u32) -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        "[a-zäß ]{0,8}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(depth, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..3).prop_map(|items| format!("[{}]", items.join(", "))),
            prop::collection::vec(("[a-z]{1,6}", inner), 1..3)
                .prop_map(|members| object(&members, 0, "\n", "")),
        ]
    })
    .boxed()
}

fn object(members: &[(String, String)], indent: usize, newline: &str, comment: &str) -> String {
    let blanks = " ".repeat(indent);
    let mut seen = Vec::new();
    let members: Vec<String> = members
        .iter()
        .filter(|(key, _)| {
            let is_new = !seen.contains(key);
            seen.push(key.clone());
            is_new
        })
        .map(|(key, value)| format!("{newline}{blanks}{comment}\"{key}\": {value}"))
        .collect();
    format!("{{{}{newline}}}", members.join(","))
}

/// A JSON settings file, perhaps with other hooks and servers, comments, and Windows line endings.
fn json_file(servers: &'static str) -> BoxedStrategy<Option<String>> {
    let others = json_value(2);
    let members = prop::collection::vec(("[a-z]{3,9}", others), 0..4);
    let hooks = prop::option::of(Just(
        "{\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]}".to_owned(),
    ));
    let server = prop::option::of(Just("{\"other\": {\"command\": \"other\"}}".to_owned()));
    let style = (0..5_usize, any::<bool>(), any::<bool>(), any::<bool>());
    let text = (members, hooks, server, style).prop_map(move |(mut members, hooks, server, style)| {
        let (indent, windows, comments, ends) = style;
        members.retain(|(key, _)| !["hooks", "mcp", "version"].contains(&key.as_str()));
        members.extend(hooks.map(|hooks| ("hooks".to_owned(), hooks)));
        members.extend(server.map(|server| (servers.to_owned(), server)));
        let newline = if indent == 0 { "" } else { "\n" };
        let comment = if comments && indent > 0 { "/* mine */ " } else { "" };
        let end = if ends { "\n" } else { "" };
        let text = format!("{}{end}", object(&members, indent, newline, comment));
        if windows { text.replace('\n', "\r\n") } else { text }
    });
    prop::option::of(text).boxed()
}

/// A TOML configuration file.
fn toml_file() -> BoxedStrategy<Option<String>> {
    let line = prop_oneof![
        "[a-z]{3,8}".prop_map(|key| format!("{key}_x = 1")),
        "[a-z]{3,8}".prop_map(|key| format!("{key}_y = \"a\" # mine")),
        Just("# a comment".to_owned()),
        Just(String::new()),
    ];
    let table = prop_oneof![
        Just("[mcp_servers.other]\ncommand = \"other\"".to_owned()),
        Just("[tui]\ntheme = 'dark'".to_owned()),
        Just("[[list]]\na = [\n  1,\n]".to_owned()),
    ];
    let all =
        (prop::collection::vec(line, 0..4), prop::collection::vec(table, 0..3), any::<bool>(), any::<bool>());
    let text = all.prop_map(|(mut lines, mut tables, windows, ends)| {
        let mut seen = Vec::new();
        let mut is_new = |line: &String| {
            let key = line.split(" = ").next().unwrap_or_default().to_owned();
            let known = seen.contains(&key) && !key.is_empty() && !key.starts_with('#');
            seen.push(key);
            !known
        };
        lines.retain(&mut is_new);
        tables.dedup();
        tables.retain(&mut is_new);
        lines.extend(tables);
        let mut text = lines.join("\n");
        if ends {
            text.push('\n');
        }
        if windows { text.replace('\n', "\r\n") } else { text }
    });
    prop::option::of(text).boxed()
}

/// The files of a home, some of them missing.
type Files = Vec<(&'static str, Option<String>)>;

fn files() -> impl Strategy<Value = Files> {
    (
        json_file("mcpServers"),
        json_file("mcpServers"),
        json_file("mcpServers"),
        toml_file(),
        json_file("mcp"),
        json_file("mcpServers"),
        prop::option::of("(fetch-retries=2\n)?[a-z]{3,6}=1\n"),
    )
        .prop_map(|(a, b, c, d, e, f, g)| {
            vec![
                (".claude/settings.json", a),
                (".claude.json", b),
                (".codex/hooks.json", c),
                (".codex/config.toml", d),
                (".config/opencode/opencode.json", e),
                (".copilot/mcp-config.json", f),
                (".config/opencode/.npmrc", g),
            ]
        })
}

/// A home with these files.
fn home_with(files: &Files) -> TestHome {
    let home = home();
    for (name, text) in files {
        if let Some(text) = text {
            home.file(name, text);
        }
    }
    home
}

const AGENTS: [&str; 4] = ["claude", "codex", "opencode", "copilot"];

fn words(command: &'static str) -> Vec<&'static str> {
    let mut words = vec![command];
    words.extend(AGENTS);
    words.push("--yes");
    words
}

/// @uninstall_restores
#[test]
fn install_and_uninstall_are_the_identity_and_install_is_idempotent() {
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    runner
        .run(&files(), |files| {
            let home = home_with(&files);
            let before = tree(home.path());
            home.run(words("install")).ok();
            let installed = tree(home.path());
            prop_assert_ne!(&installed, &before);
            home.run(words("install")).ok();
            prop_assert_eq!(&tree(home.path()), &installed, "a second time changes nothing");
            home.run(words("uninstall")).ok();
            prop_assert_eq!(&tree(home.path()), &before);
            Ok(())
        })
        .expect("the way back leads to the same bytes");
}

/// @uninstall_restores
#[test]
fn what_a_person_changes_in_between_survives() {
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    runner
        .run(&files(), |files| {
            let home = home_with(&files);
            home.run(words("install")).ok();
            let edited = |name: &str, text: &str| {
                if name.ends_with(".toml") {
                    format!("mine_too = 7\n{text}")
                } else if name.ends_with(".npmrc") {
                    format!("{text}mine_too=7\n")
                } else {
                    text.replacen('{', "{\"mine_too\": 7, ", 1)
                }
            };
            // A missing opencode file is created under another name.
            let there: Vec<_> = files.iter().filter(|(name, _)| home.path().join(name).exists()).collect();
            for (name, _) in &there {
                let path = home.path().join(name);
                fs::write(&path, edited(name, &text(&path))).expect("written");
            }
            home.run(words("uninstall")).ok();
            for (name, before) in there {
                let after = text(&home.path().join(name));
                prop_assert!(after.contains("mine_too"), "{} lost the edit: {}", name, after);
                prop_assert!(!after.contains("hook claude") && !after.contains("hook codex"), "{}", after);
                if let Some(before) = before {
                    for mark in ["bell", "\"other\"", "/* mine */", "theme", "fetch-retries=2"] {
                        let (had, has) = (before.matches(mark).count(), after.matches(mark).count());
                        prop_assert_eq!(had, has, "{} in {}: {}", mark, name, after);
                    }
                }
            }
            Ok(())
        })
        .expect("only ours is taken out");
}
