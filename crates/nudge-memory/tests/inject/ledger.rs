//! What the ledger records of each injection, and what happens to it later.

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_store::Durability;
use nudge_store::{Location, OpenOptions, Store};
use nudge_testkit::MemoryBench;
use nudge_testkit::bench::options;
use serde_json::json;

use crate::inject::setup::{DAY, HOUR, Inject, MINUTE, NOW, ends, fresh, ran, seeded, starts, touched};

/// @injection_ledger: what was injected, in which section and at what cost; what was left out and
/// why; and no text.
#[test]
fn every_injection_is_entered() {
    let bench = fresh();
    let ids = bench.work("one", "p", NOW - HOUR, "lexer");
    let looked = |at, file| bench.keep(touched("one", "p", at, ObservationKind::FileRead, file));
    let (early, late) = ("/w/p/src/parser.rs", "/w/p/src/parser.rs");
    let read = looked(NOW - HOUR + 5, early);
    let again = looked(NOW - HOUR + 400_000, late);
    let injected = bench.begin(seeded("two", "p", NOW, "startup")).expect("injected");
    let [(row, lines)] = <[_; 1]>::try_from(bench.ledger("two")).expect("one");
    assert_eq!(
        (row.cause.as_str(), row.is_recovery(), row.lines, row.tokens),
        ("startup", false, injected.lines, injected.tokens)
    );
    assert_eq!(row.characters as usize, injected.context.chars().count());
    let mut entries: Vec<i64> =
        lines.iter().filter(|line| line.is_injected()).map(|line| line.entry.0).collect();
    entries.sort_unstable();
    assert_eq!(entries, [&ids[..], &[again]].concat());
    assert!(lines.iter().filter(|line| line.is_injected()).all(|line| line.tokens > 0 && line.section > 0));
    let left: Vec<_> =
        lines.iter().filter(|line| !line.is_injected()).map(|line| (line.entry.0, line.reason)).collect();
    assert_eq!(left, [(read, 3)], "a better row is about the same file");
}

/// @injection_ledger: an empty injection is not recorded, and neither is a preview.
#[test]
fn what_was_not_injected_is_not_entered() {
    let bench = fresh();
    assert_eq!(bench.injected(starts("one", "p", NOW, "startup")), "");
    assert!(bench.ledger("one").is_empty());
    bench.work("one", "p", NOW, "lexer");
    let seen = bench.ok("preview_context", json!({"project": "p"}));
    assert!(seen["text"].as_str().expect("text").contains("lexer"));
    assert!(bench.ledger("one").is_empty());
}

/// @injection_ledger: removing an entry removes its lines, and the injection still counts; merged
/// projects share a ledger.
#[test]
fn the_ledger_outlives_its_entries_and_its_project() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    let injected = bench.begin(starts("two", "p", NOW, "startup")).expect("injected");
    bench
        .memory
        .store()
        .write(Durability::Passive, |writer| {
            writer.delete_entry(nudge_core::EntryId(file), Timestamp::from_millis(NOW))
        })
        .expect("deleted");
    let [(row, lines)] = <[_; 1]>::try_from(bench.ledger("two")).expect("one");
    assert_eq!((row.lines, row.tokens), (injected.lines, injected.tokens));
    assert!(lines.iter().all(|line| line.entry.0 != file));
    bench.work("three", "q", NOW, "other");
    bench.ok("merge_projects", json!({"from": "p", "into": "q"}));
    assert!(bench.injected(starts("four", "q", NOW + DAY, "startup")).contains("mend lexer"));
}

/// @injection_used: a line is used when the session then opens its file or runs its command, not if
/// it had done so before.
#[test]
fn use_is_what_the_session_does_afterwards() {
    let bench = fresh();
    let [asked, file, command] = bench.work("one", "p", NOW - HOUR, "lexer");
    bench.begin(seeded("two", "p", NOW, "startup")).expect("injected");
    let used = |id: i64| {
        let why = bench.ok("explain_injection", json!({"id": id}));
        why["entry"]["injected"][0]["used_at"].is_string()
    };
    assert!(!used(asked) && !used(file) && !used(command));
    bench.keep(touched("two", "p", NOW + MINUTE, ObservationKind::FileRead, "/w/p/src/lexer.rs"));
    assert!(used(file) && !used(command), "known from what the session did, before anything is settled");
    bench.keep(ran("two", "p", NOW + 2 * MINUTE, "make lexer", Outcome::Success));
    bench.end(ends("two", "p", NOW + 3 * MINUTE, "exit"));
    let [(_, lines)] = <[_; 1]>::try_from(bench.ledger("two")).expect("one");
    let mut settled: Vec<_> =
        lines.iter().filter_map(|line| Some((line.entry.0, line.used_at?.as_millis() - NOW))).collect();
    settled.sort_unstable();
    assert_eq!(settled, [(file, MINUTE), (command, 2 * MINUTE)]);
    let usage = bench.ok("injection_usage", json!({"session": "two"}));
    assert_eq!((&usage["total"]["used_lines"], &usage["total"]["injections"]), (&json!(2), &json!(1)));
}

