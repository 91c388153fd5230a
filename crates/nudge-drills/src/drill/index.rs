//! Damages the search index in every way, and compares every answer with a scan of the database.
//! Shows @recall_index_disposable, @recall_tail, @recall_fresh and @recall_purge.
//!
//! Answers come from the program itself, one process per page. The scan reads the rows through the
//! store and compares words; it uses neither the analyzer nor the index nor the query language.
//! Full disks and read-only homes are separate mounts, which need root.

mod bench;
mod corpus;
mod harm;
mod purged;
mod small_commits;

use std::time::{Duration, Instant};

use bench::Bench;
use nudge_index::{IndexWriter, State};
use nudge_testkit::SmallDisk;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::index::corpus::Question;
use crate::args::Target;
use crate::stage::Home;
use crate::stage::Violations;

/// The size of the disk for the home that fills up and for the many small commits.
const DISK_MEGABYTES: u32 = 768;

/// How many entries the home on the small disk begins with.
const ON_SMALL_DISK: usize = 1_500;

/// How much the drill does.
struct Amount {
    /// Entries that arrive while no server runs.
    entries: usize,
    /// Flipped bits in each file.
    flips: usize,
    /// Writers that are killed.
    kills: u32,
    /// Entries that are searched for immediately, with a server and without.
    fresh: usize,
    /// Commits of one entry.
    commits: usize,
}

const FULL: Amount = Amount { entries: 50_000, flips: 4, kills: 64, fresh: 200, commits: 100_000 };

const SHORT: Amount = Amount { entries: 3_000, flips: 1, kills: 8, fresh: 12, commits: 2_000 };

/// Runs all parts with the product, or with a binary that is already built, and prints a line for
/// each part.
pub(super) fn run(target: &Target) -> anyhow::Result<bool> {
    let (nudge, size) = (target.product.path()?, target.size.pick((FULL, SHORT)));
    let mut violations = Violations::default();
    let began = Instant::now();
    let disk = SmallDisk::mount(DISK_MEGABYTES);
    let place = disk.path().join("home");

    let mut small = Bench::new(Home::at(place, nudge.clone())?, &mut violations)?;
    small.add(ON_SMALL_DISK)?;
    small.update_index("on a small disk")?;
    played(&mut small, "disk full while it is written", |bench| full(bench, &disk))?;
    played(&mut small, "home read-only", |bench| read_only(bench, &disk))?;
    let other = small.directory();

    let mut main = Bench::new(Home::of(nudge.clone())?, &mut violations)?;
    played(&mut main, "no server", |bench| without_server(bench, size.entries))?;
    played(&mut main, "cut, bits flipped, files removed", |bench| harm::files(bench, size.flips))?;
    played(&mut main, "deleted", harm::deleted)?;
    played(&mut main, "of an older version", harm::older)?;
    played(&mut main, "of another memory", |bench| harm::foreign(bench, &other))?;
    played(&mut main, "writer killed, its lock held", |bench| killed(bench, size.kills))?;
    played(&mut main, "found at once", |bench| found_at_once(bench, size.fresh))?;
    let left = main.home.wait_until_empty(std::time::Duration::from_secs(10));
    violations.unless(left.is_empty(), format!("processes left behind: {left:?}"));

    let mut third = Bench::new(Home::of(nudge)?, &mut violations)?;
    played(&mut third, "purged", purged::leaves_nothing)?;

    let place = disk.path().join("commits");
    let reported = small_commits::stay_small(&place, size.commits, &mut violations)?;
    println!("{:<34} {reported}", "small commits and deletions");
    println!("in {:.0} s", began.elapsed().as_secs_f64());
    Ok(violations.close("every answer is that of a scan; what is purged is gone; the index stays small"))
}

