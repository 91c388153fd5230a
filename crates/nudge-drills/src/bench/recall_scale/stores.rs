//! The stores: made once, kept for the next run, and their sizes.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use nudge_store::{ProjectRow, Store, StoreError};
use serde_json::{Value, json};

use super::Scene;
use crate::bench::table::{Figures, Table, grouped};
use crate::stage::{Home, Programs, bench_cache};

/// Rows in one transaction.
const BATCH_ROWS: u64 = 5_000;

/// Must equal the number of projects in the generator.
const PROJECTS: u64 = 50;

/// Changes with the generated rows, so that stores with older rows are not reused.
const EDITION: u64 = 2;

/// The file that marks complete stores for the next run.
const DONE_FILE: &str = "made.json";

/// The stores to make.
pub(in crate::bench) struct Wanted {
    pub(in crate::bench) rows: u64,
    pub(in crate::bench) words: Option<PathBuf>,
    /// Whether existing stores are made again.
    pub(in crate::bench) is_fresh: bool,
    pub(in crate::bench) with_fts: bool,
    /// The program that fills the stores; `None` for the one built here.
    pub(in crate::bench) filled_by: Option<PathBuf>,
}

/// The bare engines, and the report from making all stores.
pub(in crate::bench) struct Stores {
    pub(in crate::bench) tantivy: PathBuf,
    pub(in crate::bench) fts: Option<PathBuf>,
    /// A bare table with the same rows.
    pub(in crate::bench) plain: PathBuf,
    made: Value,
}

/// Makes the stores, or reuses those of an earlier run.
pub(in crate::bench) fn make(programs: &Programs, options: &Wanted) -> anyhow::Result<(Home, Stores)> {
    let dir = bench_cache()?.canonicalize()?.join(format!("recall-{}", options.rows));
    let wanted = json!({
        "edition": EDITION, "rows": options.rows, "words": options.words, "fts": options.with_fts,
        "filled_by": options.filled_by,
    });
    let made =
        std::fs::read(dir.join(DONE_FILE)).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let known = made.filter(|made| made["wanted"] == wanted && !options.is_fresh);
    if known.is_none() && dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let home = Home::at(dir.join("home"), programs.nudge())?;
    let (tantivy, fts) = (dir.join("tantivy"), options.with_fts.then(|| dir.join("fts.db")));
    let plain = dir.join("plain.db");
    let made = match known {
        Some(made) => made,
        None => {
            let mut made = fill(programs, options, &home, [&tantivy, &plain], fts.as_deref())?;
            made["wanted"] = wanted;
            std::fs::write(dir.join(DONE_FILE), made.to_string())?;
            made
        }
    };
    Ok((home, Stores { tantivy, fts, plain, made }))
}

fn fill(
    programs: &Programs,
    options: &Wanted,
    home: &Home,
    [tantivy, plain]: [&Path; 2],
    fts: Option<&Path>,
) -> anyhow::Result<Value> {
    eprintln!("storing {} rows", grouped(options.rows));
    std::fs::create_dir_all(home.memory())?;
    for project in 0..PROJECTS {
        in_a_repository(&project_root(home, project))?;
    }
    let spec = json!({
        "rows": options.rows,
        "batch": BATCH_ROWS,
        "projects": projects(home),
        "nudge": home.database(),
        "tantivy": tantivy,
        "plain": plain,
        "fts": fts,
        "words": options.words,
    });
    let mut command = home.program(options.filled_by.as_ref().unwrap_or(&programs.bare()));
    report(command.arg("prose-store").arg(spec.to_string()))
}

/// Builds the index from scratch, and reports the sizes of the index and the other stores.
pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, home, stores, rows, .. } = scene;
    let built = report(programs.command(home, "index-store").arg(home.database()))?;
    let number = |report: &Value, name: &str| report[name].as_f64().context("a report without a figure");
    let made = &stores.made;
    let rate = |seconds: f64| *rows as f64 / seconds;
    let seconds = number(&built, "seconds")?;
    let what = format!("index of {} rows rebuilt", grouped(*rows));
    let theirs = rate(number(made, "tantivy_s")?);
    table.rate(&what, rate(seconds), ("bare Tantivy filled with them", theirs), None);
    if stores.fts.is_some() {
        let theirs = rate(number(made, "fts_s")?);
        table.rate("the same", rate(seconds), ("bare FTS5 filled and optimized", theirs), None);
    }
    table.count("time to rebuild", format!("{seconds:.1} s"), "–");
    let text = number(made, "text_bytes")?;
    let share = |bytes: u64| format!("{:.2}", bytes as f64 / text);
    let index = number(&built, "bytes")? as u64;
    let bytes = format!(
        "{} ({} of {} MB, {} segments)",
        share(index),
        index / 1_000_000,
        text as u64 / 1_000_000,
        built["segments"]
    );
    table.count("index bytes per byte of text", bytes, "–");
    table.count("bare Tantivy, bytes per byte of text", share(size(&stores.tantivy)?), "–");
    if let Some(fts) = &stores.fts {
        table.count("bare FTS5 without the text, bytes per byte of text", share(size(fts)?), "–");
    }
    table.count("the store itself, bytes per byte of text", share(size(&home.database())?), "–");
    let peak = number(made, "peak_bytes")?.max(number(&built, "peak_bytes")?);
    table.count("peak memory while filling all and rebuilding", format!("{:.0} MB", peak / 1e6), "–");
    Ok(())
}

