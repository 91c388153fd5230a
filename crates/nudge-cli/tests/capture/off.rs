//! Nothing is captured where the user has switched capture off.

use std::fs;

use serde_json::{Value, json};

use crate::capture::kit::{SESSION, drops, fire, home, import_spool, is_spooled, log, prompt, quiet, stored};

/// @off_switch
#[test]
fn nudge_off_leaves_no_trace() {
    let home = home();
    for said in ["1", "true"] {
        quiet(home.nudge(["hook", "claude"]).env("NUDGE_OFF", said).stdin(prompt("x").to_string()).run());
        quiet(home.nudge(["record"]).env("NUDGE_OFF", said).stdin(prompt("x").to_string()).run());
        let outcome = home.nudge(["hook", "cursor"]).env("NUDGE_OFF", said).stdin("{}").run();
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "{}\n"));
    }
    assert!(!home.path().join(".local").exists());
    quiet(home.nudge(["hook", "claude"]).env("NUDGE_OFF", "0").stdin(prompt("on").to_string()).run());
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["on"]);
    let status = home.nudge(["status", "--json"]).env("NUDGE_OFF", "1").run().json();
    assert_eq!(status["off"], true);
}

/// @pause
#[test]
fn a_pause_holds_until_it_is_ended_or_over() {
    let home = home();
    home.run(["pause"]).ok();
    fire(&home, &prompt("while all is paused"));
    assert_eq!(home.run(["status", "--json"]).json()["paused"][0]["scope"], "all");
    home.run(["unpause"]).ok();
    fire(&home, &prompt("afterwards"));
    home.run(["pause", "--for", "1h"]).ok();
    fire(&home, &prompt("for an hour"));
    // Makes the pause end in the past.
    let file = home.memory().join("pause.json");
    let mut pauses: Value = serde_json::from_slice(&fs::read(&file).expect("there")).expect("JSON");
    pauses["pauses"][0]["until"] = json!(1_000);
    fs::write(&file, pauses.to_string()).expect("ours");
    fire(&home, &prompt("an hour later"));
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["afterwards", "an hour later"]);
    assert_eq!(home.run(["status", "--json"]).json()["paused"], json!([]));
    assert_eq!(log(&home), "", "a pause is no trouble");
    assert_eq!(crate::capture::kit::drops(&home.memory()).total, 0, "and no loss");
}

/// @pause
#[test]
fn sessions_and_projects_are_paused_alone() {
    let home = home();
    let (one, other) = (home.dir("one"), home.dir("other"));
    let say = |session: &str, dir: &std::path::Path, text: &str| {
        let mut payload = prompt(text);
        payload["session_id"] = session.into();
        payload["cwd"] = dir.display().to_string().into();
        fire(&home, &payload);
    };
    home.run(["pause", "--session", "quiet-one"]).ok();
    home.nudge(["pause", "--project"]).cwd(&one).run().ok();
    say("quiet-one", &other, "a");
    say("loud-one", &one, "b");
    say("loud-one", &other, "c");
    home.run(["unpause", "--project", one.to_str().expect("a text")]).ok();
    say("loud-one", &one, "d");
    say("quiet-one", &one, "e");
    home.run(["unpause", "--session", "quiet-one"]).ok();
    say("quiet-one", &one, "f");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts("loud-one"), ["c", "d"]);
    assert_eq!(stored(&home).prompt_texts("quiet-one"), ["f"]);
}

