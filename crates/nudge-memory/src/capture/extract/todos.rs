//! What an agent noted as still to do.

use serde_json::Value;

use super::text;

/// How many to-dos are kept, and how much of each.
const TODOS: usize = 20;
const TODO_MOST: usize = 200;

/// The fields in which tools keep the list and the text of an item.
const LISTS: [&str; 3] = ["todos", "plan", "items"];
const WORDS: [&str; 5] = ["content", "step", "description", "title", "text"];

/// States of items that are finished or dropped.
const CLOSED: [&str; 6] = ["completed", "complete", "done", "cancelled", "canceled", "deleted"];

/// The open items of the list given to a tool; `None` if no list was given. If all items are
/// closed, the result is empty: nothing is left to do.
pub(super) fn open(input: &Value) -> Option<Vec<String>> {
    let list = LISTS.iter().find_map(|name| input.get(name)?.as_array())?;
    if list.is_empty() || !list.iter().all(|item| item.get("status").is_some_and(Value::is_string)) {
        return None;
    }
    let is_open = |item: &&Value| !CLOSED.contains(&item["status"].as_str().unwrap_or_default());
    let words = |item: &Value| WORDS.iter().find_map(|name| item.get(name)?.as_str().map(str::to_owned));
    let open = list.iter().filter(is_open).filter_map(words);
    Some(open.map(|words| text::head(&words, TODO_MOST).text).take(TODOS).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn open_items_are_read_from_every_agents_list() {
        let claude = json!({"todos": [
            {"content": "write the parser", "status": "completed", "activeForm": "writing"},
            {"content": "test it", "status": "in_progress"},
            {"content": "document it", "status": "pending"}]});
        assert_eq!(open(&claude), Some(vec!["test it".to_owned(), "document it".to_owned()]));
        let codex = json!({"plan": [{"step": "ship it", "status": "pending"}]});
        assert_eq!(open(&codex), Some(vec!["ship it".to_owned()]));
        let done = json!({"todos": [{"content": "a", "status": "done"}]});
        assert_eq!(open(&done), Some(Vec::new()));
        assert_eq!(open(&json!({"todos": []})), None);
        assert_eq!(open(&json!({"plan": "do this, then that"})), None);
    }
}