/// @injection_explained: for every line the reason and the cost; for an entry when it was injected,
/// and if not, why not.
#[test]
fn what_was_injected_explains_itself() {
    let bench = fresh();
    let [_, file, _] = bench.work("one", "p", NOW - HOUR, "lexer");
    let idle = bench.keep(crate::inject::setup::asked("one", "p", NOW - HOUR - MINUTE, "hello there"));
    let begun = bench.keep(starts("one", "p", NOW - 2 * HOUR, "startup"));
    // Without an end it may have broken off: that depends on when this machine was started.
    bench.keep(crate::inject::setup::ends("one", "p", NOW - HOUR + MINUTE, "exit"));
    bench.begin(starts("two", "p", NOW, "startup")).expect("injected");
    let answer = bench.ok("explain_injection", json!({"project": "p"}));
    insta::assert_json_snapshot!(answer);
    let now = |id: i64| bench.ok("explain_injection", json!({"id": id}))["entry"]["now"].clone();
    assert_eq!(now(file), "a session that starts in p now gets it");
    assert_eq!(now(idle), "a session that starts in p now does not get it: nothing was done about it");
    assert_eq!(
        now(begun),
        "a session that starts in p now does not get it: it is an event of the session, not an action"
    );
}

/// @injection_errors: if the ledger cannot be written, nothing is injected, and only the injection
/// fails: the event stays stored.
#[test]
fn what_cannot_be_entered_is_not_injected() {
    let dir = tempfile::TempDir::new().expect("a temporary directory");
    let open = |read_only| {
        let now = Timestamp::from_millis(NOW);
        let location = Location::File(dir.path().join("nudge.db"));
        let options = OpenOptions { read_only, ..options(location, now) };
        MemoryBench::over(Store::open(&options).expect("opens"), now)
    };
    let bench = open(false);
    bench.work("one", "p", NOW - HOUR, "lexer");
    bench.keep(starts("two", "p", NOW, "startup"));
    drop(bench);
    let bench = open(true);
    let limits = nudge_memory::inject::InjectionLimits {
        start_tokens: 500,
        recovery_tokens: 1_500,
        prompt_tokens: 800,
        tool_tokens: 200,
        ask_agent: false,
    };
    let injected =
        bench.memory.inject(&starts("two", "p", NOW, "startup"), limits, Timestamp::from_millis(NOW));
    assert!(injected.is_err(), "{injected:?}");
    assert!(bench.ledger("two").is_empty());
}

/// @injection_explained: with a limit, more than the last injection is explained; for all projects,
/// each names its project.
#[test]
fn several_injections_are_explained_at_once() {
    let bench = fresh();
    bench.work("one", "p", NOW - 2 * HOUR, "lexer");
    bench.work("other", "q", NOW - 2 * HOUR, "parser");
    for (session, project, at) in
        [("two", "p", NOW - HOUR), ("three", "q", NOW - 30 * MINUTE), ("four", "p", NOW)]
    {
        bench.begin(starts(session, project, at, "startup")).expect("something is injected");
    }
    let explained = |params| {
        let answer = bench.ok("explain_injection", params);
        let earlier = answer["earlier"].as_array().cloned().unwrap_or_default();
        let all = std::iter::once(answer["injection"].clone()).chain(earlier);
        all.map(|one| format!("{} {}", one["session"], one["project"])).collect::<Vec<_>>()
    };
    assert_eq!(explained(json!({"project": "p"})), ["\"four\" null"]);
    assert_eq!(explained(json!({"project": "p", "limit": 5})), ["\"four\" null", "\"two\" null"]);
    assert_eq!(
        explained(json!({"project": "*", "limit": 5})),
        ["\"four\" \"p\"", "\"three\" \"q\"", "\"two\" \"p\""]
    );
}
