//! Builds the search index of a store from scratch, as the server does, and prints how long that
//! took.
//!
//! `index-store DB`. An existing index is removed first.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::json;

use crate::{product, resident};

/// Longer than a build takes.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn run(args: &[String]) -> anyhow::Result<()> {
    let db = args.first().context("usage: index-store DB")?;
    let directory = Path::new(&db).with_file_name("index");
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    let memory = product::memory(Path::new(&db))?;
    let start = Instant::now();
    let progress = memory.keep_index(LONG, product::now()?).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let seconds = start.elapsed().as_secs_f64();
    let progress = progress.context("another process writes the index")?;
    anyhow::ensure!(progress.is_complete, "the index is not complete");
    let status = memory.index().status();
    let bytes = std::fs::read_dir(&directory)?
        .map(|file| Ok(file?.metadata()?.len()))
        .sum::<std::io::Result<u64>>()?;
    let report = json!({
        "documents": progress.documents,
        "segments": status.segments,
        "seconds": seconds,
        "bytes": bytes,
        "peak_bytes": resident::peak_bytes(),
    });
    println!("{report}");
    Ok(())
}
