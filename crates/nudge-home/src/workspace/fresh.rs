//! Whether a file still has the content that was hashed, judged without reading it.

use super::hash::FileHash;
use super::scanned::ScannedFile;

/// How much older than its hash a modification time must be, in milliseconds. FAT stores times in
/// steps of two seconds: two writes within one step look the same.
pub const SETTLED_MS: i64 = 2_000;

/// What was remembered when a file was hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFile {
    /// Its size in bytes.
    pub size: u64,
    /// Its modification time.
    pub modified_ms: i64,
    /// When its content or attributes had last changed; `None` if unknown.
    pub changed_ms: Option<i64>,
    /// Its number on its disk; `None` if unknown.
    pub file_id: Option<u64>,
    /// The hash of its content.
    pub hash: FileHash,
    /// When the reading for the hash began, or earlier, such as the start of that scan.
    pub hashed_ms: i64,
}

/// Whether the known hash still holds for a file that a scan found.
///
/// Size, times and file number must be the same. And the times must have been at least two seconds
/// old when the file was hashed: a younger file could have been written once more without a visible
/// trace. Git has the same rule for its index. Such a file, and one dated in the future, is hashed
/// again.
pub fn is_fresh(known: &KnownFile, found: &ScannedFile) -> bool {
    let is_same = known.size == found.size
        && known.modified_ms == found.modified_ms
        && same_if_known(known.changed_ms, found.changed_ms)
        && same_if_known(known.file_id, found.file_id);
    let newest = known.changed_ms.map_or(known.modified_ms, |changed| changed.max(known.modified_ms));
    is_same && newest <= known.hashed_ms.saturating_sub(SETTLED_MS)
}

fn same_if_known<T: PartialEq>(one: Option<T>, other: Option<T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: KnownFile = KnownFile {
        size: 5,
        modified_ms: 10_000,
        changed_ms: Some(10_000),
        file_id: Some(7),
        hash: FileHash::ZERO,
        hashed_ms: 12_000,
    };

    fn found() -> ScannedFile {
        ScannedFile {
            path: "a".into(),
            size: 5,
            modified_ms: 10_000,
            changed_ms: Some(10_000),
            file_id: Some(7),
            too_large: false,
        }
    }

    #[test]
    fn an_unchanged_settled_file_is_fresh() {
        assert!(is_fresh(&KNOWN, &found()));
        assert!(is_fresh(&KNOWN, &ScannedFile { changed_ms: None, file_id: None, ..found() }));
    }

    #[test]
    fn any_difference_means_hashing_again() {
        assert!(!is_fresh(&KNOWN, &ScannedFile { size: 6, ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { modified_ms: 9_999, ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { changed_ms: Some(10_001), ..found() }));
        assert!(!is_fresh(&KNOWN, &ScannedFile { file_id: Some(8), ..found() }));
    }

    #[test]
    fn a_time_that_was_put_back_just_before_the_hash_is_not_trusted() {
        let known = KnownFile { changed_ms: Some(10_001), ..KNOWN };
        assert!(!is_fresh(&known, &ScannedFile { changed_ms: Some(10_001), ..found() }));
    }

    #[test]
    fn a_file_younger_than_two_seconds_at_its_hash_is_not_trusted() {
        for hashed_ms in [11_999, 10_000, 9_000, i64::MIN] {
            assert!(!is_fresh(&KnownFile { hashed_ms, ..KNOWN }, &found()), "{hashed_ms}");
        }
    }
}
