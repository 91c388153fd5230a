//! The cost of capture, compared with a bare engine that stores the same words.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns. A missed aim is only reported, because a busy machine can miss any of
//! them; a median five times beyond its aim fails the run.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use serde_json::{Value, json};

use super::table::{Table, grouped};
use crate::bench::builds::timed;
use crate::bench::recall_scale::stores::Turn;
use crate::bench::table::{Aim, Figures};
use crate::stage::{Home, Programs, Worker, bench_cache, free_port};

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The rows to store.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10_000..))]
    rows: u64,
    /// A file of real commands, one per line.
    #[arg(long, value_name = "FILE")]
    commands: Option<PathBuf>,
}

/// Measures everything and prints the table.
pub(super) fn run(options: Options) -> anyhow::Result<bool> {
    let rows = options.rows;
    let commands = options.commands.map(std::path::absolute).transpose()?;
    let dir = bench_cache()?.join("capture");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let programs = Programs::build()?;
    let home = |name: &str| Home::at(dir.join(name), programs.nudge());
    let scene = Scene {
        large: home("large")?,
        small: home("small")?,
        empty: home("empty")?,
        plain: dir.join("plain.db"),
        fts: dir.join("fts.db"),
        programs: programs.clone(),
        rows,
        commands,
    };
    let source = scene
        .commands
        .as_ref()
        .map_or("made-up commands".to_owned(), |file| format!("commands of {}", file.display()));
    eprintln!("{} rows, {source}", grouped(rows));
    let mut table = Table::default();
    measure_writing(&scene, &mut table)?;
    measure_import(&scene, &mut table)?;
    measure(&scene, &mut table)?;
    let holds = table.print();
    std::fs::remove_dir_all(&dir)?;
    Ok(holds)
}

// The homes and databases that the capture bench fills.

/// The programs, homes and databases of the bench.
struct Scene {
    programs: Programs,
    /// A home with all rows, one with a tenth of them, and one for the import.
    large: Home,
    small: Home,
    empty: Home,
    /// Bare databases with the rows of the large home: a plain table, and one with a text index.
    plain: PathBuf,
    fts: PathBuf,
    rows: u64,
    commands: Option<PathBuf>,
}

impl Scene {
    /// The number of observations and prompts in a home.
    fn rows_of(&self, home: &Home) -> anyhow::Result<u64> {
        let output = self.programs.command(home, "capture-ledger").arg(home.memory()).output()?;
        anyhow::ensure!(output.status.success(), "the ledger ended with {}", output.status);
        let ledger: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        ledger["rows"].as_u64().context("a ledger without its count")
    }
}

// The record hook as a whole process, compared with a program that only opens a database and
// inserts the row.

/// Counted runs, and warm-up runs before them.
const RUNS: usize = 400;

const WARM_UP: usize = 5;

fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, large, small, .. } = scene;
    for home in [large, small] {
        home.make_repository();
    }
    let (before, fired) = (scene.rows_of(large)?, Cell::new(0));
    let hook = || {
        fired.set(fired.get() + 1);
        large.nudge(&["hook", "claude"])
    };
    let bare = || {
        let mut command = programs.process(large, "record");
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
    let worker = Worker::start(scene.programs.command(&scene.large, "hold-store"), &spec)?;
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
        let payload = hook_payload(numbers.get(), cwd);
        for (command, times) in commands.iter().zip(&mut times) {
            let took = Turn { command: command(), input: payload.clone(), speaks: false }.run()?;
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}

// Bulk inserts: how fast, how large, and whether the last rows are as fast as the first.

/// Rows in one transaction, as an import writes them.
const BATCH_ROWS: u64 = 1_000;

fn measure_writing(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { large, small, plain, fts, .. } = scene;
    let beside = json!({"nudge": database(large)?, "plain": plain, "fts": fts, "rows": scene.rows});
    let report = observe(scene, beside)?;
    observe(scene, json!({"nudge": database(small)?, "rows": scene.rows / 10}))?;
    let tenths = report["tenths"].as_array().context("a report without its tenths")?;
    let ours = rate(tenths, "nudge");
    let what = format!("{} rows kept, {} at a time", grouped(scene.rows), grouped(BATCH_ROWS));
    // The aim was set against a bare program that keeps a text index up to date.
    table.rate(&what, ours, ("bare table with a text index", rate(tenths, "fts")), Some(0.5));
    table.rate("the same", ours, ("bare table and index", rate(tenths, "plain")), None);
    let (Some(first), Some(last)) = (tenths.first(), tenths.last()) else {
        anyhow::bail!("nothing was measured");
    };
    let side = |tenth: &Value, side| rate(std::slice::from_ref(tenth), side);
    // At most 1.5 times the time, that is two thirds of the rate.
    table.rate(
        "the last tenth of them",
        side(last, "nudge"),
        ("the first", side(first, "nudge")),
        Some(1.0 / 1.5),
    );
    table.rate(
        "bare: the last tenth of them",
        side(last, "plain"),
        ("the first", side(first, "plain")),
        None,
    );

    let each = |path: &Path| -> anyhow::Result<f64> {
        Ok(std::fs::metadata(path)?.len() as f64 / scene.rows as f64)
    };
    let ours = each(&scene.large.database())?;
    let text = report["text_bytes"].as_f64().unwrap_or_default() / scene.rows as f64;
    let what = format!("bytes for each row, of {text:.0} bytes of text");
    table.size(&what, ours, ("bare table and index", each(&scene.plain)?));
    table.size("the same", ours, ("bare table with a text index", each(&scene.fts)?));
    Ok(())
}

/// The rate of bare tables alone, in rows per second: with a text index, and without.
fn bare(scene: &Scene, rows: u64) -> anyhow::Result<[f64; 2]> {
    let dir = tempfile::tempdir_in(scene.empty.path())?;
    let file = |name| dir.path().join(name);
    let report = observe(scene, json!({"plain": file("plain.db"), "fts": file("fts.db"), "rows": rows}))?;
    let tenths = report["tenths"].as_array().context("a report without its tenths")?;
    Ok(["fts", "plain"].map(|side| rate(tenths, side)))
}

/// Rows per second over these tenths.
fn rate(tenths: &[Value], side: &str) -> f64 {
    let sum = |name: &str| tenths.iter().filter_map(|tenth| tenth[name].as_f64()).sum::<f64>();
    sum("rows") / sum(side)
}

/// The database of a home; its directory is created.
fn database(home: &Home) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(home.memory())?;
    Ok(home.database())
}

