//! Files that are written whole: of those never all lines are kept.

use nudge_core::ObservationKind;
use nudge_core::event::ToolCall;
use nudge_harness::tool::{FileChange, Line};
use serde_json::Value;

/// Under which names the text stands that an edit replaces. An empty one makes the file.
const OLD: &[&str] = &["old_string", "oldString", "old_str", "oldText"];

/// Under which names several edits stand.
const EDITS: &[&str] = &["edits", "changes", "replacements"];

/// How a patch names a file that it makes.
const ADD: &str = "*** Add File: ";

/// A block that replaces nothing.
const NOTHING_SOUGHT: &str = " SEARCH\n=======\n";

/// Which files of a change are written whole.
pub(super) struct Whole<'a> {
    call: &'a ToolCall,
    made: &'a FileChange<'a>,
    all: bool,
}

impl<'a> Whole<'a> {
    pub(super) fn of(kind: ObservationKind, call: &'a ToolCall, made: &'a FileChange<'a>) -> Self {
        let all = kind == ObservationKind::FileWrite || is_all_new(made) || replaces_nothing(&call.input);
        Self { call, made, all }
    }

    /// How many lines may be kept of those that came to one file, and of those that went: half of what it holds now, if it was
    /// written whole. `section` are its lines, behind its name where there are several.
    pub(super) fn most(&self, section: &[Line<'_>]) -> Option<u64> {
        let named = match section.first() {
            Some(Line::File(file)) => Some(*file),
            _ => None,
        };
        let whole = self.all || named.is_some_and(|file| adds(&self.call.input, file));
        whole.then(|| self.held(section, named.is_some()) / 2)
    }

    /// How many lines the file holds now. Blank ones do not count: without them there would be as much to read.
    fn held(&self, section: &[Line<'_>], several: bool) -> u64 {
        if let Some(content) = self.made.content {
            return content.lines().filter(|line| !line.trim().is_empty()).count() as u64;
        }
        let came = section.iter().filter(|line| matches!(line, Line::Added(_))).count() as u64;
        let told = |line: &&Line<'_>| matches!(line, Line::Added(line) if !line.trim().is_empty());
        // Not all lines of a long file were collected; where there are several, nobody knows whose the others are.
        let others = if several { 0 } else { self.made.added - came };
        section.iter().filter(told).count() as u64 + others
    }
}

/// Whether nothing went and every line of the file came.
fn is_all_new(made: &FileChange<'_>) -> bool {
    let held = made.content.map(|content| content.lines().count() as u64);
    made.removed == Some(0) && made.added > 0 && held == Some(made.added)
}

/// Whether an edit has nothing to replace, which makes its new text the file.
fn replaces_nothing(input: &Value) -> bool {
    let edits = EDITS.iter().filter_map(|key| input.get(*key)?.as_array()).flatten();
    let empty = |edit: &Value| {
        OLD.iter().find_map(|key| edit.get(*key)).is_some_and(|old| old.as_str().is_some_and(str::is_empty))
    };
    std::iter::once(input).chain(edits).any(empty)
        || input.get("diff").and_then(Value::as_str).is_some_and(|text| text.contains(NOTHING_SOUGHT))
}

/// Whether a patch in the input makes that file.
fn adds(input: &Value, file: &str) -> bool {
    let made = |text: &str| text.lines().any(|line| line.strip_prefix(ADD).map(str::trim) == Some(file));
    match input {
        Value::String(text) => made(text),
        Value::Array(items) => items.iter().any(|item| adds(item, file)),
        Value::Object(fields) => fields.values().any(|field| adds(field, file)),
        _ => false,
    }
}
