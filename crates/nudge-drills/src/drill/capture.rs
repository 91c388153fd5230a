//! Twenty sessions run hooks while everything goes wrong; then every event is counted. Shows
//! @hook_way, @hook_deadline, @hook_spool and @hook_drops.
//!
//! Hooks are whole processes, started one after the other in each session. Meanwhile PRIMARY is
//! killed and started again all the time, a migration locks the store for two seconds, and once the
//! disk is full: the home is on a small disk of its own. One event in ten is sent twice. Afterwards
//! each event is in the store once or, if it was sent while the disk was full, in the drop record.
//! No hook took longer than its deadline plus the time of the slowest process that does nothing,
//! started at the same time.

mod account;
mod faults;
mod firing;
mod plan;

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::args::Size;
use crate::stage::Violations;
use crate::stage::{Home, Programs, bench_cache};
use account::{Found, Sending, Sent, Sums};
use faults::{FaultSpans, Progress, Span};
use firing::Log;
use firing::ProcessSlot;
use nudge_testkit::SmallDisk;
pub(super) use plan::Random;
use plan::{Lane, What};

/// How many sessions run at once.
const LANES: usize = 20;

/// The disk: several times the size of the store and its log, and still small.
const DISK_MEGABYTES: u32 = 512;

/// A hook that took at least its deadline divided by this number may have stopped waiting for
/// PRIMARY and written its event to the store itself.
const TIMEOUT_DIVISOR: u32 = 3;

/// How many hooks are run in the full form and in CI.
const FULL_HOOKS: usize = 50_000;
const SHORT_HOOKS: usize = 1_500;

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The program is not optimised: a few late hooks are allowed.
    #[arg(long)]
    unoptimised: bool,
}

/// When a hook is late.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Timing {
    /// When it misses its deadline.
    Strict,
    /// The program is not optimised, so one hook in a hundred may miss its deadline, and none may
    /// take twice as long.
    Unoptimised,
}

/// Runs the hooks, waits, and counts.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let timing = if options.unoptimised { Timing::Unoptimised } else { Timing::Strict };
    let programs = Programs::build()?;
    let disk = SmallDisk::mount(DISK_MEGABYTES);
    let home = Home::at(disk.path().to_owned(), programs.nudge())?;
    prepare(&home)?;
    let path = home.path().to_string_lossy().into_owned();
    let lanes: Vec<Lane> = (0..LANES)
        .map(|number| plan::lane(number, options.size.pick((FULL_HOOKS, SHORT_HOOKS)) / LANES, &path))
        .collect();

    let began = Instant::now();
    let played = play(&programs, &home, &disk, &lanes)?;
    let took = began.elapsed();
    let settled = faults::drain_spool(&home);

    let mut violations = Violations::default();
    if let Err(error) = settled {
        violations.unless(false, format!("{error:#}"));
    }
    let found = Found::from_json(&ledger(&programs, &home, &lanes)?)?;
    let sent = sent(&lanes, &played);
    let slowest_true = played.logs.iter().flat_map(|log| &log.trues).max().copied().unwrap_or_default();
    let sums = account::check_account(&sent, &found, (slowest_true, timing), &mut violations);
    violations.unless(sums.dropped > 0, "nothing was dropped: the disk was not full enough to show anything");
    violations.unless(!played.kills.is_empty(), "no PRIMARY was killed");
    let left = home.wait_until_empty(Duration::from_secs(10));
    violations.unless(left.is_empty(), format!("processes left behind: {left:?}"));
    report(&sent, &sums, &played, took, slowest_true);
    let passed = violations
        .close("each event is kept once or was dropped for the full disk; no hook was late, loud or failed");
    if !passed {
        println!("what is left of the memory: {}", keep_evidence(&home)?);
    }
    Ok(passed)
}

/// Creates a memory, and the directories that the sessions work in.
fn prepare(home: &Home) -> anyhow::Result<()> {
    for lane in 0..LANES {
        let git = home.path().join(plan::project(lane)).join(".git");
        std::fs::create_dir_all(&git)?;
        std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
    }
    home.run(&["set", "drill", "first", "cargo build"])?;
    Ok(())
}

/// Copies the memory to a place that outlives the small disk.
fn keep_evidence(home: &Home) -> anyhow::Result<String> {
    let to = bench_cache()?.join("drill-capture");
    if to.exists() {
        std::fs::remove_dir_all(&to)?;
    }
    let status = Command::new("cp").arg("-r").arg(home.memory()).arg(&to).status()?;
    anyhow::ensure!(status.success(), "the memory cannot be copied");
    Ok(to.display().to_string())
}

/// What happened during the drill.
struct Outcome {
    logs: Vec<Log>,
    kills: Vec<Span>,
    trouble: FaultSpans,
}

