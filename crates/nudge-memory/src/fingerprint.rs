//! Hashes of what only has to be compared.

/// A number that stands for these words in this order. Each is preceded by its length, so that no two
/// lists of words run together.
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
