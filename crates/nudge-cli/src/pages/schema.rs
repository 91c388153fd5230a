//! A JSON Schema as a list of fields, for people and for the reference page.

use nudge_core::text::one_line;
use serde_json::Value;

/// How deep fields of fields are listed. Deeper ones are what a caller sends as it is.
const DEPTH: usize = 3;

/// One field of a parameter or answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its place, such as `meta.scope.branch`.
    pub(crate) path: String,
    /// Its type in a word or two, such as `list of string`.
    pub(crate) kind: String,
    /// Whether it must be there.
    pub(crate) required: bool,
    /// What it is.
    pub(crate) doc: String,
}

/// The fields of an object schema, in the order they are declared.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let mut out = Vec::new();
    collect(schema, "", DEPTH, &mut out);
    out
}

fn collect(schema: &Value, prefix: &str, depth: usize, out: &mut Vec<Field>) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, raw) in properties {
        let inner = unwrapped(raw);
        let path = format!("{prefix}{name}");
        out.push(Field {
            kind: kind(inner),
            required: required.contains(&name.as_str()),
            doc: text(raw, "description").or_else(|| text(inner, "description")).unwrap_or_default(),
            path: path.clone(),
        });
        if depth > 1 {
            collect(inner, &format!("{path}."), depth - 1, out);
            collect(unwrapped(&inner["items"]), &format!("{path}[]."), depth - 1, out);
        }
    }
}

/// The schema inside an option: `anyOf` of something and null.
fn unwrapped(schema: &Value) -> &Value {
    let choices = schema["anyOf"].as_array().into_iter().flatten();
    let mut real = choices.filter(|choice| choice["type"] != "null");
    match (real.next(), real.next()) {
        (Some(only), None) => only,
        _ => schema,
    }
}

fn kind(schema: &Value) -> String {
    if let Some(choices) = named_choices(schema) {
        return choices;
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let kinds: Vec<String> = choices.iter().map(kind).collect();
        return kinds.join(" or ");
    }
    let names: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).filter(|name| *name != "null").collect()
        }
        _ => vec![],
    };
    match names.as_slice() {
        [] => "any".to_owned(),
        ["array"] => format!("list of {}", kind(&schema["items"])),
        names => names.join(" or "),
    }
}

/// `a|b|c` for an enumeration, written either as `enum` or as `oneOf` constants.
fn named_choices(schema: &Value) -> Option<String> {
    let words: Vec<&str> = match (&schema["enum"], &schema["oneOf"]) {
        (Value::Array(words), _) => words.iter().filter_map(Value::as_str).collect(),
        (_, Value::Array(choices)) => choices.iter().filter_map(|choice| choice["const"].as_str()).collect(),
        _ => return None,
    };
    (!words.is_empty()).then(|| words.join("|"))
}

fn text(schema: &Value, key: &str) -> Option<String> {
    schema[key].as_str().map(one_line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nested_fields_are_listed_with_their_place() {
        let schema = json!({
            "type": "object",
            "required": ["key"],
            "properties": {
                "key": {"type": "string", "description": "Name."},
                "meta": {"anyOf": [
                    {"type": "object", "properties": {"tags": {"type": "array", "items": {"type": "string"}}}},
                    {"type": "null"}
                ], "description": "More."},
                "mode": {"oneOf": [{"const": "merge"}, {"const": "replace"}]}
            }
        });
        let rows: Vec<(String, String, bool)> =
            fields(&schema).into_iter().map(|field| (field.path, field.kind, field.required)).collect();
        let expected = [
            ("key", "string", true),
            ("meta", "object", false),
            ("meta.tags", "list of string", false),
            ("mode", "merge|replace", false),
        ];
        assert_eq!(rows, expected.map(|(path, kind, required)| (path.to_owned(), kind.to_owned(), required)));
    }
}
