//! What a machine can do, and what is reported of it.

use std::sync::atomic::AtomicBool;

use nudge_sandbox::{Action, Failed, Level, Plan, Refused, level, run};

use crate::scene::{Scene, User, program};

/// @run_sandbox_levels
#[test]
fn a_level_is_found_by_trying_and_can_be_forced_down() {
    let full = level(&program(), Level::Full);
    assert_eq!(full.level, Level::Full, "{}", full.reason);
    assert!(full.network_blocked && full.proc);
    assert!(full.reason.starts_with("commands run in namespaces of their own; "), "{}", full.reason);
    let landlock = level(&program(), Level::Landlock);
    assert_eq!(landlock.level, Level::Landlock, "{}", landlock.reason);
    let none = level(&program(), Level::None);
    assert_eq!((none.level, none.network_blocked), (Level::None, false));
    assert_eq!(none.reason, "nothing holds commands: they can do what you can do");
}

/// A machine that refuses namespaces, such as a container, falls to the next level and says why.
///
/// @run_sandbox_levels
#[test]
fn a_refused_namespace_is_the_reason_for_a_lower_level() {
    let scene = Scene::new(User::Own);
    let mut plan = scene.plan(&format!("{} level", scene.path("stage").display()));
    // The filter of a sandbox refuses namespaces to those inside.
    plan.rights.read = vec![scene.path("stage")];
    let seen = scene.sandboxed(&plan);
    assert!(seen.text.contains("Landlock"), "{}", seen.text);
    assert!(seen.text.contains("because the system refuses user namespaces ("), "{}", seen.text);
}

/// Landlock cannot protect files in the project, so what changed is reported.
///
/// @run_sandbox_levels
#[test]
fn without_mounts_changed_protected_files_are_reported() {
    for level in [Level::Landlock, Level::None] {
        let scene = Scene::new(User::Own);
        let mut plan =
            scene.plan("echo x > .claude/settings.json; git status >/dev/null; echo x > .envrc; touch a");
        plan.level = level;
        plan.hidden.clear();
        let ended = run(&plan, &program(), &AtomicBool::new(false), |_, _| ()).unwrap();
        let project = scene.project();
        assert_eq!(
            ended.refused,
            [
                Refused {
                    path: project.join(".envrc"),
                    action: Action::Moved(project.join(".envrc.refused"))
                },
                Refused { path: project.join(".claude/settings.json"), action: Action::Left },
            ]
        );
    }
}

/// @run_sandbox_levels
#[test]
fn a_plan_that_would_show_too_much_is_refused() {
    let scene = Scene::new(User::Own);
    let refused = |change: &dyn Fn(&mut Plan)| {
        let mut plan = scene.plan("true");
        change(&mut plan);
        match run(&plan, &program(), &AtomicBool::new(false), |_, _| ()) {
            Err(Failed::Plan(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    let home = refused(&|plan| {
        plan.root = scene.path("home");
        plan.directory = scene.path("home");
    });
    assert!(home.ends_with("contains your home directory, so nothing hides it"), "{home}");
    let hidden = refused(&|plan| plan.hidden.push(scene.path("home")));
    assert!(hidden.ends_with("which is never shown"), "{hidden}");
    let below = refused(&|plan| plan.level = Level::Landlock);
    assert!(below.ends_with("nudge-home cannot be hidden from commands on this machine"), "{below}");
    let elsewhere = refused(&|plan| plan.directory = scene.path("outside"));
    assert!(elsewhere.ends_with("is not in the project"), "{elsewhere}");
}

/// A clone in the project is what a command may be for, so it stays and is reported.
///
/// @run_sandbox
#[test]
fn a_protected_name_further_down_is_reported_and_left() {
    let scene = Scene::new(User::Own);
    let plan = scene.plan("git init -q cloned");
    let ended = run(&plan, &program(), &AtomicBool::new(false), |_, _| ()).unwrap();
    let cloned = scene.project().join("cloned/.git");
    assert!(cloned.join("HEAD").exists());
    assert_eq!(ended.refused, [Refused { path: cloned, action: Action::Left }]);
}
