//! When nothing is injected.

use nudge_harness::Harness;
use serde_json::json;

use crate::inject::kit::{Scene, context, said, starts};

fn headless(scene: &Scene, session: &str) -> String {
    let payload = starts(Harness::Claude, session, &scene.project);
    let call = scene.home.nudge(["hook", "claude"]).env("CLAUDE_CODE_ENTRYPOINT", "sdk-cli").stdin(payload);
    context(Harness::Claude, &said(call.run()))
}

/// @injection_off: a headless agent is captured but gets no injection, unless the user wants it.
#[test]
fn headless_agents_are_injected_nothing_unless_it_is_wanted() {
    let scene = Scene::worked();
    assert_eq!(headless(&scene, "one"), "");
    assert_eq!(
        nudge_testkit::StoredMemory::in_dir(&scene.home.memory()).did("one"),
        ["session_start startup"]
    );
    scene.home.file(".config/nudge/config.toml", "inject.headless = true\n");
    assert!(headless(&scene, "two").contains("src/parse.rs"));
    scene.home.file("engine/.nudge.toml", "inject.headless = false\n");
    assert_eq!(headless(&scene, "three"), "");
}

/// @injection_off: switched off by a setting, a variable, a pause, an exclusion or the project's
/// own file: no output.
#[test]
fn what_is_off_is_silent() {
    let scene = Scene::worked();
    let begin = |session: &str, variable: &str| {
        let payload = starts(Harness::Claude, session, &scene.project);
        said(scene.home.nudge(["hook", "claude"]).env(variable, "1").stdin(payload).run())
    };
    assert_eq!(begin("a", "NUDGE_OFF"), "");
    let payload = starts(Harness::Claude, "b", &scene.project);
    assert_eq!(said(scene.home.nudge(["hook", "claude"]).env("NUDGE_INJECT", "0").stdin(payload).run()), "");
    scene.home.run(["pause"]).ok();
    assert_eq!(scene.begin("c", "startup"), "");
    scene.home.run(["unpause"]).ok();
    scene.home.file(".config/nudge/config.toml", "exclude = [\"engine\"]\n");
    assert_eq!(scene.begin("d", "startup"), "");
    scene.home.file(".config/nudge/config.toml", "[inject]\nenabled = false\n");
    assert_eq!(scene.begin("e", "startup"), "");
    scene.home.file(".config/nudge/config.toml", "");
    scene.home.file("engine/.nudge.toml", "inject.enabled = false\n");
    assert_eq!(scene.begin("f", "startup"), "");
    scene.home.file("engine/.nudge.toml", "");
    assert_ne!(scene.begin("g", "startup"), "");
}

/// @injection_settings: the budget is a setting, and a project may lower it but not raise it.
#[test]
fn a_project_may_lower_its_budget() {
    let scene = Scene::empty();
    for number in 0..12 {
        let [limits, file, command] = ["mend", "src/part", "make"].map(|what| format!("{what}{number}"));
        scene.work_on(&format!("s{number}"), &scene.project, [&limits, &file, &command]);
    }
    let whole = scene.begin("new", "compact");
    // Room for one line. With 130, the letters of the frame's random id decide about a second one.
    scene.home.file("engine/.nudge.toml", "inject.start_tokens = 100\ninject.recovery_tokens = 115\n");
    let less = scene.begin("newer", "compact");
    assert!(less.len() < whole.len() / 2 && !less.is_empty(), "{less}");
    scene.home.file("engine/.nudge.toml", "inject.recovery_tokens = 2200\n");
    assert_eq!(scene.begin("newest", "compact").lines().count(), whole.lines().count());
    let keys = scene.home.nudge(["config", "--json"]).cwd(&scene.project).run().json();
    let shown = keys["settings"].as_array().or(keys["keys"].as_array()).expect("keys").clone();
    let recovery = shown.iter().find(|key| key["key"] == "inject.recovery_tokens").expect("shown");
    assert_eq!(recovery["value"], json!(1000));
}
