//! Full disks and read-only homes.

use super::bench::Bench;
use crate::drill::small_disk::SmallDisk;

/// How much space is left when the index is written, in kilobytes: from none at all to enough for
/// some of its files.
const ROOMS: [u64; 7] = [0, 16, 48, 96, 160, 256, 1024];

/// How many entries arrive before each: enough for a commit, and after four of them a merge.
const BETWEEN: usize = 150;

/// The disk is full while the index is written and merged; once there is space again, the index is
/// updated.
pub(super) fn full(bench: &mut Bench<'_>, disk: &SmallDisk) -> anyhow::Result<String> {
    let mut failed = 0;
    for (number, room) in ROOMS.into_iter().cycle().take(2 * ROOMS.len()).enumerate() {
        bench.add(BETWEEN)?;
        if number % 4 == 1 {
            std::fs::remove_dir_all(bench.directory())?;
        }
        // A server would have the database open. Every other time there is none, and searches have
        // no space for their own files.
        let reader = (number % 2 == 0).then(|| bench.reader()).transpose()?;
        let mut ballast = disk.fill()?;
        ballast.leave(room * 1024)?;
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
    bench.verdict.demand(failed > 0, "no writer met a full disk");
    Ok(format!("{failed} of {} writers failed for want of room", 2 * ROOMS.len()))
}

/// Nothing in the home can be written, by any process.
pub(super) fn read_only(bench: &mut Bench<'_>, disk: &SmallDisk) -> anyhow::Result<String> {
    bench.add(BETWEEN)?;
    disk.set_read_only(true)?;
    let outcome = bench.agree_on_all("read-only, with a tail");
    disk.set_read_only(false)?;
    outcome?;
    std::fs::remove_dir_all(bench.directory())?;
    disk.set_read_only(true)?;
    let outcome = bench.agree_on_all("read-only, without an index");
    disk.set_read_only(false)?;
    outcome?;
    bench.update_index("writable again")?;
    Ok("with an index and a tail, and without one".to_owned())
}
