//! The peak memory use of this process.

/// The peak resident memory in bytes; 0 where the system does not report it.
pub fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix(" kB")).and_then(|number| number.trim().parse().ok());
    kilobytes.unwrap_or(0_u64) * 1024
}
