//! Statements about code, after the code has changed.

use std::fs;
use std::path::Path;

use nudge_core::Timestamp;
use nudge_harness::{Harness, parse};
use nudge_memory::capture::{CapturedVia, EventBody, ReadContext, read};
use nudge_memory::inject::InjectionLimits;
use nudge_memory::projects::of_directory;
use nudge_testkit::{EventBuilder, MemoryBench, event};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::statements::setup::{START, fresh, stand};

const SOURCE: &str = "pub fn parse_line() {}\npub fn other() {}\n";

fn checkout() -> (MemoryBench, TempDir) {
    let dir = TempDir::new().expect("a directory");
    fs::create_dir_all(dir.path().join("src")).expect("made");
    fs::write(dir.path().join("src/a.rs"), SOURCE).expect("written");
    let mut bench = fresh();
    stand(&mut bench, dir.path().to_str().expect("a path"));
    (bench, dir)
}

fn begins(bench: &MemoryBench, dir: &Path, session: &str) -> String {
    injected(bench, dir, session, event::start("startup"))
}

/// What a session is given with an event.
fn injected(bench: &MemoryBench, dir: &Path, session: &str, what: EventBody) -> String {
    let event = EventBuilder::new(what)
        .session(session)
        .project_ref(of_directory(dir))
        .cwd(dir.to_str())
        .at(START + 5_000);
    let limits = InjectionLimits {
        start_tokens: 500,
        recovery_tokens: 1_500,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    let received = bench.memory.receive(&event).expect("kept");
    let given = received.reply(Some(limits), Timestamp::from_millis(START + 5_000)).expect("no fault");
    given.map(|given| given.context).unwrap_or_default()
}

/// An agent in a directory ends its turn with these words.
fn concludes(bench: &MemoryBench, cwd: &Path, words: &str) {
    let payload = json!({
        "session_id": "worked", "cwd": cwd, "hook_event_name": "Stop", "last_assistant_message": words,
    })
    .to_string();
    let here = ReadContext {
        now: Timestamp::from_millis(START),
        project: of_directory(cwd),
        headless: None,
        via: CapturedVia::Hook,
        own_root: None,
        is_own_tool: nudge_testkit::registry::has,
    };
    let stop = read(&parse(Harness::Claude, &payload).expect("read"), &payload, &here).expect("a moment");
    bench.memory.receive(&stop).expect("kept");
}

/// @freshness_read: a statement and a hint say when the lines that they name have changed, rank
/// behind fresh ones, and are fresh again when the lines are restored.
#[test]
fn what_changed_is_said_and_ranks_lower() {
    let (bench, dir) = checkout();
    bench.ok("remember", json!({"text": "`other` in src/a.rs is slow"}));
    bench.ok("remember", json!({"text": "`parse_line` in src/a.rs never fails"}));
    bench.ok(
        "set_hint",
        json!({"component": "parser", "key": "entry", "value": "src/a.rs:1", "meta": {"ttl": "forever"}}),
    );
    let drift = || bench.ok("knows", json!({}))["statements"].clone();
    assert!(drift().as_array().expect("a list").iter().all(|one| one["drift"].is_null()));
    assert!(!begins(&bench, dir.path(), "one").contains("changed since"));
    fs::write(dir.path().join("src/a.rs"), SOURCE.replace("parse_line", "read_line")).expect("written");
    let injected = begins(&bench, dir.path(), "two");
    let line = |word: &str| injected.lines().position(|line| line.contains(word)).expect("injected");
    assert!(injected.contains("never fails\" (remembered now; src/a.rs changed since) #"), "{injected}");
    assert!(
        injected.contains("hint parser/entry: \"src/a.rs:1\" (the person")
            && injected.contains("; src/a.rs changed since) #")
    );
    assert!(line("is slow") < line("never fails"), "{injected}");
    assert_eq!(drift()[1]["drift"], "src/a.rs changed since");
    fs::write(dir.path().join("src/a.rs"), SOURCE).expect("written");
    assert!(!begins(&bench, dir.path(), "three").contains("changed since"));
    fs::remove_file(dir.path().join("src/a.rs")).expect("removed");
    assert_eq!(drift()[0]["drift"], "src/a.rs is gone");
}

/// @freshness_read: a line that comes with a prompt says it too.
#[test]
fn what_changed_is_said_with_a_prompt() {
    let (bench, dir) = checkout();
    for number in 0..40 {
        let text = format!("task {number} in bed {} of the garden is done", number % 7);
        bench.ok("create_marker", json!({"text": text}));
    }
    let stated = "`parse_line` in src/a.rs drops the trailing vowel of the wombat dialect on purpose";
    bench.ok("remember", json!({"text": stated}));
    let asks = |session: &str| {
        let prompt = "why does `parse_line` drop the trailing vowel of the wombat dialect, is it on purpose";
        injected(&bench, dir.path(), session, event::prompt(prompt))
    };
    let fresh = asks("one");
    assert!(fresh.contains("wombat") && !fresh.contains("changed since"), "{fresh}");
    fs::write(dir.path().join("src/a.rs"), SOURCE.replace("parse_line", "read_line")).expect("written");
    let drifted = asks("two");
    assert!(drifted.contains("on purpose\" (src/a.rs changed since) (shares: "), "{drifted}");
}

/// @freshness_anchors: a conclusion is anchored to the files that it names when it is captured, but
/// to nothing outside the checkout.
#[test]
fn conclusions_are_anchored() {
    let (bench, dir) = checkout();
    concludes(&bench, dir.path(), "Renamed `parse_line` in src/a.rs, see also /etc/passwd and ../b.rs.");
    let kept = bench.observations("worked");
    let anchors = kept[0].attributes["anchors"].as_array().expect("anchors");
    let paths: Vec<&Value> = anchors.iter().map(|anchor| &anchor["path"]).collect();
    assert_eq!(paths, [&json!("src/a.rs")]);
    assert!(!begins(&bench, dir.path(), "one").contains("changed since"));
    fs::write(dir.path().join("src/a.rs"), "pub fn read_line() {}\n").expect("written");
    let injected = begins(&bench, dir.path(), "two");
    assert!(injected.contains("the agent concluded: \"Renamed `parse_line` in src/a.rs"), "{injected}");
    assert!(injected.contains("\" (src/a.rs changed since) #"), "{injected}");
}

/// @freshness_anchors: a directory that has become a link out of the checkout is not followed, and
/// nothing is read without end.
#[test]
fn a_link_out_of_the_checkout_is_not_followed() {
    let (bench, dir) = checkout();
    fs::create_dir_all(dir.path().join("d")).expect("made");
    fs::write(dir.path().join("d/pagemap"), "pub fn parse_line() {}\n").expect("written");
    bench.ok("remember", json!({"text": "`parse_line` in d/pagemap never fails"}));
    fs::remove_dir_all(dir.path().join("d")).expect("removed");
    std::os::unix::fs::symlink("/proc/self", dir.path().join("d")).expect("linked");
    let injected = begins(&bench, dir.path(), "one");
    assert!(injected.contains("d/pagemap is gone"), "{injected}");
}

/// @freshness_anchors: in a linked worktree the files of that worktree count, and for a named
/// project those of the project; a statement for every project is about no file.
#[test]
fn the_checkout_that_is_meant_counts() {
    let (mut bench, dir) = checkout();
    let git = |args: &[&str]| {
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let done = std::process::Command::new("git").args(who).args(args).current_dir(dir.path()).status();
        assert!(done.expect("git runs").success(), "{args:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "first"]);
    git(&["worktree", "add", "-q", "linked"]);
    let linked = dir.path().join("linked");
    fs::write(linked.join("src/new.rs"), "pub fn fresh_one() {}\n").expect("written");
    concludes(&bench, &linked, "Added `fresh_one` to src/new.rs.");
    let kept = bench.observations("worked");
    assert_eq!(kept[0].attributes["anchors"][0]["path"], "src/new.rs");
    // Stated from elsewhere for this project: its own files count.
    let other = TempDir::new().expect("a directory");
    stand(&mut bench, other.path().to_str().expect("a path"));
    let text = "`other` in src/a.rs is slow";
    let root = dir.path().canonicalize().expect("there");
    bench.ok("remember", json!({"text": text, "project": root}));
    bench.ok("remember", json!({"text": text, "everywhere": true}));
    fs::remove_file(dir.path().join("src/a.rs")).expect("removed");
    let drift = |params: Value| bench.ok("knows", params)["statements"].clone();
    let of_project = drift(json!({"project": root}));
    let drifts: Vec<&Value> = of_project.as_array().into_iter().flatten().map(|one| &one["drift"]).collect();
    assert!(drifts.contains(&&json!("src/a.rs is gone")), "{of_project}");
    assert_eq!(drift(json!({}))[0]["drift"], Value::Null);
}
