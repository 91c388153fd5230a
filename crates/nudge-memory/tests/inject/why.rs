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
        now(&bench, json!({"id": command, "tokens": 120})),
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

/// @injection_explained: of a summary it is said that its session is told, and not the summary.
#[test]
fn a_summary_is_not_told_but_its_session_is() {
    let bench = fresh();
    bench.keep(asked("one", "p", NOW - 9 * HOUR, "rename the token of the parser"));
    for step in 0..3 {
        bench.keep(patched("one", "p", NOW - 9 * HOUR + step, &["src/parse.rs", "src/token.rs"]));
    }
    nudge_memory::upkeep::catch_up(&bench.memory, Timestamp::from_millis(NOW));
    let found = bench.memory.store().read(|reader| {
        let session = reader.agent_session_by_name("one")?.expect("a session");
        reader.summary_entry(session.id)
    });
    let summary = found.expect("read").expect("summed up").0;
    assert_eq!(
        now(&bench, json!({"id": summary})),
        "a session that begins in p now is not told: of a session its prompts and conclusions are, not its summary"
    );
}

/// @injection_cooldown: what keeps failing is told at every start, however often it was.
#[test]
fn what_keeps_failing_does_not_rest() {
    let bench = fresh();
    for (session, at) in [("one", NOW - 9 * HOUR), ("two", NOW - 8 * HOUR)] {
        for step in 0..2 {
            bench.keep(failed(session, "p", at + step, "make lint", "no such target"));
        }
        bench.keep(ends(session, "p", at + MINUTE, "exit"));
    }
    for start in 0..5 {
        let session = format!("s{start}");
        let told = bench.told(starts(&session, "p", NOW + start * 10, "startup"));
        assert!(
            told.contains("\"make lint\" failed here 4 times in 2 sessions: \"no such target\""),
            "{told}"
        );
        bench.keep(ran(&session, "p", NOW + start * 10 + 1, "make fine", Outcome::Success));
    }
}

/// @statements_silence: rows, intents and what a session was at are left out where the person silenced them, and that is said.
#[test]
fn what_the_person_silenced_is_left_out() {
    let bench = fresh();
    let work = bench.work("one", "p", NOW - HOUR, "lexer");
    let [prompt, file, command] = work;
    for id in [prompt, command] {
        bench.ok("silence", json!({"id": id, "project": "p"}));
    }
    assert_eq!(
        now(&bench, json!({"id": command})),
        "a session that begins in p now is not told: the person does not want it shown (`nudge stop-showing`)"
    );
    let told = bench.told(starts("two", "p", NOW, "startup"));
    assert!(
        told.contains("lexer.rs") && !told.contains("make lexer") && !told.contains("mend lexer"),
        "{told}"
    );
    let lines = bench.ledger("two").swap_remove(0).1;
    let left_out: Vec<i64> = lines.iter().filter(|line| !line.is_told()).map(|line| line.entry.0).collect();
    assert_eq!(left_out, [prompt, command]);
    let recovered = bench.told(starts("one", "p", NOW + MINUTE, "compact"));
    assert!(!recovered.contains("make lexer") && !recovered.contains("mend lexer"), "{recovered}");
    bench.ok("silence", json!({"id": file, "project": null}));
    assert_eq!(bench.told(starts("three", "p", NOW + MINUTE, "startup")), "");
    bench.ok("silence", json!({"id": command, "project": "p", "again": true}));
    assert!(bench.told(starts("four", "p", NOW + MINUTE, "startup")).contains("make lexer"));
}
