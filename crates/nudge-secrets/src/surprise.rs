//! How surprising a string of characters would be if a person had written it.
//!
//! Names, words and paths follow letter statistics: `th` is common, `qz` is not, and digits come at
//! the end of a word. A random generator does not. The sum over adjacent characters distinguishes
//! the two with a few dozen of them, where counting symbols cannot: `getElementById` has as much
//! entropy as a token.

/// Bits of evidence that a random generator, not a person, wrote this.
///
/// Positive for random tokens (about one bit and a half per character), strongly negative for
/// identifiers, paths and prose.
pub(super) fn surprise(token: &[u8]) -> f32 {
    token.windows(2).map(|pair| pair_surprise(pair[0], pair[1])).sum()
}

/// Whether many steps go to the very next character, as in an alphabet or a counter.
pub(super) fn is_sequence(token: &[u8]) -> bool {
    let steps =
        token.windows(2).filter(|pair| pair[0].wrapping_add(1) == pair[1] || pair[0] == pair[1]).count();
    steps * 3 > token.len()
}

/// People rarely alternate letters and digits, generators do it all the time. The constants are the
/// logarithms of how often each happens in identifiers compared with base 62.
fn pair_surprise(a: u8, b: u8) -> f32 {
    match (kind(a), kind(b)) {
        (Kind::Lower, Kind::Lower) | (Kind::Upper, Kind::Upper) => -habit(a, b),
        (Kind::Upper, Kind::Lower) => -0.5 * habit(a, b) - 0.3,
        (Kind::Lower, Kind::Upper) => 1.5,
        (Kind::Lower | Kind::Upper, Kind::Digit) => 3.0,
        (Kind::Digit, Kind::Lower | Kind::Upper) => 1.5,
        (Kind::Digit, Kind::Digit) => -1.0,
        (Kind::Mark, _) | (_, Kind::Mark) => -0.7,
    }
}

enum Kind {
    Lower,
    Upper,
    Digit,
    Mark,
}

fn kind(b: u8) -> Kind {
    match b {
        b'a'..=b'z' => Kind::Lower,
        b'A'..=b'Z' => Kind::Upper,
        b'0'..=b'9' => Kind::Digit,
        _ => Kind::Mark,
    }
}

/// How much likelier than chance, in bits, the second letter follows the first.
fn habit(a: u8, b: u8) -> f32 {
    let row = (a.to_ascii_lowercase() - b'a') as usize;
    let column = (b.to_ascii_lowercase() - b'a') as usize;
    f32::from(LETTER_PAIRS[row][column] - b'0') - 4.5
}

/// A row for each first letter, a column for each second one; the digit is `4.5 + log2(p × 26)`,
/// rounded. Counted over a million words of public Rust sources and their documentation.
const LETTER_PAIRS: [&[u8; 26]; 26] = [
    b"14550340403656050657432230",
    b"63426210640720620443700040",
    b"61416326405521720546410020",
    b"62358331600432620553423130",
    b"53564431201546243766143520",
    b"62336640700533710544500030",
    b"51218235601435430554511010",
    b"71238100600231610435401020",
    b"43554440101557630456040204",
    b"50108110403010620172600000",
    b"53448331700335330364312010",
    b"62257410602611630245511050",
    b"74237110600341660153500000",
    b"51566460503313520267432030",
    b"23552330303557450745545100",
    b"61327213501611650645511040",
    b"22333120200412220231901000",
    b"61447240603344620555431040",
    b"41417224603332550257512042",
    b"61437206700321530654512150",
    b"45535440500656150666000100",
    b"71218220600121420123000000",
    b"71336206700326620652103000",
    b"63536413600231371337212320",
    b"34435322501446570466123011",
    b"51239210500111520131211033",
];

#[cfg(test)]
mod tests {
    use super::{is_sequence, surprise};

    #[test]
    fn what_people_write_is_no_surprise() {
        for text in [
            "getElementByIdAndClassName",
            "x86_64-unknown-linux-gnu",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        ] {
            assert!(surprise(text.as_bytes()) < 0.0, "{text}: {}", surprise(text.as_bytes()));
        }
    }

    #[test]
    fn what_a_generator_writes_is() {
        for text in [concat!("q7Zk2vXw9LrT", "4mBn8YcPd3Hs"), concat!("k3v9x0qz7w1m", "5t8b2n6p4r0j")] {
            assert!(surprise(text.as_bytes()) > 20.0, "{text}: {}", surprise(text.as_bytes()));
        }
    }

    #[test]
    fn alphabets_are_sequences() {
        assert!(is_sequence(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"));
        assert!(!is_sequence(concat!("q7Zk2vXw9LrT", "4mBn8YcPd3Hs").as_bytes()));
    }
}
