//! A JSON Schema as a list of fields, for users and for the reference page.

use nudge_core::text::one_line;
use serde_json::Value;

/// How deep nested fields are listed. Callers send deeper ones as they are.
const MAX_DEPTH: usize = 3;

/// One field of a parameter or answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// Its path, such as `meta.scope.branch`.
    pub(crate) path: String,
    /// Its type in a word or two, such as `list of string`.
    pub(crate) kind: String,
    /// Whether it is required.
    pub(crate) required: bool,
    /// Its description.
    pub(crate) doc: String,
}

/// The fields of an object or of the objects in a list, in the order they are declared.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
    let mut list = List::default();
    list.add(schema, "", MAX_DEPTH);
    list.add(unwrapped(&schema["items"]), "[].", MAX_DEPTH);
    list.fields
}

/// The fields so far, and the objects they belong to: an object that comes twice is described once.
#[derive(Default)]
struct List<'a> {
    fields: Vec<Field>,
    described: Vec<(&'a Value, String)>,
}

impl<'a> List<'a> {
    fn add(&mut self, schema: &'a Value, prefix: &str, depth: usize) {
        let Some(properties) = schema["properties"].as_object() else { return };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, raw) in properties {
            let inner = unwrapped(raw);
            let path = format!("{prefix}{name}");
            self.fields.push(Field {
                kind: kind(inner),
                required: required.contains(&name.as_str()),
                doc: text(raw, "description").or_else(|| text(inner, "description")).unwrap_or_default(),
                path: path.clone(),
            });
            if depth > 1 {
                self.add_inner(inner, &path, depth - 1);
                self.add_inner(unwrapped(&inner["items"]), &format!("{path}[]"), depth - 1);
            }
        }
    }

    fn add_inner(&mut self, schema: &'a Value, path: &str, depth: usize) {
        let properties = &schema["properties"];
        match self.described.iter().find(|(known, _)| *known == properties) {
            Some((_, place)) => {
                let same = format!(" Same fields as `{place}`.");
                self.fields.last_mut().expect("the field itself was just added").doc.push_str(&same);
            }
            None if properties.is_object() => {
                self.described.push((properties, path.to_owned()));
                self.add(schema, &format!("{path}."), depth);
            }
            None => {}
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

    #[test]
    fn a_list_names_its_items_and_equal_objects_are_described_once() {
        let row = json!({"type": "object", "properties": {"id": {"type": "integer"}}});
        let schema = json!({"type": "array", "items": {"type": "object", "properties": {
            "first": row,
            "rest": {"type": "array", "items": row, "description": "The others."},
        }}});
        let rows: Vec<(String, String)> =
            fields(&schema).into_iter().map(|field| (field.path, field.doc)).collect();
        let expected =
            [("[].first", ""), ("[].first.id", ""), ("[].rest", "The others. Same fields as `[].first`.")];
        assert_eq!(rows, expected.map(|(path, doc)| (path.to_owned(), doc.to_owned())));
    }
}
