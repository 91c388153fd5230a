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

/// The text with each private key replaced. A key without an end extends to the end of the text,
/// unless its first line is only mentioned.
pub(super) fn strip(text: &str) -> Cow<'_, str> {
    if !is_in(text) {
        return Cow::Borrowed(text);
    }
    let (mut kept, mut rest) = (String::new(), text);
    loop {
        let (begin, end) = (line(rest, BEGIN), line(rest, END));
        match (begin, end) {
            (Some((at, length)), end) if end.is_none_or(|(end, _)| at < end) => {
                let (before, inside) = rest.split_at(at + length);
                if end.is_none() && !goes_on(inside) {
                    kept.push_str(before);
                    rest = inside;
                    continue;
                }
                kept.push_str(&rest[..at]);
                kept.push_str(REDACTED);
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

/// Whether a key follows its first line: after the end of the line, escaped or not, or soon after.
/// A search for the line has neither.
fn goes_on(inside: &str) -> bool {
    /// Shorter runs of these characters are words.
    const MATERIAL: usize = 24;
    const REACH: usize = 120;
    let is_material = |b: u8| b.is_ascii_alphanumeric() || b"+/=".contains(&b);
    inside.starts_with(['\n', '\r', '\\'])
        || first_bytes(inside, REACH).as_bytes().split(|b| !is_material(*b)).any(|run| run.len() >= MATERIAL)
}

/// The first line that starts with `start` and ends with the label: its position and length. A
/// pattern for such lines has more than a name between them.
fn line(text: &str, start: &str) -> Option<(usize, usize)> {
    let is_name =
        |name: &str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ');
    text.match_indices(start).find_map(|(at, _)| {
        let name = first_bytes(&text[at + start.len()..], NAME_MOST);
        let (length, label) = [LABEL, LABEL_OF_PGP]
            .into_iter()
            .find_map(|label| Some((name.find(label).filter(|end| is_name(&name[..*end]))?, label)))?;
        Some((at, start.len() + length + label.len()))
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
                "/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, and more",
                "/-----BEGIN (?:RSA |EC )?PRIVATE KEY-----/, and more",
            ),
            (
                "grep -rn -- \"-----BEGIN RSA PRIVATE KEY-----\" src && ls",
                "grep -rn -- \"-----BEGIN RSA PRIVATE KEY-----\" src && ls",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
                "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----",
            ),
        ] {
            assert_eq!(strip(text), kept, "{text}");
        }
    }
}
