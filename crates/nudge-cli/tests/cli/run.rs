//! `nudge run` without a server: a run that waits for one is listed, shown, copied and aborted.

use std::path::{Path, PathBuf};

use insta::assert_snapshot;
use nudge_testkit::{Outcome, TestHome};

use crate::cli::home;

/// A home with a model, and a project with a run that nobody drives.
fn queued() -> (TestHome, PathBuf) {
    let home = home();
    let dir = home.dir("shop");
    home.run(["model", "add", "local", "ollama/qwen2.5-coder"]).ok();
    let words = ["entry", "set", "run://port", "which port does the router use?", "--attr", "model=local"];
    home.nudge(words).cwd(&dir).run().ok();
    (home, dir)
}

fn run(home: &TestHome, dir: &Path, words: &[&str]) -> Outcome {
    home.nudge([&["run"], words].concat()).cwd(dir).run()
}

/// @cli_run
#[test]
fn without_runs_the_list_says_so() {
    let home = home();
    let dir = home.dir("shop");
    assert_eq!(run(&home, &dir, &["ls"]).ok(), "no runs in this project; --all looks at all projects\n");
    assert_eq!(run(&home, &dir, &["ls", "--all"]).ok(), "no runs\nask a model something with `nudge ask`\n");
    assert_eq!(run(&home, &dir, &["ls", "--json"]).json()["runs"], serde_json::json!([]));
    assert!(!home.memory().exists(), "a list creates nothing");
}

/// @cli_run: an unknown run is not found, whatever is done with it.
#[test]
fn an_unknown_run_is_not_found() {
    let (home, dir) = queued();
    assert_snapshot!("run_show_unknown", run(&home, &dir, &["show", "nope"]).exits(3).page());
    assert_eq!(run(&home, &dir, &["show", "nope", "--json"]).fault(3)["data"]["reason"], "no_run");
    for verb in ["abort", "resume", "fork"] {
        run(&home, &dir, &[verb, "nope"]).exits(3);
    }
    run(&home, &dir, &["rename", "nope", "other"]).exits(3);
    let status = home.run(["status", "--json"]).json();
    assert_eq!(status["running"], false, "no server was started for it: {status}");
}

/// @cli_run: a run that waits for a server is aborted without one.
#[test]
fn a_queued_run_is_aborted_without_a_server() {
    let (home, dir) = queued();
    assert_eq!(
        run(&home, &dir, &["abort", "port"]).ok(),
        "✔ aborted port: which port does the router use?\n"
    );
    assert_eq!(run(&home, &dir, &["abort", "port"]).ok(), "`port` was not running\n");
    let shown = run(&home, &dir, &["show", "port", "--json"]).json();
    assert_eq!((&shown["state"], &shown["status"]), (&"aborted".into(), &499.into()));
}

/// @cli_run: a run has a name that changes, and copies.
#[test]
fn a_run_is_renamed_and_copied() {
    let (home, dir) = queued();
    assert_eq!(run(&home, &dir, &["rename", "port", "ports"]).ok(), "✔ renamed port to ports\n");
    run(&home, &dir, &["show", "port"]).exits(3);
    let copied = run(&home, &dir, &["fork", "ports", "--name", "second"]).ok();
    assert_eq!(copied, "✔ copied ports to second\n  ask it with `nudge ask --run second …`\n");
    assert_eq!(run(&home, &dir, &["show", "second", "--json"]).json()["parent"], "ports");
    run(&home, &dir, &["rename", "second", "ports"]).exits(6);
    run(&home, &dir, &["fork", "ports", "--name", "second"]).exits(6);
}

/// @cli_run: the runs of a project are listed there, and everywhere with `--all`.
#[test]
fn runs_belong_to_projects() {
    let (home, dir) = queued();
    let other = home.dir("vault");
    let names = |words: &[&str], dir: &Path| {
        let list = run(&home, dir, &[&["ls", "--json"], words].concat()).json();
        let runs = list["runs"].as_array().expect("a list").clone();
        runs.iter().map(|one| one["run"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[], &dir), ["port"]);
    assert_eq!(names(&[], &other), Vec::<String>::new());
    assert_eq!(names(&["--all"], &other), ["port"]);
    assert_eq!(names(&["--all-projects"], &other), ["port"]);
    assert_eq!(names(&["--project", "shop"], &other), ["port"]);
    run(&home, &other, &["show", "port", "--project", "shop"]).ok();
    run(&home, &other, &["abort", "port", "--project", "shop"]).ok();
    run(&home, &dir, &["fork", "port", "--name", "second"]).ok();
    let page = run(&home, &dir, &["ls", "--limit", "1"]).ok();
    assert!(page.ends_with("there are more; `--limit 2` shows them\n"), "{page}");
}
