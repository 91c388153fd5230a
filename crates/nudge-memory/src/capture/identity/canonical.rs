//! A hash of JSON that is independent of whitespace and key order.
//!
//! The text is read once and no tree is built, because payloads can be very large.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use blake3::{Hash, Hasher};
use nudge_core::text::first_bytes;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// The hash of a text: of its value if it is JSON, otherwise of its bytes.
pub(super) fn hash(text: &str) -> Hash {
    let text = text.trim_start_matches('\u{feff}').trim();
    serde_json::from_str(text).map_or_else(|_| blake3::hash(clean(text).as_bytes()), |Said(hash)| hash)
}

/// A string without its credentials, so that they cannot be guessed from the hash. Only the
/// beginning of a very long string counts.
fn clean(text: &str) -> Cow<'_, str> {
    const MOST: usize = 64 * 1024;
    nudge_secrets::redact(first_bytes(text, MOST))
}

/// The hash of one value.
struct Said(Hash);

fn tagged(tag: u8, bytes: &[u8]) -> Said {
    let mut hasher = Hasher::new();
    hasher.update(&[tag]);
    hasher.update(bytes);
    Said(hasher.finalize())
}

impl<'de> Deserialize<'de> for Said {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Said;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Said, E> {
        Ok(tagged(b'n', &[]))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Said, E> {
        Ok(tagged(b'b', &[value.into()]))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Said, E> {
        Ok(tagged(b'i', &i128::from(value).to_le_bytes()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Said, E> {
        Ok(tagged(b'i', &i128::from(value).to_le_bytes()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Said, E> {
        Ok(tagged(b'f', &value.to_bits().to_le_bytes()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Said, E> {
        Ok(tagged(b's', clean(value).as_bytes()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Said, A::Error> {
        let mut hasher = Hasher::new();
        hasher.update(b"a");
        while let Some(Said(item)) = items.next_element()? {
            hasher.update(item.as_bytes());
        }
        Ok(Said(hasher.finalize()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Said, A::Error> {
        let mut sorted = BTreeMap::new();
        while let Some((key, Said(value))) = fields.next_entry::<String, Said>()? {
            sorted.insert(key, value);
        }
        let mut hasher = Hasher::new();
        hasher.update(b"o");
        for (key, value) in sorted {
            hasher.update(blake3::hash(key.as_bytes()).as_bytes());
            hasher.update(value.as_bytes());
        }
        Ok(Said(hasher.finalize()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_said_otherwise_is_the_same() {
        let said = hash(r#"{"a": "\u0041", "b": {"c": [1, null, true, 1.5]}}"#);
        assert_eq!(said, hash(r#"{"b":{"c":[1,null,true,1.5]},"a":"A"}"#));
        assert_ne!(said, hash(r#"{"b":{"c":[1,null,true,1.5]},"a":"B"}"#));
        assert_ne!(hash("[]"), hash("{}"));
        assert_ne!(hash(r#"["ab"]"#), hash(r#"["a","b"]"#));
    }

    #[test]
    fn what_is_no_json_is_its_bytes() {
        assert_eq!(hash("{ no"), blake3::hash(b"{ no"));
    }
}
