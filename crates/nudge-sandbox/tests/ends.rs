//! How a command ends, and that nothing of it is left.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nudge_sandbox::{Channel, Failed, Level, Stop, run};

use crate::scene::{Scene, User, program, users};

const LEVELS: [Level; 3] = [Level::Full, Level::Landlock, Level::None];

/// Starts processes of every kind, says so, and stays.
const BUSY: &str = "setsid nohup sh -c \"sleep 600; : $MARK\" >/dev/null 2>&1 & \
    python3 -c \"import os,time; os.fork() and os._exit(0); os.setsid(); time.sleep(600)\" $MARK; \
    sleep 0.1; echo started; sh -c \"sleep 600; : $MARK\"";

/// @run_sandbox_limits
#[test]
fn exit_status_and_signal_are_reported() {
    let scene = Scene::new(User::Own);
    let end = |command: &str, level| {
        let mut plan = scene.plan(command);
        plan.level = level;
        plan.hidden.clear();
        let ended = run(&plan, &program(), &AtomicBool::new(false), |_, _| ()).unwrap();
        assert_eq!(ended.stopped_by, None);
        (ended.code, ended.signal)
    };
    for level in LEVELS {
        assert_eq!(end("true", level), (Some(0), None));
        assert_eq!(end("exit 7", level), (Some(7), None));
        assert_eq!(end("kill -15 $$", level), (None, Some(15)));
        assert_eq!(
            end("kill -9 $PPID; sleep 0.1; exit 3", Level::Full),
            (Some(3), None),
            "the first cannot be killed"
        );
    }
}

/// @run_sandbox_limits
#[test]
fn output_comes_within_20_ms() {
    let scene = Scene::new(User::Own);
    let plan = scene.plan("for i in 1 2 3 4 5 6 7 8; do date +%s%N; sleep 0.05; done; date +%s%N >&2");
    let mut late = Vec::new();
    let ended = run(&plan, &program(), &AtomicBool::new(false), |_, piece| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos();
        for line in std::str::from_utf8(piece).unwrap().lines() {
            late.push(now - line.parse::<u128>().unwrap());
        }
    });
    assert_eq!(ended.unwrap().code, Some(0));
    assert_eq!(late.len(), 9);
    late.sort_unstable();
    // The middle one: a machine under load may delay any.
    assert!(late[4] < 20_000_000, "{late:?}");
}

/// @run_sandbox_limits
#[test]
fn too_much_output_is_counted_and_dropped() {
    let scene = Scene::new(User::Own);
    let mut plan = scene.plan("head -c 3000000 /dev/zero; head -c 500 /dev/zero >&2; echo");
    plan.limits.output_bytes = 1_000_000;
    let mut passed = [0, 0];
    let ended = run(&plan, &program(), &AtomicBool::new(false), |channel, piece| {
        passed[channel as usize] += piece.len()
    })
    .unwrap();
    assert_eq!((ended.out_bytes, ended.err_bytes, ended.cut), (3_000_001, 500, true));
    assert_eq!(passed, [1_000_000, 500]);
    assert_eq!((Channel::Out as usize, ended.code), (0, Some(0)));
}

/// @run_sandbox_limits
#[test]
fn cancelling_ends_everything_at_every_level() {
    for level in LEVELS {
        let scene = Scene::new(User::Own);
        let mut plan = scene.plan(BUSY);
        plan.level = level;
        plan.hidden.clear();
        let cancel = AtomicBool::new(false);
        let mut cancelled = None;
        let ended = run(&plan, &program(), &cancel, |_, _| {
            assert!(scene.marked().len() >= 2);
            cancel.store(true, Ordering::Relaxed);
            cancelled = Some(Instant::now());
        });
        let ended = ended.unwrap();
        assert_eq!((ended.stopped_by, ended.signal), (Some(Stop::Cancelled), Some(9)), "{level:?}");
        assert!(cancelled.unwrap().elapsed() < Duration::from_secs(1), "{level:?}");
        assert_eq!(scene.marked(), [0; 0], "{level:?}");
    }
}

/// A daemon that the command left, and one that fights, end with the command.
///
/// @run_sandbox_limits
#[test]
fn nothing_outlives_a_command_at_any_level() {
    let fighting = "python3 -c \"import os,time,signal\nsignal.signal(15, signal.SIG_IGN)\nfor _ in range(200):\n \
        if os.fork(): os._exit(0)\n os.setsid(); time.sleep(0.01)\" $MARK & sleep 0.3; echo done";
    for user in users() {
        for level in LEVELS {
            for script in [&BUSY.replace("echo started; sh", "exit 0; sh"), fighting] {
                let scene = Scene::new(user);
                let mut plan = scene.plan(script);
                plan.level = level;
                plan.hidden.clear();
                let seen = scene.sandboxed(&plan);
                assert_eq!(seen.ended.unwrap().code, Some(0), "{}", seen.text);
                assert_eq!(scene.marked(), [0; 0], "{user:?} {level:?}");
            }
        }
    }
}

/// @run_sandbox_limits
#[test]
fn nothing_outlives_a_killed_caller() {
    for user in users() {
        for level in LEVELS {
            let scene = Scene::new(user);
            let mut plan = scene.plan(BUSY);
            plan.level = level;
            plan.hidden.clear();
            let mut caller = scene
                .caller()
                .env("TMPDIR", scene.path("temporary"))
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .spawn()
                .unwrap();
            caller.stdin.take().unwrap().write_all(&serde_json::to_vec(&plan).unwrap()).unwrap();
            until(|| scene.marked().len() >= 3);
            caller.kill().unwrap();
            assert_eq!(caller.wait().unwrap().signal(), Some(9));
            until(|| scene.marked().is_empty());
            until(|| std::fs::read_dir(scene.path("temporary")).unwrap().count() == 0);
        }
    }
}

/// The supervisor is killed: the caller hears it, and nothing is left.
///
/// @run_sandbox_limits
#[test]
fn nothing_outlives_a_killed_supervisor() {
    for level in LEVELS {
        let scene = Scene::new(User::Own);
        let mut plan = scene.plan(BUSY);
        plan.level = level;
        plan.hidden.clear();
        let ended = run(&plan, &program(), &AtomicBool::new(false), |_, _| {
            let children = std::fs::read_to_string("/proc/thread-self/children").unwrap();
            let supervisor = children
                .split_whitespace()
                .find(|pid| {
                    let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                    line.ends_with(b"\0supervisor\0")
                })
                .and_then(|pid| rustix::process::Pid::from_raw(pid.parse().unwrap()));
            rustix::process::kill_process(supervisor.unwrap(), rustix::process::Signal::KILL).unwrap();
        });
        assert!(matches!(ended, Err(Failed::Lost)), "{ended:?}");
        until(|| scene.marked().is_empty());
    }
}

fn until(is: impl Fn() -> bool) {
    let since = Instant::now();
    while !is() {
        assert!(since.elapsed() < Duration::from_secs(10), "it did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
