//! The commands that show what agents are given.

use nudge_harness::Harness;
use nudge_testkit::git;
use serde_json::json;

use crate::inject::kit::{Scene, context, plain};

/// The page without times and temporary paths, which differ in each run.
fn without_times_and_paths(scene: &Scene, page: &str) -> String {
    let page =
        plain(&page.replace(&scene.home.path().canonicalize().expect("there").display().to_string(), "~"));
    let page = nudge_testkit::tidy::tidy(&page, scene.home.path());
    let mut out = String::new();
    for word in page.split_inclusive([' ', '\n']) {
        let bare = word.trim_end();
        let is_time = bare.starts_with("20") && bare.contains('T') && bare.contains(':')
            || (bare.len() == 10 && bare.starts_with("20"));
        out.push_str(&if is_time { word.replace(bare, "TIME") } else { word.to_owned() });
    }
    out
}

/// @injection_commands: `nudge context` prints what would be injected now and why, and what was
/// left out; it records nothing in the ledger. With `--seed` it has the tables of `nudge record`.
#[test]
fn context_previews_without_telling() {
    let scene = Scene::worked();
    let run = |args: &[&str]| scene.home.nudge(args).cwd(&scene.project).run();
    insta::assert_snapshot!("context", without_times_and_paths(&scene, &run(&["context"]).ok()));
    insta::assert_snapshot!(
        "context_recovery",
        without_times_and_paths(&scene, &run(&["context", "--recovery"]).ok())
    );
    let answer = run(&["context", "--json"]).json();
    assert_eq!((&answer["mode"], &answer["budget"]), (&json!("fresh"), &json!(500)));
    assert_eq!(answer["injected"].as_array().map(Vec::len), Some(3));
    let other = scene.home.nudge(["context"]).cwd(scene.home.dir("other")).run().ok();
    assert_eq!(other, "nothing: a session that starts in this directory now would get nothing\n");
    let named = scene.home.nudge(["context", "--project", "engine", "--json"]).run().json();
    assert_eq!(named["injected"], answer["injected"]);
    assert_eq!(
        scene.home.nudge(["why"]).cwd(&scene.project).run().ok(),
        "nothing was injected in this project yet\n"
    );
    scene.home.nudge(["context", "--project", "nowhere"]).run().exits(3);
    scene.work_on("later", &scene.project, ["mend the lexer of the engine", "src/lexer.rs", "make"]);
    let table = "| ID | Time | Type | Summary |";
    let seed = run(&["context", "--recovery", "--seed"]).ok();
    assert!(seed.contains(table) && !run(&["context", "--recovery"]).ok().contains(table), "{seed}");
}

