//! The product, opened in this process.

use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use nudge_core::Timestamp;
use nudge_home::Settings;
use nudge_memory::Memory;
use nudge_store::{HostIdentity, Location, OpenOptions, Store};
use serde_json::json;

use crate::figures;

/// A memory on this database, which is created if it does not exist.
pub fn memory(db: &Path) -> anyhow::Result<Memory> {
    let store = Store::open(&OpenOptions {
        location: Location::File(db.to_owned()),
        read_only: false,
        host: HostIdentity::default(),
        now: now()?,
        busy: Duration::from_secs(10),
        backups: None,
    })?;
    Ok(Memory::open(store, Settings::default()))
}

/// The current time.
pub fn now() -> anyhow::Result<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH)?;
    Ok(Timestamp::from_millis(i64::try_from(since.as_millis())?))
}

// Builds the search index of a store from scratch, as the server does, and prints how long that
// took.
//
// `index-store DB`. An existing index is removed first.

/// Longer than a build takes.
const BUILD_TIMEOUT: Duration = Duration::from_secs(24 * 60 * 60);

pub(crate) fn run_index(args: &[String]) -> anyhow::Result<()> {
    let db = args.first().context("usage: index-store DB")?;
    let directory = Path::new(&db).with_file_name("index");
    if directory.exists() {
        std::fs::remove_dir_all(&directory)?;
    }
    let memory = memory(Path::new(&db))?;
    let start = Instant::now();
    let progress =
        memory.update_index(BUILD_TIMEOUT, now()?).map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
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
        "peak_bytes": figures::peak_bytes(),
    });
    println!("{report}");
    Ok(())
}
