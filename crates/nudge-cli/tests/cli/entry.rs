//! `nudge entry` over entries of memory: reading, changing, removing, and tags.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use nudge_testkit::{Outcome, Terminal, TestHome};
use serde_json::json;

use crate::cli::home;

/// A home and a project in it.
fn shop() -> (TestHome, PathBuf) {
    let home = home();
    let dir = home.dir("shop");
    (home, dir)
}

fn entry(home: &TestHome, dir: &Path, words: &[&str]) -> Outcome {
    home.nudge([&["entry"], words].concat()).cwd(dir).run()
}

fn as_agent(home: &TestHome, dir: &Path, words: &[&str]) -> Outcome {
    home.nudge([&["entry"], words].concat()).cwd(dir).env("CLAUDECODE", "1").run()
}

/// A command in a terminal.
fn in_terminal(home: &TestHome, dir: &Path, words: &[&str]) -> Terminal {
    let mut command = home.command();
    command.args([&["entry"], words].concat()).current_dir(dir).env("TERM", "dumb");
    Terminal::start(command)
}

/// @entry_command
#[test]
fn an_entry_is_set_edited_copied_renamed_and_removed() {
    let (home, dir) = shop();
    let run = |words: &[&str]| entry(&home, &dir, words).ok();
    assert_eq!(run(&["set", "known://plan", "end after an hour"]), "✔ set known://plan (version 1)\n");
    assert_eq!(run(&["set", "known://plan", "s/an hour/a day/"]), "✔ set known://plan (version 2)\n");
    assert_eq!(run(&["get", "known://plan"]), "end after a day");
    assert_eq!(run(&["set", "known://plan", "<<APPEND\n!\nAPPEND"]), "✔ set known://plan (version 3)\n");
    run(&["set", "known://plan", "s/a/b/", "--raw"]);
    assert_eq!(run(&["get", "known://plan"]), "s/a/b/");
    run(&["cp", "known://plan", "known://copy"]);
    assert_eq!(
        run(&["mv", "known://copy", "known://moved"]),
        "✔ renamed known://copy to known://moved (version 2)\n"
    );
    let list = entry(&home, &dir, &["ls", "known://**", "--json"]).json();
    let paths: Vec<&str> =
        list["entries"].as_array().expect("a list").iter().filter_map(|one| one["path"].as_str()).collect();
    assert_eq!(paths, ["known://moved", "known://plan"]);
    assert_eq!(run(&["rm", "known://moved"]), "✔ removed known://moved\n");
    entry(&home, &dir, &["get", "known://moved"]).exits(3);
}

/// @entry_command: without a pattern, everything in memory is listed.
#[test]
fn everything_in_memory_is_listed() {
    let (home, dir) = shop();
    assert!(entry(&home, &dir, &["ls"]).ok().starts_with("no entries"));
    entry(&home, &dir, &["set", "known://plan/deep/down", "text"]).ok();
    home.file("shop/main.rs", "fn main() {}\n");
    let list = entry(&home, &dir, &["ls"]).ok();
    assert!(list.contains("known://plan/deep/down") && !list.contains("main.rs"), "{list}");
}

/// @entry_command: a list goes on where it ended, first through memory, then through the files.
#[test]
fn a_list_is_read_page_by_page() {
    let (home, dir) = shop();
    for name in ["Cargo.toml", "src/main.rs"] {
        home.file(&format!("shop/{name}"), "text\n");
    }
    entry(&home, &dir, &["set", "known://a", "text"]).ok();
    entry(&home, &dir, &["set", "known://b", "text"]).ok();
    let (mut seen, mut after) = (Vec::new(), String::new());
    for _ in 0..9 {
        let words = ["ls", "/(known|src|Cargo).*/", "--limit", "1", "--json", "--after", &after];
        let answer = entry(&home, &dir, &words).json();
        let Some(path) = answer["entries"][0]["path"].as_str() else { break };
        seen.push(path.to_owned());
        after = path.to_owned();
    }
    assert_eq!(seen, ["known://a", "known://b", "Cargo.toml", "src/main.rs"]);
}

