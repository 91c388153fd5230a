//! Measures what sessions are given: real sessions are replayed in order of time, and the injected
//! text is compared with what people said and needed.
//!
//! Each event goes, with its own time, through the code path of a hook's event (`replay-sessions`
//! in `bare`), and each start and each prompt through the injection path. Nothing from a session's
//! own future is known. The sessions are in the form that Claude Code would give them: payloads of
//! its hooks, and a transcript that grows with the session. Each project has its own store and is
//! replayed twice: unchanged, and with every pending statement accepted when a session has ended.
//!
//! `cargo xtask bench sessions [--data DIR]… [--project NAME]… [--accept] [--quick] [--json FILE]
//! [--show PROJECT[:N]]`. `sessions/words.rs` describes how words are matched. Projects differ
//! widely, so each figure is also printed with an interval: see `sessions/interval.rs`.

mod calls;
pub(super) mod data;
mod interval;
pub(crate) mod labelled;
pub(crate) mod payload;
pub(super) mod replay_output;
mod report;
mod score;
mod script;
pub(super) mod words;

use std::collections::VecDeque;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::Context;

use crate::stage::Programs;
use data::Project;
use replay_output::ReplayOutput;
use report::{Measured, Report};
use score::Score;
use script::Script;
use words::Rarity;

/// The default directories of the files, relative to the repository.
const DATA_DIRS: [&str; 2] = ["../shared/bench/data/sessions", "../shared/bench/data/sessions-2"];

/// The largest file for `--quick`, in bytes.
const MAX_QUICK_BYTES: u64 = 400_000;

/// One start or prompt in this many must be given something.
const MIN_GIVEN: usize = 50;

/// How many replays run in parallel.
const THREADS: usize = 2;

/// The run in which no statement is accepted.
pub(super) const AS_IT_IS: &str = "as it is";

/// The run that prints everything a prompt could be given.
const CANDIDATES_RUN: &str = "candidates";

/// The run in which all statements are accepted.
const ACCEPTED_RUN: &str = "accepted";

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// A directory of sessions; by default both sets.
    #[arg(long, value_name = "DIR")]
    data: Vec<PathBuf>,
    /// A project to replay; by default all.
    #[arg(long, value_name = "NAME")]
    project: Vec<String>,
    /// Replays only with every statement accepted.
    #[arg(long)]
    accept: bool,
    /// Replays only the small projects.
    #[arg(long)]
    quick: bool,
    /// Writes each row, with the line that made it a hit.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Prints every Nth start block of a project, and every Nth text given with a prompt.
    #[arg(long, value_name = "PROJECT[:N]", value_parser = shown)]
    show: Option<(String, usize)>,
}

/// Replays, counts and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let runs = if options.accept { vec![ACCEPTED_RUN] } else { vec![AS_IT_IS, ACCEPTED_RUN] };
    let programs = Programs::baselines()?;
    let data = or_both_sets(&options.data);
    let projects = data::projects(&data, &options.project, options.quick.then_some(MAX_QUICK_BYTES))?;
    let dir = tempfile::tempdir()?;
    let stages = stages(&projects, dir.path())?;
    let replay = all(&stages, &runs, &programs.bare())?;
    let points = || replay.iter().flat_map(|run| run.sessions.values().flatten());
    let (points, given) = (points().count(), points().filter(|asked| asked.given.is_some()).count());
    let mut measured = Vec::new();
    let mut replay = replay.into_iter();
    for (project, stage) in projects.iter().zip(&stages) {
        let given: Vec<ReplayOutput> = replay.by_ref().take(runs.len()).collect();
        if let Some((_, every)) = options.show.as_ref().filter(|(name, _)| *name == project.name) {
            show(project, &given, &runs, *every);
        }
        measured.push(stage.measure(project, &given));
    }
    measured.sort_by(|one, other| one.name.cmp(&other.name));
    let report = Report { projects: &measured, runs: &runs };
    if let Some(file) = &options.json {
        std::fs::write(file, format!("{:#}\n", report.json()))?;
    }
    print!("{report}");
    // The figures have no bound. A program that stores or gives hardly anything is broken.
    let holds = given * MIN_GIVEN >= points && measured.iter().all(|project| project.stored > 0);
    if !holds {
        println!("VIOLATION: {given} of {points} starts and prompts were given something");
    }
    Ok(holds)
}

fn or_both_sets(dirs: &[PathBuf]) -> Vec<PathBuf> {
    if dirs.is_empty() {
        return DATA_DIRS.map(|dir| crate::repository::root().join(dir)).into();
    }
    dirs.to_vec()
}

fn stages(projects: &[Project], dir: &Path) -> anyhow::Result<Vec<Stage>> {
    projects.iter().map(|project| Stage::make(project, &dir.join(&project.name))).collect()
}

