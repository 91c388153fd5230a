//! The operations as MCP tools, with schemas that every client accepts.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use nudge_agent::registry;
use nudge_home::settings::Profile;
use nudge_memory::{Effect, Operation};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value};

/// The tools of a profile, in the registry's order.
pub(super) fn listed(profile: Profile) -> Vec<Tool> {
    static DEFAULT: OnceLock<Vec<Tool>> = OnceLock::new();
    static WORK: OnceLock<Vec<Tool>> = OnceLock::new();
    static FULL: OnceLock<Vec<Tool>> = OnceLock::new();
    let kept = match profile {
        Profile::Default => &DEFAULT,
        Profile::Work => &WORK,
        Profile::Full => &FULL,
    };
    kept.get_or_init(|| remove_repetition(registry::listed(profile).map(tool).collect())).clone()
}

/// Removes repetition between tools: a field that an earlier tool explains refers to it, and a
/// description that an earlier tool has for a parameter of the same name is dropped. Four tools
/// take the same context, and an agent pays for every copy.
fn remove_repetition(mut tools: Vec<Tool>) -> Vec<Tool> {
    let mut explained: Vec<(Value, String)> = Vec::new();
    let mut described: HashSet<(String, String)> = HashSet::new();
    for tool in &mut tools {
        let mut schema = (*tool.input_schema).clone();
        let Some(Value::Object(parameters)) = schema.get_mut("properties") else { continue };
        for (name, parameter) in parameters {
            if let Value::Object(parameter) = parameter
                && let Some(said) = parameter.get("description").and_then(Value::as_str)
                && !described.insert((name.clone(), said.to_owned()))
            {
                parameter.shift_remove("description");
            }
            let Some(fields) = parameter.get("properties").cloned() else { continue };
            match explained.iter().find(|(known, _)| *known == fields) {
                Some((_, place)) => refer(parameter, place),
                None => explained.push((fields, format!("{}.{name}", tool.name))),
            }
        }
        tool.input_schema = Arc::new(schema);
    }
    tools
}

fn refer(parameter: &mut Value, place: &str) {
    let Value::Object(parameter) = parameter else { return };
    parameter.shift_remove("properties");
    let said = parameter.get("description").and_then(Value::as_str).unwrap_or_default();
    let said = format!("{said} See {place}.");
    parameter.insert("description".into(), said.trim_start().into());
}

/// One operation as a tool. Output schemas are omitted: they would double the cost of the list.
pub(super) fn tool(operation: &Operation) -> Tool {
    Tool::new(operation.name, operation.doc, Arc::new(input_of(operation)))
        .with_annotations(annotations(operation.effect))
}

fn input_of(operation: &Operation) -> JsonObject {
    let mut schema = operation.listed_params();
    simplify(&mut schema);
    let mut schema = match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    };
    // Every client expects an object here, even for an operation without parameters.
    schema.entry("type").or_insert_with(|| "object".into());
    schema
}

fn annotations(effect: Effect) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(effect == Effect::Read).open_world(false);
    match effect {
        Effect::Read => annotations,
        Effect::Write => annotations.destructive(false),
        Effect::Destructive => annotations.destructive(true),
    }
}

// Simplifies schemas so that every client accepts them and they cost agents few tokens.
//
// Generated schemas contain more than clients accept (nullable type lists, number formats that
// some warn about) and more than a model needs (titles and descriptions that repeat the field's
// name). No client checks the parts removed here; the operation checks everything, and `discover`
// shows the full schema.

/// Keywords that a model does not need.
const LEFT_OUT: [&str; 4] = ["$schema", "format", "title", "minLength"];

/// A nested field's description of up to this many words says no more than its name.
const FEW_WORDS: usize = 3;

/// Removes from a schema what clients cannot handle and agents need not pay for.
fn simplify(schema: &mut Value) {
    if let Value::Object(object) = schema {
        resolve(object);
        object.shift_remove("description");
    }
    walk(schema, 0);
}

/// Replaces references by their definitions, and removes the definitions.
fn resolve(root: &mut Map<String, Value>) {
    let Some(Value::Object(definitions)) = root.remove("$defs") else { return };
    for value in root.values_mut() {
        inline(value, &definitions, 0);
    }
}

/// A schema that refers to itself is cut here; ours are two or three levels deep.
const MAX_DEPTH: usize = 12;

