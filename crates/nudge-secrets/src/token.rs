//! Byte-level helpers of every detector: where a token begins and ends, and how varied it is.

/// The position of `needle` in `text`, from `from` on.
pub(super) fn find(text: &[u8], needle: &[u8], from: usize) -> Option<usize> {
    let first = *needle.first()?;
    let mut at = from;
    while at + needle.len() <= text.len() {
        at += text[at..].iter().position(|&b| b == first)?;
        if text[at..].starts_with(needle) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Whether a token can begin at `at`: nothing before it belongs to the same word.
///
/// The letter of an escaped line end (`\n` in JSON) and the digits of a percent escape belong to
/// the escape.
pub(super) fn begins(text: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).map(|i| text[i]);
    match before(1) {
        None => true,
        Some(b'n' | b'r' | b't') if before(2) == Some(b'\\') => true,
        Some(b) if b.is_ascii_hexdigit() && before(3) == Some(b'%') => {
            before(2).is_some_and(|b| b.is_ascii_hexdigit())
        }
        Some(b) => !b.is_ascii_alphanumeric() && b != b'_',
    }
}

/// Whether a token can end at `at`.
pub(super) fn ends(text: &[u8], at: usize) -> bool {
    !text.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

/// The number of different bytes.
pub(super) fn distinct(token: &[u8]) -> u32 {
    let mut seen = [0u64; 4];
    for &b in token {
        seen[(b >> 6) as usize] |= 1 << (b & 63);
    }
    seen.iter().map(|word| word.count_ones()).sum()
}

/// Shannon entropy in bits per byte.
pub(super) fn entropy(token: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for &b in token {
        counts[b as usize] += 1;
    }
    let total = token.len().max(1) as f32;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| {
            let share = count as f32 / total;
            -share * share.log2()
        })
        .sum()
}

/// The kinds of characters of a token, counted.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Classes {
    /// Lower-case ASCII letters.
    pub lower: usize,
    /// Upper-case ASCII letters.
    pub upper: usize,
    /// ASCII digits.
    pub digits: usize,
    /// Everything else.
    pub others: usize,
}

impl Classes {
    pub(super) fn of(token: &[u8]) -> Self {
        let mut classes = Self::default();
        for b in token {
            match b {
                b'a'..=b'z' => classes.lower += 1,
                b'A'..=b'Z' => classes.upper += 1,
                b'0'..=b'9' => classes.digits += 1,
                _ => classes.others += 1,
            }
        }
        classes
    }

    pub(super) fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether one of the parts of a name is a digest: `linux-node-20-<64 digits>`.
pub(super) fn holds_digest(name: &[u8]) -> bool {
    let is_digest =
        |part: &[u8]| [32, 40, 64].contains(&part.len()) && part.iter().all(u8::is_ascii_hexdigit);
    name.iter().any(|b| b"-_/".contains(b)) && name.split(|b| b"-_/".contains(b)).any(is_digest)
}
