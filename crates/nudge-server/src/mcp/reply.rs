//! Tool results: the same facts as text and as structured content, because clients show either.

use nudge_core::Fault;
use nudge_memory::operation::Operation;
use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

/// The result of a call. A failure is a tool error that the model can read and act on.
pub(super) fn of(operation: &Operation, outcome: Result<Value, Fault>) -> CallToolResult {
    match outcome {
        Ok(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(operation.text(&value))]);
            // Clients expect structured content to be an object, and some drop the whole answer
            // otherwise.
            let structured = if value.is_object() { value } else { json!({"result": value}) };
            result.structured_content = Some(structured);
            result
        }
        Err(fault) => {
            let fault = nudge_memory::with_tools(nudge_store::for_agents(fault));
            let mut result = CallToolResult::error(vec![ContentBlock::text(text(&fault))]);
            result.structured_content = Some(json!({"error": fault.to_json()}));
            result
        }
    }
}

fn text(fault: &Fault) -> String {
    let mut text = format!("{} ({}): {}", fault.kind.id(), fault.kind.code(), fault.message);
    if let Some(next) = &fault.next {
        text.push_str(if text.ends_with('.') { " " } else { ". " });
        text.push_str(next);
    }
    if !fault.data.is_empty() {
        text.push('\n');
        text.push_str(&Value::Object(fault.data.clone()).to_string());
    }
    text
}

#[cfg(test)]
mod tests {
    use nudge_core::FaultKind;
    use nudge_memory::registry;

    use super::*;

    fn of(outcome: Result<Value, Fault>) -> CallToolResult {
        super::of(registry::find("ping").expect("an operation"), outcome)
    }

    #[test]
    fn a_result_is_text_and_structure() {
        let result = serde_json::to_value(of(Ok(json!({"hint": 1})))).expect("serialisable");
        assert_eq!(result["structuredContent"], json!({"hint": 1}));
        assert_eq!(result["content"], json!([{"type": "text", "text": "{\"hint\":1}"}]));
        assert_eq!(result["isError"], json!(false));
    }

    #[test]
    fn a_list_is_itself_as_text_and_a_field_of_the_structure() {
        let result = serde_json::to_value(of(Ok(json!([{"id": 1}])))).expect("serialisable");
        assert_eq!(result["content"], json!([{"type": "text", "text": "[{\"id\":1}]"}]));
        assert_eq!(result["structuredContent"], json!({"result": [{"id": 1}]}));
        assert_eq!(result["isError"], json!(false));
    }

    #[test]
    fn a_fault_is_a_tool_error_with_number_and_next_step() {
        let fault = Fault::new(FaultKind::NotFound, "unknown_key", "a/b is not known").next("try query");
        let result = serde_json::to_value(of(Err(fault.clone()))).expect("serialisable");
        assert_eq!(result["isError"], json!(true));
        assert_eq!(result["content"][0]["text"], json!("E_NOT_FOUND (40401): a/b is not known. try query"));
        assert_eq!(result["structuredContent"], json!({"error": fault.to_json()}));
    }

    #[test]
    fn the_text_of_a_fault_leaves_no_fact_out() {
        let fault =
            Fault::new(FaultKind::Conflict, "version_mismatch", "a/b is at 3").with("current_version", 3);
        assert_eq!(text(&fault), "E_CONFLICT (40901): a/b is at 3\n{\"current_version\":3}");
    }
}
