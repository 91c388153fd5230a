//! Reads small files of other programs.

use std::fs;
use std::path::Path;

/// The text of a file; `None` if it is missing, empty, longer than `most` or not a regular file. A
/// pipe would block.
pub(crate) fn text(path: &Path, most: u64) -> Option<String> {
    let facts = fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() <= most)?;
    (facts.len() > 0).then(|| fs::read_to_string(path).ok()).flatten()
}
