//! Details of a fault that get a line each: variants, records.

use nudge_core::Fault;
use nudge_memory::hints::wire::Scope;
use serde::Deserialize;
use serde_json::Value;

use super::hint;

/// One line for each variant that did not apply, or each record that was rejected.
pub(crate) fn details(fault: &Fault) -> Vec<String> {
    let list = |key: &str| fault.data.get(key).and_then(Value::as_array).into_iter().flatten();
    list("variants").map(variant).chain(list("faults").map(record)).collect()
}

fn variant(value: &Value) -> String {
    let scope = Scope::deserialize(&value["scope"]).unwrap_or_default();
    let conditions = hint::conditions(&scope);
    let shown = if conditions.is_empty() { "always".to_owned() } else { format!("if {conditions}") };
    match value["failed"].as_str() {
        Some(failed) => format!("{shown}: {failed}"),
        None => shown,
    }
}

fn record(value: &Value) -> String {
    format!("{}: {}", value["at"].as_str().unwrap_or("?"), value["message"].as_str().unwrap_or("not valid"))
}
