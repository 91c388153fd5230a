//! Credentials generated at test time, so that none is written in the sources.

/// A small generator with a fixed seed: the same text on every machine.
pub(in super::super) fn from(alphabet: &str, seed: u64, length: usize) -> String {
    let alphabet: Vec<char> = alphabet.chars().collect();
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0xD1B5_4A32_D192_ED03);
    (0..length)
        .map(|_| {
            state ^= state >> 12;
            state ^= state << 25;
            state ^= state >> 27;
            alphabet[(state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % alphabet.len()]
        })
        .collect()
}

pub(in super::super) fn hex(seed: u64, length: usize) -> String {
    from("0123456789abcdef", seed, length)
}

pub(in super::super) fn base62(seed: u64, length: usize) -> String {
    from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", seed, length)
}

pub(in super::super) fn base64(seed: u64, length: usize) -> String {
    from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", seed, length)
}

pub(in super::super) fn base64url(seed: u64, length: usize) -> String {
    from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", seed, length)
}

pub(in super::super) fn lower(seed: u64, length: usize) -> String {
    from("abcdefghijklmnopqrstuvwxyz0123456789", seed, length)
}

pub(in super::super) fn upper(seed: u64, length: usize) -> String {
    from("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", seed, length)
}

pub(in super::super) fn digits(seed: u64, length: usize) -> String {
    from("123456789", seed, length)
}

pub(in super::super) fn uuid(seed: u64) -> String {
    let h = hex(seed, 32);
    format!("{}-{}-4{}-a{}-{}", &h[..8], &h[8..12], &h[13..16], &h[17..20], &h[20..])
}
