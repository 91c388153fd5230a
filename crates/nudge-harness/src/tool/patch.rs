//! Patches in the format of `apply_patch`, called as a tool or through the shell.

use nudge_core::event::{ToolCall, ToolKind};

use super::input;

/// What a patch touches.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patch {
    pub(super) kind: ToolKind,
    pub(super) files: Vec<String>,
}

const BEGIN: &str = "*** Begin Patch";
const ADD: &str = "*** Add File: ";
const CHANGES: &[&str] = &["*** Update File: ", "*** Delete File: ", "*** Move to: "];

/// The patch of a call, if it applies one.
pub(super) fn of(tool: &ToolCall) -> Option<Patch> {
    let text = input::patch_text(&tool.input)?;
    let applies = tool.name == "apply_patch" || text.trim_start().starts_with("apply_patch");
    let (_, body) = text.split_once(BEGIN).filter(|_| applies)?;
    let added = body.lines().filter_map(|line| line.strip_prefix(ADD));
    let changed = |line: &'static str| body.lines().filter_map(move |text| text.strip_prefix(line));
    let changed: Vec<_> = CHANGES.iter().copied().flat_map(changed).collect();
    let kind = if changed.is_empty() { ToolKind::Write } else { ToolKind::Edit };
    let mut files: Vec<String> = Vec::new();
    for file in added.chain(changed).map(str::trim).filter(|file| !file.is_empty()) {
        if !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
    }
    Some(Patch { kind, files })
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
        let all = Patch { kind: ToolKind::Edit, files: ["a.rs", "b.rs", "c.rs"].map(Into::into).into() };
        assert_eq!(of(&call("apply_patch", json!({"command": patch}))).as_ref(), Some(&all));
        assert_eq!(of(&call("apply_patch", json!({"input": patch}))).as_ref(), Some(&all));
        assert_eq!(of(&call("apply_patch", json!(patch))).as_ref(), Some(&all));
        let shell = format!("apply_patch <<'PATCH'\n{patch}\nPATCH");
        assert_eq!(of(&call("Bash", json!({"command": shell}))).as_ref(), Some(&all));
    }

    #[test]
    fn only_new_files_are_a_write_and_other_commands_are_no_patch() {
        let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** End Patch";
        let write = Patch { kind: ToolKind::Write, files: vec!["a.rs".into()] };
        assert_eq!(of(&call("apply_patch", json!({"command": patch}))), Some(write));
        assert_eq!(of(&call("Bash", json!({"command": format!("echo '{patch}'")}))), None);
        assert_eq!(of(&call("apply_patch", json!({"command": 5}))), None);
    }
}