/// @pause: the beginning of a known session's id is enough; for an unknown session the command says
/// that the id must be exact.
#[test]
fn a_session_is_paused_by_the_beginning_of_its_id() {
    let home = home();
    let say = |session: &str, text: &str| {
        let mut payload = prompt(text);
        payload["session_id"] = session.into();
        fire(&home, &payload);
    };
    say("6ce6a2a9-1111", "a");
    say("6ce6b000-2222", "b");
    let paused = home.run(["pause", "--session", "6ce6a2"]);
    assert_eq!(
        (paused.stderr.as_str(), paused.stdout.contains("6ce6a2a9-1111")),
        ("", true),
        "{}",
        paused.stdout
    );
    say("6ce6a2a9-1111", "while it is paused");
    assert_eq!(
        home.run(["pause", "--session", "6ce6", "--json"]).fault(2)["data"]["reason"],
        "ambiguous_session"
    );
    assert_eq!(home.run(["unpause", "--session", "6ce6a2", "--json"]).json()["ended"], 1);
    assert!(
        home.run(["pause", "--session", "to-come"])
            .stderr
            .contains("no session with this id was captured yet")
    );
    say("to-come", "c");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts("6ce6a2a9-1111"), ["a"]);
    assert_eq!(stored(&home).prompt_texts("to-come"), Vec::<String>::new());
}

/// @pause
#[test]
fn a_project_is_paused_by_its_name_and_number() {
    let home = home();
    let dir = home.dir("work/shop");
    let say = |text: &str| {
        let mut payload = prompt(text);
        payload["cwd"] = dir.display().to_string().into();
        fire(&home, &payload);
    };
    // The project is not known yet, but its directory exists.
    home.nudge(["pause", "--project", "shop"]).cwd(home.path().join("work")).run().ok();
    say("a");
    home.nudge(["unpause", "--project", "shop"]).cwd(home.path().join("work")).run().ok();
    say("b");
    let id = home.run(["project", "ls", "--json"]).json()["projects"][0]["id"].to_string();
    for said in ["shop", &id, dir.to_str().expect("a text")] {
        home.run(["pause", "--project", said]).ok();
        say("while it is paused");
        assert_eq!(home.run(["unpause", "--project", said, "--json"]).json()["ended"], 1, "{said}");
    }
    say("c");
    assert_eq!(stored(&home).prompt_texts(SESSION), ["b", "c"]);
    for (verb, said) in [("pause", "shpo"), ("unpause", "shpo"), ("pause", "/no/such"), ("pause", "./shpo")] {
        let fault = home.run([verb, "--project", said, "--json"]).fault(3);
        assert_eq!(fault["data"]["reason"], "no_project", "{fault}");
    }
    assert_eq!(home.run(["status", "--json"]).json()["paused"], json!([]));
    let doctor = home.run(["doctor", "--json"]).json();
    let checks = doctor["checks"].as_array().expect("a list");
    let hooks = checks.iter().find(|check| check["name"] == "hooks").expect("it was looked at");
    assert_eq!((&hooks["verdict"], &hooks["message"]), (&json!("ok"), &json!("no trouble")));
}

/// @pause
#[test]
fn what_is_off_is_said() {
    let home = home();
    home.run(["pause", "--session", "s-1"]).ok();
    home.run(["pause", "--for", "90m"]).ok();
    let pages = [
        home.run(["status"]).page(),
        home.run(["pause", "--session", "s-1", "--for", "soon"]).page(),
        home.run(["unpause", "--session", "s-2"]).page(),
        home.run(["unpause"]).page(),
    ];
    // The time left depends on the speed of this machine.
    let pages = pages.join("\n").replace("(for 1h 29m)", "(for 1h 30m)");
    insta::assert_snapshot!("pauses", pages);
}

/// @capture_excluded
#[test]
fn excluded_directories_projects_and_files_are_never_captured() {
    let home = home();
    let (secret, open) = (home.dir("clients/acme"), home.dir("open"));
    home.file(".config/nudge/config.toml", "exclude = [\"**/clients/*\", \"internal\"]\n");
    home.dir("internal/.git");
    let say = |dir: &std::path::Path, text: &str| {
        let mut payload = prompt(text);
        payload["cwd"] = dir.display().to_string().into();
        fire(&home, &payload);
    };
    say(&secret, "in an excluded directory");
    say(&secret.join("below"), "below it");
    say(&home.path().join("internal"), "in an excluded project");
    say(&open, "elsewhere");
    let mut read = crate::capture::kit::command("x");
    read["cwd"] = open.display().to_string().into();
    read["tool_name"] = "Read".into();
    read["tool_input"] = json!({"file_path": secret.join("contract.txt")});
    fire(&home, &read);
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["elsewhere"]);
    assert_eq!(stored(&home).did(SESSION), [""; 0]);
}