/// @entry_command: a body leaves as it is stored, whatever is in it.
#[test]
fn a_body_is_piped_byte_for_byte() {
    let (home, dir) = shop();
    let body = "\u{1b}[31mred\u{1b}[0m\r\n\ttab\u{202e}\n\n  no end";
    let set = home.nudge(["entry", "set", "known://odd", "--raw", "-"]).cwd(&dir).stdin(body).run();
    assert_eq!(set.ok(), "✔ set known://odd (version 1)\n");
    let got = entry(&home, &dir, &["get", "known://odd"]);
    assert_eq!((got.stdout.as_str(), got.stderr.as_str()), (body, ""));
    assert_eq!(entry(&home, &dir, &["get", "known://odd", "--json"]).json()["entries"][0]["body"], body);
    for body in ["one\n", "one\n\n", "", "\n"] {
        home.nudge(["entry", "set", "known://odd", "--raw", "-"]).cwd(&dir).stdin(body).run().ok();
        assert_eq!(entry(&home, &dir, &["get", "known://odd"]).ok(), body);
    }
}

/// @entry_command: on a terminal, the entry is named, control characters are spelled out, and the
/// last line ends.
#[test]
fn a_terminal_gets_a_header_and_a_whole_line() {
    let (home, dir) = shop();
    home.nudge(["entry", "set", "known://odd", "--raw", "-"]).cwd(&dir).stdin("a\u{1b}[31mb").run().ok();
    let (code, shown) = in_terminal(&home, &dir, &["get", "known://odd"]).end();
    assert_eq!(code, Some(0));
    let (header, body) = shown.split_once('\n').expect("two lines");
    assert!(header.contains("known://odd") && header.contains("version 1, you, in shop"), "{shown}");
    assert_eq!(body, "a\\x1b[31mb\n");
}

/// @entry_command
#[test]
fn a_body_comes_from_a_file_or_from_standard_input() {
    let (home, dir) = shop();
    home.file("shop/notes.txt", "from a file\n");
    entry(&home, &dir, &["set", "known://a", "--file", "notes.txt"]).ok();
    assert_eq!(entry(&home, &dir, &["get", "known://a"]).ok(), "from a file\n");
    entry(&home, &dir, &["set", "known://a", "--file", "nowhere.txt"]).exits(3);
    entry(&home, &dir, &["set", "known://a", "text", "--file", "notes.txt"]).exits(2);
    let binary = home.nudge(["entry", "set", "known://a", "-"]).cwd(&dir).stdin([0xff, 0xfe]).run();
    assert!(binary.exits(2).stderr.contains("standard input is not UTF-8 text"));
}

/// @entry_command: facts, visibility, state and version.
#[test]
fn everything_about_an_entry_can_be_set() {
    let (home, dir) = shop();
    let words =
        ["set", "known://a", "text", "--attr", "owner=ops", "--attr", "due=may", "--summary", "who owns it"];
    entry(&home, &dir, &words).ok();
    entry(&home, &dir, &["set", "known://a", "--attr", "due="]).ok();
    let changed =
        entry(&home, &dir, &["set", "known://a", "--visibility", "archived", "--state", "streaming"]).ok();
    assert_eq!(changed, "✔ set known://a (version 2, streaming, archived)\n");
    let view = entry(&home, &dir, &["ls", "known://a", "--json"]).json()["entries"][0].clone();
    assert_eq!(view["attributes"], json!({"owner": "ops"}));
    assert_eq!((&view["summary"], &view["visibility"]), (&json!("who owns it"), &json!("archived")));
    // A state of failure that was asked for is no failure.
    let failed = ["set", "known://a", "--state", "failed", "--outcome", "timeout"];
    assert_eq!(entry(&home, &dir, &failed).ok(), "✔ set known://a (version 2, failed: timeout, archived)\n");
    entry(&home, &dir, &["set", "known://a", "new", "--if-match-version", "1"]).exits(6);
    entry(&home, &dir, &["set", "known://a", "new", "--if-match-version", "2"]).ok();
    entry(&home, &dir, &["set", "known://a", "--visibility", "loud"]).exits(2);
}

