//! A file that a scan found.

/// A file below the root, without its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedFile {
    /// Its path relative to the root, separated by `/`.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last modified.
    pub modified_ms: i64,
    /// When its content or attributes last changed; `None` if the system does not say.
    pub changed_ms: Option<i64>,
    /// Its number on its disk; `None` if the system has none.
    pub file_id: Option<u64>,
    /// Larger than the limit of the scan: listed, but its content is not wanted.
    pub too_large: bool,
}
