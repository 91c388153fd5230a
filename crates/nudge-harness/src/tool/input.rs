//! What a tool was called with: files, command, target. There is no schema per tool; the names that
//! agents use are tried in turn.

use std::borrow::Cow;

use nudge_core::event::{ToolCall, ToolKind};
use serde_json::Value;

const FILE: &[&str] = &[
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "target_file",
    "path",
    "dir_path",
    "filename",
];
const FILES: &[&str] = &["files", "paths", "file_paths", "include"];
/// Paths of keys under which responses repeat the file.
const FILE_IN_RESPONSE: &[&[&str]] =
    &[&["filePath"], &["file", "filePath"], &["returnDisplay", "filePath"], &["metadata", "filepath"]];
const COMMAND: &[&str] = &["command", "cmd", "commands", "script"];

/// The files of a call that touches files.
pub(super) fn files(kind: ToolKind, tool: &ToolCall) -> Vec<&str> {
    if !matches!(kind, ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Search) {
        return Vec::new();
    }
    let named = FILE.iter().find_map(|key| text(tool.input.get(*key)?)).map(|file| vec![file]);
    let listed = || FILES.iter().find_map(|key| list(tool.input.get(*key)?));
    let reported = || tool.response.as_ref().and_then(file_in_response).map(|file| vec![file]);
    named.or_else(listed).or_else(reported).unwrap_or_default()
}

/// The command line.
pub(super) fn command(input: &Value) -> Option<Cow<'_, str>> {
    COMMAND.iter().find_map(|key| one_or_more(input.get(*key)?))
}

/// What was searched for, fetched or asked of a subagent.
pub(super) fn target(kind: ToolKind, input: &Value) -> Option<Cow<'_, str>> {
    let keys: &[&str] = match kind {
        ToolKind::Search => &["pattern", "query", "queries", "regex", "glob"],
        ToolKind::WebFetch => &["url", "urls", "requests", "prompt"],
        ToolKind::WebSearch => &["query", "search_query", "q"],
        ToolKind::TaskSpawn => &["description", "prompt", "message", "task", "objective", "name"],
        _ => &[],
    };
    keys.iter().find_map(|key| one_or_more(input.get(*key)?))
}

/// The first string under one of these names, empty or not.
pub(super) fn words<'a>(input: &'a Value, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| input.get(*name)?.as_str())
}

/// A patch: the input itself, or one of its strings.
pub(super) fn patch_text(input: &Value) -> Option<&str> {
    let inside =
        || ["command", "cmd", "input", "patch", "patchText"].iter().find_map(|key| input.get(*key)?.as_str());
    input.as_str().or_else(inside)
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Strings, or objects with a file, a command or an address.
fn item(value: &Value) -> Option<&str> {
    let keys = FILE.iter().chain(COMMAND).chain(&["url"]);
    text(value).or_else(|| keys.into_iter().find_map(|key| text(value.get(*key)?)))
}

fn list(value: &Value) -> Option<Vec<&str>> {
    let items: Vec<_> = value.as_array()?.iter().filter_map(item).collect();
    (!items.is_empty()).then_some(items)
}

/// A string, or a list of strings joined by newlines.
fn one_or_more(value: &Value) -> Option<Cow<'_, str>> {
    text(value).map(Cow::Borrowed).or_else(|| list(value).map(|items| Cow::Owned(items.join("\n"))))
}

fn file_in_response(response: &Value) -> Option<&str> {
    let walk = |keys: &&[&str]| text(keys.iter().try_fold(response, |value, key| value.get(*key))?);
    FILE_IN_RESPONSE.iter().find_map(walk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_come_under_many_names_alone_or_in_lists() {
        let call = |input| ToolCall { input, ..ToolCall::new("read") };
        for input in [
            json!({"file_path": "/a"}),
            json!({"filePath": "/a"}),
            json!({"path": "/a"}),
            json!({"paths": ["/a"]}),
            json!({"files": [{"path": "/a"}, 5]}),
        ] {
            assert_eq!(files(ToolKind::Read, &call(input)), ["/a"]);
        }
        assert_eq!(files(ToolKind::Read, &call(json!({"file_path": 5}))), [""; 0]);
        let reported =
            ToolCall { response: Some(json!({"file": {"filePath": "/b"}})), ..ToolCall::new("read") };
        assert_eq!(files(ToolKind::Read, &reported), ["/b"]);
        assert_eq!(files(ToolKind::Command, &reported), [""; 0]);
    }

    #[test]
    fn commands_are_texts_or_lists() {
        assert_eq!(command(&json!({"command": "ls"})).as_deref(), Some("ls"));
        assert_eq!(command(&json!({"commands": ["a", {"command": "b"}]})).as_deref(), Some("a\nb"));
        assert_eq!(command(&json!({"command": 5})), None);
        assert_eq!(command(&Value::Null), None);
    }
}
