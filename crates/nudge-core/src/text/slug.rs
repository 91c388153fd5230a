//! Short names for paths, made from any text.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The longest slug, in characters.
pub const SLUG_MOST: usize = 80;

const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// A name for use in a path: words joined by `_`, everything else URI-encoded, at most 80
/// characters. A name that had to be cut ends in a number that depends on the whole text.
pub fn slug(text: &str) -> String {
    let words: Vec<&str> = text.split(|c: char| c.is_whitespace() || c.is_control() || c == '/').collect();
    let joined = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("_");
    let whole = utf8_percent_encode(&joined, KEPT).to_string();
    if whole.len() <= SLUG_MOST {
        return if whole.is_empty() { "empty".to_owned() } else { whole };
    }
    let tail = format!("_{:08x}", checksum(text));
    let mut end = SLUG_MOST - tail.len();
    // Never inside an encoded byte.
    if let Some(at) = whole[end.saturating_sub(2)..end].find('%') {
        end = end - 2 + at;
    }
    format!("{}{tail}", &whole[..end])
}

/// FNV-1a, which never changes.
fn checksum(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_short_and_safe() {
        assert_eq!(slug("fix the  router"), "fix_the_router");
        assert_eq!(slug("known://a/b?c"), "known%3A_a_b%3Fc");
        assert_eq!(slug(" \n "), "empty");
        let long = "ü".repeat(90);
        assert!(slug(&long).len() <= SLUG_MOST && slug(&long).is_ascii());
        assert_ne!(slug(&long), slug(&"ü".repeat(91)));
        for cut in 0..12 {
            let name = slug(&format!("{}{}", "a".repeat(60 + cut), "é".repeat(20)));
            assert!(name.len() <= SLUG_MOST, "{name}");
            let encoded = percent_encoding::percent_decode_str(&name).decode_utf8_lossy().into_owned();
            assert!(!encoded.contains('%'), "{name}");
        }
    }
}
