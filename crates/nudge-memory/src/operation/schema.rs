//! Schemas of parameters and answers, with one of two descriptions for each field.

use nudge_core::text::one_line;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The keyword with the description for the tool list, where that is not the full one.
const LISTED: &str = "x-listed";

/// The schema of a type, without references.
pub(super) fn of<T: JsonSchema>() -> Schema {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<T>()
}

/// The schema with full descriptions.
pub(super) fn described(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    each_object(&mut schema, &|object| {
        object.shift_remove(LISTED);
        unwrap_lines(object);
    });
    schema
}

/// The schema with the descriptions of the tool list.
pub(super) fn listed(schema: Schema) -> Value {
    let mut schema = schema.to_value();
    each_object(&mut schema, &|object| {
        if let Some(short) = object.shift_remove(LISTED) {
            object.insert("description".into(), short);
        }
        unwrap_lines(object);
    });
    schema
}

/// A description is one line, however the comment that it comes from is wrapped.
fn unwrap_lines(object: &mut Map<String, Value>) {
    if let Some(Value::String(description)) = object.get_mut("description") {
        *description = one_line(description);
    }
}

fn each_object(value: &mut Value, change: &impl Fn(&mut Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            change(object);
            object.values_mut().for_each(|inner| each_object(inner, change));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| each_object(item, change)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is used")]
    struct Sample {
        /// The full
        /// description.
        #[schemars(extend("x-listed" = "Short."))]
        a: String,
        /// The only description.
        b: String,
    }

    #[test]
    fn each_reader_gets_one_description_per_field() {
        let texts = |schema: Value| {
            let said = |field: &str| schema["properties"][field]["description"].clone();
            assert!(!schema.to_string().contains(LISTED), "{schema}");
            (said("a"), said("b"))
        };
        let full = (json!("The full description."), json!("The only description."));
        let short = (json!("Short."), json!("The only description."));
        assert_eq!(texts(described(of::<Sample>())), full);
        assert_eq!(texts(listed(of::<Sample>())), short);
    }
}