/// A project's directory and its script.
pub(super) struct Stage {
    dir: PathBuf,
    script: PathBuf,
    sessions: usize,
    unreported: usize,
}

impl Stage {
    pub(super) fn make(project: &Project, dir: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(dir)?;
        let root = repository(&project.name, dir)?;
        let Script { steps, sessions, unreported } = script::script(project, &root.to_string_lossy());
        let script = dir.join("script.jsonl");
        let mut file = BufWriter::new(std::fs::File::create(&script)?);
        for step in &steps {
            step.write(&mut file)?;
        }
        file.flush()?;
        Ok(Self { dir: dir.to_owned(), script, sessions, unreported })
    }

    /// Plays the script into a new store.
    pub(super) fn play(&self, run: &str, replay: &Path) -> anyhow::Result<ReplayOutput> {
        let dir = self.dir.join(run.replace(' ', "-"));
        let mut args = vec![self.script.as_os_str(), dir.as_os_str()];
        match run {
            ACCEPTED_RUN => args.push("--accept".as_ref()),
            CANDIDATES_RUN => args.push("--candidates".as_ref()),
            _ => {}
        }
        ReplayOutput::of(replay, &args)
    }

    fn measure(&self, project: &Project, runs: &[ReplayOutput]) -> Measured {
        let rarity = Rarity::of(project.events.iter().map(|event| event.text.as_str()));
        Measured {
            name: project.name.clone(),
            sessions: self.sessions,
            stored: runs.first().map_or(0, |replay| replay.stored),
            unreported: self.unreported,
            runs: runs.iter().map(|replay| Score::of(project, replay, &rarity)).collect(),
        }
    }
}

/// All runs of all stages, in order, a few at a time.
fn all(stages: &[Stage], runs: &[&'static str], replay: &Path) -> anyhow::Result<Vec<ReplayOutput>> {
    let jobs = stages.iter().flat_map(|stage| runs.iter().map(move |run| (stage, *run)));
    let waiting: Mutex<VecDeque<_>> = Mutex::new(jobs.enumerate().collect());
    let next = || waiting.lock().ok()?.pop_front();
    let work = || {
        let mut done = Vec::new();
        while let Some((number, (stage, run))) = next() {
            done.push((number, stage.play(run, replay)));
        }
        done
    };
    let mut done = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect::<Vec<_>>()
    });
    done.sort_by_key(|(number, _)| *number);
    anyhow::ensure!(done.len() == stages.len() * runs.len(), "a replay was lost");
    done.into_iter().map(|(_, replay)| replay).collect()
}

/// A repository with one commit, which identifies the project. It is at the same path in every run:
/// the path occurs in commands, and another one would cost a different number of tokens. Once it
/// exists, nothing is written into it.
fn repository(name: &str, make_in: &Path) -> anyhow::Result<PathBuf> {
    let place = std::env::temp_dir().join("nudge-sessions");
    let root = place.join(name);
    if root.join(".git").is_dir() {
        return Ok(root);
    }
    let made = make_in.join("repository");
    std::fs::create_dir_all(&made)?;
    std::fs::create_dir_all(&place)?;
    let identity =
        ["-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "commit.gpgsign=false"];
    let steps: [&[&str]; 2] =
        [&["init", "--quiet"], &["commit", "--quiet", "--allow-empty", "--message", "Begin"]];
    for step in steps {
        let status = Command::new("git").args(identity).args(step).current_dir(&made).status();
        anyhow::ensure!(status.context("git cannot be run")?.success(), "git {} failed", step.join(" "));
    }
    match std::fs::rename(&made, &root) {
        // A parallel run created it first.
        Err(_) if root.join(".git").is_dir() => Ok(root),
        renamed => renamed.map(|()| root).context("the repository cannot be put into its place"),
    }
}

/// Prints every Nth start block and every Nth text given with a prompt, for a person to judge.
fn show(project: &Project, runs: &[ReplayOutput], names: &[&str], every: usize) {
    for (replay, name) in runs.iter().zip(names) {
        for (session, asked) in replay.starts().into_iter().step_by(every) {
            let text = asked.given.as_ref().map_or("nothing", |given| given.text.as_str());
            println!("==== {session}, {name}\n{text}\n");
        }
        let prompts = project.events.iter().filter(|event| event.is_typed());
        for (event, text) in
            prompts.filter_map(|event| Some((event, replay.at_prompt(&event.position())?))).step_by(every)
        {
            println!("==== {} {}, {name}\nprompt: {}\n{text}\n", event.session, event.seq, event.text);
        }
    }
}

/// `PROJECT` or `PROJECT:N`.
fn shown(value: &str) -> anyhow::Result<(String, usize)> {
    let Some((project, every)) = value.rsplit_once(':') else { return Ok((value.to_owned(), 1)) };
    let every: usize = every.parse().context("not PROJECT or PROJECT:N")?;
    Ok((project.to_owned(), every.max(1)))
}