/// @entry_command: each kind of mistake has the code that it has everywhere.
#[test]
fn mistakes_have_their_exit_codes() {
    let (home, dir) = shop();
    entry(&home, &dir, &["set", "known://a", "text"]).ok();
    entry(&home, &dir, &["set", "known://b", "text"]).ok();
    for (code, words) in [
        (3, &["get", "known://none"][..]),
        (3, &["rm", "known://none"]),
        (3, &["mv", "known://none", "known://c"]),
        (3, &["set", "known://none", "--state", "resolved"]),
        (6, &["cp", "known://a", "known://b"]),
        (6, &["set", "known://a", "<<SEARCH\nnothing\nSEARCH\n<<REPLACE\nx\nREPLACE"]),
        (4, &["set", "obs://1", "text"]),
        (2, &["set", "known://a"]),
        (2, &["get", "/(/"]),
        (2, &["get", "known://a", "--line", "1", "text"]),
        (2, &["update", "text", "--status", "300"]),
        (2, &["constraint", "--readonly"]),
        (2, &["get", "known://a", "--readonly"]),
    ] {
        let outcome = entry(&home, &dir, words);
        assert_eq!(outcome.code, Some(code), "{words:?}: {outcome:?}");
        assert!(outcome.stdout.is_empty() && outcome.stderr.starts_with("error:"), "{words:?}: {outcome:?}");
    }
    // Programs get the answer of the operation, with the same code.
    let outcome = entry(&home, &dir, &["rm", "known://none", "--json"]).exits(3);
    assert!(outcome.stdout.contains("\"status\":404"), "{}", outcome.stdout);
    let outcome = entry(&home, &dir, &["get", "known://none", "--json"]).exits(3);
    assert!(outcome.stdout.contains("\"failed\""), "{}", outcome.stdout);
}

/// @entry_preview: a preview lists matches and cost, and reads and changes nothing.
#[test]
fn a_preview_changes_nothing() {
    let (home, dir) = shop();
    entry(&home, &dir, &["set", "known://plan/a", "first"]).ok();
    entry(&home, &dir, &["set", "known://plan/b", "second"]).ok();
    let read = || entry(&home, &dir, &["ls", "known://**", "--json"]).ok();
    let before = read();
    let list = entry(&home, &dir, &["get", "known://plan/*", "--preview"]).ok();
    assert!(list.starts_with("PATH "), "{list}");
    assert!(list.ends_with("2 entries, 2 bodies would be read\n"), "{list}");
    let one = entry(&home, &dir, &["get", "known://plan/*", "second", "--preview", "--json"]).json();
    assert_eq!((&one["matched"], &one["preview"]), (&json!(1), &json!(true)));
    for words in [
        &["set", "known://plan/*", "new", "--preview"][..],
        &["rm", "known://plan/*", "--preview"],
        &["rm", "known://plan/*", "--manifest"],
        &["mv", "known://plan/*", "known://old/*", "--preview"],
        &["cp", "known://plan/*", "known://old/", "--preview"],
    ] {
        let said = entry(&home, &dir, words).ok();
        assert!(said.contains("would") && said.ends_with("2 entries; nothing was changed\n"), "{said}");
    }
    assert_eq!(read(), before);
}

