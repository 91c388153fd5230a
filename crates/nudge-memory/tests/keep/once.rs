//! An event reported twice is one; events without news are only counted.

use nudge_core::{ObservationKind, Outcome};
use nudge_memory::capture::{CapturedVia, EventBody, Identity};

use crate::keep::setup::{Keep, action, captured, command, fresh, prompt};

/// @capture_once: however often an event is delivered, it is one observation, and the repeats are
/// counted.
#[test]
fn an_event_reported_twice_is_one_observation() {
    let bench = fresh();
    let reported = captured(1, 0, command("make", Outcome::Success));
    assert_eq!([0, 1, 2].map(|_| bench.keep(&reported)), ["stored", "duplicate", "duplicate"]);
    assert_eq!(bench.observations("s").len(), 1);
    let duplicates = bench.memory.store().read(|reader| reader.tally("duplicate"));
    assert_eq!(duplicates.expect("read"), 2);
}

/// @capture_once: without an id and a time, equal events are the same only within two seconds.
#[test]
fn equal_events_without_an_id_are_the_same_for_two_seconds() {
    let bench = fresh();
    let identity = Identity { hash: 5, within_ms: Some(2_000) };
    let loose = |after| captured(5, after, command("date", Outcome::Success)).identity(identity);
    assert_eq!([0, 1_500, 4_000].map(|after| bench.keep(&loose(after))), ["stored", "duplicate", "stored"]);
}

/// @capture_window: reads and searches of one target within 300 s in one session are one; commands,
/// writes and other targets are not.
#[test]
fn repeated_reads_say_nothing_new() {
    let bench = fresh();
    let read = |identity, after, path: &str| {
        bench.keep(&captured(identity, after, action(ObservationKind::FileRead, path, Outcome::Success)))
    };
    assert_eq!(read(1, 0, "/a"), "stored");
    assert_eq!(read(2, 299_000, "/a"), "duplicate");
    assert_eq!(read(3, 10, "/b"), "stored");
    assert_eq!(read(4, 301_000, "/a"), "stored");
    let elsewhere = captured(5, 20, action(ObservationKind::FileRead, "/a", Outcome::Success)).session("t");
    assert_eq!(bench.keep(&elsewhere), "stored");
    for identity in 10..13 {
        assert_eq!(bench.keep(&captured(identity, identity, command("make", Outcome::Success))), "stored");
        let write = action(ObservationKind::FileWrite, "/a", Outcome::Success);
        assert_eq!(bench.keep(&captured(identity + 100, identity, write)), "stored");
    }
}

/// @capture_window: a failed read or search is stored each time, and does not suppress later ones.
#[test]
fn failures_are_news_each_time() {
    for kind in [ObservationKind::FileRead, ObservationKind::Search] {
        let bench = fresh();
        let tell = |identity, after, target: &str, outcome| {
            bench.keep(&captured(identity, after, action(kind, target, outcome)))
        };
        let failed = Outcome::Failed { exit: None };
        assert_eq!(tell(1, 0, "/a", Outcome::Success), "stored");
        assert_eq!(tell(2, 10_000, "/a", Outcome::Unknown), "duplicate", "{kind:?}");
        assert_eq!(tell(3, 60_000, "/a", failed), "stored", "{kind:?}");
        assert_eq!(tell(4, 61_000, "/a", failed), "stored", "{kind:?}");
        assert_eq!(tell(5, 0, "/b", failed), "stored");
        assert_eq!(tell(6, 60_000, "/b", Outcome::Success), "stored", "{kind:?}");
        assert_eq!(tell(7, 61_000, "/b", Outcome::Success), "duplicate", "{kind:?}");
        let rows = bench.observations("s");
        let outcomes: Vec<_> = rows.iter().map(|row| (row.body.as_str(), row.outcome)).collect();
        let kept = [
            ("/a", Outcome::Success),
            ("/b", failed),
            ("/a", failed),
            ("/b", Outcome::Success),
            ("/a", failed),
        ];
        assert_eq!(outcomes, kept, "{kind:?}");
    }
}

