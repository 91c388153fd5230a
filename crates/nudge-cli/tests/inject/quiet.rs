//! A hundred sessions about other matters, and a project that has nothing to do with them.

use nudge_core::{ObservationKind, Outcome, Timestamp};
use nudge_harness::Harness;
use nudge_home::Home;
use nudge_home::Settings;
use nudge_memory::capture::{Action, By, Identity, Kept, Moment, ProjectRef, Via, What};
use nudge_memory::{Caller, Surface, upkeep};
use serde_json::{Map, json};

use crate::kit::{Scene, context, said, start_event, starts};

/// Fills the memory with a hundred sessions in ten projects below HOME, and pins some of what they did.
fn filled() -> Scene {
    let scene = Scene::empty();
    scene.home.run(["set", "a", "b", "c"]).ok();
    let home = Home::locate(Some(&scene.home.memory()), &|_| None).expect("absolute");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    let now = now.as_millis() as i64;
    let memory = upkeep::open(&home, &Settings::default(), Timestamp::from_millis(now)).expect("a memory");
    let mut moments = Vec::new();
    for number in 0..100_i64 {
        let root = scene.home.dir(&format!("matter-{}", number % 10)).canonicalize().expect("there");
        let root = root.to_string_lossy().into_owned();
        let moment = |step: i64, what: What| Moment {
            harness: "claude".into(),
            harness_version: None,
            event: "PostToolUse".into(),
            session: format!("s{number}"),
            project: ProjectRef {
                key: root.clone(),
                name: format!("matter-{}", number % 10),
                root: root.clone(),
                ..ProjectRef::default()
            },
            cwd: Some(root.clone()),
            at: now - 3_600_000 * (101 - number) + step,
            identity: Identity { hash: number * 100 + step, within_ms: None },
            turn: None,
            agent: None,
            headless: None,
            transcript: None,
            worktree: None,
            remote: None,
            via: Via::Hook,
            what,
        };
        let action = |kind, body: String| {
            let files = if kind == ObservationKind::FileEdit { vec![body.clone()] } else { Vec::new() };
            What::Action(Action {
                kind,
                tool: None,
                call: None,
                body,
                files,
                outcome: Outcome::Success,
                metadata: Map::new(),
            })
        };
        moments.push(moment(1, What::Prompt { text: format!("see to matter {number}"), by: By::User }));
        moments.push(moment(2, action(ObservationKind::FileEdit, format!("{root}/src/part_{number}.rs"))));
        moments.push(moment(3, action(ObservationKind::Command, format!("make part_{number}"))));
        moments.push(moment(4, What::End { reason: Some("exit".into()) }));
    }
    let kept = memory.receive_all(&moments).expect("kept");
    // Fifteen of the commands are pinned: elsewhere that is no reason to speak.
    let pins = kept.iter().skip(2).step_by(4).take(15).map(|kept| match kept {
        Kept::Stored(id) => id.0,
        other => panic!("not stored: {other:?}"),
    });
    let caller = Caller::new(Surface::Cli, Timestamp::from_millis(now));
    memory.call(&caller, "pin", json!({"ids": pins.collect::<Vec<_>>()})).expect("pinned");
    scene
}

/// @injection_quiet: a fresh, unrelated project gets every agent's silence; a related one a block that the agent takes whole; compact
/// and clear the recovery block; resume nothing.
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
        let told = context(harness, &answer);
        assert_eq!(told.is_empty(), start_event(harness).is_none(), "{name}: {answer}");
        assert!(harness.spec().limit.admits(&told) && nudge_core::tokens::estimate(&told).0 <= 500, "{name}");
        let others = told
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
        let told = related.begin("s97", cause);
        assert!(told.contains("the person asked: \"see to matter 97\""), "{cause}: {told}");
    }
}
