//! Reads of the kernel on a large store, compared with the same reads on a small one: does their
//! time stay flat?

use std::process::Stdio;

use anyhow::Context;
use serde_json::Value;

use super::size::Size;
use super::store;
use super::table::{Aim, Figures, Table, grouped};
use crate::stage::Programs;

/// Entries in the small store.
const SMALL: u64 = 10_000;

/// Hints are as frequent in the small store as in the large one.
const SMALL_HINTS: u64 = 50;

pub(super) fn measure(programs: &Programs, size: Size, table: &mut Table) -> anyhow::Result<()> {
    let small = store::generated(programs, SMALL, SMALL_HINTS)?;
    let large = store::generated(programs, size.entries(), 5_000)?;
    for database in [small.database(), large.database()] {
        // Reads the file into the page cache, so that the disk does not affect the result.
        std::io::copy(&mut std::fs::File::open(database)?, &mut std::io::sink())?;
    }
    let output = small
        .bare(programs, "kernel")
        .arg("flat")
        .args([small.database(), large.database()])
        .arg(size.samples().to_string())
        .stderr(Stdio::inherit())
        .output()
        .context("the kernel bench cannot be started")?;
    anyhow::ensure!(output.status.success(), "the kernel bench ended with {}", output.status);
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout)?;
    for row in &rows {
        let what =
            format!("{}, of {} entries", row["read"].as_str().unwrap_or_default(), grouped(size.entries()));
        let [ours, theirs] = ["large", "small"].map(|side| Figures::from_json(&row[side]));
        table.compare(&what, ours, ("of 10,000", theirs), Aim::Tail(2.0));
    }
    Ok(())
}
