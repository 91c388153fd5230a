//! Work of other worktrees, running sessions and other projects.

use nudge_core::{ObservationKind, Outcome};
use nudge_testkit::EventBuilder;
use serde_json::json;

use crate::inject::setup::{DAY, HOUR, Inject, MINUTE, NOW, asked, ends, fresh, plain, ran, starts, touched};

/// @injection_places: work of another worktree and of a session that is still running is labelled
/// and comes after the rest.
#[test]
fn work_elsewhere_in_the_project_is_labelled_and_ranks_below() {
    let bench = fresh();
    bench.work("done", "p", NOW - 2 * DAY, "settled");
    bench.keep(ends("done", "p", NOW - 2 * DAY + MINUTE, "exit"));
    bench.work("running", "p", NOW - 5 * MINUTE, "open");
    bench.keep(starts("beside", "p", NOW - HOUR, "startup").worktree("/w/p-feature"));
    bench.work("beside", "p", NOW - HOUR, "feature");
    bench.keep(ends("beside", "p", NOW - HOUR + MINUTE, "exit"));
    let injected = bench.injected(starts("new", "p", NOW, "startup"));
    let line = |word: &str| injected.lines().position(|line| line.contains(word)).expect("injected");
    let text = |word: &str| injected.lines().nth(line(word)).expect("a line").to_owned();
    assert!(text("mend open").starts_with("- [4m ago] (running session) asked:"), "{injected}");
    assert!(text("mend feature").starts_with("- [59m ago] (worktree p-feature) asked:"), "{injected}");
    assert!(text("mend settled").starts_with("- [1d ago] asked:"), "{injected}");
    assert!(line("mend settled") < line("mend open") && line("mend settled") < line("mend feature"));
    let aside = bench.injected(starts("newer", "p", NOW, "startup").worktree("/w/p-feature"));
    assert!(aside.contains("(worktree main) asked: \"mend settled\""), "{aside}");
}

/// @injection_places: a preview shows the same about a running session as a new session gets.
#[test]
fn a_preview_knows_what_runs() {
    let bench = fresh();
    bench.work("running", "p", NOW - 5 * MINUTE, "open");
    let seen = bench.ok("preview_context", json!({"project": "p"}));
    let injected = bench.injected(starts("new", "p", NOW, "startup"));
    assert!(injected.contains("(running session) asked: \"mend open\""), "{injected}");
    assert_eq!(plain(seen["text"].as_str().expect("text")), plain(&injected));
}

/// @injection_places: events without a place have nothing in common, and are not injected.
#[test]
fn what_happened_nowhere_is_injected_nowhere() {
    let bench = fresh();
    let nowhere = |mut captured: EventBuilder| {
        captured.project = nudge_memory::capture::project::resolve(None, None);
        captured
    };
    bench.keep(nowhere(asked("one", "p", NOW - HOUR, "mend it")));
    bench.keep(nowhere(ran("one", "p", NOW - HOUR + 1, "make", Outcome::Success)));
    assert_eq!(bench.injected(nowhere(starts("two", "p", NOW, "startup"))), "");
}

/// @injection_places: a session that ended, or was silent for half an hour, is not running.
#[test]
fn what_has_ended_or_fallen_silent_is_not_running() {
    let bench = fresh();
    bench.work("ended", "p", NOW - 5 * MINUTE, "alpha");
    bench.keep(ends("ended", "p", NOW - 4 * MINUTE, "exit"));
    bench.work("silent", "p", NOW - 40 * MINUTE, "beta");
    assert!(!bench.injected(starts("new", "p", NOW, "startup")).contains("running session"));
}

/// @injection_elsewhere: of other projects only pinned entries are shown, and of those only kind,
/// file name and first word.
#[test]
fn other_projects_show_only_pins_and_little_of_them() {
    let bench = fresh();
    bench.work("one", "website", NOW - HOUR, "secret_plan");
    let pinned =
        bench.keep(ran("one", "website", NOW - HOUR, "deploy --to production --quietly", Outcome::Success));
    let file =
        bench.keep(touched("one", "website", NOW, ObservationKind::FileEdit, "/w/website/private/notes.md"));
    bench.work("two", "engine", NOW - HOUR, "lexer");
    let before = bench.injected(starts("three", "engine", NOW, "startup"));
    assert!(!before.contains("website") && !before.contains("Other projects"), "{before}");
    bench.ok("pin", json!({"ids": [pinned, file]}));
    let injected = bench.injected(starts("four", "engine", NOW, "startup"));
    let (_, other) = injected.split_once("## Other projects\n").expect("a section");
    assert!(other.contains("command | ran deploy [website] |"), "{injected}");
    assert!(other.contains("file_edit | notes.md [website] |"), "{injected}");
    for hidden in ["production", "quietly", "private", "secret_plan"] {
        assert!(!injected.contains(hidden), "{hidden}: {injected}");
    }
}

/// @injection_elsewhere: work in another copy of the project, with the same remote, is shown just
/// as briefly.
#[test]
fn another_copy_of_the_project_is_injected_of() {
    let bench = fresh();
    let remote = "https://example.com/ada/engine";
    bench.keep(starts("one", "engine-old", NOW - DAY, "startup").remote(remote));
    bench.work("one", "engine-old", NOW - DAY, "lexer");
    bench.work("other", "unrelated", NOW - DAY, "website");
    let injected = bench.injected(starts("two", "engine-new", NOW, "startup").remote(remote));
    assert!(
        injected.contains("lexer.rs [engine-old]") && injected.contains("ran make [engine-old]"),
        "{injected}"
    );
    assert!(
        !injected.contains("make lexer") && !injected.contains("mend lexer") && !injected.contains("website"),
        "{injected}"
    );
}

/// @injection_elsewhere: work that a session did after it moved to another project is not injected
/// in the one it began in.
#[test]
fn a_session_that_wandered_tells_each_project_its_own() {
    let bench = fresh();
    bench.work("one", "a", NOW - HOUR, "apples");
    bench.keep(asked("one", "b", NOW - HOUR + MINUTE, "now the pears"));
    bench.keep(ran("one", "b", NOW - HOUR + 2 * MINUTE, "peel pears", Outcome::Success));
    let injected = bench.injected(starts("two", "a", NOW, "startup"));
    assert!(injected.contains("apples") && !injected.contains("pears"), "{injected}");
}
