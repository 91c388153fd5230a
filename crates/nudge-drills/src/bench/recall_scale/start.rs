//! The beginning of a session, as its agent sees it: the hook's whole process, until the block of text is there.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Context;
use serde_json::json;

use super::race::{Turn, race};
use super::scene::Scene;
use super::stores::project_root;
use crate::bench::table::{Aim, Figures, Table, grouped};
use crate::stage::{Worker, free_port};

/// Runs that count.
const RUNS: usize = 300;

/// What the names of the sessions begin with.
const PREFIX: &str = "bench-";

/// The largest store that the first of two aims speaks of.
const LARGE: u64 = 1_000_000;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { home, rows, .. } = scene;
    let alone = sides(scene, "alone")?;
    let held = hold(scene)?;
    let open = sides(scene, "open");
    held.wait()?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let served = sides(scene, "served");
    home.run(&["stop"])?;

    let most = Aim::Below(Duration::from_millis(if *rows <= LARGE { 30 } else { 60 }));
    let what = format!("SessionStart among {} rows, whole process, with a server", grouped(*rows));
    let [ours, _, nothing] = served?;
    table.compare(&what, ours, ("`true`", nothing), most);
    let [ours, bare, nothing] = open?;
    table.compare(
        "the same, no server, another session has the database open",
        ours,
        ("`true`", nothing),
        most,
    );
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    let [ours, bare, nothing] = alone;
    table.compare("the same, no server, nobody else there", ours, ("`true`", nothing), most);
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    Ok(())
}

/// The hook, a bare program that inserts a row of such a payload, and one that does nothing.
fn sides(scene: &Scene, name: &str) -> anyhow::Result<[Figures; 3]> {
    let Scene { home, programs, .. } = scene;
    let turn = |command, run, speaks| Turn { command, input: payload(scene, name, run), speaks };
    let ours = |run| {
        forget(scene)?;
        Ok(turn(hook(scene), run, true))
    };
    let bare = |run| {
        let mut command = home.program(&programs.named("bare-record"));
        command.arg(&scene.stores.plain);
        Ok(turn(command, run, false))
    };
    let nothing = |run| Ok(turn(home.program(Path::new("/bin/true")), run, false));
    race([&ours, &bare, &nothing], RUNS)
}

/// The hook of an agent that a person watches: others are told nothing unless the person wishes so.
fn hook(scene: &Scene) -> Command {
    let mut command = scene.home.nudge(&["hook", "claude"]);
    command.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    command
}

/// Has every start find the store as the first one did: what was told at the last ones and not used would rest.
fn forget(scene: &Scene) -> anyhow::Result<()> {
    let mut command = scene.home.program(&scene.programs.named("forget-starts"));
    let status =
        command.arg(scene.home.database()).arg(PREFIX).status().context("the starts cannot be forgotten")?;
    anyhow::ensure!(status.success(), "forgetting the starts ended with {status}");
    Ok(())
}

/// Another process that has both databases open.
fn hold(scene: &Scene) -> anyhow::Result<Worker> {
    let spec = json!({"databases": [scene.home.database(), scene.stores.plain]});
    let worker = Worker::start(scene.home.program(&scene.programs.named("hold-store")), &spec)?;
    worker.line()?;
    Ok(worker)
}

/// The payload of a session in the largest project that nobody has seen.
fn payload(scene: &Scene, name: &str, run: usize) -> String {
    let session = format!("{PREFIX}{:08x}-{name}-{run}", std::process::id());
    let transcript = format!(".claude/projects/project-0/{session}.jsonl");
    json!({
        "session_id": session,
        "transcript_path": scene.home.path().join(transcript),
        "cwd": project_root(&scene.home, 0),
        "hook_event_name": "SessionStart",
        "source": "startup",
    })
    .to_string()
}
