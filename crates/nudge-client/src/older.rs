//! Answers for older programs of ours, which read some fields under an earlier name.

use serde_json::Value;

/// The field names that this version reads. Version 1 read `told` where version 2 reads `injected`.
pub const FIELD_NAMES: u8 = 2;

/// The name that version 1 reads.
pub const OLD_NAME: &str = "told";

/// Where an answer has the renamed field: the operation, and the objects that carry it.
const RENAMED_FIELDS: [(&str, &[&str]); 2] =
    [("preview_context", &[]), ("explain_injection", &["injection", "entry"])];

/// Adds the names that a caller of an older version reads.
pub fn add_names(known: u8, operation: &str, answer: &mut Value) {
    let Some((_, parts)) =
        RENAMED_FIELDS.iter().find(|(name, _)| *name == operation).filter(|_| known < FIELD_NAMES)
    else {
        return;
    };
    if parts.is_empty() {
        add(answer);
    }
    for part in *parts {
        answer.get_mut(*part).into_iter().for_each(add);
    }
}

fn add(object: &mut Value) {
    if let Some(object) = object.as_object_mut()
        && let Some(lines) = object.get("injected").cloned()
    {
        object.insert(OLD_NAME.to_owned(), lines);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn answered(known: u8, operation: &str, mut answer: Value) -> Value {
        add_names(known, operation, &mut answer);
        answer
    }

    #[test]
    fn older_programs_find_the_lines_under_the_name_they_know() {
        let preview = json!({"tokens": 3, "injected": [1]});
        assert_eq!(answered(1, "preview_context", preview.clone())["told"], json!([1]));
        assert_eq!(answered(FIELD_NAMES, "preview_context", preview.clone()), preview);
        let why = json!({"injection": {"injected": [2]}, "entry": null});
        assert_eq!(answered(1, "explain_injection", why)["injection"]["told"], json!([2]));
    }

    #[test]
    fn other_answers_stay_as_they_are() {
        let other = json!({"injected": [1]});
        assert_eq!(answered(1, "search", other.clone()), other);
    }
}
