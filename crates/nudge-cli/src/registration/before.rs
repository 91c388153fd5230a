//! The earlier text of a changed file, stored as the difference from the new text.

use serde::{Deserialize, Serialize};

/// The earlier text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Before {
    /// BLAKE3 hash of the earlier text.
    hash: String,
    /// How many bytes at the start are the same.
    head: usize,
    /// How many bytes at the end are the same.
    tail: usize,
    /// The earlier text between them.
    middle: String,
}

impl Before {
    pub(super) fn of(before: &str, after: &str) -> Self {
        let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let head = before.floor_char_boundary(same);
        let rest = before.len().min(after.len()) - head;
        let same =
            before.bytes().rev().zip(after.bytes().rev()).take(rest).take_while(|(a, b)| a == b).count();
        let tail = (0..=same).rev().find(|tail| before.is_char_boundary(before.len() - tail)).unwrap_or(0);
        let middle = before[head..before.len() - tail].to_owned();
        Self { hash: hash(before), head, tail, middle }
    }

    pub(super) fn restored(&self, after: &str) -> Option<String> {
        let head = after.get(..self.head)?;
        let tail = after.get(after.len().checked_sub(self.tail)?..)?;
        Some(format!("{head}{}{tail}", self.middle)).filter(|text| hash(text) == self.hash)
    }
}

/// The BLAKE3 hash of a text, in hex.
pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_leads_back() {
        for (before, after) in [
            ("", "x"),
            ("{}\n", "{\n  \"hooks\": 1\n}\n"),
            ("äé", "ääé"),
            ("aaa", "aaaa"),
            ("tünchen", "tönchen"),
            ("same", "same"),
        ] {
            let kept = Before::of(before, after);
            assert_eq!(kept.restored(after).as_deref(), Some(before), "{kept:?}");
            assert!(kept.middle.len() <= before.len());
        }
        let kept =
            Before::of("{\"key\": \"private\", \"a\": {}}", "{\"key\": \"private\", \"a\": {\"b\": 1}}");
        assert_eq!(kept.middle, "", "what did not change is not kept");
    }
}
