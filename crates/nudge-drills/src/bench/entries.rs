//! The cost of the verbs over entries in a large store, compared with bare reads of the same file.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns. A missed aim is reported; only a ratio far beyond it fails the run,
//! because a busy machine can miss any of them.

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use super::table::{Aim, Figures, Table, grouped, verdict};
use crate::args::Size;
use crate::stage::{Programs, bench_cache};

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    size: Size,
    /// The number of entries.
    #[arg(long, value_name = "N", conflicts_with = "short", value_parser = clap::value_parser!(u64).range(20_000..))]
    rows: Option<u64>,
}

/// The entries in the full form and in CI.
const FULL_ENTRIES: u64 = 1_000_000;
const SHORT_ENTRIES: u64 = 100_000;

/// The rounds of each comparison.
const ROUNDS: u32 = 11;

/// The aims for previews and for long streams, and the ratios that fail the run.
const PREVIEW_RATIO: f64 = 2.0;
const PREVIEW_FAILS: f64 = 4.0;
const STREAM_RATIO: f64 = 1.3;
const STREAM_FAILS: f64 = 2.0;

/// Measures everything and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let rows = options.rows.unwrap_or(options.size.pick((FULL_ENTRIES, SHORT_ENTRIES)));
    let programs = Programs::baselines()?;
    let dir = bench_cache()?.join("entries");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    std::fs::create_dir_all(&dir)?;
    let db = dir.join("nudge.db");
    let call = |mode: &str, number: String| -> anyhow::Result<Vec<u8>> {
        let mut command = std::process::Command::new(programs.bare());
        command.args(["time-entries", mode]).arg(&db).arg(number).stderr(Stdio::inherit());
        let output = command.output().context("the bench of entries cannot be started")?;
        anyhow::ensure!(output.status.success(), "time-entries {mode} ended with {}", output.status);
        Ok(output.stdout)
    };
    eprintln!("making a store of {} entries", grouped(rows));
    call("make", rows.to_string())?;
    let report: Value = serde_json::from_slice(&call("time", ROUNDS.to_string())?)?;
    let mut table = Table::default();
    let holds =
        [previews(&report, rows, &mut table), bodies(&report, &mut table), appends(&report, &mut table)];
    print!("{table}");
    std::fs::remove_dir_all(&dir)?;
    Ok(holds.iter().all(|holds| *holds))
}

/// The reads against the bare ones; false if one is far too slow.
fn previews(report: &Value, rows: u64, table: &mut Table) -> bool {
    let mut holds = true;
    for read in report["reads"].as_array().into_iter().flatten() {
        let what = read["what"].as_str().unwrap_or_default();
        let matched = grouped(read["rows"].as_u64().unwrap_or_default());
        let [ours, bare] = ["nudge", "bare"].map(|side| Figures::from_json(&read[side]));
        let is_preview = what.starts_with("preview");
        let (yardstick, aim) = if is_preview {
            ("index scan", Aim::Median(PREVIEW_RATIO))
        } else {
            ("bodies by path", Aim::None)
        };
        let what = format!("`get`, {what}, {matched} of {} entries", grouped(rows));
        table.compare(&what, ours, (yardstick, bare), aim);
        holds &= !is_preview || ours.p50 <= bare.p50.mul_f64(PREVIEW_FAILS) + Duration::from_millis(2);
    }
    holds
}

/// How many bodies were read.
fn bodies(report: &Value, table: &mut Table) -> bool {
    let read = |name: &str| report["bodies"][name].as_u64();
    let (preview, filter, in_range) = (read("preview"), read("filter"), read("in_range"));
    let shown = |count: Option<u64>| count.map_or("?".to_owned(), grouped);
    let (none, all) = (preview == Some(0), in_range.is_some() && filter == in_range);
    table.count("bodies read by a preview", shown(preview), &format!("0, {}", verdict(none)));
    let aim = format!("{}, {}", shown(in_range), verdict(all));
    table.count("bodies read by a filter over them", shown(filter), &aim);
    none && all
}

/// Whether appending gets slower as the body grows.
fn appends(report: &Value, table: &mut Table) -> bool {
    let read = |name: &str| report["appends"][name].as_f64().unwrap_or_default();
    let (short, long) = (read("short_s_per_mib"), read("long_s_per_mib"));
    let ratio = long / short;
    let figures = format!("{:.0} ms and {:.0} ms, {ratio:.2}×", short * 1e3, long * 1e3);
    let aim = format!("≤ {STREAM_RATIO:.1}×, {}", verdict(ratio <= STREAM_RATIO));
    table.count("a MiB in appends of 4 KiB, to a body of 2.5 MiB and of 10 MiB", figures, &aim);
    ratio <= STREAM_FAILS
}
