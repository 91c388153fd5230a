//! The operations as MCP tools.

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use nudge_home::settings::Profile;
use nudge_memory::{Effect, Operation, registry};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use super::schema;

/// The tools of a profile, in the registry's order.
pub(super) fn listed(profile: Profile) -> Vec<Tool> {
    static DEFAULT: OnceLock<Vec<Tool>> = OnceLock::new();
    static FULL: OnceLock<Vec<Tool>> = OnceLock::new();
    let kept = match profile {
        Profile::Default => &DEFAULT,
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
    schema::simplify(&mut schema);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_registry_in_its_order() {
        let names: Vec<_> = listed(Profile::Full).into_iter().map(|tool| tool.name).collect();
        let for_agents = registry::all().iter().filter(|operation| !operation.clients_only);
        let expected: Vec<_> = for_agents.map(|operation| operation.name).collect();
        assert_eq!(names, expected);
        assert!(listed(Profile::Default).len() <= 8);
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

    /// Schemas have about 4.2 bytes per token in the tokenizers that agents are billed by.
    #[test]
    fn the_default_list_stays_cheap() {
        let list = serde_json::to_string(&listed(Profile::Default)).expect("serialisable");
        let tokens = list.len() * 10 / 42;
        assert!(tokens <= 1_850, "about {tokens} tokens: {list}");
    }
}
