//! Compares two builds of Nudge: is the later one as fast as the earlier one?
//!
//! Each build has a copy of one store and, where a server is needed, its own server. They take
//! turns within one run, so that other load on the machine affects both alike. An earlier build
//! that does not know today's schema needs a store filled by its own `nudge-bare`: `--filled-by
//! PROGRAM`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use super::capture::hook_payload;
use super::recall_scale::stores::{self, Turn, project_root, race};
use super::recall_scale::{attended_hook, prompt_payload, some_words, start_payload, vocabulary};
use super::surfaces;
use super::table::{Aim, Figures, Table, grouped};
use crate::args::Size;
use crate::stage::{Home, Programs, bench_cache, free_port};

/// Counted processes of each build.
const RUNS: usize = 300;

/// Imports of each build, and rows in one import.
const IMPORTS_PER_BUILD: usize = 5;

const ROWS_PER_IMPORT: u64 = 20_000;

/// The allowed ratio to the earlier build.
const ALLOWED_RATIO: Aim = Aim::Median(1.05);

/// The prefix of the sessions' names.
const PREFIX: &str = "bench-";

/// The two builds, each in its own home.
struct Builds {
    programs: Programs,
    rows: u64,
    /// The directory of a project in both stores.
    root: PathBuf,
    before: Home,
    after: Home,
    /// What prompts are made of.
    words: Vec<String>,
}

/// Measures everything and prints the table.
pub(super) fn run(mut options: Options) -> anyhow::Result<bool> {
    for file in std::iter::once(&mut options.before).chain(&mut options.filled_by) {
        *file = std::path::absolute(&file)?;
    }
    anyhow::ensure!(options.before.is_file(), "there is no build {}", options.before.display());
    let programs = Programs::build()?;
    let (made, _) = stores::make(&programs, &options.store())?;
    let dir = bench_cache()?.canonicalize()?.join("builds");
    let copy = |name: &str, nudge: PathBuf| copied(made.path(), &dir.join(name), nudge);
    let (before, after) = (copy("before", options.before)?, copy("after", programs.nudge())?);
    let root = project_root(&made, 0);
    // A start asks git, and a prompt the index.
    stores::work_in_git(&after, &root)?;
    for home in [&before, &after] {
        home.run(&["maintain"])?;
    }
    let words = vocabulary(None)?;
    let builds = Builds { before, after, programs, rows: options.rows, root, words };
    let mut table = Table::default();
    builds.processes(&mut table)?;
    builds.served(&mut table)?;
    builds.calls(&mut table)?;
    builds.imports(&dir, &mut table)?;
    builds.sizes(&mut table)?;
    let holds = table.print();
    std::fs::remove_dir_all(&dir)?;
    Ok(holds)
}

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The earlier build.
    #[arg(long, value_name = "BINARY")]
    before: PathBuf,
    /// The rows in the store.
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    rows: u64,
    /// The `nudge-bare` that fills the store, if the earlier build does not know today's schema.
    #[arg(long, value_name = "PROGRAM")]
    filled_by: Option<PathBuf>,
}

impl Options {
    /// The store that both builds get a copy of.
    fn store(&self) -> stores::Wanted {
        stores::Wanted {
            rows: self.rows,
            words: None,
            is_fresh: false,
            with_fts: false,
            filled_by: self.filled_by.clone(),
        }
    }
}

/// A home with a copy of another home's files.
fn copied(from: &Path, to: &Path, nudge: PathBuf) -> anyhow::Result<Home> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    let home = Home::at(to.to_owned(), nudge)?;
    let status = Command::new("cp").arg("-a").arg(from.join(".")).arg(to).status()?;
    anyhow::ensure!(status.success(), "the store cannot be copied");
    home.run(&["set", "api", "build", "docker compose build router", "--ttl", "forever"])?;
    Ok(home)
}

impl Builds {
    /// Whole processes, without a server.
    fn processes(&self, table: &mut Table) -> anyhow::Result<()> {
        let rows = grouped(self.rows);
        self.compare(table, "`nudge get`, whole process", |home, _| {
            Ok(silent(home.nudge(&["get", "api", "build"]), String::new()))
        })?;
        self.compare(table, &format!("`nudge search`, whole process, {rows} rows"), |home, run| {
            let word = ["commit", "router", "timeout"][run % 3];
            Ok(silent(home.nudge(&["search", "--all", "--json", word]), String::new()))
        })?;
        self.compare(table, &format!("`nudge hook`, no server, {rows} rows"), tool_hook)?;
        self.compare(table, "SessionStart, no server", |home, run| self.start(home, "alone", run))?;
        self.compare(table, "a prompt, no server", |home, run| self.prompt(home, "alone", run))
    }

    /// The same with a server for each build.
    fn served(&self, table: &mut Table) -> anyhow::Result<()> {
        for home in [&self.before, &self.after] {
            home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
        }
        let measured = self.beside_servers(table);
        for home in [&self.before, &self.after] {
            home.run(&["stop"])?;
        }
        measured
    }

