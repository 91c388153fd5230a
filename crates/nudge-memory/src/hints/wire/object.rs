//! Objects that must be written as objects. A derived reader also accepts a list of the fields in
//! order, so `"meta": []` would pass for empty metadata.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// An object.
pub(super) fn required<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_map(Object(PhantomData))
}

/// An object, or nothing.
pub(super) fn optional<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Required<T>>::deserialize(deserializer)?.map(|object| object.0))
}

struct Required<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Required<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        required(deserializer).map(Self)
    }
}

struct Object<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::hints::wire::{HintRecord, SetParams};

    #[test]
    fn a_list_is_no_object() {
        for meta in [json!([]), json!(["why"]), json!("x"), json!(1), json!({"scope": []})] {
            let params = json!({"component": "a", "key": "b", "value": "c", "meta": meta});
            assert!(serde_json::from_value::<SetParams>(params).is_err(), "{meta}");
            assert!(
                serde_json::from_value::<HintRecord>(json!({"value": "c", "meta": meta})).is_err(),
                "{meta}"
            );
        }
    }

    #[test]
    fn an_object_null_and_absence_are_fine_and_a_bad_field_is_named() {
        for meta in [json!({}), json!(null), json!({"scope": null}), json!({"scope": {"os": ["linux"]}})] {
            let params = json!({"component": "a", "key": "b", "value": "c", "meta": meta});
            assert!(serde_json::from_value::<SetParams>(params).is_ok(), "{meta}");
        }
        let params = json!({"component": "a", "key": "b", "value": "c", "meta": {"scope": {"os": 7}}});
        let error = serde_path_to_error::deserialize::<_, SetParams>(params).expect_err("refused");
        assert_eq!(error.path().to_string(), "meta.scope.os");
    }
}