/// @entry_lines
#[test]
fn lines_are_selected_from_either_end() {
    let (home, dir) = shop();
    let body = "one\ntwo\nthree\nfour\n";
    home.nudge(["entry", "set", "known://long", "-"]).cwd(&dir).stdin(body).run().ok();
    entry(&home, &dir, &["set", "known://long", "--visibility", "archived"]).ok();
    let get = |flags: &[&str]| entry(&home, &dir, &[&["get", "known://long"], flags].concat()).ok();
    assert_eq!(get(&["--line", "2", "--limit", "2"]), "two\nthree\n");
    assert_eq!(get(&["--line", "-1"]), "four\n");
    assert_eq!(get(&["--limit", "-2"]), "three\nfour\n");
    assert_eq!(get(&["--line", "9"]), "");
    // Reading a part leaves the view as it is; reading all of it does not.
    let visibility = || {
        let list = entry(&home, &dir, &["ls", "known://long", "--json"]).json();
        list["entries"][0]["visibility"].as_str().map(str::to_owned)
    };
    assert_eq!(visibility().as_deref(), Some("archived"));
    get(&[]);
    assert_eq!(visibility().as_deref(), Some("visible"));
}

/// @entry_rm_confirm: a pattern that matches more than one entry is asked about.
#[test]
fn several_entries_are_removed_only_after_a_yes() {
    let (home, dir) = shop();
    let make = || {
        entry(&home, &dir, &["set", "known://plan/a", "text"]).ok();
        entry(&home, &dir, &["set", "known://plan/b", "text"]).ok();
    };
    let left = || entry(&home, &dir, &["ls", "known://plan/*", "--json"]).json()["matched"].clone();
    make();
    let alone = entry(&home, &dir, &["rm", "known://plan/*"]).exits(4);
    assert_snapshot!(alone.stderr, @r"
      known://plan/a
      known://plan/b
    error: `known://plan/*` matches 2 entries, and there is no terminal to ask in; nothing was changed
    hint: pass --yes to do it, or --preview to see what it would do
    ");
    assert_eq!(entry(&home, &dir, &["rm", "known://plan/*", "--json"]).fault(4)["data"]["matched"], 2);
    let mut terminal = in_terminal(&home, &dir, &["rm", "known://plan/*"]);
    terminal.wait_for("Remove 2 entries?");
    terminal.press("n\n");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(4));
    assert!(shown.contains("known://plan/b") && shown.contains("nothing was changed"), "{shown}");
    assert_eq!(left(), 2);
    let mut terminal = in_terminal(&home, &dir, &["rm", "known://plan/*"]);
    terminal.wait_for("[y/N]");
    terminal.press("y\n");
    assert_eq!(terminal.end().0, Some(0));
    assert_eq!(left(), 0);
    make();
    let said = entry(&home, &dir, &["rm", "known://plan/*", "--yes"]).ok();
    assert_eq!(said, "✔ removed known://plan/a\n✔ removed known://plan/b\n2 entries\n");
    // One match is not asked about.
    entry(&home, &dir, &["set", "known://plan/a", "text"]).ok();
    entry(&home, &dir, &["rm", "known://plan/*"]).ok();
    assert_eq!(left(), 0);
}

/// @entry_command: a run has a view of its own.
#[test]
fn a_run_has_its_own_view() {
    let (home, dir) = shop();
    entry(&home, &dir, &["set", "known://plan", "text"]).ok();
    entry(&home, &dir, &["get", "known://plan", "--run", "r1", "--visibility", "summarized"]).ok();
    let seen = |flags: &[&str]| {
        let words = [&["ls", "known://plan", "--json"], flags].concat();
        entry(&home, &dir, &words).json()["entries"][0]["visibility"].clone()
    };
    assert_eq!((seen(&[]), seen(&["--run", "r1"])), (json!("visible"), json!("summarized")));
    let said = entry(&home, &dir, &["rm", "known://plan", "--run", "r1"]).ok();
    assert_eq!(said, "✔ removed known://plan from the run's view\n");
    assert_eq!(entry(&home, &dir, &["get", "known://plan"]).ok(), "text");
    let update = entry(&home, &dir, &["update", "half done", "--run", "r1", "--json"]).json();
    assert_eq!(update["results"][0]["status"], 102);
    assert_eq!(
        entry(&home, &dir, &["update", "it cannot be done", "--status", "422"]).ok(),
        "✔ recorded update://it_cannot_be_done (version 1)\n"
    );
}

