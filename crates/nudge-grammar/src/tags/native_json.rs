//! Finds the calls in JSON: every maker of models names the same things in another way.

use std::ops::Range;

use serde_json::{Map, Value};

use super::loose::Loose;
use super::resolve::Raw;
use super::tool::find_native;

const NAMES: [&str; 5] = ["name", "tool", "tool_name", "function", "action"];
const ARGUMENTS: [&str; 7] = ["arguments", "parameters", "input", "args", "params", "action_input", "kwargs"];

/// The calls of JSON that a marker announced; the arguments may be missing.
pub(super) fn named_calls(value: &Value, span: Range<usize>) -> Vec<Raw> {
    Reader { is_marked: true, span }.calls(value)
}

/// The calls of JSON that stands in the text: name and arguments must both be there.
pub(super) fn unmarked_calls(value: &Value, span: Range<usize>) -> Vec<Raw> {
    Reader { is_marked: false, span }.calls(value)
}

struct Reader {
    is_marked: bool,
    span: Range<usize>,
}

impl Reader {
    /// All calls share the text; the first takes all of it, so that spans do not overlap.
    fn calls(&self, value: &Value) -> Vec<Raw> {
        let mut calls = Vec::new();
        self.collect(value, &mut calls);
        for call in calls.iter_mut().skip(1) {
            call.span = self.span.end..self.span.end;
        }
        calls
    }

    fn collect(&self, value: &Value, calls: &mut Vec<Raw>) {
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.collect(value, calls)),
            Value::Object(object) => {
                if let Some(list @ Value::Array(_)) = object.get("tool_calls") {
                    self.collect(list, calls);
                } else if let Some(inner) = inner_call(object) {
                    self.collect(inner, calls);
                } else {
                    calls.extend(self.call(object));
                }
            }
            _ => {}
        }
    }

    fn call(&self, object: &Map<String, Value>) -> Option<Raw> {
        let key = NAMES.into_iter().find(|key| object.get(*key).is_some_and(Value::is_string))?;
        let word = find_native(object[key].as_str()?)?;
        let arguments = ARGUMENTS.into_iter().find_map(|key| object.get(key));
        let arguments = match arguments {
            Some(arguments) => from_arguments(arguments),
            None if self.is_marked || key.starts_with("tool") => {
                object.iter().filter(|(name, _)| *name != key).map(|(n, v)| (n.clone(), v.clone())).collect()
            }
            None => return None,
        };
        Some(Raw::native(word, arguments, self.span.clone()))
    }
}

/// The object that holds name and arguments one level down.
fn inner_call(object: &Map<String, Value>) -> Option<&Value> {
    ["function_call", "function", "tool_call", "tool_use"]
        .into_iter()
        .find_map(|key| object.get(key).filter(|value| value.is_object()))
}

/// Arguments are an object, JSON in a string, or one plain text.
fn from_arguments(arguments: &Value) -> Map<String, Value> {
    match arguments {
        Value::Object(map) => map.clone(),
        Value::String(text) => match Loose::new(text, 0).value() {
            Some(Value::Object(map)) => map,
            _ => Map::from_iter([(String::new(), Value::String(text.clone()))]),
        },
        Value::Null => Map::new(),
        other => Map::from_iter([(String::new(), other.clone())]),
    }
}