fn play(programs: &Programs, home: &Home, disk: &SmallDisk, lanes: &[Lane]) -> anyhow::Result<Outcome> {
    let posts: Vec<[ProcessSlot; 2]> = lanes
        .iter()
        .map(|_| Ok([ProcessSlot::new()?, ProcessSlot::new()?]))
        .collect::<anyhow::Result<_>>()?;
    let (sent, over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let all = lanes.iter().map(Lane::processes).sum();
    let course = Progress { sent: &sent, all, over: &over };
    std::thread::scope(|scope| {
        let runs: Vec<_> = lanes
            .iter()
            .zip(&posts)
            .map(|(lane, posts)| scope.spawn(|| firing::play(home, lane, posts, &sent)))
            .collect();
        let killer = scope.spawn(|| faults::kill_servers(home, &course));
        let trouble = scope.spawn(|| faults::inject_faults(programs, home, disk, &course));
        let dogs = scope.spawn(|| firing::watchdog(posts.as_flattened(), &|| over.load(Ordering::Relaxed)));
        let logs: Vec<_> = runs.into_iter().map(|run| run.join()).collect();
        over.store(true, Ordering::Relaxed);
        let broke = |_| anyhow::anyhow!("a part of the drill failed");
        let (dogs, killer, trouble) = (dogs.join(), killer.join(), trouble.join());
        let logs = logs.into_iter().map(|log| log.map_err(broke)?).collect::<anyhow::Result<_>>()?;
        dogs.map_err(broke)?;
        Ok(Outcome { logs, kills: killer.map_err(broke)??, trouble: trouble.map_err(broke)?? })
    })
}

/// The contents of the store and the drop record, as JSON.
fn ledger(programs: &Programs, home: &Home, lanes: &[Lane]) -> anyhow::Result<serde_json::Value> {
    let mut command = programs.command(home, "capture-ledger");
    command.arg(home.memory()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().context("the ledger cannot be started")?;
    let mut stdin = child.stdin.take().context("standard input is piped")?;
    for session in lanes.iter().flat_map(|lane| &lane.sessions) {
        writeln!(stdin, "{session}")?;
    }
    drop(stdin);
    let output = child.wait_with_output()?;
    anyhow::ensure!(output.status.success(), "the ledger ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Each event with its sendings, and what the drill did to the machine meanwhile.
fn sent(lanes: &[Lane], played: &Outcome) -> Vec<Sent> {
    let mut all = Vec::new();
    for (lane, log) in lanes.iter().zip(&played.logs) {
        let mut sendings: BTreeMap<usize, Vec<Sending>> = BTreeMap::new();
        for (place, fired) in &log.fired {
            let touched = |span: &Span| span.touches(fired.began, fired.took);
            let in_a_hurry = fired.took >= lane.events[*place].what.deadline() / TIMEOUT_DIVISOR;
            sendings.entry(*place).or_default().push(Sending {
                took: fired.took,
                disk_full: touched(&played.trouble.full),
                doubtful: in_a_hurry
                    || played.kills.iter().any(touched)
                    || touched(&played.trouble.migration)
                    || touched(&played.trouble.full),
                problem: fired.problem.clone(),
            });
        }
        all.extend(lane.events.iter().enumerate().map(|(place, event)| Sent {
            key: event.key.clone(),
            what: event.what,
            hash: hash(&event.payload),
            sendings: sendings.remove(&place).unwrap_or_default(),
        }));
    }
    all
}

/// The drop record's id of a payload: the first half of its BLAKE3 hash.
fn hash(payload: &str) -> String {
    blake3::hash(payload.as_bytes()).to_hex()[..32].to_owned()
}

fn report(sent: &[Sent], sums: &Sums, played: &Outcome, took: Duration, slowest_true: Duration) {
    let trouble = &played.trouble;
    println!(
        "{} hook processes for {} events in {:.0} s; {} kills of PRIMARY, a migration of {:.1} s, the disk full for {:.1} s",
        sums.sent,
        sent.len(),
        took.as_secs_f64(),
        played.kills.len(),
        (trouble.migration.to - trouble.migration.from).as_secs_f64(),
        (trouble.full.to - trouble.full.from).as_secs_f64(),
    );
    println!(
        "stored {} + duplicate {} + dropped {} + nothing to keep {} = {} of {} sent; {} more were sent again by hooks that got no answer",
        sums.stored,
        sums.duplicates,
        sums.dropped,
        sums.nothing_to_keep,
        sums.stored + sums.duplicates + sums.dropped + sums.nothing_to_keep,
        sums.sent,
        sums.sent_again
    );
    let trues: Vec<Duration> = played.logs.iter().flat_map(|log| log.trues.iter().copied()).collect();
    println!("{}", line("`true`", None, trues));
    let mut times: BTreeMap<What, Vec<Duration>> = BTreeMap::new();
    for event in sent {
        times.entry(event.what).or_default().extend(event.sendings.iter().map(|sending| sending.took));
    }
    for (what, times) in times {
        println!("{}", line(&format!("{what:?}"), Some(what.deadline() + slowest_true), times));
    }
}

fn line(what: &str, limit: Option<Duration>, mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |percent: usize| {
        let index = (times.len() * percent).div_ceil(100).saturating_sub(1);
        times.get(index).copied().unwrap_or_default().as_secs_f64() * 1e3
    };
    let limit =
        limit.map_or_else(String::new, |limit| format!(", limit {:.0} ms", limit.as_secs_f64() * 1e3));
    let [p50, p99, max] = [50, 99, 100].map(at);
    format!("{what:>8} {:>6}: p50 {p50:.1} ms, p99 {p99:.1} ms, slowest {max:.1} ms{limit}", times.len())
}
