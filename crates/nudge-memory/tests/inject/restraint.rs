//! Nothing is told too often.

use std::collections::HashMap;

use serde_json::json;

use crate::setup::{Bench, DAY, HOUR, NOW, ends, ran, starts};
use nudge_core::Outcome;

/// @injection_cooldown: what was told at three starts in a row and not used rests for a day, and then comes again; pins do not rest.
#[test]
fn what_nobody_uses_rests_for_a_day() {
    let bench = Bench::new();
    let [asked, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    let [_, pinned, _] = bench.work("one", "p", NOW - HOUR, "kept");
    bench.call("pin", json!({"ids": [pinned]}));
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    let tells = |session: &str, at: i64| {
        let told = bench.told(starts(session, "p", at, "startup"));
        (told.contains("src/lexer.rs"), told.contains("src/kept.rs"))
    };
    for start in 0..3 {
        assert_eq!(tells(&format!("s{start}"), NOW + start), (true, true));
    }
    assert_eq!(tells("s3", NOW + 3), (false, true));
    let why = bench.call("explain_injection", json!({"id": file}));
    let left = why["entry"]["left_out"][0]["why"].as_str().expect("a reason");
    assert_eq!(left, "told at the last 3 starts and not used; it rests for a day");
    assert_eq!(
        bench.call("explain_injection", json!({"id": asked}))["entry"]["told"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(tells("s4", NOW + 4 + DAY), (true, true), "a day later it is told again");
}

/// @injection_cooldown: what was used does not rest.
#[test]
fn what_is_used_goes_on_being_told() {
    let bench = Bench::new();
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    for start in 0..6 {
        let (session, at) = (format!("s{start}"), NOW + start * 10_000);
        assert!(bench.told(starts(&session, "p", at, "startup")).contains("make lexer"), "start {start}");
        bench.keep(ran(&session, "p", at + 1_000, "make lexer", Outcome::Success));
        let end = ends(&session, "p", at + 2_000, "exit");
        bench.keep(end.clone());
        bench.memory.settle_use(&end).expect("settled");
    }
}

/// @injection_share: once a project has had a hundred injections, no entry serves more than five in any hundred, pinned or not.
#[test]
fn no_entry_is_told_in_more_than_five_of_a_hundred() {
    let bench = Bench::new();
    let [_, pinned, _] = bench.work("old", "p", NOW - HOUR, "pinned");
    bench.call("pin", json!({"ids": [pinned]}));
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
