//! The cost of capture, compared with a bare engine that stores the same words.
//!
//! Prints one Markdown table, ready for `docs/performance.md`. Both sides of a row are measured in
//! the same run, in turns. A missed aim is reported but does not fail the run, because a busy
//! machine can miss any of them.

mod hooks;
mod import;
mod ingest;
pub(super) mod payload;
mod scene;

use std::path::PathBuf;

use anyhow::Context;

use super::table::{Table, grouped};
use crate::stage::{Home, Programs, bench_cache};
use scene::Scene;

/// The number of rows that CI measures.
const ROWS: u64 = 100_000;

/// Measures everything and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let (rows, commands) = options(args)?;
    let dir = bench_cache()?.join("capture");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let programs = Programs::build()?;
    let home = |name: &str| Home::kept(dir.join(name), &programs);
    let scene = Scene {
        large: home("large")?,
        small: home("small")?,
        empty: home("empty")?,
        plain: dir.join("plain.db"),
        fts: dir.join("fts.db"),
        programs: programs.clone(),
        rows,
        commands,
    };
    let source = scene
        .commands
        .as_ref()
        .map_or("made-up commands".to_owned(), |file| format!("commands of {}", file.display()));
    eprintln!("{} rows, {source}", grouped(rows));
    let mut table = Table::default();
    ingest::measure(&scene, &mut table)?;
    import::measure(&scene, &mut table)?;
    hooks::measure(&scene, &mut table)?;
    print!("{table}");
    std::fs::remove_dir_all(&dir)?;
    Ok(true)
}

fn options(args: &[&str]) -> anyhow::Result<(u64, Option<PathBuf>)> {
    let (mut rows, mut commands) = (ROWS, None);
    let mut args = args.iter();
    while let Some(name) = args.next() {
        let value = args.next().with_context(|| format!("{name} needs a value"))?;
        match *name {
            "--rows" => rows = value.parse().with_context(|| format!("{value} is no number of rows"))?,
            "--commands" => commands = Some(std::path::absolute(value)?),
            _ => anyhow::bail!("bench capture takes --rows N and --commands FILE"),
        }
    }
    anyhow::ensure!(rows >= 10_000, "fewer than 10,000 rows say nothing");
    Ok((rows, commands))
}