fn inline(value: &mut Value, definitions: &Map<String, Value>, depth: usize) {
    match value {
        Value::Object(object) => {
            let name = object.get("$ref").and_then(Value::as_str).and_then(|at| at.strip_prefix("#/$defs/"));
            if let Some(target) = name.and_then(|name| definitions.get(name)) {
                let target = if depth < MAX_DEPTH { target.clone() } else { Value::Object(Map::new()) };
                object.shift_remove("$ref");
                if let Value::Object(target) = target {
                    for (key, value) in target {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(|value| inline(value, definitions, depth + 1));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| inline(item, definitions, depth + 1)),
        _ => {}
    }
}

/// `depth` counts the objects around this schema: 1 for a parameter, 2 for a field of one.
fn walk(schema: &mut Value, depth: usize) {
    let Value::Object(object) = schema else { return };
    drop_null(object);
    fold_choices(object);
    for word in LEFT_OUT {
        // A property may be called `format` or `title`; the properties' values are walked below.
        object.shift_remove(word);
    }
    if object.get("additionalProperties") == Some(&Value::Bool(false)) {
        object.shift_remove("additionalProperties");
    }
    if object.get("default").is_some_and(Value::is_null) {
        object.shift_remove("default");
    }
    if object.get("description").and_then(Value::as_str).is_some_and(names_numbers) {
        // The description already states the bounds.
        object.shift_remove("minimum");
        object.shift_remove("maximum");
    }
    let said = object.get("description").and_then(Value::as_str);
    if said.is_some_and(|said| said.is_empty() || (depth > 1 && says_little(said))) {
        object.shift_remove("description");
    }
    for (key, value) in object.iter_mut() {
        match (key.as_str(), value) {
            ("properties" | "patternProperties", Value::Object(fields)) => {
                fields.values_mut().for_each(|field| walk(field, depth + 1));
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(variants)) => {
                variants.iter_mut().for_each(|variant| walk_unnamed(variant, depth));
            }
            ("items" | "additionalProperties" | "not", value) => walk_unnamed(value, depth),
            _ => {}
        }
    }
}

/// A schema without its own name: its parent describes it.
fn walk_unnamed(schema: &mut Value, depth: usize) {
    if let Value::Object(object) = schema {
        object.shift_remove("description");
    }
    walk(schema, depth);
}

fn says_little(description: &str) -> bool {
    description.split_whitespace().count() <= FEW_WORDS && !names_numbers(description)
}

fn names_numbers(description: &str) -> bool {
    description.contains(|c: char| c.is_ascii_digit())
}

/// Turns a choice of constants into a plain list of them.
fn fold_choices(object: &mut Map<String, Value>) {
    let Some(Value::Array(variants)) = object.get("oneOf") else { return };
    let constants: Option<Vec<Value>> =
        variants.iter().map(|variant| variant.get("const").cloned()).collect();
    if let Some(constants) = constants.filter(|constants| constants.iter().all(Value::is_string)) {
        object.shift_remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), constants.into());
    }
}

/// A field that may be absent need not also allow null.
fn drop_null(object: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            object.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for word in ["anyOf", "oneOf"] {
        let Some(Value::Array(variants)) = object.get_mut(word) else { continue };
        variants.retain(|variant| variant.get("type").and_then(Value::as_str) != Some("null"));
        if let [Value::Object(only)] = variants.as_slice() {
            let only = only.clone();
            object.shift_remove(word);
            for (key, value) in only {
                object.entry(key).or_insert(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_list_is_the_registry_in_its_order() {
        let names: Vec<_> = listed(Profile::Full).into_iter().map(|tool| tool.name).collect();
        let for_agents = registry::all().filter(|operation| !operation.clients_only);
        let expected: Vec<_> = for_agents.map(|operation| operation.name).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn every_schema_is_an_object_that_all_clients_take() {
        for tool in listed(Profile::Full) {
            let text = serde_json::to_string(&tool.input_schema).expect("serialisable");
            assert_eq!(tool.input_schema.get("type"), Some(&"object".into()), "{}", tool.name);
            for word in ["$schema", "$ref", "$defs", "\"format\":\"", "\"null\""] {
                assert!(!text.contains(word), "{} holds {word}: {text}", tool.name);
            }
        }
    }

    fn simplified(mut schema: Value) -> Value {
        simplify(&mut schema);
        schema
    }

    #[test]
    fn noise_goes_and_fields_of_the_same_name_stay() {
        let schema = json!({"$schema": "x", "title": "T", "type": "object", "properties": {
            "format": {"type": "string", "title": "Format", "description": "The format."},
            "limit": {"type": ["integer", "null"], "format": "uint32", "minimum": 0, "default": null},
        }});
        assert_eq!(
            simplified(schema),
            json!({"type": "object", "properties": {
                "format": {"type": "string", "description": "The format."},
                "limit": {"type": "integer", "minimum": 0},
            }})
        );
    }

    #[test]
    fn an_optional_reference_becomes_what_it_refers_to() {
        let schema = json!({"type": "object",
        "properties": {"context": {"description": "Where.", "anyOf": [{"$ref": "#/$defs/Context"}, {"type": "null"}]}},
        "$defs": {"Context": {"type": "object", "title": "Context", "properties": {"os": {"$ref": "#/$defs/Os"}}},
                  "Os": {"enum": ["linux", null]}}});
        assert_eq!(
            simplified(schema),
            json!({"type": "object", "properties": {"context": {
            "description": "Where.", "type": "object", "properties": {"os": {"enum": ["linux"]}}}}})
        );
    }

    #[test]
    fn what_is_said_twice_is_said_once() {
        let schema = json!({"type": "object", "description": "Parameters.", "additionalProperties": false, "properties": {
        "meta": {"type": "object", "description": "More.", "properties": {
            "reason": {"type": "string", "description": "The reason."},
            "priority": {"type": "integer", "description": "1-10 (5).", "minimum": 1, "maximum": 10},
            "kind": {"description": "What kind of thing it is.", "oneOf": [
                {"type": "string", "const": "a", "description": "A."}, {"type": "string", "const": "b"}]}}}}});
        assert_eq!(
            simplified(schema),
            json!({"type": "object", "properties": {
            "meta": {"type": "object", "description": "More.", "properties": {
                "reason": {"type": "string"},
                "priority": {"type": "integer", "description": "1-10 (5)."},
                "kind": {"description": "What kind of thing it is.", "type": "string", "enum": ["a", "b"]}}}}})
        );
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema = json!({"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}});
        assert!(!simplified(schema).to_string().contains("$ref"));
    }
}
