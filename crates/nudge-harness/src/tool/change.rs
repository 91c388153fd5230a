//! What a write or an edit changed: the whole new content where it is known, and the added and
//! removed lines.
//!
//! Nothing is copied and only the first lines are collected, so files can be of any size.

mod diff;
mod lines;
mod replace;

pub use lines::{FileChange, LINES_MOST, Line};

use nudge_core::event::ToolCall;
use serde_json::Value;

use super::patch;

/// The names under which the whole content of a file is given.
const CONTENT: &[&str] = &["content", "contents", "file_text", "fileText"];

/// Where a response contains a unified diff.
const DIFF: &[&[&str]] =
    &[&["returnDisplay", "fileDiff"], &["metadata", "diff"], &["metadata", "filediff", "patch"], &["diff"]];

/// The change that a call made, or is about to make.
pub(super) fn change(tool: &ToolCall) -> Option<FileChange<'_>> {
    let mut found = FileChange { content: reported_content(tool), removed: Some(0), ..FileChange::default() };
    let reported = structured(tool, &mut found)
        || in_diff(tool, &mut found)
        || in_patch(tool, &mut found)
        || replace::read(&tool.input, &mut found);
    if !reported {
        let content = found.content?;
        found.removed = is_new(tool).then_some(0);
        content.lines().for_each(|line| found.add(line));
    }
    found.replaces_nothing = replace::replaces_nothing(&tool.input);
    Some(found)
}

/// The file's content according to the response; else the input of a tool that writes whole files.
fn reported_content(tool: &ToolCall) -> Option<&str> {
    let reported = tool.response.as_ref().and_then(|response| at(response, &["returnDisplay", "newContent"]));
    reported.or_else(|| given_content(tool))
}

fn given_content(tool: &ToolCall) -> Option<&str> {
    CONTENT.iter().find_map(|key| tool.input.get(*key)?.as_str())
}

/// Whether the response says that the file did not exist before.
fn is_new(tool: &ToolCall) -> bool {
    let Some(response) = &tool.response else { return false };
    let says = |key: &str, word: &Value| response.get(key) == Some(word);
    says("type", &Value::from("create"))
        || response.get("metadata").and_then(|metadata| metadata.get("exists")) == Some(&Value::Bool(false))
        || response.get("returnDisplay").and_then(|display| display.get("isNewFile"))
            == Some(&Value::Bool(true))
}

/// Hunks as lists of lines, each with its sign.
fn structured<'a>(tool: &'a ToolCall, found: &mut FileChange<'a>) -> bool {
    let hunks = tool.response.as_ref().and_then(|response| response.get("structuredPatch")?.as_array());
    let Some(hunks) = hunks.filter(|hunks| !hunks.is_empty()) else { return false };
    let lines = hunks.iter().filter_map(|hunk| hunk.get("lines")?.as_array()).flatten();
    lines.filter_map(Value::as_str).for_each(|line| diff::signed(line, found));
    true
}

fn in_diff<'a>(tool: &'a ToolCall, found: &mut FileChange<'a>) -> bool {
    let Some(response) = &tool.response else { return false };
    let Some(text) = DIFF.iter().find_map(|keys| at(response, keys)) else { return false };
    diff::unified(text, found)
}

fn in_patch<'a>(tool: &'a ToolCall, found: &mut FileChange<'a>) -> bool {
    let Some(body) = patch::body(tool) else { return false };
    let several = patch::files(body).len() > 1;
    if several {
        found.new_files = patch::new_files(body);
    }
    for line in body.lines() {
        match patch::file(line) {
            Some(file) if several => found.collect(Line::File(file)),
            Some(_) => {}
            None => diff::signed(line, found),
        }
    }
    true
}

fn at<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().try_fold(value, |value, key| value.get(*key))?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(input: Value, response: Value) -> ToolCall {
        ToolCall { input, response: Some(response), ..ToolCall::new("edit") }
    }

    fn lines(tool: &ToolCall) -> Vec<Line<'_>> {
        change(tool).expect("a change").lines
    }

    #[test]
    fn every_way_of_telling_gives_the_same_lines() {
        let two_to_three = [Line::Removed("two"), Line::Added("three")];
        let diff = "Index: b\n===\n--- b\n+++ b\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        for (input, response) in [
            (json!({}), json!({"structuredPatch": [{"lines": [" one", "-two", "+three"]}]})),
            (json!({}), json!({"returnDisplay": {"fileDiff": diff}})),
            (json!({}), json!({"metadata": {"diff": diff}})),
            (json!({"old_string": "one\ntwo", "new_string": "one\nthree"}), json!({})),
            (json!({"oldString": "two", "newString": "three"}), json!({})),
            (json!({"old_str": "two\n", "new_str": "three\n"}), json!({})),
            (json!({"edits": [{"old_string": "two", "new_string": "three"}]}), json!({})),
            (json!({"diff": "<<<<<<< SEARCH\none\ntwo\n=======\none\nthree\n>>>>>>> REPLACE"}), json!({})),
        ] {
            assert_eq!(lines(&call(input.clone(), response)), two_to_three, "{input}");
        }
    }

    #[test]
    fn a_patch_of_several_files_names_them() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n c\n-d\n+e\n*** End Patch";
        let tool = ToolCall { input: json!({"command": patch}), ..ToolCall::new("apply_patch") };
        let reported =
            [Line::File("a"), Line::Added("x"), Line::File("b"), Line::Removed("d"), Line::Added("e")];
        assert_eq!(lines(&tool), reported);
    }

    #[test]
    fn whole_contents_are_reported_and_counted_beyond_what_is_collected() {
        let text = "x\n".repeat(1000);
        let tool = call(json!({"content": text}), json!({"type": "create", "structuredPatch": []}));
        let made = change(&tool).expect("a change");
        assert_eq!((made.content, made.added, made.removed), (Some(text.as_str()), 1000, Some(0)));
        assert_eq!(made.lines.len(), LINES_MOST);
        let over = call(json!({"content": "x"}), json!({"metadata": {"exists": true}}));
        assert_eq!(change(&over).expect("a change").removed, None);
        assert_eq!(change(&call(json!({"path": "a"}), json!({}))), None);
    }
}