/// Writes rows into these databases, batch by batch in turn.
fn observe(scene: &Scene, mut spec: Value) -> anyhow::Result<Value> {
    eprintln!("storing {} rows", spec["rows"]);
    spec["batch"] = BATCH_ROWS.into();
    spec["commands"] = json!(scene.commands);
    let output = scene
        .programs
        .command(&scene.empty, "observe")
        .arg(spec.to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the rows cannot be made")?;
    anyhow::ensure!(output.status.success(), "making the rows ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

// `nudge import claude` of transcripts, compared with bare inserts of the same rows and with a
// bare program that reads the same files.

/// More rows would take space and time without changing the result.
const MAX_ROWS: u64 = 200_000;

fn measure_import(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, empty, .. } = scene;
    let rows = scene.rows.min(MAX_ROWS);
    let dir = empty.path().join("transcripts");
    let bare_import = || programs.command(empty, "bare-import");
    let spec = json!({"dir": dir, "rows": rows, "commands": scene.commands});
    timed(bare_import().arg("write").arg(spec.to_string()))?;
    let [fts, plain] = bare(scene, rows)?;
    let theirs = timed(bare_import().arg("take").arg(&dir).arg(empty.path().join("import.db")))?;
    let ours = timed(empty.nudge(&["import", "claude"]).arg(&dir).arg("--json"))?;
    let rate = |took: Duration| rows as f64 / took.as_secs_f64();
    let what = format!("`nudge import claude`, {} rows", grouped(rows));
    table.rate(&what, rate(ours), ("bare inserts, with a text index", fts), Some(0.5));
    table.rate("the same", rate(ours), ("bare inserts, table and index", plain), None);
    let reads = "bare program that reads the same files, table and index";
    table.rate("the same", rate(ours), (reads, rate(theirs)), None);
    let stored = scene.rows_of(empty)?;
    // Reads of the same file within five minutes are stored as one.
    anyhow::ensure!(stored * 100 >= rows * 95, "{stored} of {rows} rows were imported");
    Ok(())
}

// The payload of the measured hooks: an agent's command with its output.

/// The payload of the command with this number; no two are equal.
pub(in crate::bench) fn hook_payload(number: usize, cwd: &str) -> String {
    let output = "test search::tests::finds_what_was_said ... ok\n".repeat(40);
    json!({
        "session_id": "0c1f9b1e-6f0a-4a53-9d1c-3f0f5f2f1a11",
        "transcript_path": format!("{cwd}/.claude/projects/engine/0c1f9b1e.jsonl"),
        "cwd": cwd,
        "prompt_id": "136d5225-ea05-4f7b-b54a-68828a2948e2",
        "permission_mode": "default",
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_use_id": format!("toolu_{number:08}"),
        "tool_input": {
            "command": format!("cargo test -p engine --lib search::tests::case_{number}"),
            "description": "Run the tests of the search",
        },
        "tool_response": {"stdout": output, "stderr": "", "interrupted": false, "isImage": false},
        "duration_ms": 139,
    })
    .to_string()
}
