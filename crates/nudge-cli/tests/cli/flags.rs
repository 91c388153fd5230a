//! Flags with the same meaning in every command, their older spellings, and `nudge hint`.

use crate::cli::home;

/// @cli_hint
#[test]
fn hint_and_the_short_forms_are_the_same() {
    let home = home();
    home.run(["hint", "set", "api", "build", "make", "--ttl", "forever"]).ok();
    for words in
        [&["get", "api", "build"][..], &["ls"], &["ls", "api"], &["query", "make"], &["stats"], &["export"]]
    {
        let noun = [&["hint"], words].concat();
        assert_eq!(home.run(&noun).ok(), home.run(words).ok(), "{words:?}");
    }
    home.run(["hint", "bump", "api", "build"]).ok();
    home.run(["hint", "rm", "api", "build"]).ok();
    home.run(["get", "api", "build"]).exits(3);
    home.run(["hint", "undo", "api", "build"]).ok();
    home.run(["hint", "delete", "api", "build"]).ok();
}

/// @cli_hint
#[test]
fn exported_hints_are_imported() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    let file = home.path().join("hints.json");
    let file = file.to_str().expect("utf-8");
    home.run(["hint", "export", "--output", file]).ok();
    home.run(["hint", "rm", "api", "build"]).ok();
    home.run(["hint", "import", file]).ok();
    assert_eq!(home.run(["get", "api", "build", "--value"]).ok(), "make\n");
}

/// @cli_flags
#[test]
fn lengths_of_time_read_alike() {
    let home = home();
    let ttl = |text: &str| {
        home.run(["set", "api", text, "v", "--ttl", text, "--json"]).json()["hint"]["meta"]["ttl"].clone()
    };
    assert_eq!(ttl("2h"), "PT2H");
    assert_eq!(ttl("PT2H"), "PT2H");
    assert_eq!(ttl("1h30m"), "PT1H30M");
    assert_eq!(ttl("7 days"), "P7D");
    assert_eq!(ttl("forever"), "forever");
    for length in ["2h", "PT2H", "1h30m", "7 days"] {
        home.run(["pause", "--for", length]).ok();
        home.run(["search", "x", "--since", length]).exits(0);
        home.run(["recent", "--limit", "3"]).exits(0);
        home.run(["usage", "--since", length]).exits(0);
        home.run(["purge", "--until", length]).exits(0);
    }
    let example = "a length of time such as 30m, 2h, 7d or PT2H";
    let bad = home.run(["set", "api", "k", "v", "--ttl", "soon"]).exits(2).stderr;
    assert!(bad.contains(example), "{bad}");
    for words in [
        &["pause", "--for", "soon"][..],
        &["search", "x", "--since", "soon"],
        &["history", "x", "--until", "soon"],
        &["usage", "--since", "soon"],
        &["purge", "--until", "soon"],
        &["ls", "--default-ttl", "soon"],
    ] {
        let said = home.run(words).exits(2).stderr;
        assert!(said.contains(example), "{words:?}: {said}");
    }
}

/// @cli_flags
#[test]
fn older_spellings_still_work() {
    let home = home();
    home.run(["set", "api", "build", "make"]).ok();
    for words in [
        &["history", "x", "--after", "2d", "--before", "1d"][..],
        &["purge", "--before", "2026-01-31"],
        &["purge", "--older-than", "30", "--kind", "command", "--confirm"],
        &["usage", "--days", "3"],
        &["knows", "--all"],
        &["review", "--all"],
    ] {
        home.run(words).exits(0);
    }
    let project = home.dir("code/shop");
    home.nudge(["install", "claude", "--project", "--dry-run"]).cwd(project).run().exits(0);
}

/// @cli_fix_options
#[test]
fn options_after_the_error_are_ours_where_we_have_them() {
    let home = home();
    assert!(home.run(["fix", "cargo", "test", "--json"]).json()["known"].is_array());
    home.run(["fix", "cargo", "test", "--workspace", "-p", "x"]).exits(0);
    let text = home.run(["fix", "--", "npm", "ls", "--json"]).ok();
    assert!(!text.starts_with('{'), "{text}");
    assert!(home.run(["fix", "cargo", "--help"]).ok().contains("Usage: nudge fix"));
}