/// @capture_once: an import recognises an event when session, kind and input agree within five
/// seconds.
#[test]
fn an_import_knows_what_hooks_reported() {
    let bench = fresh();
    bench.keep(&captured(1, 0, command("make", Outcome::Success)));
    bench.keep(&captured(2, 0, prompt("build it")));
    let imported =
        |identity, after, what: EventBody| captured(identity, after, what).via(CapturedVia::Import);
    let outcomes = [
        imported(3, 4_900, command("make", Outcome::Success)),
        imported(4, 5_100, command("make", Outcome::Success)),
        imported(5, 100, command("make all", Outcome::Success)),
        imported(6, 4_000, prompt("build it")),
        imported(7, 6_000, prompt("build it")),
    ]
    .map(|captured| bench.keep(&captured));
    assert_eq!(outcomes, ["duplicate", "stored", "stored", "duplicate", "stored"]);
    let twice = [8, 9].map(|id| bench.keep(&imported(id, 9_000, command("make twice", Outcome::Success))));
    assert_eq!(twice, ["stored", "stored"], "calls with ids of their own are two, however alike");
}

/// @capture_settled: a call that is reported before it ran and after is one observation, and the
/// end settles it.
#[test]
fn the_end_of_a_call_settles_its_beginning() {
    let bench = fresh();
    assert_eq!(bench.keep(&captured(1, 0, command("make", Outcome::Unknown))), "stored");
    let failed = Outcome::Failed { exit: Some(2) };
    assert_eq!(bench.keep(&captured(1, 900, command("make", failed))), "settled");
    assert_eq!(bench.keep(&captured(1, 950, command("make", Outcome::Success))), "duplicate");
    let [row] = bench.observations("s").try_into().expect("one");
    assert_eq!((row.kind, row.outcome), (ObservationKind::CommandError, failed));
}

/// @capture_sessions: start, end and compaction are observations of their session, and belong to no
/// prompt.
#[test]
fn what_happens_to_a_session_is_kept() {
    let bench = fresh();
    bench.keep(&captured(1, 0, EventBody::Start { source: "startup".into(), model: Some("m-1".into()) }));
    bench.keep(&captured(2, 10, prompt("go")));
    bench.keep(&captured(3, 20, EventBody::Compact { trigger: Some("auto".into()), ahead: false }));
    bench.keep(&captured(4, 30, command("ls", Outcome::Success)));
    bench.keep(&captured(5, 40, EventBody::End { reason: Some("exit".into()) }));
    let rows: Vec<_> = bench
        .observations("s")
        .into_iter()
        .map(|row| (row.kind.name(), row.body, row.prompt.is_some()))
        .collect();
    let expected = [
        ("session_start", "startup", false),
        ("session_compact", "auto", false),
        ("command", "ls", true),
        ("session_end", "exit", false),
    ];
    assert_eq!(rows, expected.map(|(kind, body, prompt)| (kind, body.to_owned(), prompt)));
}

/// @capture_sessions: reports before a compaction, after it and at the start that follows are one
/// compaction; the next one is separate, and a start after a compaction that nothing else reported
/// is enough.
#[test]
fn a_compaction_is_kept_once() {
    let bench = fresh();
    let compact = |ahead| EventBody::Compact { trigger: Some("auto".into()), ahead };
    let start = || EventBody::Start { source: "compact".into(), model: None };
    let count = || bench.observations("s").iter().filter(|row| row.kind.name() == "session_compact").count();
    assert_eq!(bench.keep(&captured(1, 0, compact(true))), "stored");
    assert_eq!(
        bench.keep(&captured(2, 5_000, command("ls", Outcome::Success))),
        "stored",
        "a subagent works on"
    );
    assert_eq!(bench.keep(&captured(3, 60_000, compact(false))), "duplicate");
    assert_eq!(bench.keep(&captured(4, 61_000, start())), "stored");
    assert_eq!(count(), 1);
    assert_eq!(bench.keep(&captured(5, 200_000, compact(true))), "stored", "the next one");
    assert_eq!(bench.keep(&captured(6, 260_000, start())), "stored");
    assert_eq!(count(), 2);
    assert_eq!(bench.keep(&captured(7, 400_000, start())), "stored", "one that only its start tells of");
    assert_eq!(bench.keep(&captured(7, 400_001, start())), "duplicate", "the same event");
    assert_eq!(count(), 3);
    assert_eq!(bench.keep(&captured(8, 5_000_000, compact(false))), "stored");
    assert_eq!(count(), 4);
    bench.keep(&captured(9, 9_000_000, EventBody::Start { source: "resume".into(), model: None }));
    assert_eq!(count(), 4);
}
