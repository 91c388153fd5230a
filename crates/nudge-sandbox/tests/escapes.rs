//! Every attempt fails in the sandbox, and gets out without it.

use std::fs;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::process::Stdio;
use std::time::Instant;

use nudge_sandbox::{Level, Plan};

use crate::attempts::{ATTEMPTS, Attempt, Out, Says};
use crate::scene::{Scene, Seen, User, users};
use crate::watch::{Watch, has_words};

/// Everything in the table, as every user that this machine can be tested as.
///
/// @run_sandbox
#[test]
fn nothing_gets_out_of_the_full_sandbox() {
    assert!(ATTEMPTS.len() >= 40);
    let mut wrong = Vec::new();
    for user in users() {
        for attempt in ATTEMPTS {
            wrong.extend(held(attempt, user, Level::Full).err());
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ATTEMPTS.len(), wrong.join("\n"));
}

/// The same scripts without a sandbox: a test that sees nothing get out shows nothing otherwise.
///
/// @run_sandbox
#[test]
fn without_a_sandbox_the_same_attempts_get_out() {
    let mut wrong = Vec::new();
    for user in users() {
        for attempt in ATTEMPTS.iter().filter(|attempt| attempt.gets_out(user)) {
            wrong.extend(unheld(attempt, user).err());
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), ATTEMPTS.len(), wrong.join("\n"));
}

/// Landlock alone holds what it can, which the table says.
///
/// @run_sandbox_levels
#[test]
fn landlock_alone_holds_most_attempts() {
    let mut wrong = Vec::new();
    for user in users() {
        for attempt in ATTEMPTS.iter().filter(|attempt| attempt.landlock) {
            wrong.extend(held(attempt, user, Level::Landlock).err());
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn held(attempt: &Attempt, user: User, level: Level) -> Result<(), String> {
    let scene = Scene::new(user);
    let mut plan = scene.plan(attempt.script);
    plan.level = level;
    if level < Level::Full {
        plan.hidden.retain(|hidden| !hidden.starts_with(scene.project()));
    }
    attempt.limit(&mut plan);
    let watch = Watch::start(&scene, attempt);
    let (seen, typed) = match attempt.out {
        Out::Typed => at_terminal(&scene, &Some(plan), attempt.script),
        _ => (scene.sandboxed(&plan), String::new()),
    };
    let name = format!("{} ({user:?}, {level:?})", attempt.name);
    if let Some(failed) = &seen.failed {
        return Err(format!("{name}: cannot be run: {failed}"));
    }
    if watch.got_out(&scene, attempt, &seen, &typed) {
        return Err(format!("{name}: got out; {seen:?}"));
    }
    if level == Level::Full && !says_so(attempt, &seen) {
        return Err(format!("{name}: does not say what was denied; {seen:?}"));
    }
    Ok(())
}

fn unheld(attempt: &Attempt, user: User) -> Result<(), String> {
    let scene = Scene::new(user);
    let watch = Watch::start(&scene, attempt);
    let (seen, typed) = match attempt.out {
        Out::Typed => at_terminal(&scene, &None, attempt.script),
        _ => (scene.unheld(attempt.script, attempt.time_unheld()), String::new()),
    };
    let got_out = watch.got_out(&scene, attempt, &seen, &typed);
    if got_out { Ok(()) } else { Err(format!("{} ({user:?}): did not get out; {seen:?}", attempt.name)) }
}

fn says_so(attempt: &Attempt, seen: &Seen) -> bool {
    let Some(ended) = &seen.ended else { return false };
    let words = has_words(&seen.text);
    match attempt.says {
        Says::Words => words,
        Says::Stopped(stop) => ended.stopped_by == Some(stop),
        Says::WordsOr(stop) => words || ended.stopped_by == Some(stop),
        Says::Refused => !ended.refused.is_empty(),
        Says::Cut => ended.cut,
        Says::Silent(why) => !why.is_empty(),
    }
}

/// Runs at a terminal of its own, and answers with what came out of it beside the script's output.
fn at_terminal(scene: &Scene, plan: &Option<Plan>, script: &str) -> (Seen, String) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let terminal: OwnedFd = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let open = || fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
    let held_open = open();
    let path = scene.path("plan.json");
    fs::write(&path, serde_json::to_vec(plan).unwrap()).unwrap();
    let stage = scene.path("stage");
    let script = match plan {
        Some(_) => format!("exec {} <{}", stage.display(), path.display()),
        None => script.to_owned(),
    };
    let started = Instant::now();
    let output = scene
        .as_user("setsid", &["--ctty", "--wait", "sh", "-c", &script])
        .envs(scene.variables())
        .stdin(open())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.trim_end().rsplit('\n').next().unwrap_or_default().to_owned();
    let ended: Option<Result<nudge_sandbox::Ended, String>> = serde_json::from_str(&last).ok();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    drop(held_open);
    let failed = ended.as_ref().and_then(|ended| ended.as_ref().err().cloned());
    let seen = Seen { text, ended: ended.and_then(Result::ok), failed, took: started.elapsed() };
    let mut typed = Vec::new();
    // Ends with an error, as nobody has the other side open.
    let _ = fs::File::from(terminal).read_to_end(&mut typed);
    (seen, String::from_utf8_lossy(&typed).into_owned())
}
