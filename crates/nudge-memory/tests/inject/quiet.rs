//! If nothing is relevant, nothing is injected.

use nudge_core::{ObservationKind, Outcome};
use nudge_harness::Harness;
use nudge_testkit::MemoryBench;
use serde_json::json;

use crate::inject::setup::{
    DAY, HOUR, Inject, MINUTE, NOW, asked, ends, fresh, ran, seeded, starts, touched,
};

/// A hundred sessions in ten projects, about as many topics.
fn unrelated() -> MemoryBench {
    unrelated_with_commands().0
}

fn unrelated_with_commands() -> (MemoryBench, Vec<i64>) {
    let bench = fresh();
    let mut commands = Vec::new();
    for number in 0..100 {
        let (session, project) = (format!("s{number}"), format!("project-{}", number % 10));
        let at = NOW - 10 * DAY + number * HOUR;
        bench.keep(starts(&session, &project, at, "startup"));
        for step in 0..8 {
            let about = format!("matter_{number}_{step}");
            let [_, _, command] = bench.work(&session, &project, at + step * MINUTE, &about);
            commands.push(command);
        }
        bench.keep(ends(&session, &project, at + 30 * MINUTE, "exit"));
    }
    (bench, commands)
}

/// @injection_quiet: after a hundred sessions about other topics, a new project gets nothing at
/// all, on any occasion.
#[test]
fn a_fresh_project_is_injected_nothing() {
    let bench = unrelated();
    for cause in ["startup", "resume", "fork", "compact", "clear"] {
        assert_eq!(bench.injected(starts(&format!("new-{cause}"), "brand-new", NOW, cause)), "", "{cause}");
    }
}

/// @injection_quiet: pinned entries of other projects alone inject nothing into a project without
/// work of its own; next to its own work they are shown.
#[test]
fn pins_elsewhere_do_not_break_the_silence() {
    let (bench, commands) = unrelated_with_commands();
    let pins: Vec<i64> = commands.into_iter().step_by(50).take(15).collect();
    assert_eq!(pins.len(), 15);
    bench.ok("pin", json!({"ids": pins}));
    for cause in ["startup", "resume", "fork", "compact", "clear"] {
        assert_eq!(bench.injected(starts(&format!("new-{cause}"), "brand-new", NOW, cause)), "", "{cause}");
    }
    let seen = bench.ok("preview_context", json!({"project": "brand-new"}));
    assert_eq!(
        seen["left_out"][0]["why"], "pinned in another project, which is not worth injecting alone",
        "{seen}"
    );
    bench.keep(ran("own", "brand-new", NOW - MINUTE, "make own", Outcome::Success));
    let injected = bench.injected(seeded("newer", "brand-new", NOW, "startup"));
    assert!(injected.contains("ran `make own`") && injected.contains("## Other projects"), "{injected}");
}

/// @injection_quiet: a related project gets its own topics, under budget in every agent's measure;
/// resuming adds nothing.
#[test]
fn a_related_project_is_injected_its_own() {
    let bench = unrelated();
    let injected = bench.begin(starts("new", "project-3", NOW, "startup")).expect("injected");
    assert!(injected.tokens <= 500);
    assert!(Harness::ALL.iter().all(|harness| harness.spec().limit.admits(&injected.context)));
    for line in injected.context.lines().filter(|line| line.contains("matter_")) {
        let number = line.split("matter_").nth(1).and_then(|rest| rest.split('_').next()).expect("a number");
        assert!(number.ends_with('3'), "{line}");
    }
    assert_eq!(bench.injected(starts("new", "project-3", NOW + 1, "resume")), "");
    let lost = bench.begin(starts("s93", "project-3", NOW + 2, "compact")).expect("injected");
    assert!(lost.tokens <= 1_500 && lost.context.contains("the person asked: \"mend matter_93_7\""));
}

/// @injection_quiet: reads and searches alone are not worth injecting.
#[test]
fn looking_around_is_not_worth_telling() {
    let bench = fresh();
    for number in 0..20 {
        let file = format!("/w/p/f{number}.rs");
        bench.keep(touched("one", "p", NOW - HOUR + number, ObservationKind::FileRead, &file));
        bench.keep(touched("one", "p", NOW - HOUR + number, ObservationKind::Search, &file));
    }
    assert_eq!(bench.injected(seeded("two", "p", NOW, "startup")), "");
    bench.keep(ran("one", "p", NOW - MINUTE, "make", Outcome::Success));
    assert!(bench.injected(seeded("three", "p", NOW, "startup")).contains("ran `make`"));
}

/// @injection_quiet: however many sessions only ask something, earlier work is still injected.
#[test]
fn sessions_that_only_ask_push_nothing_aside() {
    let bench = fresh();
    bench.work("one", "p", NOW - DAY, "the cart");
    for number in 0..120 {
        let session = format!("asks-{number}");
        bench.keep(asked(&session, "p", NOW - HOUR + number, "what does the cart do when it is full?"));
    }
    assert!(bench.injected(starts("new", "p", NOW, "startup")).contains("the cart"));
}