/// @injection_commands: the preview is what a session would get if it began right here: in this
/// worktree, next to the sessions that run.
#[test]
fn context_previews_from_where_one_stands() {
    let scene = Scene::empty();
    let main = scene.home.dir("repo");
    git::repository(&main, None, "main");
    let beside = scene.home.dir("beside");
    git::worktree(&main, &beside, "feature");
    let begins = |session: &str, cwd: &std::path::Path| {
        let event = json!({"session_id": session, "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
        context(Harness::Claude, &scene.fire(&event))
    };
    begins("one", &beside);
    scene.work("one", &beside);
    begins("two", &main);
    scene.work_on("two", &main, ["mend the lexer", "src/lexer.rs", "make"]);
    for (cwd, labels) in [
        (&main, ["(worktree beside)", "(running session)"]),
        (&beside, ["(worktree main)", "(running session)"]),
    ] {
        let seen = scene.home.nudge(["context", "--json"]).cwd(cwd).run().json();
        let named = scene.home.run(["context", "--json", "--project", &cwd.to_string_lossy()]).json();
        let injected = begins(&format!("new-{}", labels[0]), cwd);
        assert!(labels.iter().all(|label| injected.contains(label)), "{injected}");
        assert_eq!(plain(seen["text"].as_str().expect("text")), plain(&injected));
        assert_eq!(named["left_out"], seen["left_out"]);
        assert_eq!(plain(named["text"].as_str().expect("text")), plain(&injected));
    }
}

/// @injection_explained: the fate of an entry follows the settings here.
#[test]
fn why_goes_by_the_settings() {
    let scene = Scene::worked();
    let why = || {
        let answer = scene.home.nudge(["why", "3", "--json"]).cwd(&scene.project).run().json();
        answer["entry"]["now"].as_str().expect("a word on it").to_owned()
    };
    assert_eq!(why(), "a session that starts in engine now gets it");
    scene.home.file("engine/.nudge.toml", "inject.start_tokens = 90\n");
    // The frame's random name costs a few tokens more or less, so either of two reasons may be
    // given.
    let now = why();
    assert!(now.starts_with("a session that starts in engine now does not get it: the budget"), "{now}");
    scene.home.file(".config/nudge/config.toml", "[inject]\nenabled = false\n");
    assert_eq!(why(), "a session that starts in engine now does not get it: inject.enabled is false");
    let _server = scene.home.daemon(&[]);
    assert_eq!(why(), "a session that starts in engine now does not get it: inject.enabled is false");
}

/// @injection_commands: `nudge why` explains the last injection line by line, and one entry over
/// time.
#[test]
fn why_explains_lines_and_entries() {
    let scene = Scene::worked();
    scene.begin("second", "startup");
    let run = |args: &[&str]| scene.home.nudge(args).cwd(&scene.project).run();
    insta::assert_snapshot!("why", without_times_and_paths(&scene, &run(&["why"]).ok()));
    let injected = run(&["why", "--json"]).json()["injection"]["injected"].clone();
    let file = injected
        .as_array()
        .expect("lines")
        .iter()
        .find(|line| line["what"].as_str().is_some_and(|what| what.contains("parse.rs")));
    let id = file.expect("injected")["id"].to_string();
    insta::assert_snapshot!(
        "why_entry",
        without_times_and_paths(&scene, &run(&["why", &format!("#{id}")]).ok())
    );
    assert_eq!(run(&["why", &id, "--json"]).json()["entry"]["injected"].as_array().map(Vec::len), Some(1));
    assert_eq!(run(&["why", "999999", "--json"]).fault(3)["data"]["reason"], "no_entry");
    run(&["why", "nonsense"]).exits(2);
}

/// @injection_commands: `nudge usage` counts what was injected and used, by day and session; `nudge
/// statusline` prints it in one line and never fails.
#[test]
fn usage_counts_and_the_status_line_says_it() {
    let scene = Scene::worked();
    let line = |stdin: &str| scene.home.nudge(["statusline"]).stdin(stdin).run().ok();
    assert_eq!(line("{\"session_id\":\"second\"}"), "nudge: nothing injected\n");
    let before = scene.home.run(["usage"]).ok();
    assert_eq!(before.lines().next(), Some("nothing was injected in that time"));
    scene.begin("second", "startup");
    scene.work("second", &scene.project);
    let used = line("{\"session_id\":\"second\"}");
    assert!(used.starts_with("nudge: 3 lines, 1") && used.ends_with(" tokens · 2 used\n"), "{used}");
    insta::assert_snapshot!("usage", without_times_and_paths(&scene, &scene.home.run(["usage"]).ok()));
    let usage = scene.home.run(["usage", "--json", "--days", "2"]).json();
    assert_eq!((&usage["total"]["injections"], &usage["total"]["used_lines"]), (&json!(1), &json!(2)));
    assert_eq!(usage["sessions"][0]["session"], "second");
    for garbage in ["", "{", "[]", "\u{0}", "{\"session_id\":7}"] {
        assert!(line(garbage).starts_with("nudge"), "{garbage}");
    }
    let lost = scene.home.nudge(["statusline", "--home", "/proc/nowhere"]).stdin("{}").run();
    assert!(lost.code == Some(0) && lost.stdout.starts_with("nudge"), "{}", lost.stdout);
}
