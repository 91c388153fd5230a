//! Nothing is told too often.

use std::collections::HashMap;

use serde_json::json;

use crate::setup::{DAY, HOUR, Inject, MINUTE, NOW, ends, fresh, ran, starts, touched};
use nudge_core::{ObservationKind, Outcome};

/// @injection_cooldown: what was told at three starts in a row and not used rests for a day, and then comes again; pins do not rest.
#[test]
fn what_nobody_uses_rests_for_a_day() {
    let bench = fresh();
    let [asked, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    let [_, pinned, _] = bench.work("one", "p", NOW - HOUR, "kept");
    bench.ok("pin", json!({"ids": [pinned]}));
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    let tells = |session: &str, at: i64| {
        let told = bench.told(starts(session, "p", at, "startup"));
        (told.contains("src/lexer.rs"), told.contains("src/kept.rs"))
    };
    for start in 0..3 {
        assert_eq!(tells(&format!("s{start}"), NOW + start), (true, true));
    }
    assert_eq!(tells("s3", NOW + 3), (false, true));
    let why = bench.ok("explain_injection", json!({"id": file}));
    let left = why["entry"]["left_out"][0]["why"].as_str().expect("a reason");
    assert_eq!(left, "told at 3 starts in a row and not used; it rests for a day");
    assert_eq!(
        bench.ok("explain_injection", json!({"id": asked}))["entry"]["told"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(tells("s4", NOW + 4 + DAY), (true, true), "a day later it is told again");
}

/// @injection_cooldown: a rest is a day long, however many starts tell something else meanwhile.
#[test]
fn a_rest_outlasts_the_starts_that_tell_something_else() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..3 {
        assert!(bench.tells(starts(&format!("s{start}"), "p", NOW + start * MINUTE, "startup"), file));
    }
    for start in 3..43 {
        let (session, at) = (format!("s{start}"), NOW + start * 20 * MINUTE);
        bench.work("other", "p", at - MINUTE, &format!("part_{start}"));
        assert!(!bench.tells(starts(&session, "p", at, "startup"), file), "start {start}");
        assert_eq!(bench.ledger(&session).len(), 1, "something else is told");
    }
    assert!(bench.tells(starts("next", "p", NOW + 3 * MINUTE + DAY, "startup"), file), "a day later");
}

/// @injection_cooldown: three starts between which it was left out are not three in a row.
#[test]
fn starts_with_a_gap_are_not_in_a_row() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    let tells = |number: i64| bench.tells(starts(&format!("s{number}"), "p", NOW + number, "startup"), file);
    assert!(tells(0) && tells(1));
    // This one cannot hold it.
    let wish = nudge_memory::inject::InjectionLimits { start_tokens: 75, recovery_tokens: 0 };
    assert!(bench.begin_with(starts("s2", "p", NOW + 2, "startup"), wish).is_some());
    assert!(bench.ledger("s2")[0].1.iter().any(|line| line.entry.0 == file && !line.is_told()));
    assert!(tells(3) && tells(4) && tells(5));
    assert!(!tells(6));
}

/// @injection_cooldown: what was used does not rest, though no end of the sessions was ever told.
#[test]
fn use_counts_without_an_end() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * HOUR);
        assert!(bench.tells(starts(&session, "p", at, "startup"), file), "start {start}");
        if start % 3 == 0 {
            bench.keep(touched(&session, "p", at + 1_000, ObservationKind::FileRead, "/w/p/src/lexer.rs"));
        }
    }
}

/// @injection_used: an end that was kept without anything being settled, as one that was set aside is, loses no use.
#[test]
fn use_counts_where_the_end_settled_nothing() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * HOUR);
        assert!(bench.tells(starts(&session, "p", at, "startup"), file), "start {start}");
        bench.keep(touched(&session, "p", at + 1_000, ObservationKind::FileRead, "/w/p/src/lexer.rs"));
        bench.keep(ends(&session, "p", at + 2_000, "exit"));
    }
    let why = bench.ok("explain_injection", json!({"id": file}));
    assert!(why["entry"]["told"].as_array().expect("told").iter().all(|time| time["used_at"].is_string()));
    let usage = bench.ok("injection_usage", json!({"session": "s0"}));
    assert_eq!(usage["total"]["used_lines"], 1);
}

/// @injection_cooldown: what was used does not rest.
#[test]
fn what_is_used_goes_on_being_told() {
    let bench = fresh();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * 10_000);
        assert!(bench.told(starts(&session, "p", at, "startup")).contains("make lexer"), "start {start}");
        bench.keep(ran(&session, "p", at + 1_000, "make lexer", Outcome::Success));
        bench.end(ends(&session, "p", at + 2_000, "exit"));
    }
}

/// @injection_share: once a project has had a hundred injections, no entry serves more than five in any hundred, pinned or not.
#[test]
fn no_entry_is_told_in_more_than_five_of_a_hundred() {
    let bench = fresh();
    let [_, pinned, _] = bench.work("old", "p", NOW - HOUR, "pinned");
    bench.ok("pin", json!({"ids": [pinned]}));
    let mut told_at: HashMap<i64, Vec<usize>> = HashMap::new();
    for number in 0..260_usize {
        let at = NOW + number as i64 * HOUR;
        let session = format!("s{number}");
        bench.told(starts(&session, "p", at, "startup"));
        for (_, lines) in bench.ledger(&session) {
            for line in lines.iter().filter(|line| line.is_told()) {
                told_at.entry(line.entry.0).or_default().push(number);
            }
        }
        bench.work(&session, "p", at + 1_000, &format!("part_{number}"));
        bench.keep(ends(&session, "p", at + 60_000, "exit"));
    }
    let most = |from: usize| {
        let within = |times: &Vec<usize>| times.iter().filter(|at| (from..from + 100).contains(*at)).count();
        told_at.values().map(within).max().unwrap_or_default()
    };
    assert!(most(0) > 5, "before the hundredth nothing is held back for that");
    assert!(most(160) <= 5, "{}", most(160));
    assert!(told_at[&pinned].iter().any(|at| *at < 100));
}