/// The directory that contains all projects.
fn projects(home: &Home) -> PathBuf {
    home.path().join("src")
}

/// The directory of a project.
pub(in crate::bench) fn project_root(home: &Home, project: u64) -> PathBuf {
    projects(home).join(format!("project-{project}"))
}

/// Runs a program that prints a report in JSON.
pub(super) fn report(command: &mut Command) -> anyhow::Result<Value> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{command:?} cannot be started"))?;
    anyhow::ensure!(output.status.success(), "{command:?} ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// The bytes of a file with its log, or of all files in a directory.
fn size(path: &Path) -> anyhow::Result<u64> {
    if path.is_file() {
        return Ok(std::fs::metadata(path)?.len());
    }
    std::fs::read_dir(path)?.map(|file| Ok(file?.metadata()?.len())).sum()
}

/// Makes the directory a repository: agents work in one, so hooks look for one.
fn in_a_repository(root: &Path) -> anyhow::Result<()> {
    let git = root.join(".git");
    std::fs::create_dir_all(&git)?;
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    std::fs::write(git.join("config"), "[core]\n\tbare = false\n")?;
    Ok(())
}

/// Files of the repository that no session changed.
const OTHER_FILES: usize = 2_000;

/// The sessions whose files are there; the start of a session reads fewer.
const SESSIONS_WITH_FILES: u32 = 10;

/// More rows than a session has.
const MAX_ROWS: u32 = 1_000;

/// Makes the repository of a project real, because the start of a session compares the files of the
/// last sessions with the last commit. Every second of them has changed since.
pub(in crate::bench) fn work_in_git(home: &Home, root: &Path) -> anyhow::Result<()> {
    if root.join(".git/index").exists() {
        return Ok(());
    }
    let files = session_files(home, root)?;
    let others =
        (0..OTHER_FILES).map(|number| root.join(format!("lib/part_{}/file_{number}.rs", number % 40)));
    for file in files.iter().cloned().chain(others) {
        std::fs::create_dir_all(file.parent().context("a file in a directory")?)?;
        std::fs::write(file, "fn main() {}\n")?;
    }
    let git = |args: &[&str]| {
        let mut command = home.program(Path::new("git"));
        command
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.com"])
            .args(args)
            .current_dir(root);
        let status = command.status().context("git cannot be started")?;
        anyhow::ensure!(status.success(), "{command:?} ended with {status}");
        anyhow::Ok(())
    };
    git(&["init", "--quiet", "--initial-branch=main"])?;
    git(&["add", "--all"])?;
    git(&["commit", "--quiet", "--message=All of it"])?;
    for file in files.iter().step_by(2) {
        std::fs::write(file, "fn main() { todo!() }\n")?;
    }
    Ok(())
}

/// The files of the newest sessions of a project.
fn session_files(home: &Home, root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let store = Store::open(&home.read_options())?;
    let found = store.read(|reader| -> Result<Vec<PathBuf>, StoreError> {
        let is_root = |project: &ProjectRow| Path::new(&project.root) == root;
        let Some(project) = reader.projects()?.into_iter().find(is_root) else { return Ok(Vec::new()) };
        let mut files = BTreeSet::new();
        for session in reader.working_sessions_of(project.id, SESSIONS_WITH_FILES)? {
            let rows = reader.observations_of_session(session.id, MAX_ROWS)?;
            files.extend(rows.into_iter().flat_map(|row| row.files));
        }
        Ok(files.into_iter().map(|file| root.join(file)).collect())
    })?;
    anyhow::ensure!(!found.is_empty(), "the newest sessions touched no file");
    Ok(found)
}

// Times whole processes in turn, from start to exit.

/// Runs before the first one that counts.
const WARM_UP: usize = 5;

/// One process: the command, its input, and whether it must print something.
pub(in crate::bench) struct Turn {
    pub(in crate::bench) command: Command,
    pub(in crate::bench) input: String,
    pub(in crate::bench) speaks: bool,
}

impl Turn {
    /// Runs the process to its end and returns how long that took.
    pub(in crate::bench) fn run(self) -> anyhow::Result<Duration> {
        let Self { mut command, input, speaks } = self;
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let start = Instant::now();
        let mut child = command.spawn().context("a command cannot be started")?;
        let mut stdin = child.stdin.take().context("standard input is piped")?;
        // `true` does not read its input.
        let _ = stdin.write_all(input.as_bytes());
        drop(stdin);
        let output = child.wait_with_output()?;
        let took = start.elapsed();
        anyhow::ensure!(output.status.success(), "{command:?} ended with {}", output.status);
        // A process that prints nothing is fast.
        anyhow::ensure!(!speaks || !output.stdout.is_empty(), "{command:?} printed nothing");
        Ok(took)
    }
}

/// Times the processes of each side in turn. A side prepares its process for each run; the
/// preparation is not timed.
pub(in crate::bench) fn race<const N: usize>(
    sides: [&dyn Fn(usize) -> anyhow::Result<Turn>; N],
    runs: usize,
) -> anyhow::Result<[Figures; N]> {
    let mut times = sides.map(|_| Vec::with_capacity(runs));
    for run in 0..runs + WARM_UP {
        for (side, times) in sides.iter().zip(&mut times) {
            let took = side(run)?.run()?;
            if run >= WARM_UP {
                times.push(took);
            }
        }
    }
    Ok(times.map(Figures::of))
}