/// Runs one part and prints its result.
fn played(
    bench: &mut Bench<'_>,
    name: &str,
    part: impl FnOnce(&mut Bench<'_>) -> anyhow::Result<String>,
) -> anyhow::Result<()> {
    let (began, before) = (Instant::now(), bench.searches);
    let reported = part(bench)?;
    let searches = bench.searches - before;
    println!("{name:<34} {searches:>5} searches, {:>5.1} s: {reported}", began.elapsed().as_secs_f64());
    Ok(())
}

// An acknowledged entry is found by the very next search.

/// Words from this number on occur in no entry of the corpus.
const VOCABULARY: usize = 30_000;

/// Records prompts and searches for them immediately, with a server and without, again and again.
fn found_at_once(bench: &mut Bench<'_>, rounds: usize) -> anyhow::Result<String> {
    let mut slowest = Duration::ZERO;
    for is_served in [false, true] {
        if is_served {
            bench.home.run(&["serve", "--daemon"])?;
        }
        for round in 0..rounds {
            let number = VOCABULARY + rounds * usize::from(is_served) + round;
            bench.record(&prompt(bench, &corpus::word(number), number))?;
            let began = Instant::now();
            let found = bench.found(&corpus::word(number))?;
            slowest = slowest.max(began.elapsed());
            let server = if is_served { "a server" } else { "no server" };
            bench.violations.unless(
                found == 1,
                format!("round {round} with {server}: {found} found of what was just acknowledged"),
            );
        }
        bench.read()?;
        let again = Question::Either(corpus::word(VOCABULARY), corpus::word(VOCABULARY + rounds));
        bench.agree(&again, "just recorded")?;
        if is_served {
            bench.home.run(&["stop"])?;
        }
    }
    Ok(format!("{rounds} without a server and {rounds} with one; slowest search {} ms", slowest.as_millis()))
}

fn prompt(bench: &Bench<'_>, word: &str, number: usize) -> serde_json::Value {
    json!({
        "session_id": format!("5e551011-0000-4000-8000-{number:012}"), "cwd": bench.home.path(),
        "hook_event_name": "UserPromptSubmit", "prompt": format!("please look at {word} once more"),
    })
}

// Full disks and read-only homes.

/// How much space is left when the index is written, in kilobytes: from none at all to enough for
/// some of its files.
const FREE_KILOBYTES: [u64; 7] = [0, 16, 48, 96, 160, 256, 1024];

/// How many entries arrive before each: enough for a commit, and after four of them a merge.
const ENTRIES_BETWEEN: usize = 150;

/// The disk is full while the index is written and merged; once there is space again, the index is
/// updated.
fn full(bench: &mut Bench<'_>, disk: &SmallDisk) -> anyhow::Result<String> {
    let mut failed = 0;
    for (number, room) in FREE_KILOBYTES.into_iter().cycle().take(2 * FREE_KILOBYTES.len()).enumerate() {
        bench.add(ENTRIES_BETWEEN)?;
        if number % 4 == 1 {
            std::fs::remove_dir_all(bench.directory())?;
        }
        // A server would have the database open. Every other time there is none, and searches have
        // no space for their own files.
        let reader = (number % 2 == 0).then(|| bench.reader()).transpose()?;
        let mut ballast = disk.fill();
        ballast.leave(room * 1024);
        let ended = bench.writer()?.wait()?;
        failed += usize::from(!ended.success());
        bench.agree_on(3, &format!("{room} kB left, after a writer {ended}"))?;
        drop(ballast);
        drop(reader);
        bench.agree_on(3, "with room again")?;
        if number % 3 == 2 {
            bench.update_index("with room again")?;
        }
    }
    bench.update_index("with room again")?;
    bench.agree_on_all("with room again")?;
    bench.violations.unless(failed > 0, "no writer met a full disk");
    Ok(format!("{failed} of {} writers failed for want of room", 2 * FREE_KILOBYTES.len()))
}

/// Nothing in the home can be written, by any process.
fn read_only(bench: &mut Bench<'_>, disk: &SmallDisk) -> anyhow::Result<String> {
    bench.add(ENTRIES_BETWEEN)?;
    disk.set_read_only(true);
    let outcome = bench.agree_on_all("read-only, with a tail");
    disk.set_read_only(false);
    outcome?;
    std::fs::remove_dir_all(bench.directory())?;
    disk.set_read_only(true);
    let outcome = bench.agree_on_all("read-only, without an index");
    disk.set_read_only(false);
    outcome?;
    bench.update_index("writable again")?;
    Ok("with an index and a tail, and without one".to_owned())
}

// Writers that die, and entries that arrive while there is no writer.

/// How long the started process may take: tens of thousands of entries on a busy machine.
const BROUGHT_UP_WITHIN: Duration = Duration::from_secs(180);

/// How many entries arrive between two writers.
const ADDED_BY_WRITERS: usize = 60;

/// Many entries and no server: answers are right before an index exists, while a separate process
/// builds it, and afterwards.
fn without_server(bench: &mut Bench<'_>, entries: usize) -> anyhow::Result<String> {
    bench.add(entries)?;
    let (began, mut looks, mut states) = (Instant::now(), 0, Vec::new());
    loop {
        let status = bench.index_status();
        if !states.contains(&status.state) {
            states.push(status.state);
        }
        let is_over = status.state == State::Ready && status.documents == entries as u64;
        bench.agree_on(2, "while nobody serves")?;
        looks += 1;
        if is_over {
            break;
        }
        if began.elapsed() > BROUGHT_UP_WITHIN {
            bench.violations.unless(false, format!("no process updated the index: {status:?}"));
            bench.update_index("by hand")?;
            break;
        }
    }
    bench.agree_on_all("brought up by a process of its own")?;
    Ok(format!("{entries} entries, {looks} looks in {:.1} s, {states:?}", began.elapsed().as_secs_f64()))
}

/// A writer is killed at a random time. Some writers are suspended first, and keep their lock until
/// the kill.
fn killed(bench: &mut Bench<'_>, rounds: u32) -> anyhow::Result<String> {
    let (mut hit, mut held) = (0, 0);
    let whole = timed_build(bench)?;
    for round in 0..rounds {
        bench.add(ADDED_BY_WRITERS)?;
        if round % 2 == 0 {
            std::fs::remove_dir_all(bench.directory())?;
        }
        let mut writer = bench.writer()?;
        std::thread::sleep(whole * (round % 16) / 14);
        let pid = Pid::from_child(&writer);
        if round % 3 == 0 && writer.try_wait()?.is_none() {
            kill_process(pid, Signal::STOP)?;
            if bench.directory().exists() {
                held += usize::from(IndexWriter::acquire(&bench.directory())?.is_none());
            }
            bench.agree_on(3, "its writer stopped")?;
        }
        hit += usize::from(writer.try_wait()?.is_none());
        writer.kill()?;
        writer.wait()?;
        bench.agree_on(4, "its writer killed")?;
        if round % 4 == 3 {
            bench.update_index("after a writer was killed")?;
            bench.agree_on(3, "brought up after a kill")?;
        }
    }
    bench.update_index("after all kills")?;
    bench.agree_on_all("after all kills")?;
    bench.violations.unless(hit > 0, "no writer was killed at work");
    bench.violations.unless(held > 0, "no writer held its lock when it was stopped");
    Ok(format!("{hit} of {rounds} killed at work, {held} stopped with the lock held"))
}

/// How long a build takes, so that the kills fall within it.
fn timed_build(bench: &mut Bench<'_>) -> anyhow::Result<Duration> {
    std::fs::remove_dir_all(bench.directory())?;
    let began = Instant::now();
    bench.update_index("timed")?;
    Ok(began.elapsed())
}
