//! Patches in the `apply_patch` format, applied by a tool or through the shell.

use nudge_core::event::{ToolCall, ToolKind};

use super::input;

/// The files that a patch touches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patch<'a> {
    pub(super) kind: ToolKind,
    pub(super) files: Vec<&'a str>,
}

/// The tool that applies a patch.
pub(super) const TOOL: &str = "apply_patch";

const BEGIN: &str = "*** Begin Patch";
const ADD: &str = "*** Add File: ";
const CHANGES: &[&str] = &["*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The patch of a call, if it applies one.
pub(super) fn of(tool: &ToolCall) -> Option<Patch<'_>> {
    let body = body(tool)?;
    let changes = body.lines().any(|line| CHANGES.iter().any(|start| line.starts_with(start)));
    let kind = if changes { ToolKind::Edit } else { ToolKind::Write };
    Some(Patch { kind, files: files(body) })
}

/// The text of the patch that a call applies.
pub(super) fn body(tool: &ToolCall) -> Option<&str> {
    let text = input::patch_text(&tool.input)?;
    let applies = tool.name == TOOL || text.trim_start().starts_with("apply_patch");
    text.split_once(BEGIN).filter(|_| applies).map(|(_, body)| body)
}

/// The files that a patch names, without duplicates; new files first.
pub(super) fn files(body: &str) -> Vec<&str> {
    let mut files = Vec::new();
    for start in std::iter::once(&ADD).chain(CHANGES) {
        for file in body.lines().filter_map(|line| line.strip_prefix(start)).map(str::trim) {
            if !file.is_empty() && !files.contains(&file) {
                files.push(file);
            }
        }
    }
    files
}

/// The files that a patch creates.
pub(super) fn new_files(body: &str) -> Vec<&str> {
    body.lines().filter_map(|line| line.strip_prefix(ADD)).map(str::trim).collect()
}

/// The file that a patch line names.
pub(super) fn file(line: &str) -> Option<&str> {
    std::iter::once(&ADD).chain(CHANGES).find_map(|start| line.strip_prefix(start)).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(name: &str, input: serde_json::Value) -> ToolCall {
        ToolCall { input, ..ToolCall::new(name) }
    }

    #[test]
    fn a_patch_names_its_files_whichever_way_it_is_applied() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** Move to: c.rs\n@@\n*** End Patch";
        let all = Patch { kind: ToolKind::Edit, files: vec!["a.rs", "b.rs", "c.rs"] };
        assert_eq!(of(&call("apply_patch", json!({"command": patch}))).as_ref(), Some(&all));
        assert_eq!(of(&call("apply_patch", json!({"input": patch}))).as_ref(), Some(&all));
        assert_eq!(of(&call("apply_patch", json!(patch))).as_ref(), Some(&all));
        let shell = format!("apply_patch <<'PATCH'\n{patch}\nPATCH");
        assert_eq!(of(&call("Bash", json!({"command": shell}))).as_ref(), Some(&all));
    }

    #[test]
    fn only_new_files_are_a_write_and_other_commands_are_no_patch() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch";
        let write = Patch { kind: ToolKind::Write, files: vec!["a.rs"] };
        assert_eq!(of(&call("apply_patch", json!({"command": patch}))), Some(write));
        assert_eq!(of(&call("Bash", json!({"command": format!("echo '{patch}'")}))), None);
        assert_eq!(of(&call("apply_patch", json!({"command": 5}))), None);
    }
}
