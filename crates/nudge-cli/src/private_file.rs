//! Files that only their owner can read.

use std::io::Write;
use std::path::Path;

use nudge_core::{Fault, FaultKind};

/// Writes a file that only its owner may read. It is written completely or not at all.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let write = || {
        // Temporary files are made with mode 0600.
        let mut file = tempfile::Builder::new().prefix(".nudge-").tempfile_in(dir)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error: std::io::Error| {
        Fault::new(FaultKind::Unavailable, "unwritable", format!("cannot write {}: {error}", path.display()))
            .next("choose another file, or make its directory writable")
    })
}
