//! Sessions in which much happened after the important part.

use nudge_core::{ObservationKind, Outcome};
use nudge_testkit::{EventBuilder, MemoryBench};
use serde_json::json;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, action, asked, did, ends, fresh, patched, ran, seeded, starts, touched,
};

/// A session reads that many files, one a second.
fn looks_around(bench: &MemoryBench, session: &str, project: &str, at: i64, files: i64) {
    for number in 0..files {
        let file = format!("/w/{project}/docs/{number}.md");
        bench.keep(touched(session, project, at + number * 1_000, ObservationKind::FileRead, &file));
    }
}

fn commits(session: &str, project: &str, at: i64, message: &str) -> EventBuilder {
    let commit = action(ObservationKind::GitCommit, "git commit -F -", Outcome::Success);
    did(session, project, at, commit).action(|action| {
        action.metadata.insert("commit_message".into(), json!(message));
    })
}

/// @injection_rows: actions are considered separately from reads, so that no number of reads hides
/// them.
#[test]
fn looking_around_hides_no_work() {
    let bench = fresh();
    let at = NOW - 2 * HOUR;
    for number in 0..10 {
        let file = format!("/w/p/src/part_{number}.rs");
        bench.keep(touched("one", "p", at + number, ObservationKind::FileEdit, &file));
    }
    bench.keep(commits("one", "p", at + 10, "parser: keep the last token"));
    looks_around(&bench, "one", "p", at + MINUTE, 61);
    bench.keep(ends("one", "p", NOW - HOUR, "exit"));
    let injected = bench.injected(seeded("two", "p", NOW, "startup"));
    let rows: Vec<&str> = injected.lines().filter(|line| line.starts_with("| #")).collect();
    assert!(
        rows[..11].iter().all(|row| row.contains("src/part_") || row.contains("keep the last")),
        "{injected}"
    );
    assert!(rows[11..].iter().all(|row| row.contains("file_read")), "{injected}");
}

/// @injection_rows: no number of commands hides the changes either, which count more.
#[test]
fn commands_hide_no_change() {
    let bench = fresh();
    let at = NOW - 2 * HOUR;
    for number in 0..10 {
        let file = format!("/w/p/src/part_{number}.rs");
        bench.keep(touched("one", "p", at + number, ObservationKind::FileEdit, &file));
    }
    for number in 0..45 {
        bench.keep(ran("one", "p", at + MINUTE + number, &format!("make {number}"), Outcome::Success));
    }
    bench.keep(ends("one", "p", NOW - HOUR, "exit"));
    let injected = bench.injected(seeded("two", "p", NOW, "startup"));
    let changed = injected.lines().find(|line| line.contains("changed and not committed")).expect("injected");
    assert!(
        changed.contains("src/part_9.rs, src/part_8.rs") && changed.ends_with(" and 5 more"),
        "{injected}"
    );
    let rows = rows(&injected);
    assert!(rows[..5].iter().all(|row| row.contains("src/part_")), "{rows:#?}");
    assert!(rows.len() > 5 && rows[5..].iter().all(|row| row.contains("make ")), "{rows:#?}");
}

/// @injection_rows: after the context was cleared, rows of all sessions are ranked as one list by
/// 0.6 recency and 0.4 weight: a change of yesterday comes before the commands of forty sessions
/// since, and those before a change of last month; one command that ran often takes one row. A
/// start shows only the commands that most sessions ran.
#[test]
fn rows_of_all_sessions_are_ranked_together() {
    let bench = fresh();
    let changed = |session, at, file| touched(session, "p", at, ObservationKind::FileEdit, file);
    bench.keep(changed("month", NOW - 30 * DAY, "/w/p/src/month.rs"));
    bench.keep(ends("month", "p", NOW - 30 * DAY + 1, "exit"));
    bench.keep(changed("day", NOW - DAY, "/w/p/src/day.rs"));
    bench.keep(ends("day", "p", NOW - DAY + 1, "exit"));
    for number in 0..40 {
        let (session, at) = (format!("s{number}"), NOW - 5 * HOUR + number * MINUTE);
        for step in 0..15 {
            bench.keep(ran(&session, "p", at + step, "cargo test", Outcome::Success));
        }
        bench.keep(ran(&session, "p", at + 20, &format!("make {}", number % 4), Outcome::Success));
        bench.keep(ends(&session, "p", at + 30, "exit"));
    }
    let usual = rows(&bench.injected(seeded("now", "p", NOW, "startup")));
    assert!(
        usual[..].iter().any(|row| row.contains("ran `cargo test`, exit 0, in 12 of 12 sessions")),
        "{usual:#?}"
    );
    let rows = rows(&bench.injected(seeded("s39", "p", NOW, "compact")));
    let words = ["src/day.rs", "cargo test", "make 2", "make 1", "make 0", "make 3", "src/month.rs"];
    assert_eq!(rows.len(), words.len(), "{rows:#?}");
    assert!(rows.iter().zip(words).all(|(row, word)| row.contains(word)), "{rows:#?}");
}

fn rows(injected: &str) -> Vec<String> {
    injected.lines().filter(|line| line.starts_with("| #")).map(str::to_owned).collect()
}

