//! Help, manual pages and the reference.

use insta::assert_snapshot;
use nudge_testkit::TestHome;

use crate::cli::home;

/// Every command in the help, with its subcommands.
const COMMANDS: [(&str, &[&str]); 65] = [
    ("search", &[]),
    ("show", &[]),
    ("timeline", &[]),
    ("sessions", &[]),
    ("trace", &[]),
    ("history", &[]),
    ("recent", &[]),
    ("fix", &[]),
    ("remember", &[]),
    ("correct", &[]),
    ("forget", &[]),
    ("review", &["accept", "drop"]),
    ("knows", &[]),
    ("mark", &[]),
    ("pin", &[]),
    ("unpin", &[]),
    ("hint", &["set", "get", "ls", "rm", "query", "bump", "stats", "log", "undo", "export", "import"]),
    ("log", &[]),
    ("undo", &[]),
    ("session", &["show", "name"]),
    ("focus", &["add", "rm", "ls"]),
    ("handoff", &[]),
    ("hypotheses", &[]),
    ("journal", &["add", "ls", "reflect"]),
    ("entry", &["get", "ls", "set", "rm", "cp", "mv", "update", "scan", "constraint", "apply"]),
    ("ask", &[]),
    ("run", &["ls", "show", "resume", "abort", "fork", "rename"]),
    ("context", &[]),
    ("why", &[]),
    ("usage", &[]),
    ("learn", &[]),
    ("stop-showing", &[]),
    ("install", &[]),
    ("uninstall", &[]),
    ("pause", &[]),
    ("unpause", &[]),
    ("purge", &[]),
    ("project", &["ls", "rename", "merge", "trust", "private"]),
    ("config", &[]),
    ("model", &["ls", "add", "rm", "key"]),
    ("doctor", &[]),
    ("status", &[]),
    ("stop", &[]),
    ("backup", &[]),
    ("restore", &[]),
    ("export", &[]),
    ("import", &["claude", "codex", "copilot", "gemini", "opencode", "notes", "memories"]),
    ("maintain", &[]),
    ("update", &[]),
    ("tui", &[]),
    ("hook", &[]),
    ("record", &[]),
    ("serve", &[]),
    ("discover", &[]),
    ("token", &["show", "header", "rotate"]),
    ("statusline", &[]),
    ("completions", &[]),
    ("man", &[]),
    ("set", &[]),
    ("get", &[]),
    ("ls", &[]),
    ("delete", &[]),
    ("query", &[]),
    ("bump", &[]),
    ("stats", &[]),
];

/// Short forms of `nudge hint` commands; the list has them in one line.
const SHORT_FORMS: [&str; 7] = ["set", "get", "ls", "delete", "query", "bump", "stats"];

/// Commands that only programs run; the short list omits them.
const PLUMBING: [&str; 8] =
    ["hook", "record", "serve", "discover", "token", "statusline", "completions", "man"];

fn page(home: &TestHome, words: &[&str], flag: &str, columns: &str) -> String {
    let words: Vec<&str> = words.iter().copied().chain([flag]).collect();
    home.nudge(words).env("COLUMNS", columns).run().ok()
}

/// Both pages of a command, at both widths; a page that is the same at both appears once.
fn pages(home: &TestHome, words: &[&str]) -> String {
    let mut text = String::new();
    for flag in ["-h", "--help"] {
        let (narrow, wide) = (page(home, words, flag, "80"), page(home, words, flag, "120"));
        for line in narrow.lines() {
            assert!(line.chars().count() <= 80, "{words:?}: {line}");
        }
        for line in wide.lines() {
            assert!(line.chars().count() <= 120, "{words:?}: {line}");
        }
        let name = [&["nudge"], words, &[flag]].concat().join(" ");
        text.push_str(&format!("#### {name}, 80 columns\n{narrow}\n"));
        let wide = if wide == narrow { "(the same)\n".to_owned() } else { wide };
        text.push_str(&format!("#### {name}, 120 columns\n{wide}\n"));
    }
    text
}

/// @cli_help
#[test]
fn the_commands_are_in_groups() {
    let home = home();
    assert_snapshot!("help", pages(&home, &[]));
    let (short, long) = (page(&home, &[], "-h", "80"), page(&home, &[], "--help", "80"));
    let lists = |page: &str, command: &str| {
        page.lines().filter(|line| line.starts_with(&format!("  {command} "))).count()
    };
    for (command, _) in COMMANDS {
        let listed = usize::from(!SHORT_FORMS.contains(&command));
        assert_eq!(lists(&long, command), listed, "{command}");
        assert_eq!(lists(&short, command), listed * usize::from(!PLUMBING.contains(&command)), "{command}");
    }
}

/// @cli_help
#[test]
fn every_command_explains_itself_in_eighty_columns() {
    let home = home();
    for (command, below) in COMMANDS {
        let mut text = pages(&home, &[command]);
        for name in below {
            text.push_str(&pages(&home, &[command, name]));
        }
        assert_snapshot!(format!("help_{command}"), text);
    }
}

