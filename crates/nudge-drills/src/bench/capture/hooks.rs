//! The record hook as a whole process, compared with a program that only opens a database and
//! inserts the row.

use std::cell::Cell;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::payload;
use super::scene::Scene;
use crate::bench::recall_scale::race::Turn;
use crate::bench::table::{Aim, Figures, Table, grouped};
use crate::stage::{Worker, free_port};

/// Counted runs, and warm-up runs before them.
const RUNS: usize = 400;
const WARM_UP: usize = 5;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, large, small, .. } = scene;
    for home in [large, small] {
        home.make_repository()?;
    }
    let (before, fired) = (scene.rows_of(large)?, Cell::new(0));
    let hook = || {
        fired.set(fired.get() + 1);
        large.nudge(&["hook", "claude"])
    };
    let bare = || {
        let mut command = large.bare(programs, "bare-record");
        command.arg(&scene.plain);
        command
    };
    let cwd = large.path().to_string_lossy().into_owned();
    let numbers = Cell::new(0);
    let race = |sides: [&dyn Fn() -> Command; 2]| alternate(sides, &cwd, &numbers);

    let [nothing, bare_alone] = race([&|| large.program(Path::new("/bin/true")), &bare])?;
    table.compare("`true`, whole process", nothing, ("bare insert", bare_alone), Aim::None);

    let [ours, theirs] = race([&hook, &bare])?;
    let what = format!("`nudge hook`, whole process, {} rows, nobody else there", grouped(scene.rows));
    table.compare(&what, ours, ("bare insert", theirs), Aim::Median(2.0));

    let held = hold(scene)?;
    let [ours, theirs] = race([&hook, &bare])?;
    held.wait()?;
    table.compare(
        "the same, another process has both databases open",
        ours,
        ("bare insert", theirs),
        Aim::Median(2.0),
    );

    large.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let beside = race([&hook, &bare]);
    let held = hold(scene)?;
    let beside_open = race([&hook, &bare]);
    held.wait()?;
    large.run(&["stop"])?;
    let [ours, theirs] = beside?;
    table.compare("`nudge hook` with a daemon", ours, ("bare insert", theirs), Aim::Median(1.3));
    let [ours, theirs] = beside_open?;
    let what = "the same, another process has both databases open";
    table.compare(what, ours, ("bare insert", theirs), Aim::None);

    let [ours, theirs] = race([&hook, &|| small.nudge(&["hook", "claude"])])?;
    let few = format!("among {}", grouped(scene.rows / 10));
    table.compare(
        &format!("`nudge hook` among {} rows", grouped(scene.rows)),
        ours,
        (&few, theirs),
        Aim::Median(1.5),
    );
    // A hook that stores nothing would be fast: check that every event was stored.
    large.run(&["maintain"])?;
    let kept = scene.rows_of(large)? - before;
    anyhow::ensure!(kept == fired.get(), "{} hooks ran, and {kept} rows were kept", fired.get());
    Ok(())
}

/// Another process that has both databases open.
fn hold(scene: &Scene) -> anyhow::Result<Worker> {
    let spec = json!({"databases": [scene.large.database(), scene.plain]});
    let worker = Worker::start(scene.large.bare(&scene.programs, "hold-store"), &spec)?;
    worker.line()?;
    Ok(worker)
}

/// Times two commands in turn, each with a new payload.
fn alternate(
    commands: [&dyn Fn() -> Command; 2],
    cwd: &str,
    numbers: &Cell<usize>,
) -> anyhow::Result<[Figures; 2]> {
    let mut times = [Vec::with_capacity(RUNS), Vec::with_capacity(RUNS)];
    for run in 0..RUNS + WARM_UP {
        numbers.set(numbers.get() + 1);
        let payload = payload::payload(numbers.get(), cwd);
        for (command, times) in commands.iter().zip(&mut times) {
            let took = Turn { command: command(), input: payload.clone(), speaks: false }.run()?;
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}
