//! Explains what would happen to an entry now, and why.

use nudge_core::{Outcome, Timestamp};
use nudge_testkit::MemoryBench;
use serde_json::{Value, json};

use crate::inject::setup::{
    HOUR, Inject, MINUTE, NOW, asked, ends, failed, fresh, patched, ran, seeded, starts,
};

fn now(bench: &MemoryBench, params: Value) -> String {
    let why = bench.ok("explain_injection", params);
    why["entry"]["now"].as_str().expect("a word on it").to_owned()
}

/// @injection_explained: the answer is for the caller's budget, and if nothing is injected, it says
/// so.
#[test]
fn the_callers_budget_decides() {
    let bench = fresh();
    let [_, file, command] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(ends("one", "p", NOW - HOUR + 9_000, "exit"));
    assert_eq!(
        now(&bench, json!({"id": command})),
        "a session that starts in p now does not get it: single steps are not injected at a start; a search finds them"
    );
    let answers: Vec<String> =
        (9..200).map(|tokens| now(&bench, json!({"id": file, "tokens": tokens}))).collect();
    assert_eq!(
        answers[0],
        "a session that starts in p now does not get it: the budget is too small for a single line"
    );
    let used_up =
        "a session that starts in p now does not get it: the budget was used up by what ranks above it";
    assert!(answers.iter().any(|answer| answer == used_up), "{answers:?}");
    assert_eq!(answers[190], "a session that starts in p now gets it");
    assert_eq!(
        now(&bench, json!({"id": file, "enabled": false})),
        "a session that starts in p now does not get it: inject.enabled is false"
    );
}

/// @injection_explained: for a summary it says that its session is injected, not the summary.
#[test]
fn a_summary_is_not_injected_but_its_session_is() {
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
        "a session that starts in p now does not get it: prompts and conclusions of a session are injected, not its summary"
    );
}

/// @injection_cooldown: a repeated failure is injected at every start, however often it was before.
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
        let injected = bench.injected(starts(&session, "p", NOW + start * 10, "startup"));
        assert!(
            injected.contains("\"make lint\" failed here 4 times in 2 sessions: \"no such target\""),
            "{injected}"
        );
        bench.keep(ran(&session, "p", NOW + start * 10 + 1, "make fine", Outcome::Success));
    }
}

/// @statements_silence: rows, intents and a session's current work are left out if the user
/// silenced them, and the answer says so.
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
        "a session that starts in p now does not get it: hidden with `nudge stop-showing`"
    );
    let injected = bench.injected(seeded("two", "p", NOW, "startup"));
    assert!(
        injected.contains("lexer.rs") && !injected.contains("make lexer") && !injected.contains("mend lexer"),
        "{injected}"
    );
    let lines = bench.ledger("two").swap_remove(0).1;
    let left_out: Vec<i64> =
        lines.iter().filter(|line| !line.is_injected()).map(|line| line.entry.0).collect();
    assert_eq!(left_out, [prompt, command]);
    let recovered = bench.injected(seeded("one", "p", NOW + MINUTE, "compact"));
    assert!(!recovered.contains("make lexer") && !recovered.contains("mend lexer"), "{recovered}");
    bench.ok("silence", json!({"id": file, "project": null}));
    assert_eq!(bench.injected(seeded("three", "p", NOW + MINUTE, "startup")), "");
    bench.ok("silence", json!({"id": command, "project": "p", "again": true}));
    assert!(bench.injected(seeded("four", "p", NOW + MINUTE, "startup")).contains("make lexer"));
}
