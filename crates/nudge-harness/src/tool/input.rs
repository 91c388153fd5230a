//! What a tool was called with: files, command, target. There is no schema per tool; the names that
//! agents use are tried in turn.

use std::borrow::Cow;

use nudge_core::event::{ToolCall, ToolKind};
use serde_json::Value;

const FILE_KEYS: &[&str] = &[
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "target_file",
    "path",
    "dir_path",
    "filename",
];

const FILE_LIST_KEYS: &[&str] = &["files", "paths", "file_paths", "include"];

/// Paths of keys under which responses repeat the file.
const FILE_IN_RESPONSE: &[&[&str]] =
    &[&["filePath"], &["file", "filePath"], &["returnDisplay", "filePath"], &["metadata", "filepath"]];

const COMMAND_KEYS: &[&str] = &["command", "cmd", "commands", "script"];

/// The files of a call that touches files.
pub(super) fn files(kind: ToolKind, tool: &ToolCall) -> Vec<&str> {
    if !matches!(kind, ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Search) {
        return Vec::new();
    }
    let named = FILE_KEYS.iter().find_map(|key| text(tool.input.get(*key)?)).map(|file| vec![file]);
    let listed = || FILE_LIST_KEYS.iter().find_map(|key| list(tool.input.get(*key)?));
    let reported = || tool.response.as_ref().and_then(file_in_response).map(|file| vec![file]);
    named.or_else(listed).or_else(reported).unwrap_or_default()
}

/// The command line.
pub(super) fn command(input: &Value) -> Option<Cow<'_, str>> {
    COMMAND_KEYS.iter().find_map(|key| one_or_more(input.get(*key)?))
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
fn patch_text(input: &Value) -> Option<&str> {
    let inside =
        || ["command", "cmd", "input", "patch", "patchText"].iter().find_map(|key| input.get(*key)?.as_str());
    input.as_str().or_else(inside)
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Strings, or objects with a file, a command or an address.
fn item(value: &Value) -> Option<&str> {
    let keys = FILE_KEYS.iter().chain(COMMAND_KEYS).chain(&["url"]);
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

// What a tool showed the user or asked them.

/// Tools with which an agent shows its plan.
const PLAN_TOOLS: [&str; 2] = ["ExitPlanMode", "exit_plan_mode"];

/// The plan that the agent showed the user: from the call, else from its response, else the path of
/// its file.
pub(super) fn plan(call: &ToolCall) -> Option<&str> {
    if !PLAN_TOOLS.contains(&call.name.as_str()) {
        return None;
    }
    let response = call.response.as_ref().unwrap_or(&Value::Null);
    let places = [(&call.input, "plan"), (response, "plan"), (response, "filePath")];
    let mut texts = places.into_iter().filter_map(|(value, key)| value.get(key)?.as_str());
    texts.next().filter(|plan| !plan.trim().is_empty())
}

/// The first question of a tool that asks the user.
pub(super) fn question(input: &Value) -> Option<&str> {
    let first = input.get("questions").and_then(|questions| questions.get(0));
    let asked = first.map_or_else(|| input.get("question"), |first| first.get("question").or(Some(first)));
    asked?.as_str().filter(|question| !question.trim().is_empty())
}

// Patches in the `apply_patch` format, applied by a tool or through the shell.

/// The files that a patch touches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patch<'a> {
    pub(super) kind: ToolKind,
    pub(super) files: Vec<&'a str>,
}

/// The tool that applies a patch.
pub(super) const PATCH_TOOL: &str = "apply_patch";

const PATCH_MARK: &str = "*** Begin Patch";

const ADD_MARK: &str = "*** Add File: ";

const CHANGE_MARKS: &[&str] = &["*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The patch of a call, if it applies one.
pub(super) fn patch_of(tool: &ToolCall) -> Option<Patch<'_>> {
    let body = body(tool)?;
    let changes = body.lines().any(|line| CHANGE_MARKS.iter().any(|start| line.starts_with(start)));
    let kind = if changes { ToolKind::Edit } else { ToolKind::Write };
    Some(Patch { kind, files: patched_files(body) })
}

/// The text of the patch that a call applies.
pub(super) fn body(tool: &ToolCall) -> Option<&str> {
    let text = patch_text(&tool.input)?;
    let applies = tool.name == PATCH_TOOL || text.trim_start().starts_with("apply_patch");
    text.split_once(PATCH_MARK).filter(|_| applies).map(|(_, body)| body)
}

/// The files that a patch names, without duplicates; new files first.
pub(super) fn patched_files(body: &str) -> Vec<&str> {
    let mut patched_files = Vec::new();
    for start in std::iter::once(&ADD_MARK).chain(CHANGE_MARKS) {
        for file in body.lines().filter_map(|line| line.strip_prefix(start)).map(str::trim) {
            if !file.is_empty() && !patched_files.contains(&file) {
                patched_files.push(file);
            }
        }
    }
    patched_files
}

/// The files that a patch creates.
pub(super) fn new_files(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix(ADD_MARK)).map(str::trim).collect()
}

/// The file that a patch line names.
pub(super) fn file(line: &str) -> Option<&str> {
    std::iter::once(&ADD_MARK).chain(CHANGE_MARKS).find_map(|start| line.strip_prefix(start)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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

    fn call(name: &str, input: serde_json::Value) -> ToolCall {
        ToolCall { input, ..ToolCall::new(name) }
    }

    #[test]
    fn a_patch_names_its_files_whichever_way_it_is_applied() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n*** End Patch";
        let all = Patch { kind: ToolKind::Edit, files: vec!["a.rs", "b.rs", "c.rs"] };
        assert_eq!(patch_of(&call("apply_patch", json!({"command": patch}))).as_ref(), Some(&all));
        assert_eq!(patch_of(&call("apply_patch", json!({"input": patch}))).as_ref(), Some(&all));
        assert_eq!(patch_of(&call("apply_patch", json!(patch))).as_ref(), Some(&all));
        let shell = format!("apply_patch <<'PATCH'\n{patch}\nPATCH");
        assert_eq!(patch_of(&call("Bash", json!({"command": shell}))).as_ref(), Some(&all));
    }

    #[test]
    fn only_new_files_are_a_write_and_other_commands_are_no_patch() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch";
        let write = Patch { kind: ToolKind::Write, files: vec!["a.rs"] };
        assert_eq!(patch_of(&call("apply_patch", json!({"command": patch}))), Some(write));
        assert_eq!(patch_of(&call("Bash", json!({"command": format!("echo '{patch}'")}))), None);
        assert_eq!(patch_of(&call("apply_patch", json!({"command": 5}))), None);
    }
}
