//! Purged text is in no file any more.

use std::path::PathBuf;

use nudge_core::ObservationKind as Kind;
use nudge_memory::capture::spool::Spool;
use nudge_memory::capture::{AgentRef, EventBody};
use nudge_testkit::TestHome;

use crate::upkeep::setup::{MINUTE, Scene, did, ended, object, said, thought, touched};

/// A unique word for everything that is stored of a session.
const WORDS: [&str; 12] = [
    "quokkaprompt",
    "quokkacommand",
    "quokkapath",
    "quokkameta",
    "quokkathought",
    "quokkasession",
    "quokkaproject",
    "quokkatool",
    "quokkaagent",
    "quokkakey",
    "quokkaspool",
    "quokkanote",
];

/// A long text around a word, so that it fills its own pages.
fn long(word: &str) -> String {
    format!("{} {word} {}", "before it ".repeat(900), "and after ".repeat(900))
}

fn fill(scene: &Scene) {
    let (session, project) = ("quokkasession-1", "quokkaproject");
    let at = scene.now - 30 * MINUTE;
    let mut command = did(session, project, at + 2, Kind::Command, &long("quokkacommand"));
    if let EventBody::Action(action) = &mut command.what {
        action.tool = Some("mcp__quokkatool__run".into());
        action.metadata = object(r#"{"quokkakey": {"deep": ["quokkameta"]}}"#);
    }
    command.agent = Some(AgentRef { id: "quokkaagent-7".into(), kind: Some("explore".into()), parent: None });
    let mut captured_events = vec![
        said(session, project, at, &long("quokkaprompt")),
        thought(session, project, at + 1, "quokkathought is what it thinks"),
        command,
    ];
    for number in 0..60 {
        let file = format!("/w/quokkaproject/quokkapath/{number}.rs");
        captured_events.push(touched(session, project, at + 10 + number, Kind::FileEdit, &file));
    }
    captured_events.push(ended(session, project, at + 100));
    scene.keep(&captured_events);
    // Other sessions write in between, so that pages are shared, split and moved.
    let memory = scene.memory();
    for number in 0..300 {
        let file = format!("/w/shop/{:x}/cart.rs", (number * 7919) % 1000);
        let captured = touched(&format!("s-{}", number % 7), "shop", at + number, Kind::FileEdit, &file);
        memory.receive(&captured).expect("kept");
    }
}

fn found(home: &TestHome) -> Vec<(&'static str, Vec<PathBuf>)> {
    let held = WORDS.map(|word| (word, home.files_holding(word)));
    held.into_iter().filter(|(_, files)| !files.is_empty()).collect()
}

fn purged_by(args: &[&str], with_server: bool) {
    let scene = Scene::new();
    fill(&scene);
    scene.home.run(["mark", "quokkanote", "--session", "quokkasession-1"]).ok();
    scene.home.run(["maintain"]).ok();
    scene.home.run(["backup"]).ok();
    let server = with_server.then(|| scene.home.daemon(&[]));
    let late = said("quokkasession-1", "quokkaproject", scene.now, "quokkaspool came late");
    if !with_server {
        Spool::of(&scene.place()).append(&late).expect("spooled");
        assert_eq!(found(&scene.home).len(), WORDS.len(), "all words are there to begin with");
    }
    let mut words = vec!["purge", "--confirm", "--json"];
    words.extend(args);
    let purged = scene.home.run(words).json()["purged"].clone();
    for fact in ["rewritten", "log_emptied", "spool_emptied"] {
        assert_eq!(purged[fact], true, "{fact}: {purged}");
    }
    assert_eq!(purged["backups"][0]["changed"], true, "{purged}");
    assert_eq!(found(&scene.home), []);
    let backup = purged["backups"][0]["file"].as_str().expect("a file").to_owned();
    drop(server);
    // Everything else is still there, here and in the backup.
    assert_eq!(scene.stored()["kinds"]["file_edit"], 300);
    scene.home.run(["restore", &backup, "--yes"]).ok();
    assert_eq!(scene.stored()["kinds"]["file_edit"], 300);
    assert_eq!(scene.home.run(["doctor", "--json"]).json()["ok"], true);
}

/// @purge_secure: no purged word is in the database, its write-ahead log, the backups, the spool or
/// the log files: prompt, command, path, metadata, thinking, note, tool, subagent, names of session
/// and project.
#[test]
fn a_purged_session_is_in_no_file() {
    purged_by(&["--session", "quokkasession-1"], false);
}

/// @purge_secure: the same for a project.
#[test]
fn a_purged_project_is_in_no_file() {
    purged_by(&["--project", "quokkaproject"], false);
}

/// @purge_secure: the same while a server has the memory open.
#[test]
fn a_purged_project_is_in_no_file_while_a_server_runs() {
    purged_by(&["--project", "quokkaproject"], true);
}

/// @purge_filters @purge_secure: imported memories are purged with their project, or by their text,
/// but not by their age.
#[test]
fn imported_memories_go_with_their_project() {
    let scene = Scene::new();
    let line = r#"{"id":"m1","project":"quokkaproject","date":"2020-01-01","text":"the quokkanote","files":["/w/quokkapath"]}"#;
    let file = scene.home.file("memories.jsonl", &format!("{line}\n"));
    scene.home.run(["import", "memories", file.to_str().expect("utf-8")]).ok();
    let planned = |args: &[&str]| {
        let mut words = vec!["purge", "--json"];
        words.extend(args);
        scene.home.run(words).json()["would_purge"]["memories"].clone()
    };
    assert_eq!(planned(&["--older-than", "0"]), 0);
    assert_eq!(planned(&["--search", "quokkanote"]), 1);
    scene.home.run(["purge", "--project", "quokkaproject", "--confirm"]).ok();
    assert_eq!(found(&scene.home), []);
}

/// @purge_filters: memories imported for a project by its name are purged with the one place that
/// has that name, and do not make the name ambiguous.
#[test]
fn memories_of_a_name_go_with_the_place_of_that_name() {
    let scene = Scene::new();
    scene.keep(&[said("s-1", "shop", scene.now - 1_000, "mend the lantern")]);
    let line = r#"{"id":"m1","project":"shop","date":"2020-01-01","text":"the lantern is old","files":[]}"#;
    let file = scene.home.file("memories.jsonl", &format!("{line}\n"));
    scene.home.run(["import", "memories", file.to_str().expect("utf-8")]).ok();
    let planned = scene.home.run(["purge", "--project", "shop", "--json"]).json()["would_purge"].clone();
    assert_eq!((&planned["memories"], &planned["prompts"]), (&1.into(), &1.into()), "{planned}");
    scene.home.run(["usage", "--project", "shop"]).ok();
    let planned = scene.home.run(["purge", "--session", "s-1", "--json"]).json()["would_purge"].clone();
    assert_eq!(planned["prompts"], 1, "{planned}");
}

/// @purge_secure: text that is purged by a search also disappears from the rows around it.
#[test]
fn a_purged_word_is_in_no_file() {
    let scene = Scene::new();
    fill(&scene);
    scene.home.run(["maintain"]).ok();
    scene.home.run(["purge", "--search", "quokkapath", "--confirm"]).ok();
    assert_eq!(scene.home.files_holding("quokkapath"), Vec::<PathBuf>::new());
    assert!(!scene.home.files_holding("quokkacommand").is_empty());
}

/// @purge_secure: the command reports what it could not do: a write-ahead log that a reader has
/// open, a backup that cannot be opened.
#[test]
fn what_could_not_be_done_is_said() {
    let scene = Scene::new();
    scene.worked("s-1", "shop", 1);
    scene.home.file(".local/share/nudge/backups/broken.db", "this is no database");
    let memory = scene.memory();
    let outcome = memory.store().read(|reader| {
        reader.census()?;
        Ok::<_, nudge_core::Fault>(scene.home.run(["purge", "--session", "s-1", "--confirm"]))
    });
    insta::assert_snapshot!("purge_hindered", outcome.expect("read").page());
    assert_eq!(scene.stored()["sessions"], 0);
}