    fn beside_servers(&self, table: &mut Table) -> anyhow::Result<()> {
        self.compare(table, "`nudge hook` with a server", |home, run| tool_hook(home, 1_000_000 + run))?;
        self.compare(table, "SessionStart with a server", |home, run| self.start(home, "served", run))?;
        self.compare(table, "a prompt with a server", |home, run| self.prompt(home, "served", run))?;
        let sides =
            [&self.after, &self.before].map(|home| surfaces::get_hint(home, &["serve"], "api", "build"));
        let [after, before] = surfaces::time_mcp(&self.programs, &self.after, Size { short: false }, sides)?;
        table.compare("`get_hint`, PROXY to PRIMARY", after, ("build before", before), ALLOWED_RATIO);
        Ok(())
    }

    /// Calls over stdio to PRIMARY.
    fn calls(&self, table: &mut Table) -> anyhow::Result<()> {
        let ports = [free_port()?.to_string(), free_port()?.to_string()];
        let side = |home, port: &str| surfaces::get_hint(home, &["serve", "--port", port], "api", "build");
        let sides = [side(&self.after, &ports[0]), side(&self.before, &ports[1])];
        let [after, before] = surfaces::time_mcp(&self.programs, &self.after, Size { short: false }, sides)?;
        table.compare("`get_hint`, stdio PRIMARY", after, ("build before", before), ALLOWED_RATIO);
        Ok(())
    }

    /// Imports into empty homes.
    fn imports(&self, dir: &Path, table: &mut Table) -> anyhow::Result<()> {
        let transcripts = dir.join("transcripts");
        let spec = json!({"dir": transcripts, "rows": ROWS_PER_IMPORT, "commands": null});
        timed(self.programs.command(&self.after, "bare-import").arg("write").arg(spec.to_string()))?;
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..IMPORTS_PER_BUILD {
            for (home, times) in [&self.after, &self.before].iter().zip(&mut times) {
                let empty = Home::of(home.binary().to_owned())?;
                times.push(timed(empty.nudge(&["import", "claude"]).arg(&transcripts).arg("--json"))?);
            }
        }
        let [after, before] = times.map(Figures::of);
        let what = format!("`nudge import claude`, {} rows", grouped(ROWS_PER_IMPORT));
        table.compare(&what, after, ("build before", before), ALLOWED_RATIO);
        Ok(())
    }

    /// The sizes of the two programs, without their symbols.
    fn sizes(&self, table: &mut Table) -> anyhow::Result<()> {
        let size = |home: &Home| -> anyhow::Result<f64> {
            let stripped = tempfile::NamedTempFile::new()?;
            let mut strip = Command::new("strip");
            timed(strip.arg("-o").arg(stripped.path()).arg(home.binary()))?;
            Ok(stripped.path().metadata()?.len() as f64)
        };
        let (after, before) = (size(&self.after)?, size(&self.before)?);
        table.size("the program, stripped", after, ("build before", before));
        Ok(())
    }

    /// Races the two builds and adds the row.
    fn compare(
        &self,
        table: &mut Table,
        what: &str,
        turn: impl Fn(&Home, usize) -> anyhow::Result<Turn>,
    ) -> anyhow::Result<()> {
        let [after, before] = race([&|run| turn(&self.after, run), &|run| turn(&self.before, run)], RUNS)?;
        table.compare(what, after, ("build before", before), ALLOWED_RATIO);
        Ok(())
    }

    /// The hook of a session start, in a store where no session has begun yet.
    fn start(&self, home: &Home, name: &str, run: usize) -> anyhow::Result<Turn> {
        let mut forget = self.programs.command(home, "forget-starts");
        timed(forget.arg(home.database()).arg(PREFIX))?;
        Ok(silent(attended_hook(home), start_payload(home, &self.root, &session(name, run))))
    }

    /// The hook of a prompt in a new session.
    fn prompt(&self, home: &Home, name: &str, run: usize) -> anyhow::Result<Turn> {
        let prompt = some_words(&self.words, run, name);
        let session = session(&format!("asked-{name}"), run);
        Ok(silent(attended_hook(home), prompt_payload(home, &self.root, &session, &prompt)))
    }
}

fn session(name: &str, run: usize) -> String {
    format!("{PREFIX}{:08x}-{name}-{run}", std::process::id())
}

/// The hook of a tool call that is new to the store.
fn tool_hook(home: &Home, run: usize) -> anyhow::Result<Turn> {
    let cwd = home.path().to_string_lossy().into_owned();
    Ok(silent(home.nudge(&["hook", "claude"]), hook_payload(run, &cwd)))
}

fn silent(command: Command, input: String) -> Turn {
    Turn { command, input, speaks: false }
}

// The run time of a command that must succeed.

/// Runs a command and times it from start to exit.
pub(super) fn timed(command: &mut Command) -> anyhow::Result<Duration> {
    let start = Instant::now();
    let status = command.stdout(Stdio::null()).status().context("a command cannot be started")?;
    anyhow::ensure!(status.success(), "{command:?} ended with {status}");
    Ok(start.elapsed())
}
