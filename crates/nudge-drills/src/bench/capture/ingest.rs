//! Bulk inserts: how fast, how large, and whether the last rows are as fast as the first.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::Context;
use serde_json::{Value, json};

use super::scene::Scene;
use crate::bench::table::{Table, grouped};
use crate::stage::Home;

/// Rows in one transaction, as an import writes them.
const BATCH: u64 = 1_000;

pub(super) fn measure(scene: &Scene, table: &mut Table) -> anyhow::Result<()> {
    let Scene { large, small, plain, fts, .. } = scene;
    let beside = json!({"nudge": database(large)?, "plain": plain, "fts": fts, "rows": scene.rows});
    let report = observe(scene, beside)?;
    observe(scene, json!({"nudge": database(small)?, "rows": scene.rows / 10}))?;
    let tenths = report["tenths"].as_array().context("a report without its tenths")?;
    let ours = rate(tenths, "nudge");
    let what = format!("{} rows kept, {} at a time", grouped(scene.rows), grouped(BATCH));
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
pub(super) fn bare(scene: &Scene, rows: u64) -> anyhow::Result<[f64; 2]> {
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
    eprintln!("keeping {} rows", spec["rows"]);
    spec["batch"] = BATCH.into();
    spec["commands"] = json!(scene.commands);
    let output = scene
        .empty
        .bare(&scene.programs, "observe")
        .arg(spec.to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the rows cannot be made")?;
    anyhow::ensure!(output.status.success(), "making the rows ended with {}", output.status);
    Ok(serde_json::from_slice(&output.stdout)?)
}
