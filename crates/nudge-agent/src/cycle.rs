//! Repeated turns: a fingerprint of what a turn did, and whether the last turns repeat.

use nudge_grammar::{Call, Tool};
use serde_json::Value;

/// A number that depends on what a turn did, the same in every version.
///
/// Notes do not count, and of an update only its status: a model that varies its words while it
/// repeats its calls is in a cycle. A turn without calls has a fingerprint too.
pub fn fingerprint<'c>(calls: impl IntoIterator<Item = &'c Call>) -> u64 {
    let mut hash = Hash::new();
    for call in calls.into_iter().filter(|call| call.tool != Tool::Think) {
        hash.add(call.tool.name());
        if call.tool == Tool::Update {
            hash.add(&call.status.unwrap_or_default().to_string());
            continue;
        }
        hash.add(&call.target);
        hash.add_or_none(call.to.as_deref());
        hash.add_or_none(call.body.as_deref());
        let mut attributes: Vec<(&String, &Value)> = call.attributes.iter().collect();
        attributes.sort_by_key(|(name, _)| *name);
        hash.add(&attributes.len().to_string());
        for (name, value) in attributes {
            hash.add(name);
            hash.add(&value.to_string());
        }
    }
    hash.value
}

/// Whether the last turns are the same group of turns, `min_cycles` times or more, with at most
/// `max_period` turns in a group. Fewer than two times is no repetition.
pub fn is_cycle(fingerprints: &[u64], min_cycles: usize, max_period: usize) -> bool {
    let times = min_cycles.max(2);
    (1..=max_period).any(|period| {
        let Some(start) = period.checked_mul(times).and_then(|most| fingerprints.len().checked_sub(most))
        else {
            return false;
        };
        let last = &fingerprints[start..];
        last.iter().zip(&last[period..]).all(|(one, next)| one == next)
    })
}

/// FNV-1a with 64 bits, which never changes. Each part is preceded by its length, so that two parts
/// never look like one.
struct Hash {
    value: u64,
}

impl Hash {
    const fn new() -> Self {
        Self { value: 0xcbf2_9ce4_8422_2325 }
    }

    fn add(&mut self, part: &str) {
        let length = (part.len() as u64).to_le_bytes();
        for byte in length.into_iter().chain(part.bytes()) {
            self.value = (self.value ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn add_or_none(&mut self, part: Option<&str>) {
        self.add(if part.is_some() { "some" } else { "none" });
        self.add(part.unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use nudge_grammar::{TagLimits, parse_tags};

    use super::*;

    fn of(text: &str) -> u64 {
        fingerprint(&parse_tags(text, TagLimits::default()).calls)
    }

    #[test]
    fn a_fingerprint_is_what_a_turn_did() {
        for (one, other, is_same) in [
            (r#"<get path="a"/>"#, r#"<get path="a"/>"#, true),
            (r#"<get path="a"/>"#, r#"<get path="b"/>"#, false),
            (r#"<get path="a"/>"#, r#"<rm path="a"/>"#, false),
            (r#"<get path="a"/>"#, r#"<get path="a" line="2"/>"#, false),
            (r#"<get path="a" line="2" limit="3"/>"#, r#"<get path="a" limit="3" line="2"/>"#, true),
            (r#"<get path="a"/><get path="b"/>"#, r#"<get path="b"/><get path="a"/>"#, false),
            (r#"<get path="a"/>"#, r#"<think>hm</think>Well: <get path="a"/>"#, true),
            (r#"<set path="a">1</set>"#, r#"<set path="a">2</set>"#, false),
            (r#"<set path="a"/>"#, r#"<set path="a"></set>"#, false),
            (r#"<cp path="a" to="b"/>"#, r#"<cp path="a" to="c"/>"#, false),
            (r#"<update status="102">x</update>"#, r#"<update status="102">y</update>"#, true),
            (r#"<update status="102">x</update>"#, r#"<update status="200">x</update>"#, false),
            ("", "some words", true),
            ("", r#"<update status="102">x</update>"#, false),
            (r#"<get path="ab"/><get path="c"/>"#, r#"<get path="a"/><get path="bc"/>"#, false),
        ] {
            assert_eq!(of(one) == of(other), is_same, "{one} | {other}");
        }
    }

    #[test]
    fn a_fingerprint_never_changes() {
        assert_eq!(of(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            of(r#"<get path="a"/>"#),
            13_422_596_281_718_672_957,
            "a stored fingerprint would no longer match"
        );
    }

    #[test]
    fn a_cycle_is_the_same_group_again_and_again() {
        let table: &[(&[u64], bool)] = &[
            (&[], false),
            (&[1, 1], false),
            (&[1, 1, 1], true),
            (&[1, 1, 2], false),
            (&[9, 8, 1, 1, 1], true),
            (&[1, 1, 1, 2], false),
            (&[1, 2, 1, 2], false),
            (&[1, 2, 1, 2, 1, 2], true),
            (&[2, 1, 2, 1, 2, 3], false),
            (&[1, 2, 3, 1, 2, 3, 1, 2, 3], true),
            (&[1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4], true),
            (&[1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3, 4, 5], false),
        ];
        for (fingerprints, expected) in table {
            assert_eq!(is_cycle(fingerprints, 3, 4), *expected, "{fingerprints:?}");
        }
        assert!(!is_cycle(&[1], 1, 4) && !is_cycle(&[1], 0, 4) && is_cycle(&[1, 1], 1, 4));
        assert!(!is_cycle(&[1, 1, 1], 3, 0) && !is_cycle(&[1, 1], usize::MAX, 4));
    }
}
