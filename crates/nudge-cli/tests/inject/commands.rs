//! The commands that show what agents are told.

use serde_json::json;

use crate::kit::{Scene, plain};

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
