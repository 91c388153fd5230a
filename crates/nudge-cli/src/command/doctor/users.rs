//! Which other processes have the memory open.

use std::fs;
use std::path::Path;

/// The other processes that have this file open, as far as the system shows them to us. `None` if
/// it shows none.
pub(super) fn processes_with_open(file: &Path) -> Option<String> {
    // The links of open files point to the real path.
    let file = file.canonicalize().ok()?;
    let mut pids: Vec<u32> = fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| *pid != std::process::id() && has_open(*pid, &file))
        .collect();
    pids.sort_unstable();
    let pids: Vec<String> = pids.iter().map(|pid| format!("pid {pid}")).collect();
    (!pids.is_empty()).then(|| pids.join(", "))
}

fn has_open(pid: u32, file: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    open.into_iter().any(|descriptor| fs::read_link(descriptor.path()).is_ok_and(|path| path == file))
}
