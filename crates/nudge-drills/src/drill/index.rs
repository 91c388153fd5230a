//! Damages the search index in every way, and compares every answer with a scan of the database.
//! Shows @recall_index_disposable, @recall_tail, @recall_fresh and @recall_purge.
//!
//! Answers come from the program itself, one process per page. The scan reads the rows through the
//! store and compares words; it uses neither the analyzer nor the index nor the query language.
//! Full disks and read-only homes are separate mounts, which need root.

mod bench;
mod corpus;
mod fresh;
mod harm;
mod purged;
mod room;
mod small_commits;
mod writers;

use std::time::Instant;

use super::small_disk::SmallDisk;
use super::verdict::Verdict;
use crate::stage::{Home, Programs};
use bench::Bench;

/// The size of the disk for the home that fills up and for the many small commits.
const DISK_MEGABYTES: u64 = 768;

/// How many entries the home on the small disk begins with.
const ON_SMALL_DISK: usize = 1_500;

/// The size of the drill.
pub(super) struct Size {
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

pub(super) const FULL: Size = Size { entries: 50_000, flips: 4, kills: 64, fresh: 200, commits: 100_000 };
pub(super) const SHORT: Size = Size { entries: 3_000, flips: 1, kills: 8, fresh: 12, commits: 2_000 };

/// Runs all parts with the product, or with a binary that is already built (and `nudge-bare`
/// next to it), and prints a line for each part.
pub(super) fn run(size: &Size, built: Option<&str>) -> anyhow::Result<bool> {
    let nudge = match built {
        Some(nudge) => std::fs::canonicalize(nudge)?,
        None => Programs::build()?.nudge(),
    };
    let bare = nudge.with_file_name("nudge-bare");
    let mut verdict = Verdict::default();
    let began = Instant::now();
    let disk = SmallDisk::mount(DISK_MEGABYTES)?;
    let place = disk.path()?.join("home");
    std::fs::create_dir(&place)?;

    let mut small = Bench::new(Home::at(place, nudge.clone()), &mut verdict)?;
    small.add(ON_SMALL_DISK)?;
    small.update_index("on a small disk")?;
    played(&mut small, "disk full while it is written", |bench| room::full(bench, &disk))?;
    played(&mut small, "home read-only", |bench| room::read_only(bench, &disk))?;
    let other = small.directory();

    let mut main = Bench::new(Home::of(nudge.clone())?, &mut verdict)?;
    played(&mut main, "no server", |bench| writers::without_server(bench, size.entries))?;
    played(&mut main, "cut, bits flipped, files removed", |bench| harm::files(bench, size.flips))?;
    played(&mut main, "deleted", harm::deleted)?;
    played(&mut main, "of an older version", harm::older)?;
    played(&mut main, "of another memory", |bench| harm::foreign(bench, &other))?;
    played(&mut main, "writer killed, its lock held", |bench| writers::killed(bench, size.kills))?;
    played(&mut main, "found at once", |bench| fresh::found_at_once(bench, size.fresh))?;
    let left = main.home.wait_until_empty(std::time::Duration::from_secs(10));
    verdict.demand(left.is_empty(), format!("processes left behind: {left:?}"));

    let mut third = Bench::new(Home::of(nudge)?, &mut verdict)?;
    played(&mut third, "purged", purged::leaves_nothing)?;

    let place = disk.path()?.join("commits");
    let reported = small_commits::stay_small(&bare, &place, size.commits, &mut verdict)?;
    println!("{:<34} {reported}", "small commits and deletions");
    println!("in {:.0} s", began.elapsed().as_secs_f64());
    Ok(verdict.close("every answer is that of a scan; what is purged is gone; the index stays small"))
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
