//! Homes with generated stores, kept between runs because a large store takes minutes to make.

use anyhow::Context;

use crate::stage::{Home, Programs, bench_cache};

/// A home with this many entries, including hints; made if no earlier run has made it.
pub(super) fn generated(programs: &Programs, entries: u64, hints: u64) -> anyhow::Result<Home> {
    let dir = bench_cache()?.join(format!("store-{entries}-{hints}"));
    let home = Home::kept(dir.clone(), programs)?;
    let finished = dir.join("finished");
    if finished.exists() && home.run(&["ls"]).is_ok() {
        return Ok(home);
    }
    eprintln!("making a store of {entries} entries with {hints} hints");
    std::fs::remove_dir_all(&dir)?;
    std::fs::create_dir_all(home.memory())?;
    let db = home.database();
    let status = home
        .bare(programs, "kernel")
        .arg("make")
        .arg(&db)
        .args([entries.to_string(), hints.to_string()])
        .status()
        .context("the generator cannot be started")?;
    anyhow::ensure!(status.success(), "the store was not made");
    std::fs::write(&finished, "")?;
    Ok(home)
}
