//! Hashes of values that only need to be compared.

/// Hashes these words in this order. Each word is preceded by its length, so that different lists
/// never hash the same bytes.
pub(crate) fn of(words: &[&str]) -> i64 {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    i64::from_le_bytes(first)
}
