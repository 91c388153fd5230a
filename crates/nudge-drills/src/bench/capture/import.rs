//! `nudge import claude` of transcripts, compared with bare inserts of the same rows and with a
//! bare program that reads the same files.

use std::time::Duration;

use serde_json::json;

use super::ingest;
use super::scene::Scene;
use crate::bench::table::{Table, grouped};
use crate::bench::timed::timed;

/// More rows would take space and time without changing the result.
const ROWS_MOST: u64 = 200_000;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { programs, empty, .. } = scene;
    let rows = scene.rows.min(ROWS_MOST);
    let dir = empty.path().join("transcripts");
    let bare_import = || empty.bare(programs, "bare-import");
    let spec = json!({"dir": dir, "rows": rows, "commands": scene.commands});
    timed(bare_import().arg("write").arg(spec.to_string()))?;
    let [fts, plain] = ingest::bare(scene, rows)?;
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
