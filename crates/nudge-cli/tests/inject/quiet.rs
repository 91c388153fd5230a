//! A hundred unrelated sessions, and a project that has nothing to do with them.

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_harness::Harness;
use nudge_memory::capture::{Action, EventBody};
use nudge_memory::{Caller, Surface};
use nudge_testkit::{EventBuilder, event, memory};
use serde_json::json;

use crate::inject::kit::{Scene, context, said, start_event, starts};

/// Fills the memory with a hundred sessions in ten projects below HOME, and pins some of their
/// rows.
fn filled() -> Scene {
    let scene = Scene::empty();
    scene.home.run(["set", "a", "b", "c"]).ok();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let now = now.as_millis() as i64;
    let mut events = Vec::new();
    for number in 0..100_i64 {
        let root = scene.home.dir(&format!("matter-{}", number % 10)).canonicalize().expect("there");
        let root = root.to_string_lossy().into_owned();
        let at = now - 3_600_000 * (101 - number);
        let mut happens = |step: i64, what: EventBody| {
            let event = EventBuilder::new(what).session(&format!("s{number}")).directory(&root);
            events.push(event.at(at + step));
        };
        let did = |action: Action| EventBody::Action(Action { tool: None, ..action });
        happens(1, event::prompt(&format!("see to matter {number}")));
        happens(2, did(event::file(ObservationKind::FileEdit, &format!("{root}/src/part_{number}.rs"))));
        happens(3, did(event::command(&format!("make part_{number}"), Outcome::Success)));
        happens(4, event::end("exit"));
    }
    let now = Timestamp::from_millis(now);
    let kept = memory::keep(&scene.home, now, &events);
    // Fifteen of the commands are pinned; in another project a pin is no reason to inject.
    let pins: Vec<i64> = kept.into_iter().skip(2).step_by(4).take(15).collect();
    let memory = memory::open(&scene.home, now);
    nudge_testkit::call(&memory, &Caller::new(Surface::Cli, now), "pin", json!({"ids": pins}))
        .expect("pinned");
    scene
}

/// @injection_quiet: a fresh, unrelated project gets every agent's empty answer; a related one gets
/// a block that the agent accepts whole; compact and clear get the recovery block; resume gets
/// nothing.
#[test]
fn a_fresh_project_gets_silence_from_every_agent() {
    let scene = filled();
    for harness in Harness::ALL {
        let name = harness.name();
        let fresh = starts(harness, &format!("fresh-{name}"), &scene.project);
        let answer = said(scene.home.nudge(["hook", name]).stdin(fresh).run());
        assert_eq!(answer, harness.spec().silence, "{name}");
        let related = scene.home.path().join(format!("matter-{}", harness as usize));
        let related = starts(harness, &format!("related-{name}"), &related);
        let answer = said(scene.home.nudge(["hook", name]).stdin(related).run());
        let injected = context(harness, &answer);
        assert_eq!(injected.is_empty(), start_event(harness).is_none(), "{name}: {answer}");
        assert!(
            harness.spec().limit.admits(&injected) && nudge_core::tokens::estimate(&injected).0 <= 500,
            "{name}"
        );
        let others = injected
            .lines()
            .filter(|line| line.contains("matter ") && !line.contains(&format!("{}\"", harness as usize)));
        assert_eq!(others.collect::<Vec<_>>(), Vec::<&str>::new(), "{name}");
    }
    assert!(
        scene.begin("fresh-claude", "compact").is_empty() && scene.begin("fresh-claude", "clear").is_empty()
    );
    let related = Scene { project: scene.home.path().join("matter-7"), home: scene.home };
    assert!(related.begin("again", "startup").contains("part_97"));
    assert_eq!(related.begin("again", "resume"), "");
    for cause in ["compact", "clear"] {
        let injected = related.begin("s97", cause);
        assert!(injected.contains("the person asked: \"see to matter 97\""), "{cause}: {injected}");
    }
}