/// @entry_apply: each call with its status, and what was repaired.
#[test]
fn tags_are_carried_out_until_one_fails() {
    let (home, dir) = shop();
    let text = "I read first. <get path=\"known://none*\"/>\n\
                <set path=\"known://plan\">round per line</set>\n\
                <update status=\"422\">cannot go on</update>\n\
                <rm path=\"known://none\"/> <set path=\"known://later\">x</set>\n\
                <set path=\"known://open\">never closed";
    let applied = home.nudge(["entry", "apply"]).cwd(&dir).stdin(text).run().exits(3);
    assert_snapshot!("entry_apply", applied.page());
    assert_eq!(entry(&home, &dir, &["get", "known://plan"]).ok(), "round per line");
    entry(&home, &dir, &["get", "known://later"]).exits(3);
    home.file("shop/answer.txt", "<set path=\"known://later\">x</set>");
    assert_eq!(entry(&home, &dir, &["apply", "answer.txt"]).ok(), "200  set     known://later\n");
    let few = "<set path=\"known://a\">1</set><set path=\"known://b\">2</set>";
    let json =
        home.nudge(["entry", "apply", "-", "--max-commands", "1", "--json"]).cwd(&dir).stdin(few).run();
    assert_eq!(json.json()["calls"].as_array().map(Vec::len), Some(1));
    let none = home.nudge(["entry", "apply", "-"]).cwd(&dir).stdin("plain words").run();
    assert_eq!(none.ok(), "no tags in it\n");
}

/// @entry_command: an agent changes its own entries at once, and proposes to change the user's.
#[test]
fn what_the_user_wrote_an_agent_proposes_to_change() {
    let (home, dir) = shop();
    entry(&home, &dir, &["set", "known://plan", "the user's words"]).ok();
    as_agent(&home, &dir, &["set", "known://own", "an agent's words"]).ok();
    assert_eq!(
        as_agent(&home, &dir, &["set", "known://own", "other words"]).ok(),
        "✔ set known://own (version 2)\n"
    );
    let changed = as_agent(&home, &dir, &["set", "known://plan", "other words", "--json"]).json();
    let result = &changed["results"][0];
    assert_eq!((&result["status"], &result["state"]), (&json!(202), &json!("proposed")));
    let id = result["proposal"]["id"].to_string();
    assert_eq!(entry(&home, &dir, &["get", "known://plan"]).ok(), "the user's words");
    let facts = as_agent(&home, &dir, &["set", "known://plan", "--attr", "owner=ops"]).ok();
    assert!(facts.contains("waits for review (proposal "), "{facts}");
    let list = home.nudge(["review", "--list"]).cwd(&dir).run().ok();
    assert!(list.contains("fact owner=ops"), "{list}");
    let accepted = home.nudge(["review", "accept", &id]).cwd(&dir).run().ok();
    assert_eq!(accepted, "✔ accepted the change of known://plan\n");
    assert_eq!(entry(&home, &dir, &["get", "known://plan"]).ok(), "other words");
}

/// @entry_command: the value of a secret hint is not printed here, and the command says so.
#[test]
fn a_secret_is_not_printed() {
    let (home, dir) = shop();
    home.run(["set", "api", "pw", "kolibri-am-meer", "--sensitivity", "secret"]).ok();
    let got = entry(&home, &dir, &["get", "hint://api/pw"]).exits(4);
    assert!(got.stdout.is_empty() && got.stderr.contains("its value is a secret"), "{got:?}");
}
