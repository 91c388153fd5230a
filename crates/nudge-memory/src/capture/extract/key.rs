//! Removes private keys before any text is cut. A key spans many lines, and a cut could leave lines
//! that can no longer be recognised as one. The store finds all other credentials.

use std::borrow::Cow;

use nudge_core::text::first_bytes;
use nudge_secrets::REDACTED;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
/// The end of a key's first and last line. Those of certificates and public keys end differently.
const LABEL: &str = "PRIVATE KEY-----";
const LABEL_OF_PGP: &str = "PRIVATE KEY BLOCK-----";

/// The longest name before the label; encrypted and OpenSSH keys have the longest.
const NAME_MOST: usize = 40;

/// Whether a text contains a private key, or a recognisable piece of one.
pub(super) fn is_in(text: &str) -> bool {
    text.contains(LABEL) || text.contains(LABEL_OF_PGP)
}

/// The text with each private key replaced. A key without an end extends to the end of the text.
pub(super) fn strip(text: &str) -> Cow<'_, str> {
    if !is_in(text) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::new(), text);
    loop {
        let (begin, end) = (line(rest, BEGIN), line(rest, END));
        match (begin, end) {
            (Some((at, length)), end) if end.is_none_or(|(end, _)| at < end) => {
                kept.push_str(&rest[..at]);
                kept.push_str(REDACTED);
                let inside = &rest[at + length..];
                let Some((end, length)) = line(inside, END) else { return Cow::Owned(kept) };
                rest = &inside[end + length..];
            }
            // An end without a beginning: everything before it may be the key.
            (_, Some((end, length))) => {
                kept.push_str(REDACTED);
                rest = &rest[end + length..];
            }
            (_, None) => {
                kept.push_str(rest);
                return Cow::Owned(kept);
            }
        }
    }
}

/// The first line that starts with `start` and ends with the label: its position and length.
fn line(text: &str, start: &str) -> Option<(usize, usize)> {
    text.match_indices(start).find_map(|(at, _)| {
        let name = first_bytes(&text[at + start.len()..], NAME_MOST);
        let label = [LABEL, LABEL_OF_PGP].into_iter().find_map(|label| Some((name.find(label)?, label)))?;
        Some((at, start.len() + label.0 + label.1.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_whole_or_cut_off_with_any_sign_before_their_lines() {
        for (text, kept) in [
            ("a -----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY----- b", "a [REDACTED] b"),
            ("+-----BEGIN PRIVATE KEY-----\n+x\n+-----END PRIVATE KEY-----\n+y", "+[REDACTED]\n+y"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\\nx", "[REDACTED]"),
            ("x\n-----END EC PRIVATE KEY-----\nb", "[REDACTED]\nb"),
            (
                "x\n-----END EC PRIVATE KEY-----\n-----BEGIN EC PRIVATE KEY-----\ny\n-----END EC PRIVATE KEY-----",
                "[REDACTED]\n[REDACTED]",
            ),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----", "[REDACTED]"),
            (
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
            ),
        ] {
            assert_eq!(strip(text), kept, "{text}");
        }
    }
}
