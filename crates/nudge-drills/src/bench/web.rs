//! Measures how soon the page shows its content in a large store, in Debian's Chromium.
//!
//! The store is that of `recall-scale`. A browser signs in and opens every page many times; a page
//! is filled when nothing in it waits for an answer any more. The calls of all pages are timed,
//! too. Then hooks report events and keys decide proposals, each until the browser has painted it.
//! `tests/web/bench.py` drives the browser and prints the tables.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use super::recall_scale::stores;
use super::table::grouped;
use crate::repository;
use crate::stage::{Home, Programs, free_port};

/// The arguments.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The rows in the store.
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(10_000..))]
    rows: u64,
    /// How often each page is opened.
    #[arg(long, value_name = "N", default_value_t = 20)]
    times: u32,
    /// A Python that has Playwright.
    #[arg(long, value_name = "FILE", default_value = "target/ci-venv/bin/python")]
    python: PathBuf,
}

/// Opens every page and prints the table.
pub(super) fn run(options: &Options) -> anyhow::Result<bool> {
    let programs = Programs::build()?;
    let wanted =
        stores::Wanted { rows: options.rows, words: None, is_fresh: false, with_fts: false, filled_by: None };
    let (home, _) = stores::make(&programs, &wanted)?;
    eprintln!("{} rows", grouped(options.rows));
    home.run(&["maintain"])?;
    home.run(&["serve", "--daemon", "--port", &free_port()?.to_string()])?;
    let passed = opened(options, &home, &home.run(&["ui", "--print"])?);
    home.run(&["stop"])?;
    passed
}

/// Runs the browser; returns whether everything was there in time.
fn opened(options: &Options, home: &Home, link: &str) -> anyhow::Result<bool> {
    let status = Command::new(&options.python)
        .args(["-B", "tests/web/bench.py", "--link", link.trim(), "--times", &options.times.to_string()])
        .arg("--bin")
        .arg(home.binary())
        .arg("--home")
        .arg(home.path())
        .current_dir(repository::root())
        .status()
        .with_context(|| format!("{} cannot be started", options.python.display()))?;
    Ok(status.success())
}