/// @injection_intents: turns without actions take no space from those that were acted on.
#[test]
fn idle_turns_hide_no_intent() {
    let bench = fresh();
    let at = NOW - 2 * HOUR;
    let first = bench.keep(asked("one", "p", at, "make the parser keep the last token"));
    bench.keep(ran("one", "p", at + 1, "make parser", Outcome::Success));
    for number in 0..20 {
        bench.keep(asked("one", "p", at + MINUTE + number, "yes"));
    }
    bench.keep(ends("one", "p", NOW - HOUR, "exit"));
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    let line = format!("asked: \"make the parser keep the last token\" #{first}\n");
    assert!(injected.contains(&line), "{injected}");
    assert!(!injected.contains("\"yes\""), "{injected}");
}

/// @injection_elsewhere: reads do not hide the work in another copy of the project either.
#[test]
fn looking_around_hides_no_work_in_a_copy() {
    let bench = fresh();
    let remote = "https://example.com/ada/engine";
    bench.keep(starts("one", "engine-old", NOW - DAY, "startup").remote(remote));
    bench.work("one", "engine-old", NOW - DAY, "lexer");
    looks_around(&bench, "one", "engine-old", NOW - DAY + MINUTE, 20);
    let injected = bench.injected(starts("two", "engine-new", NOW, "startup").remote(remote));
    assert!(
        injected.contains("lexer.rs [engine-old]") && injected.contains("ran make [engine-old]"),
        "{injected}"
    );
}

/// @injection_elsewhere: a session's work in this project is injected here, however much it did
/// after it moved to another project.
#[test]
fn wandering_off_hides_no_work() {
    let bench = fresh();
    bench.work("one", "a", NOW - 2 * HOUR, "apples");
    for number in 0..61 {
        let at = NOW - HOUR + number * 1_000;
        bench.keep(asked("one", "b", at, &format!("peel pear {number}")));
        bench.keep(ran("one", "b", at + 1, &format!("peel {number}"), Outcome::Success));
    }
    let injected = bench.injected(starts("two", "a", NOW, "startup"));
    assert!(injected.contains("src/apples.rs") && injected.contains("\"mend apples\""), "{injected}");
    assert!(!injected.contains("pear"), "{injected}");
}

/// @injection_recovery: the files it was changing and its last command are found despite many later
/// reads.
#[test]
fn what_was_in_flight_is_found_behind_much_reading() {
    let bench = fresh();
    bench.work("one", "p", NOW - 2 * HOUR, "lexer");
    looks_around(&bench, "one", "p", NOW - HOUR, 201);
    let injected = bench.injected(starts("one", "p", NOW, "compact"));
    assert!(injected.contains("- was changing src/lexer.rs\n"), "{injected}");
    assert!(injected.contains("the last command: `make lexer`, exit 0\n"), "{injected}");
}

/// @injection_recovery: a change of several files names them all, in the one line of that change,
/// each file once.
#[test]
fn all_files_of_a_change_are_in_flight() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(patched("one", "p", NOW - HOUR + 9_000, &["src/parse.rs", "src/lexer.rs", "src/token.rs"]));
    let injected = bench.injected(starts("one", "p", NOW, "compact"));
    assert!(injected.contains("- was changing `src/parse.rs, src/lexer.rs, src/token.rs`\n"), "{injected}");
    assert_eq!(injected.matches("src/lexer.rs").count(), 1, "{injected}");
    let many: Vec<String> = (0..20).map(|number| format!("src/a_longer_name_{number}.rs")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    bench.keep(patched("one", "p", NOW - HOUR + 10_000, &many));
    let injected = bench.injected(starts("one", "p", NOW + 1, "compact"));
    let line = injected.lines().find(|line| line.contains("a_longer_name_0")).expect("injected");
    assert!(
        line.starts_with("- was changing `src/a_longer_name_0.rs, ") && line.ends_with(" more`"),
        "{injected}"
    );
}

/// @start_unfinished: a change of several files names them all.
#[test]
fn all_files_of_a_change_were_being_changed() {
    let bench = fresh();
    bench.keep(asked("one", "p", NOW - 9 * HOUR, "rename the token of the parser"));
    for step in 0..3 {
        let files = ["src/parse.rs", "src/lexer.rs", "src/token.rs"];
        bench.keep(patched("one", "p", NOW - 9 * HOUR + step, &files));
    }
    let injected = bench.injected(starts("two", "p", NOW, "startup"));
    assert!(injected.contains("[8h ago, broke off] asked:"), "{injected}");
    assert!(injected.contains("when it ended: src/parse.rs, src/lexer.rs, src/token.rs\n"), "{injected}");
}

/// @injection_used: a change of several files touches each of them, wherever it is in the list.
#[test]
fn a_change_of_several_files_touches_each() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    bench.begin(starts("two", "p", NOW, "startup")).expect("injected");
    bench.keep(patched("two", "p", NOW + MINUTE, &["src/parse.rs", "src/lexer.rs"]));
    let why = bench.ok("explain_injection", json!({"id": file}));
    assert!(why["entry"]["injected"][0]["used_at"].is_string(), "{why}");
    // A line about a change of several files counts as used when the session returns to any of
    // them.
    let patch = bench.keep(patched("two", "p", NOW + 2 * MINUTE, &["src/a.rs", "src/b.rs"]));
    bench.begin(starts("two", "p", NOW + 3 * MINUTE, "compact")).expect("injected");
    bench.keep(touched("two", "p", NOW + 4 * MINUTE, ObservationKind::FileRead, "/w/p/src/b.rs"));
    let why = bench.ok("explain_injection", json!({"id": patch}));
    assert!(why["entry"]["injected"][0]["used_at"].is_string(), "{why}");
}
