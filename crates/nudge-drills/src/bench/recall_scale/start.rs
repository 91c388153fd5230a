//! The start of a session and a prompt, as the agent sees them: the hook's whole process, until its
//! answer arrives.

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

/// Counted runs.
const RUNS: usize = 300;

/// The prefix of the sessions' names.
const PREFIX: &str = "bench-";

/// The largest store that the first of two aims applies to.
const LARGE: u64 = 1_000_000;

/// The time limit for the hook of a prompt, and how much longer than a start it may take.
const PROMPT_WITHIN: Aim = Aim::Below(Duration::from_millis(200));
const LIKE_A_START: Aim = Aim::Tail(2.0);

/// How many words a prompt has.
const PROMPT_WORDS: usize = 12;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { home, rows, .. } = scene;
    let words = vocabulary(scene)?;
    let alone = sides(scene, "alone", &words)?;
    let held = hold(scene)?;
    let open = sides(scene, "open", &words);
    held.wait()?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let served = sides(scene, "served", &words);
    home.run(&["stop"])?;

    let most = Aim::Below(Duration::from_millis(if *rows <= LARGE { 30 } else { 60 }));
    let what = format!("SessionStart among {} rows, whole process, with a server", grouped(*rows));
    let [ours, prompt_served, _, nothing] = served?;
    let start_served = ours;
    table.compare(&what, ours, ("`true`", nothing), most);
    let [ours, prompt_open, bare, nothing] = open?;
    let start_open = ours;
    table.compare(
        "the same, no server, another session has the database open",
        ours,
        ("`true`", nothing),
        most,
    );
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    let [ours, prompt_alone, bare, nothing] = alone;
    table.compare("the same, no server, nobody else there", ours, ("`true`", nothing), most);
    table.compare("the same", ours, ("bare insert, whole process", bare), Aim::None);
    for (setting, prompt, start) in [
        ("with a server", prompt_served, start_served),
        ("no server, another session has the database open", prompt_open, start_open),
        ("no server, nobody else there", prompt_alone, ours),
    ] {
        let what = format!("a prompt of {PROMPT_WORDS} words among {} rows, {setting}", grouped(*rows));
        table.compare(&what, prompt, ("SessionStart", start), LIKE_A_START);
        table.compare("the same", prompt, ("SessionStart", start), PROMPT_WITHIN);
    }
    Ok(())
}

/// Words of the rows, without the frequent ones.
fn vocabulary(scene: &Scene) -> anyhow::Result<Vec<String>> {
    let Some(file) = &scene.words else { return Ok((0..1_000).map(|word| format!("word{word}")).collect()) };
    let text = std::fs::read_to_string(file)?;
    let words = text.lines().skip(200).take(4_000).filter_map(|line| line.split('\t').next());
    Ok(words.map(str::to_owned).collect())
}

/// The hook of a start and of a prompt, a bare program that inserts a row for such a payload, and
/// one that does nothing.
fn sides(scene: &Scene, name: &str, words: &[String]) -> anyhow::Result<[Figures; 4]> {
    let Scene { home, programs, .. } = scene;
    // Rows that are not indexed yet are scanned; if there are many of them, a prompt gets no answer
    // at all.
    home.run(&["maintain"])?;
    let turn = |command, run, speaks| Turn { command, input: payload(scene, name, run), speaks };
    let ours = |run| {
        forget(scene)?;
        Ok(turn(hook(scene), run, true))
    };
    let prompt = |run| {
        let input = prompt(scene, name, run, words);
        Ok(Turn { command: hook(scene), input, speaks: false })
    };
    let bare = |run| {
        let mut command = home.bare(programs, "bare-record");
        command.arg(&scene.stores.plain);
        Ok(turn(command, run, false))
    };
    let nothing = |run| Ok(turn(home.program(Path::new("/bin/true")), run, false));
    race([&ours, &prompt, &bare, &nothing], RUNS)
}

/// The hook of an attended agent: headless agents get nothing unless the user asks for it.
fn hook(scene: &Scene) -> Command {
    let mut command = scene.home.nudge(&["hook", "claude"]);
    command.env("CLAUDE_CODE_ENTRYPOINT", "cli").env("CLAUDE_CODE_SESSION_ATTENDED", "1");
    command
}

/// Resets the store before every start: entries that were injected at the last starts and not used
/// would be paused.
fn forget(scene: &Scene) -> anyhow::Result<()> {
    let mut command = scene.home.bare(&scene.programs, "forget-starts");
    let status =
        command.arg(scene.home.database()).arg(PREFIX).status().context("the starts cannot be forgotten")?;
    anyhow::ensure!(status.success(), "forgetting the starts ended with {status}");
    Ok(())
}

/// Another process that has both databases open.
fn hold(scene: &Scene) -> anyhow::Result<Worker> {
    let spec = json!({"databases": [scene.home.database(), scene.stores.plain]});
    let worker = Worker::start(scene.home.bare(&scene.programs, "hold-store"), &spec)?;
    worker.line()?;
    Ok(worker)
}

/// The payload of a prompt in a new session, with other words each time.
fn prompt(scene: &Scene, name: &str, run: usize, words: &[String]) -> String {
    // Deleted together with the starts: sessions in which nothing happened displace others.
    let session = format!("{PREFIX}asked-{:08x}-{name}-{run}", std::process::id());
    let chosen: Vec<&str> = (0..PROMPT_WORDS)
        .map(|word| words[(run * 7_919 + word * 104_729 + name.len() * 31) % words.len()].as_str())
        .collect();
    json!({
        "session_id": session,
        "transcript_path": scene.home.path().join(format!(".claude/projects/project-0/{session}.jsonl")),
        "cwd": project_root(&scene.home, 0),
        "prompt_id": session,
        "hook_event_name": "UserPromptSubmit",
        "prompt": chosen.join(" "),
    })
    .to_string()
}

/// The payload of a new session in the largest project.
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
