//! What explains itself: what would become of an entry now, and why.

use nudge_core::{Outcome, Timestamp};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::setup::{HOUR, Inject, MINUTE, NOW, asked, ends, failed, fresh, patched, ran, starts};

fn now(bench: &MemoryBench, params: Value) -> String {
    let why = bench.ok("explain_injection", params);
    why["entry"]["now"].as_str().expect("a word on it").to_owned()
}

/// @injection_explained: what would become of an entry is said for the budget of whoever asks, and where nothing is told, that is said.
#[test]
fn the_callers_budget_decides() {
    let bench = fresh();
    let [_, file, command] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    assert_eq!(now(&bench, json!({"id": command})), "a session that begins in p now is told");
    assert_eq!(
        now(&bench, json!({"id": command, "tokens": 75})),
        "a session that begins in p now is not told: the budget was used up by what ranks above it"
    );
    assert_eq!(
        now(&bench, json!({"id": file, "tokens": 9})),
        "a session that begins in p now is not told: the budget holds no line at all"
    );
    assert_eq!(
        now(&bench, json!({"id": file, "enabled": false})),
        "a session that begins in p now is not told: inject.enabled is false"
    );
}

/// @injection_explained: the summary of a session that broke off is told, and that is said; so is why another one is not.
#[test]
fn a_summary_may_be_told() {
    let bench = fresh();
    let breaks_off = |session: &str, at: i64| {
        bench.keep(asked(session, "p", at, "rename the token of the parser"));
        for step in 0..3 {
            bench.keep(patched(session, "p", at + step, &["src/parse.rs", "src/token.rs"]));
        }
    };
    breaks_off("one", NOW - 20 * HOUR);
    breaks_off("two", NOW - 9 * HOUR);
    nudge_memory::upkeep::catch_up(&bench.memory, Timestamp::from_millis(NOW));
    let [one, two] = ["one", "two"].map(|session| {
        let found = bench.memory.store().read(|reader| {
            let session = reader.agent_session_by_name(session)?.expect("a session");
            reader.summary_entry(session.id)
        });
        found.expect("read").expect("summed up").0
    });
    assert_eq!(now(&bench, json!({"id": two})), "a session that begins in p now is told");
    assert_eq!(
        now(&bench, json!({"id": one})),
        "a session that begins in p now is not told: of summaries only that of the last session that broke off is"
    );
}

/// @injection_ledger: a note that rests is entered and shown among what was left out, with the reason.
#[test]
fn a_note_that_rests_is_accounted_for() {
    let bench = fresh();
    let mut newest = 0;
    for (session, at) in [("one", NOW - 9 * HOUR), ("two", NOW - 8 * HOUR)] {
        for step in 0..2 {
            newest = bench.keep(failed(session, "p", at + step, "make lint", "no such target"));
        }
        bench.keep(ends(session, "p", at + MINUTE, "exit"));
    }
    for start in 0..3 {
        let told = bench.told(starts(&format!("s{start}"), "p", NOW + start, "startup"));
        assert!(told.contains("`make lint` failed 4 times in 2 sessions"), "{told}");
    }
    let rests = "told at 3 starts in a row and not used; it rests for a day";
    let alone = bench.ok("preview_context", json!({"project": "p"}));
    let is_left_out = |seen: &Value| {
        let left = seen["left_out"].as_array().expect("a list");
        left.iter().filter(|left| left["id"] == newest).map(|left| left["why"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(is_left_out(&alone), [rests], "{alone}");
    bench.keep(ran("other", "p", NOW + 10, "make fine", Outcome::Success));
    let seen = bench.ok("preview_context", json!({"project": "p"}));
    assert_eq!(is_left_out(&seen), [rests], "{seen}");
    assert!(!bench.tells(starts("s3", "p", NOW + 20, "startup"), newest));
    let lines = &bench.ledger("s3")[0].1;
    let reasons: Vec<u8> =
        lines.iter().filter(|line| line.entry.0 == newest).map(|line| line.reason).collect();
    assert_eq!(reasons, [5]);
    let why = bench.ok("explain_injection", json!({"id": newest}));
    assert_eq!(why["entry"]["left_out"][0]["why"], rests);
    assert_eq!(
        now(&bench, json!({"id": newest})),
        format!("a session that begins in p now is not told: {rests}")
    );
}
