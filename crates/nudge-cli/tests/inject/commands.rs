//! The commands that show what agents are told.

use nudge_harness::Harness;
use nudge_testkit::git;
use serde_json::json;

use crate::kit::{Scene, context, plain};

/// Times and temporary paths are others each time.
fn settled(scene: &Scene, page: &str) -> String {
    let page =
        plain(&page.replace(&scene.home.path().canonicalize().expect("there").display().to_string(), "~"));
    let mut out = String::new();
    for word in page.split_inclusive([' ', '\n']) {
        let bare = word.trim_end();
        let is_time = bare.starts_with("20") && bare.contains('T') && bare.contains(':')
            || (bare.len() == 10 && bare.starts_with("20"));
        out.push_str(&if is_time { word.replace(bare, "TIME") } else { word.to_owned() });
    }
    out
}

/// @injection_commands: `nudge context` prints what would be told now and why, and what was left out; nothing is entered.
#[test]
fn context_previews_without_telling() {
    let scene = Scene::worked();
    let run = |args: &[&str]| scene.home.nudge(args).cwd(&scene.project).run();
    insta::assert_snapshot!("context", settled(&scene, &run(&["context"]).ok()));
    insta::assert_snapshot!("context_recovery", settled(&scene, &run(&["context", "--recovery"]).ok()));
    let answer = run(&["context", "--json"]).json();
    assert_eq!((&answer["mode"], &answer["budget"]), (&json!("fresh"), &json!(500)));
    assert_eq!(answer["told"].as_array().map(Vec::len), Some(3));
    let other = scene.home.nudge(["context"]).cwd(scene.home.dir("other")).run().ok();
    assert_eq!(other, "nothing: a session that began in this directory now would be told nothing\n");
    let named = scene.home.nudge(["context", "--project", "engine", "--json"]).run().json();
    assert_eq!(named["told"], answer["told"]);
    assert_eq!(
        scene.home.nudge(["why"]).cwd(&scene.project).run().ok(),
        "no session here was told anything yet\n"
    );
    scene.home.nudge(["context", "--project", "nowhere"]).run().exits(3);
}

/// @injection_commands: the preview is what a session would be told that began right here: in this worktree, beside what runs.
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
        let told = begins(&format!("new-{}", labels[0]), cwd);
        assert!(labels.iter().all(|label| told.contains(label)), "{told}");
        assert_eq!(plain(seen["text"].as_str().expect("text")), plain(&told));
        assert_eq!(named["left_out"], seen["left_out"]);
        assert_eq!(plain(named["text"].as_str().expect("text")), plain(&told));
    }
}

/// @injection_explained: what would become of an entry is said for the settings here.
#[test]
fn why_goes_by_the_settings() {
    let scene = Scene::worked();
    let why = || {
        let answer = scene.home.nudge(["why", "3", "--json"]).cwd(&scene.project).run().json();
        answer["entry"]["now"].as_str().expect("a word on it").to_owned()
    };
    assert_eq!(why(), "a session that begins in engine now is told");
    scene.home.file("engine/.nudge.toml", "inject.start_tokens = 90\n");
    // The random name of the frame costs some tokens more or less, so either of two reasons may be given.
    let now = why();
    assert!(now.starts_with("a session that begins in engine now is not told: the budget"), "{now}");
    scene.home.file(".config/nudge/config.toml", "[inject]\nenabled = false\n");
    assert_eq!(why(), "a session that begins in engine now is not told: inject.enabled is false");
    let _server = scene.home.daemon(&[]);
    assert_eq!(why(), "a session that begins in engine now is not told: inject.enabled is false");
}

/// @injection_commands: `nudge why` explains the last injection line by line, and one entry over time.
#[test]
fn why_explains_lines_and_entries() {
    let scene = Scene::worked();
    scene.begin("second", "startup");
    let run = |args: &[&str]| scene.home.nudge(args).cwd(&scene.project).run();
    insta::assert_snapshot!("why", settled(&scene, &run(&["why"]).ok()));
    let told = run(&["why", "--json"]).json()["injection"]["told"].clone();
    let file = told
        .as_array()
        .expect("lines")
        .iter()
        .find(|line| line["what"].as_str().is_some_and(|what| what.contains("parse.rs")));
    let id = file.expect("told")["id"].to_string();
    insta::assert_snapshot!("why_entry", settled(&scene, &run(&["why", &format!("#{id}")]).ok()));
    assert_eq!(run(&["why", &id, "--json"]).json()["entry"]["told"].as_array().map(Vec::len), Some(1));
    assert_eq!(run(&["why", "999999", "--json"]).fault(3)["data"]["reason"], "no_entry");
    run(&["why", "nonsense"]).exits(2);
}

/// @injection_commands: `nudge usage` counts what was told and used by day and session; `nudge statusline` says it in a line and never fails.
#[test]
fn usage_counts_and_the_status_line_says_it() {
    let scene = Scene::worked();
    let line = |stdin: &str| scene.home.nudge(["statusline"]).stdin(stdin).run().ok();
    assert_eq!(line("{\"session_id\":\"second\"}"), "nudge: nothing told\n");
    assert_eq!(scene.home.run(["usage"]).ok(), "no session was told anything in that time\n");
    scene.begin("second", "startup");
    scene.work("second", &scene.project);
    let used = line("{\"session_id\":\"second\"}");
    assert!(used.starts_with("nudge: 3 lines, 1") && used.ends_with(" tokens · 2 used\n"), "{used}");
    insta::assert_snapshot!("usage", settled(&scene, &scene.home.run(["usage"]).ok()));
    let usage = scene.home.run(["usage", "--json", "--days", "2"]).json();
    assert_eq!((&usage["total"]["injections"], &usage["total"]["used_lines"]), (&json!(1), &json!(2)));
    assert_eq!(usage["sessions"][0]["session"], "second");
    for garbage in ["", "{", "[]", "\u{0}", "{\"session_id\":7}"] {
        assert!(line(garbage).starts_with("nudge"), "{garbage}");
    }
    let lost = scene.home.nudge(["statusline", "--home", "/proc/nowhere"]).stdin("{}").run();
    assert!(lost.code == Some(0) && lost.stdout.starts_with("nudge"), "{}", lost.stdout);
}
