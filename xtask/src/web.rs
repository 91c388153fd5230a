//! `cargo xtask web types`: the types of the page, written from the registry of operations.
//!
//! `web/src/api.ts` has one entry for each operation that `nudge discover` lists: the type of its
//! parameters and of its answer. So a page that calls an operation wrongly does not compile.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;
use serde_json::{Map, Value};

use crate::docs;
use crate::tree::Tree;

/// The written file.
const FILE: &str = "web/src/api.ts";

const HEAD: &str = "\
// Written by `cargo xtask web types` from the registry of operations. Do not edit.

";

/// Writes the types; with `--check`, fails if they are not current. `--bin PATH` uses a binary that
/// is already built.
pub(crate) fn run(args: &[String]) -> anyhow::Result<bool> {
    let (mut check, mut binary, mut args) = (false, None, args.iter());
    anyhow::ensure!(args.next().is_some_and(|what| what == "types"), "web knows `types` only");
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--check" => check = true,
            "--bin" => binary = Some(PathBuf::from(args.next().context("--bin needs a path")?)),
            unknown => anyhow::bail!("web types does not know `{unknown}`"),
        }
    }
    let tree = Tree::load()?;
    let binary = match binary {
        Some(binary) => binary,
        None => docs::build(&tree.root)?,
    };
    let said = Command::new(&binary).args(["discover", "--json"]).output().context("nudge does not start")?;
    anyhow::ensure!(said.status.success(), "discover: {}", String::from_utf8_lossy(&said.stderr));
    let catalogue: Value = serde_json::from_slice(&said.stdout).context("discover answers with JSON")?;
    let types = types_of(&catalogue)?;
    let path = tree.root.join(FILE);
    let is_current = std::fs::read_to_string(&path).is_ok_and(|text| text == types);
    if check {
        println!(
            "web: {FILE} is {}",
            if is_current { "current" } else { "old: run `cargo xtask web types`" }
        );
        return Ok(is_current);
    }
    if !is_current {
        std::fs::write(&path, types).with_context(|| format!("cannot write {FILE}"))?;
        println!("web: wrote {FILE}");
    }
    Ok(true)
}

/// The file for a catalogue of operations.
fn types_of(catalogue: &Value) -> anyhow::Result<String> {
    let operations = catalogue["operations"].as_array().context("discover lists operations")?;
    let mut text = HEAD.to_owned();
    text.push_str(
        "/** The operations: what each takes and what it answers. */\nexport interface Operations {\n",
    );
    for operation in operations {
        let field = |name: &str| operation[name].as_str().unwrap_or_default();
        let note = match operation["terminal_only"] == Value::Bool(true) {
            true => " Only in a terminal.",
            false => "",
        };
        let _ = writeln!(text, "  /** {}{note} */", field("doc").replace("*/", "* /"));
        let (params, result) = (type_of(&operation["params"], 2), type_of(&operation["result"], 2));
        let _ = writeln!(text, "  {}: {{ params: {params}; result: {result} }};", field("name"));
    }
    text.push_str("}\n");
    Ok(text)
}

/// The type of a schema. Descriptions are left out: `nudge discover NAME` shows them.
fn type_of(schema: &Value, depth: usize) -> String {
    let Value::Object(fields) = schema else { return "unknown".to_owned() };
    if let Some(values) = fields.get("enum").and_then(Value::as_array) {
        return union(values.iter().map(Value::to_string));
    }
    if let Some(value) = fields.get("const") {
        return value.to_string();
    }
    for some in ["anyOf", "oneOf"] {
        if let Some(choices) = fields.get(some).and_then(Value::as_array) {
            let choice = union(choices.iter().map(|choice| type_of(choice, depth)));
            let shared = fields.contains_key("properties").then(|| object(fields, depth));
            return shared.map_or_else(|| choice.clone(), |shared| format!("{shared} & ({choice})"));
        }
    }
    match fields.get("type") {
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            union(kinds.map(|kind| named(kind, fields, depth)))
        }
        Some(Value::String(kind)) => named(kind, fields, depth),
        _ => "unknown".to_owned(),
    }
}

fn named(kind: &str, fields: &Map<String, Value>, depth: usize) -> String {
    match kind {
        "string" | "boolean" | "null" => kind.to_owned(),
        "integer" | "number" => "number".to_owned(),
        "array" => {
            let items =
                fields.get("items").map_or_else(|| "unknown".to_owned(), |items| type_of(items, depth));
            if items.contains(['|', '&']) { format!("({items})[]") } else { format!("{items}[]") }
        }
        "object" => object(fields, depth),
        _ => "unknown".to_owned(),
    }
}

fn object(fields: &Map<String, Value>, depth: usize) -> String {
    let empty = Map::new();
    let properties = fields.get("properties").and_then(Value::as_object).unwrap_or(&empty);
    if properties.is_empty() {
        let values = fields.get("additionalProperties").filter(|more| more.is_object());
        return match (values, fields.get("additionalProperties")) {
            (Some(values), _) => format!("Record<string, {}>", type_of(values, depth)),
            (None, Some(Value::Bool(false))) => "Record<string, never>".to_owned(),
            _ => "Record<string, unknown>".to_owned(),
        };
    }
    let required = fields.get("required").and_then(Value::as_array);
    let required: BTreeSet<&str> = required.into_iter().flatten().filter_map(Value::as_str).collect();
    let indent = " ".repeat(depth + 2);
    let mut text = "{\n".to_owned();
    for (name, schema) in properties {
        let mark = if required.contains(name.as_str()) { "" } else { "?" };
        let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let name = if is_plain { name.clone() } else { Value::from(name.as_str()).to_string() };
        let _ = writeln!(text, "{indent}{name}{mark}: {};", type_of(schema, depth + 2));
    }
    text + &" ".repeat(depth) + "}"
}

fn union(parts: impl Iterator<Item = String>) -> String {
    let mut unique: Vec<String> = Vec::new();
    for part in parts {
        if !unique.contains(&part) {
            unique.push(part);
        }
    }
    unique.join(" | ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_becomes_a_type() {
        let ty = |schema: Value| type_of(&schema, 0);
        assert_eq!(ty(json!({"type": ["string", "null"]})), "string | null");
        assert_eq!(ty(json!({"type": "array", "items": {"enum": ["a", "b"]}})), "(\"a\" | \"b\")[]");
        assert_eq!(ty(json!({"oneOf": [{"const": "a"}, {"type": "integer"}]})), "\"a\" | number");
        assert_eq!(
            ty(json!({"type": "object", "additionalProperties": {"type": "number"}})),
            "Record<string, number>"
        );
        assert_eq!(
            ty(
                json!({"type": "object", "properties": {"a": {"type": "integer"}, "b-c": true}, "required": ["a"]})
            ),
            "{\n  a: number;\n  \"b-c\"?: unknown;\n}"
        );
    }

    #[test]
    fn an_operation_has_the_types_of_both_ends() {
        let none = json!({"type": "object", "additionalProperties": false});
        let row = json!({"name": "ping", "doc": "Ping.", "params": none, "result": {"type": "string"}});
        let text = types_of(&json!({"operations": [row]})).expect("types");
        assert!(
            text.contains("  /** Ping. */\n  ping: { params: Record<string, never>; result: string };\n")
        );
    }
}
