//! Searches for credentials in all stored data.
//!
//! A credential counts as present if half of it, and at least eight characters, is there: all
//! pieces of that length are searched in one pass. Shorter credentials, and pieces that also occur
//! elsewhere in the texts, are searched together with the text before them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::case::Case;
use crate::stage::Home;

/// Directories that the bench itself wrote into a home.
const INPUTS: [&str; 2] = ["transcripts", "project"];

/// The shortest piece: every piece begins with a key of this length.
const KEY: usize = 8;

/// How much of the text before a short credential is searched with it.
const BEFORE: usize = 12;

/// Pieces of credentials, by their first characters.
#[derive(Debug, Default)]
pub(super) struct Needles {
    pieces: BTreeMap<[u8; KEY], Vec<(usize, Vec<u8>)>>,
}

impl Needles {
    /// The pieces of all credentials in the cases. Pieces that also occur elsewhere in the texts
    /// are left out, because finding them proves nothing.
    pub(super) fn of(cases: &[Case]) -> Self {
        let mut blank = Vec::new();
        for case in cases {
            let mut text = case.text.clone();
            for secret in &case.secrets {
                text = text.replace(secret.as_str(), "\u{1}");
            }
            blank.extend_from_slice(text.as_bytes());
            blank.push(0);
        }
        let mut all = Self::default();
        for (number, case) in cases.iter().enumerate() {
            for secret in &case.secrets {
                all.add_pieces(number, secret.as_bytes());
            }
        }
        let common = all.found_pieces(&blank);
        for pieces in all.pieces.values_mut() {
            pieces.retain(|(_, piece)| !common.contains(piece));
        }
        for (number, case) in cases.iter().enumerate() {
            for secret in &case.secrets {
                all.add_with_text(number, &case.text, secret);
            }
        }
        all
    }

    fn add_pieces(&mut self, number: usize, secret: &[u8]) {
        let length = KEY.max(secret.len().div_ceil(2));
        for form in [secret.to_vec(), escaped(secret)] {
            for piece in form.windows(length.min(form.len())).filter(|piece| piece.len() >= KEY) {
                self.add(number, piece);
            }
        }
    }

    /// Adds the whole credential with the text before it, for credentials too short to be
    /// recognised alone.
    fn add_with_text(&mut self, number: usize, text: &str, secret: &str) {
        let Some(at) = text.find(secret).filter(|_| secret.len() < KEY) else { return };
        let from = text.floor_char_boundary(at.saturating_sub(BEFORE));
        for form in [
            text.as_bytes()[from..at + secret.len()].to_vec(),
            escaped(&text.as_bytes()[from..at + secret.len()]),
        ] {
            if form.len() >= KEY {
                self.add(number, &form);
            }
        }
    }

    fn add(&mut self, number: usize, piece: &[u8]) {
        let Some(key) = piece.first_chunk::<KEY>() else { return };
        let list = self.pieces.entry(*key).or_default();
        if !list.iter().any(|(owner, known)| *owner == number && known == piece) {
            list.push((number, piece.to_vec()));
        }
    }

    /// The cases with a piece in these bytes.
    pub(super) fn found(&self, bytes: &[u8]) -> BTreeSet<usize> {
        self.hits(bytes).map(|(number, _)| number).collect()
    }

    fn found_pieces(&self, bytes: &[u8]) -> BTreeSet<Vec<u8>> {
        self.hits(bytes).map(|(_, piece)| piece.to_vec()).collect()
    }

    fn hits<'n>(&'n self, bytes: &'n [u8]) -> impl Iterator<Item = (usize, &'n [u8])> + 'n {
        // Most positions start no piece; a two-byte table rules them out quickly.
        let mut begins = vec![false; 1 << 16];
        for key in self.pieces.keys() {
            begins[usize::from(u16::from_be_bytes([key[0], key[1]]))] = true;
        }
        bytes.windows(KEY).enumerate().flat_map(move |(at, key)| {
            let likely = begins[usize::from(u16::from_be_bytes([key[0], key[1]]))];
            let list = likely.then(|| self.pieces.get(key)).flatten().map_or(&[][..], Vec::as_slice);
            list.iter()
                .filter(move |(_, piece)| bytes[at..].starts_with(piece))
                .map(|(number, piece)| (*number, piece.as_slice()))
        })
    }
}

/// The same text with JSON escapes.
fn escaped(text: &[u8]) -> Vec<u8> {
    let quoted = serde_json::Value::String(String::from_utf8_lossy(text).into_owned()).to_string();
    quoted.as_bytes()[1..quoted.len() - 1].to_vec()
}

/// Whether a directory of a home was written by the bench itself.
pub(super) fn is_input(home: &Home, path: &Path) -> bool {
    INPUTS.iter().any(|input| path == home.path().join(input))
}

#[cfg(test)]
mod tests {
    use super::super::case::{Case, Place};
    use super::Needles;

    fn case(text: &str, secret: &str) -> Case {
        Case {
            id: "a".to_owned(),
            kind: "k".to_owned(),
            place: Place::Prompt,
            named: true,
            text: text.to_owned(),
            secrets: vec![secret.to_owned()],
        }
    }

    fn is_found(text: &str, secret: &str, kept: &str) -> bool {
        !Needles::of(&[case(text, secret)]).found(kept.as_bytes()).is_empty()
    }

    #[test]
    fn a_credential_that_is_kept_is_found() {
        assert!(is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "pw: hunter2hunter2 ok"));
        assert!(
            is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "binary \u{0}r2hunter rest"),
            "half of it is enough"
        );
        assert!(is_found(
            "say \"a quoted one\" now",
            "\"a quoted one\"",
            r#"{"x": "say \"a quoted one\" now"}"#
        ));
        assert!(is_found("the pin is 4711 today", "4711", "the pin is 4711 today"));
    }

    #[test]
    fn what_is_gone_or_stands_elsewhere_is_not() {
        assert!(!is_found("pw: hunter2hunter2 ok", "hunter2hunter2", "pw: [REDACTED] ok"));
        assert!(!is_found("the pin is 4711 today", "4711", "row 4711 of 47110"));
        let mut elsewhere = case("write to marta@corvid.example", "unused");
        elsewhere.secrets.clear();
        let needles = Needles::of(&[case("pw marta@corvid.exa", "marta@corvid.exa"), elsewhere]);
        assert!(needles.found(b"write to marta@corvid.example").is_empty());
    }
}
