//! Files of others that are only looked at.

use std::fs;
use std::path::Path;

/// The text of a file; nothing where it is missing, empty, longer than this or no file, so that a pipe is not waited for.
pub(crate) fn text(path: &Path, most: u64) -> Option<String> {
    let facts = fs::metadata(path).ok().filter(|facts| facts.is_file() && facts.len() <= most)?;
    (facts.len() > 0).then(|| fs::read_to_string(path).ok()).flatten()
}
