//! The names of the files that the engine and we write. Any other file in the directory belongs to
//! somebody else and stays.

/// The engine's list of segments, which a commit replaces.
pub(crate) const META: &str = "meta.json";

/// The file of the [seal](super::seal). The leading dot keeps it out of the engine's own garbage
/// collection.
pub(crate) const SEAL: &str = ".seal.json";

/// The engine's own list of files it has written.
pub(crate) const MANAGED: &str = ".managed.json";

/// The extensions of a segment's files. A list of deletions has the number of its commit before the
/// extension.
const PARTS: [&str; 7] = ["idx", "pos", "term", "store", "store.temp", "fast", "fieldnorm"];

/// How many random letters and digits end the name of a file that the engine is going to rename.
const RANDOM: usize = 6;

/// Whether a writer made a file of this name and may remove it.
pub(crate) fn is_written(name: &str) -> bool {
    matches!(name, META | SEAL | MANAGED | ".tantivy-writer.lock" | ".tantivy-meta.lock")
        || is_temporary(name)
        || is_segment(name)
}

fn is_temporary(name: &str) -> bool {
    name.strip_prefix(".tmp")
        .is_some_and(|end| end.len() == RANDOM && end.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

fn is_segment(name: &str) -> bool {
    let Some((id, part)) = name.split_once('.') else { return false };
    let is_id = id.len() == 32 && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let is_deletions = || {
        part.strip_suffix(".del")
            .is_some_and(|commit| !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_digit()))
    };
    is_id && (PARTS.contains(&part) || is_deletions())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_written_here() {
        let id = "0123456789abcdef0123456789abcdef";
        for part in ["idx", "pos", "term", "store", "store.temp", "fast", "fieldnorm", "12.del"] {
            assert!(is_written(&format!("{id}.{part}")), "{part}");
        }
        for name in ["meta.json", ".managed.json", ".seal.json", ".tmpaB3xYz", ".tantivy-writer.lock"] {
            assert!(is_written(name), "{name}");
        }
        for part in ["jpg", "del", "x.del", "idx.bak", ""] {
            assert!(!is_written(&format!("{id}.{part}")), "{part}");
        }
        for name in ["notes.md", ".tmp", ".tmp-notes", "abc.idx", id, ".keeper.lock", "my.json"] {
            assert!(!is_written(name), "{name}");
        }
    }
}
