//! The hooks before and after a command in both builds: a command that never failed, and one that
//! failed in earlier sessions.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Builds, PREFIX, RUNS};
use crate::bench::recall_scale::stores::{Turn, race};
use crate::bench::table::{Aim, Table, grouped};
use crate::stage::Home;

/// The allowed ratio to the earlier build, and the absolute limit.
const LIKE_BEFORE: Aim = Aim::Tail(1.2);
const WITHIN: Aim = Aim::Below(Duration::from_millis(150));

/// In how many sessions the command failed.
const FAILED: usize = 5;

/// The command that failed, its output, and the command that then passed.
const WRONG: &str = "rtk bun run test";
const SAID: &str = "Exit code 1\nerror: unrecognized subcommand 'bun'";
const RIGHT: &str = "bun run test";

/// Measures with no server and with one.
pub(super) fn measure(builds: &Builds, table: &mut Table) -> anyhow::Result<()> {
    for home in [&builds.before, &builds.after] {
        plant(builds, home)?;
    }
    races(builds, table, "no server")?;
    builds.with_servers(|| races(builds, table, "with a server"))
}

fn races(builds: &Builds, table: &mut Table, setting: &str) -> anyhow::Result<()> {
    let rows = grouped(builds.rows);
    // A warning is given once per session, so every run has its own session.
    let before =
        |run: usize| (json!({"hook_event_name": "PreToolUse", "tool_use_id": format!("t-{run}")}), run);
    let what = format!("before a command among {rows} rows, {setting}");
    add(builds, table, &what, |home, run| {
        turn(builds, home, setting, &format!("cargo test -p cart{run}"), before(run))
    })?;
    let what = format!("before one that failed in {FAILED} sessions, {setting}");
    add(builds, table, &what, |home, run| {
        must_print(builds, home, turn(builds, home, setting, WRONG, before(run)))
    })?;
    let after = |run: usize| {
        let own = json!({"hook_event_name": "PostToolUseFailure", "tool_use_id": format!("a-{run}"), "error": SAID});
        (own, 10_000 + run)
    };
    let what = format!("after one that failed with a known error, {setting}");
    add(builds, table, &what, |home, run| {
        must_print(builds, home, turn(builds, home, setting, WRONG, after(run)))
    })
}

/// The later build must print something: a hook that prints nothing is fast.
fn must_print(builds: &Builds, home: &Home, turn: Turn) -> Turn {
    Turn { speaks: home.path() == builds.after.path(), ..turn }
}

fn add(
    builds: &Builds,
    table: &mut Table,
    what: &str,
    turn: impl Fn(&Home, usize) -> Turn,
) -> anyhow::Result<()> {
    let sides: [&dyn Fn(usize) -> anyhow::Result<Turn>; 2] =
        [&|run| Ok(turn(&builds.after, run)), &|run| Ok(turn(&builds.before, run))];
    let [after, before] = race(sides, RUNS)?;
    table.compare(what, after, ("build before", before), LIKE_BEFORE);
    table.compare("the same", after, ("build before", before), WITHIN);
    Ok(())
}

/// Adds earlier sessions in which the command failed, with the command that then passed.
fn plant(builds: &Builds, home: &Home) -> anyhow::Result<()> {
    for session in 0..FAILED {
        let failed = json!({"hook_event_name": "PostToolUseFailure", "tool_use_id": "one", "error": SAID});
        let passed = json!({"hook_event_name": "PostToolUse", "tool_use_id": "two",
            "tool_response": {"stdout": "42 pass\n0 fail", "stderr": "", "interrupted": false}});
        for (command, own) in [(WRONG, failed), (RIGHT, passed)] {
            turn(builds, home, "planted", command, (own, session)).run()?;
        }
    }
    Ok(())
}

/// The hook of a command in a new session.
fn turn(
    builds: &Builds,
    home: &Home,
    setting: &str,
    command: &str,
    (mut own, session): (Value, usize),
) -> Turn {
    let session = format!("{PREFIX}tool-{:08x}-{}-{session}", std::process::id(), setting.replace(' ', "-"));
    let shared = json!({
        "session_id": session,
        "transcript_path": home.path().join(format!(".claude/projects/project-0/{session}.jsonl")),
        "cwd": builds.root,
        "tool_name": "Bash",
        "tool_input": {"command": command},
    });
    if let (Some(own), Value::Object(shared)) = (own.as_object_mut(), shared) {
        own.extend(shared);
    }
    let mut hook = home.nudge(&["hook", "claude"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    Turn { command: hook, input: own.to_string(), speaks: false }
}
