//! No row is shown too often; statements always are.

use std::collections::HashMap;

use nudge_core::{ObservationKind, Outcome};
use nudge_testkit::{EventBuilder, MemoryBench};
use serde_json::json;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, asked, ends, fresh, ran, seeded, starts, touched,
};

/// The number of the section for other projects.
const ELSEWHERE: u8 = 5;

const REMOTE: &str = "https://example.com/ada/engine";

/// Work in another copy of the project `p`, with rows that are shown there; returns the entry of
/// its file.
fn copied() -> (MemoryBench, i64) {
    let bench = fresh();
    bench.keep(starts("one", "old", NOW - 2 * HOUR, "startup").remote(REMOTE));
    let [_, file, _] = bench.work("one", "old", NOW - HOUR, "lexer");
    bench.keep(ends("one", "old", NOW - HOUR + 9_000, "exit"));
    (bench, file)
}

fn begins(session: &str, at: i64) -> EventBuilder {
    seeded(session, "p", at, "startup").remote(REMOTE)
}

/// A session begins, does something else, and ends; returns whether it was shown the entry.
fn shows(bench: &MemoryBench, session: &str, at: i64, entry: i64) -> bool {
    let shown = bench.tells(begins(session, at), entry);
    bench.keep(ran(session, "p", at + 1, &format!("make {session}"), Outcome::Success));
    bench.keep(ends(session, "p", at + 2, "exit"));
    shown
}

/// @injection_cooldown: a row that three starts in a row showed and nobody used is paused for a
/// day, and then comes again.
#[test]
fn what_nobody_uses_rests_for_a_day() {
    let (bench, file) = copied();
    for start in 0..3 {
        assert!(shows(&bench, &format!("s{start}"), NOW + start * 10, file), "start {start}");
    }
    assert!(!shows(&bench, "s3", NOW + 30, file));
    let why = bench.ok("explain_injection", json!({"id": file}));
    let left = why["entry"]["left_out"][0]["why"].as_str().expect("a reason");
    assert_eq!(left, "injected at 3 starts in a row and not used; withheld for a day");
    assert!(shows(&bench, "s4", NOW + 40 + DAY, file), "a day later it is shown again");
}

/// @injection_cooldown: starts without a following action do not count: opening and closing
/// sessions hides nothing.
#[test]
fn empty_starts_do_not_count() {
    let (bench, file) = copied();
    for start in 0..10 {
        let (session, at) = (format!("s{start}"), NOW + start * 10);
        assert!(bench.tells(begins(&session, at), file), "start {start}");
        bench.keep(ends(&session, "p", at + 1, "exit"));
    }
}

/// @injection_cooldown: the pause lasts a day, however many starts show something else meanwhile.
#[test]
fn a_rest_outlasts_the_starts_that_show_something_else() {
    let (bench, file) = copied();
    for start in 0..3 {
        assert!(shows(&bench, &format!("s{start}"), NOW + start * MINUTE, file));
    }
    for start in 3..23 {
        let session = format!("s{start}");
        assert!(!shows(&bench, &session, NOW + start * 20 * MINUTE, file), "start {start}");
        assert_eq!(bench.ledger(&session).len(), 1, "something else is shown");
    }
    assert!(shows(&bench, "next", NOW + 3 * MINUTE + DAY, file), "a day later");
}

/// @injection_cooldown: three starts do not count as in a row if others between them left it out.
#[test]
fn starts_with_a_gap_are_not_in_a_row() {
    let (bench, file) = copied();
    assert!(shows(&bench, "s0", NOW, file) && shows(&bench, "s1", NOW + 10, file));
    // This budget is too small for it.
    let limits = nudge_memory::inject::InjectionLimits {
        start_tokens: 125,
        recovery_tokens: 0,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    assert!(bench.begin_with(begins("s2", NOW + 20), limits).is_some());
    assert!(bench.ledger("s2")[0].1.iter().any(|line| line.entry.0 == file && !line.is_injected()));
    bench.keep(ran("s2", "p", NOW + 21, "make s2", Outcome::Success));
    for number in 3..6 {
        assert!(shows(&bench, &format!("s{number}"), NOW + number * 10, file), "start {number}");
    }
    assert!(!shows(&bench, "s6", NOW + 60, file));
}

/// @injection_cooldown: a used row is not paused, even if the sessions' ends were never reported.
#[test]
fn use_counts_without_an_end() {
    let (bench, file) = copied();
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * HOUR);
        assert!(bench.tells(begins(&session, at), file), "start {start}");
        bench.keep(ran(&session, "p", at + 500, "make", Outcome::Success));
        if start % 3 == 0 {
            bench.keep(touched(&session, "p", at + 1_000, ObservationKind::FileRead, "/w/old/src/lexer.rs"));
        }
    }
}

