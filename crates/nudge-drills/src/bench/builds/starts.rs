//! The start of a session in both builds, compared with a bare insert: alone, with another session
//! that has the database open, and with a server.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::{Builds, PREFIX, RUNS};
use crate::bench::capture::hook_payload;
use crate::bench::recall_scale::stores::{Turn, race};
use crate::bench::table::{Aim, Figures, Table, grouped};
use crate::stage::Worker;

/// The allowed ratio to the earlier build.
const SAME: Aim = Aim::Median(1.1);

/// The largest store that the first of two aims applies to.
const LARGE: u64 = 1_000_000;

/// Measures the three settings.
pub(super) fn measure(builds: &Builds, plain: &Path, table: &mut Table) -> anyhow::Result<()> {
    let alone = sides(builds, plain, "alone")?;
    add(builds, table, "no server, nobody else there", alone);
    let held = hold(builds, plain)?;
    let open = sides(builds, plain, "open");
    held.wait()?;
    add(builds, table, "no server, another session has the database open", open?);
    let served = builds.with_servers(|| sides(builds, plain, "served"))?;
    add(builds, table, "with a server", served);
    Ok(())
}

/// The later build, the earlier one and a bare insert, in turns.
fn sides(builds: &Builds, plain: &Path, name: &str) -> anyhow::Result<[Figures; 3]> {
    let speaks =
        |home, run| -> anyhow::Result<Turn> { Ok(Turn { speaks: true, ..builds.start(home, name, run)? }) };
    let after = |run| speaks(&builds.after, run);
    let before = |run| speaks(&builds.before, run);
    let bare = |run: usize| {
        let mut command = builds.after.bare(&builds.programs, "bare-record");
        command.arg(plain);
        Ok(Turn { command, input: hook_payload(run, PREFIX), speaks: false })
    };
    race([&after, &before, &bare], RUNS)
}

fn add(builds: &Builds, table: &mut Table, setting: &str, [after, before, bare]: [Figures; 3]) {
    let most = Aim::Below(Duration::from_millis(if builds.rows <= LARGE { 30 } else { 60 }));
    let what = format!("SessionStart among {} rows, {setting}", grouped(builds.rows));
    table.compare(&what, after, ("build before", before), SAME);
    table.compare("the same", after, ("bare insert, whole process", bare), most);
}

/// Another process that has all databases open.
fn hold(builds: &Builds, plain: &Path) -> anyhow::Result<Worker> {
    let spec = json!({"databases": [builds.after.database(), builds.before.database(), plain]});
    let worker = Worker::start(builds.after.bare(&builds.programs, "hold-store"), &spec)?;
    worker.line()?;
    Ok(worker)
}
