//! The cost of recall in large stores, compared with bare engines that have the same rows.
//!
//! Rows of prose go into a Nudge store through the normal capture path, into a bare Tantivy index
//! and into a bare FTS5 table; then all are asked the same questions in turn. The stores are kept
//! for the next run. Prints one Markdown table, ready for `docs/performance.md`. A missed aim is
//! reported but does not fail the run, because a busy machine can miss any of them.

mod process;
pub(super) mod race;
pub(super) mod scene;
mod search;
mod start;
pub(super) mod stores;

use anyhow::Context;

use super::table::{Table, grouped};
use crate::stage::Programs;
use scene::{Options, Scene};

/// The number of rows that CI measures.
const ROWS: u64 = 100_000;

/// The default file of words with their counts, relative to the repository; used if it exists and
/// no other is given.
const WORDS: &str = "../shared/bench/engine/bare-sqlite/vocab.tsv";

/// Measures everything and prints the table.
pub(super) fn run(args: &[&str]) -> anyhow::Result<bool> {
    let options = options(args)?;
    let programs = Programs::build()?;
    let said = options.words.as_ref().map_or("made-up words".to_owned(), |file| file.display().to_string());
    eprintln!("{} rows, words: {said}", grouped(options.rows));
    let (home, stores) = stores::make(&programs, &options)?;
    let scene = Scene { programs, home, rows: options.rows, words: options.words.clone(), stores };
    let mut table = Table::default();
    stores::measure(&scene, &mut table)?;
    if !options.only_hooks {
        search::measure(&scene, &mut table)?;
        process::measure(&scene, &mut table)?;
    }
    start::measure(&scene, &mut table)?;
    print!("{table}");
    Ok(true)
}

fn options(args: &[&str]) -> anyhow::Result<Options> {
    let words = crate::repository::root().join(WORDS);
    let words = words.is_file().then(|| words.canonicalize()).transpose()?;
    let mut options =
        Options { rows: ROWS, words, is_fresh: false, with_fts: true, filled_by: None, only_hooks: false };
    let mut args = args.iter();
    while let Some(name) = args.next() {
        match *name {
            "--fresh" => options.is_fresh = true,
            "--without-fts" => options.with_fts = false,
            "--hooks" => options.only_hooks = true,
            "--rows" | "--words" => {
                let value = args.next().with_context(|| format!("{name} needs a value"))?;
                if *name == "--words" {
                    options.words = Some(std::path::absolute(value)?);
                } else {
                    options.rows = value.parse().with_context(|| format!("{value} is no number of rows"))?;
                }
            }
            _ => anyhow::bail!(
                "bench recall-scale takes --rows N, --words FILE, --fresh, --without-fts and --hooks"
            ),
        }
    }
    anyhow::ensure!(options.rows >= 10_000, "fewer than 10,000 rows say nothing");
    Ok(options)
}