/// @injection_used: an end that was stored without settling anything, like one that was moved
/// aside, loses no use.
#[test]
fn use_counts_where_the_end_settled_nothing() {
    let (bench, file) = copied();
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * HOUR);
        assert!(bench.tells(begins(&session, at), file), "start {start}");
        bench.keep(touched(&session, "p", at + 1_000, ObservationKind::FileRead, "/w/old/src/lexer.rs"));
        bench.keep(ends(&session, "p", at + 2_000, "exit"));
    }
    let why = bench.ok("explain_injection", json!({"id": file}));
    assert!(
        why["entry"]["injected"].as_array().expect("injected").iter().all(|time| time["used_at"].is_string())
    );
    let usage = bench.ok("injection_usage", json!({"session": "s0"}));
    assert_eq!(usage["total"]["used_lines"], 1);
}

/// @injection_stopped: where the newest work stopped is injected at every start until there is
/// newer work.
#[test]
fn the_newest_work_never_rests() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..120 {
        let (session, at) = (format!("s{start}"), NOW + start * MINUTE);
        let injected = bench.injected(starts(&session, "p", at, "startup"));
        assert!(injected.contains("asked: \"mend lexer\""), "start {start}: {injected}");
        assert!(
            injected.contains("changed and not committed when it ended: src/lexer.rs"),
            "start {start}: {injected}"
        );
        bench.keep(ends(&session, "p", at + 1_000, "exit"));
    }
}

/// @injection_stopped: a newer session that only read does not hide the work of an older one.
#[test]
fn a_look_does_not_hide_the_work() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    bench.keep(asked("two", "p", NOW - MINUTE, "and what is the state of the lexer now?"));
    bench.keep(ran("two", "p", NOW - MINUTE + 1, "git status", Outcome::Success));
    bench.keep(ends("two", "p", NOW - MINUTE + 2, "exit"));
    let injected = bench.injected(starts("three", "p", NOW, "startup"));
    assert!(injected.contains("changed and not committed when it ended: src/lexer.rs"), "{injected}");
}

/// @injection_stated: pinned entries are injected at every start, however many there were.
#[test]
fn pins_are_injected_at_every_start() {
    let bench = fresh();
    let [_, pinned, _] = bench.work("old", "p", NOW - HOUR, "pinned");
    bench.ok("pin", json!({"ids": [pinned]}));
    for number in 0..130 {
        let (session, at) = (format!("s{number}"), NOW + number * HOUR);
        assert!(bench.tells(starts(&session, "p", at, "startup"), pinned), "start {number}");
        bench.keep(asked(&session, "p", at + 1, &format!("mend part {number}")));
        bench.keep(ran(&session, "p", at + 2, &format!("make {number}"), Outcome::Success));
        bench.keep(ends(&session, "p", at + 3, "exit"));
    }
}

/// @injection_share: once a project has had a hundred injections, no row is in more than five of
/// any hundred.
#[test]
fn no_row_is_shown_in_more_than_five_of_a_hundred() {
    let (bench, file) = copied();
    let mut shown_at: HashMap<i64, Vec<usize>> = HashMap::new();
    for number in 0..260_usize {
        let (session, at) = (format!("s{number}"), NOW + number as i64 * HOUR);
        bench.injected(begins(&session, at));
        for (_, lines) in bench.ledger(&session) {
            for line in lines.iter().filter(|line| line.is_injected() && line.section == ELSEWHERE) {
                shown_at.entry(line.entry.0).or_default().push(number);
            }
        }
        bench.work(&session, "p", at + 1_000, &format!("part_{number}"));
        bench.keep(ends(&session, "p", at + 60_000, "exit"));
    }
    let most = |from: usize| {
        let within = |times: &Vec<usize>| times.iter().filter(|at| (from..from + 100).contains(*at)).count();
        shown_at.values().map(within).max().unwrap_or_default()
    };
    assert!(most(0) > 5, "before the hundredth nothing is held back for that");
    assert!(most(160) <= 5, "{}", most(160));
    assert!(shown_at[&file].iter().any(|at| *at < 100));
}