/// @capture_excluded
#[test]
fn a_project_may_exclude_itself_and_no_more() {
    let home = home();
    let (off, part, named) = (home.dir("off"), home.dir("part"), home.dir("named"));
    home.file(".config/nudge/config.toml", "exclude = [\"/never/**\"]\n");
    home.file("off/.nudge.toml", "capture = false\n");
    home.file(
        "part/.nudge.toml",
        &format!("exclude = [\"{}\"]\ncapture = true\n", part.join("private").display()),
    );
    home.file("named/.nudge.toml", "project = \"the-name\"\n");
    let say = |dir: &std::path::Path, text: &str| {
        let mut payload = prompt(text);
        payload["cwd"] = dir.display().to_string().into();
        fire(&home, &payload);
    };
    say(&off, "off");
    say(&home.dir("off/below/it"), "below");
    say(&part, "part");
    let mut read = crate::capture::kit::command("x");
    read["cwd"] = part.display().to_string().into();
    read["tool_name"] = "Read".into();
    read["tool_input"] = json!({"file_path": part.join("private/notes.txt")});
    fire(&home, &read);
    read["tool_input"] = json!({"file_path": "/never/seen.txt"});
    fire(&home, &read);
    say(&named, "named");
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["part", "named"]);
    assert_eq!(stored(&home).did(SESSION), [""; 0]);
    // Where the user has switched capture off, a project cannot switch it on.
    let config = home.nudge(["config", "--json"]).cwd(&part).env("NUDGE_CAPTURE", "0").run().json();
    let value = |key: &str| {
        let keys = config["keys"].as_array().expect("a list");
        keys.iter()
            .find(|row| row["key"] == key)
            .map(|row| row["value"].clone())
            .expect("every key is listed")
    };
    assert_eq!(value("capture"), false);
    assert_eq!(value("exclude"), json!(["/never/**", part.join("private")]));
}

/// @capture_settings_broken
#[test]
fn broken_settings_let_nothing_in() {
    let home = home();
    let dir = home.dir("project");
    let mut payload = prompt("never kept");
    payload["cwd"] = dir.display().to_string().into();
    let (config, own) = (".config/nudge/config.toml", "project/.nudge.toml");
    for (file, broken) in [
        (config, "exclude = [\"/a\"\n"),
        (config, "exclude = true\n"),
        (own, "capture = no\n"),
        (own, "capture = \"off\"\n"),
        (own, "captur = false\n"),
    ] {
        let path = home.file(file, broken);
        fire(&home, &payload);
        let injected = home.nudge(["record"]).stdin(payload.to_string()).run().exits(1);
        assert!(injected.stderr.contains("nudge doctor"), "{}", injected.stderr);
        let doctor = home.nudge(["doctor", "--json"]).cwd(&dir).run();
        assert_eq!(doctor.code, Some(1), "{broken}");
        let checks: Value = serde_json::from_str(&doctor.stdout).expect("JSON");
        let checks = checks["checks"].as_array().expect("a list");
        let settings = checks.iter().find(|check| check["name"] == "settings").expect("it was looked at");
        assert_eq!(settings["verdict"], "fail", "{broken}");
        assert!(settings["way_out"].is_string());
        fs::remove_file(path).expect("ours");
    }
    assert!(log(&home).lines().all(|line| line.ends_with(" prompt settings")), "{}", log(&home));
    assert_eq!(log(&home).lines().count(), 10);
    assert!(!is_spooled(&home));
    assert_eq!(drops(&home.memory()).total, 0);
    payload["prompt"] = "mended".into();
    fire(&home, &payload);
    import_spool(&home);
    assert_eq!(stored(&home).prompt_texts(SESSION), ["mended"]);
}