/// @cli_help
#[test]
fn a_short_page_has_only_what_belongs_to_the_command() {
    let home = home();
    for (command, _) in COMMANDS {
        let short = page(&home, &[command], "-h", "80");
        assert!(!short.contains("--max-hints") && !short.contains("  --home"), "{command}: {short}");
        assert!(short.trim_end().ends_with("(see --help)"), "{command}: {short}");
        let long = page(&home, &[command], "--help", "80");
        assert!(long.contains("--home <DIR>"), "{command}: {long}");
        assert_eq!(long.contains("--max-hints <N>"), command == "config", "{command}: {long}");
    }
}

/// @cli_help
#[test]
fn colour_changes_nothing_but_the_colour() {
    let home = home();
    let main = home.nudge(["--help", "--color", "always"]).env("COLUMNS", "80").run().ok();
    assert_snapshot!("help_colour", main.replace('\u{1b}', "\\e"));
    let commands = COMMANDS.iter().map(|(command, _)| vec![*command]);
    for words in [vec![]].into_iter().chain(commands) {
        for flag in ["-h", "--help"] {
            let coloured = [&words[..], &[flag, "--color=always"]].concat();
            let coloured = home.nudge(coloured).env("COLUMNS", "80").run().ok();
            assert!(coloured.contains('\u{1b}'), "{words:?}");
            assert_eq!(without_colour(&coloured), page(&home, &words, flag, "80"), "{words:?}");
        }
    }
}

/// The text without colour sequences.
fn without_colour(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// @cli_help
#[test]
fn a_typing_error_finds_its_closest_match() {
    let home = home();
    let lines: [&[&str]; 8] = [
        &["serch", "x"],
        &["frobnicate"],
        &["search", "x", "--limt", "3"],
        &["search", "x", "--frobnicate"],
        &["status", "now"],
        &["search", "x", "--order", "relevence"],
        &["pause", "--for", "soon"],
        &["hint", "sett"],
    ];
    let text: Vec<String> = lines
        .iter()
        .map(|words| format!("$ nudge {}\n{}", words.join(" "), home.run(*words).exits(2).page()))
        .collect();
    assert_snapshot!("typo", text.join("\n"));
}

/// @cli_help
#[test]
fn every_setting_has_a_flag_of_its_own() {
    let home = home();
    let page = page(&home, &["config"], "--help", "80");
    for flag in
        ["--no-secret-guard", "--default-ttl", "--log-level", "--max-hints", "--max-components", "--profile"]
    {
        assert!(page.contains(flag), "{flag} is missing");
    }
    home.run(["ls", "--max-hints", "5"]).exits(0);
}

/// @completions_and_man
#[test]
fn there_is_a_manual_page_for_every_command() {
    let home = home();
    let page = home.run(["man"]).ok();
    assert!(page.contains(".TH nudge 1") && page.contains("Exit codes"), "{page}");
    let dir = home.dir("man1");
    home.run(["man", "--dir", dir.to_str().expect("utf-8")]).ok();
    for (command, below) in COMMANDS {
        let names = below.iter().map(|name| format!("{command}-{name}"));
        for name in [command.to_owned()].into_iter().chain(names) {
            let page = std::fs::read_to_string(dir.join(format!("nudge-{name}.1"))).expect(&name);
            assert!(page.contains(&format!("nudge\\-{}", name.replace('-', "\\-"))), "{name}");
        }
    }
}

/// @completions_and_man
#[test]
fn the_reference_has_every_command() {
    let reference = home().run(["man", "--markdown"]).ok();
    for (command, below) in COMMANDS {
        assert!(reference.contains(&format!("\n### `nudge {command}`\n")), "{command}");
        for name in below {
            assert!(reference.contains(&format!("\n### `nudge {command} {name}`\n")), "{command} {name}");
        }
    }
}

/// @cli_discover
#[test]
fn operations_are_listed_described_and_written_as_a_reference() {
    let home = home();
    assert_snapshot!("discover", home.nudge(["discover"]).env("COLUMNS", "80").run().page());
    assert_snapshot!("discover_bump", home.nudge(["discover", "bump"]).env("COLUMNS", "80").run().page());
    let by_alias = home.run(["discover", "nudge.bump", "--json"]).json();
    assert_eq!(by_alias["operations"][0]["name"], "bump");
    let all = home.run(["discover", "--json"]).json();
    let reference = home.run(["discover", "--markdown"]).ok();
    for row in all["operations"].as_array().expect("a list") {
        let name = row["name"].as_str().expect("a name");
        assert!(reference.contains(&format!("\n## `{name}`\n")), "{name} is not in the reference");
    }
    assert!(reference.contains("| `E_SECRET_REJECTED` | 40002 |"));
}
