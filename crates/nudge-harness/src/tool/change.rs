//! What a write or an edit changed: the whole new content where it is known, and the added and
//! removed lines.
//!
//! Nothing is copied and only the first lines are collected, so files can be of any size.

use nudge_core::event::ToolCall;
use serde_json::Value;

use super::input;

/// The names under which the whole content of a file is given.
const CONTENT_KEYS: &[&str] = &["content", "contents", "file_text", "fileText"];

/// Where a response contains a unified diff.
const DIFF_PATHS: &[&[&str]] =
    &[&["returnDisplay", "fileDiff"], &["metadata", "diff"], &["metadata", "filediff", "patch"], &["diff"]];

/// The change that a call made, or is about to make.
pub(super) fn change(tool: &ToolCall) -> Option<FileChange<'_>> {
    let mut found = FileChange { content: reported_content(tool), removed: Some(0), ..FileChange::default() };
    let reported = structured(tool, &mut found)
        || in_diff(tool, &mut found)
        || in_patch(tool, &mut found)
        || read(&tool.input, &mut found);
    if !reported {
        let content = found.content?;
        found.removed = is_new(tool).then_some(0);
        content.lines().for_each(|line| found.add(line));
    }
    found.replaces_nothing = replaces_nothing(&tool.input);
    Some(found)
}

/// The file's content according to the response; else the input of a tool that writes whole files.
fn reported_content(tool: &ToolCall) -> Option<&str> {
    let reported = tool.response.as_ref().and_then(|response| at(response, &["returnDisplay", "newContent"]));
    reported.or_else(|| given_content(tool))
}

fn given_content(tool: &ToolCall) -> Option<&str> {
    CONTENT_KEYS.iter().find_map(|key| tool.input.get(*key)?.as_str())
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
    lines.filter_map(Value::as_str).for_each(|line| signed(line, found));
    true
}

fn in_diff<'a>(tool: &'a ToolCall, found: &mut FileChange<'a>) -> bool {
    let Some(response) = &tool.response else { return false };
    let Some(text) = DIFF_PATHS.iter().find_map(|keys| at(response, keys)) else { return false };
    unified(text, found)
}

fn in_patch<'a>(tool: &'a ToolCall, found: &mut FileChange<'a>) -> bool {
    let Some(body) = input::body(tool) else { return false };
    let several = input::patched_files(body).len() > 1;
    if several {
        found.new_files = input::new_files(body);
    }
    for line in body.lines() {
        match input::file(line) {
            Some(file) if several => found.collect(Line::File(file)),
            Some(_) => {}
            None => signed(line, found),
        }
    }
    true
}

fn at<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a str> {
    keys.iter().try_fold(value, |value, key| value.get(*key))?.as_str()
}

// Reads diff lines, which start with a sign.

/// Adds one line with its sign; a line without one did not change.
fn signed<'a>(line: &'a str, found: &mut FileChange<'a>) {
    match line.as_bytes().first() {
        Some(b'+') => found.add(&line[1..]),
        Some(b'-') => found.remove(&line[1..]),
        _ => {}
    }
}

/// Reads a unified diff; returns whether it was one. Hunks give their length, so a removed line `--
/// x` is not mistaken for the header of the next file.
fn unified<'a>(text: &'a str, found: &mut FileChange<'a>) -> bool {
    let (mut old, mut new) = (0_u64, 0_u64);
    let mut any = false;
    for line in text.lines() {
        if old == 0 && new == 0 {
            if let Some(counts) = hunk(line) {
                (old, new) = counts;
                any = true;
            }
            continue;
        }
        match line.as_bytes().first() {
            Some(b'+') => new = new.saturating_sub(1),
            Some(b'-') => old = old.saturating_sub(1),
            // `\ No newline at end of file` belongs to neither side.
            Some(b'\\') => continue,
            _ => (old, new) = (old.saturating_sub(1), new.saturating_sub(1)),
        }
        signed(line, found);
    }
    any
}

/// The number of lines on each side of a hunk: `@@ -1,2 +1,2 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    let length = |range: &str| range.split_once(',').map_or(Some(1), |(_, length)| length.parse().ok());
    Some((length(old)?, length(new)?))
}

// Edits given as an old and a new text.

const OLD_TEXT_KEYS: &[&str] = &["old_string", "oldString", "old_str", "oldText"];

const NEW_TEXT_KEYS: &[&str] =
    &["new_string", "newString", "new_str", "newText", "new_source", "insert_text"];

/// A block that replaces nothing.
const EMPTY_SEARCH_BLOCK: &str = " SEARCH\n=======\n";

const LIST_KEYS: &[&str] = &["edits", "changes", "replacements"];

/// Reads old and new texts: a single pair, a list, or SEARCH and REPLACE blocks. Returns whether
/// there were any.
fn read<'a>(input: &'a Value, found: &mut FileChange<'a>) -> bool {
    let mut any = false;
    for edit in edits(input) {
        any |= pair(edit, found);
    }
    any || input.get("diff").and_then(Value::as_str).is_some_and(|text| blocks(text, found))
}

/// Whether an edit has nothing to replace.
fn replaces_nothing(input: &Value) -> bool {
    let empty = |edit: &Value| {
        OLD_TEXT_KEYS
            .iter()
            .find_map(|key| edit.get(*key))
            .is_some_and(|old| old.as_str().is_some_and(str::is_empty))
    };
    edits(input).any(empty)
        || input.get("diff").and_then(Value::as_str).is_some_and(|text| text.contains(EMPTY_SEARCH_BLOCK))
}

/// The input itself, and the edits it lists.
fn edits(input: &Value) -> impl Iterator<Item = &Value> {
    let lists = LIST_KEYS.iter().filter_map(|key| input.get(*key)?.as_array()).flatten();
    std::iter::once(input).chain(lists)
}

fn pair<'a>(edit: &'a Value, found: &mut FileChange<'a>) -> bool {
    let text = |keys: &[&str]| keys.iter().find_map(|key| edit.get(*key)?.as_str());
    let (old, new) = (text(OLD_TEXT_KEYS), text(NEW_TEXT_KEYS));
    replaced(old.unwrap_or_default(), new.unwrap_or_default(), found);
    old.is_some() || new.is_some()
}

/// Lines that both texts begin or end with did not change.
fn replaced<'a>(old: &'a str, new: &'a str, found: &mut FileChange<'a>) {
    let same_head = old.lines().zip(new.lines()).take_while(|(old, new)| old == new).count();
    let (old_count, new_count) = (old.lines().count(), new.lines().count());
    let room = old_count.min(new_count) - same_head;
    let same_tail =
        old.lines().rev().zip(new.lines().rev()).take(room).take_while(|(old, new)| old == new).count();
    old.lines().take(old_count - same_tail).skip(same_head).for_each(|line| found.remove(line));
    new.lines().take(new_count - same_tail).skip(same_head).for_each(|line| found.add(line));
}

/// `SEARCH`, the old lines, a rule, the new lines, `REPLACE`.
fn blocks<'a>(text: &'a str, found: &mut FileChange<'a>) -> bool {
    let mut any = false;
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(" SEARCH\n") {
        let Some((old, after)) = after.split_once("=======\n") else { break };
        let Some(end) = after.find(" REPLACE") else { break };
        // The marker before the word is on the same line.
        let new = after[..end].rfind('\n').map_or("", |line| &after[..=line]);
        replaced(old, new, found);
        any = true;
        rest = &after[end..];
    }
    any
}

// A change as added and removed lines.

/// How many lines are collected; further lines are only counted.
pub const MAX_CHANGED_LINES: usize = 40;

/// A change of files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileChange<'a> {
    /// The whole content after the change, where it is known.
    pub content: Option<&'a str>,
    /// The first added and removed lines, in the order they are reported.
    pub lines: Vec<Line<'a>>,
    /// The number of added lines.
    pub added: u64,
    /// The number of removed lines; `None` when a file was overwritten and its old content is
    /// unknown.
    pub removed: Option<u64>,
    /// Whether an edit had no text to replace, so that its new text is the whole file.
    pub replaces_nothing: bool,
    /// The files that a patch creates.
    pub new_files: Vec<&'a str>,
}

/// One line of a change.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// The lines that follow belong to this file.
    File(&'a str),
    /// A removed line.
    Removed(&'a str),
    /// An added line.
    Added(&'a str),
}

impl<'a> FileChange<'a> {
    fn add(&mut self, line: &'a str) {
        self.added += 1;
        self.collect(Line::Added(line));
    }

    fn remove(&mut self, line: &'a str) {
        self.removed = self.removed.map(|count| count + 1);
        self.collect(Line::Removed(line));
    }

    fn collect(&mut self, line: Line<'a>) {
        if self.lines.len() < MAX_CHANGED_LINES {
            self.lines.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Line;
    use super::*;

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
        assert_eq!(made.lines.len(), MAX_CHANGED_LINES);
        let over = call(json!({"content": "x"}), json!({"metadata": {"exists": true}}));
        assert_eq!(change(&over).expect("a change").removed, None);
        assert_eq!(change(&call(json!({"path": "a"}), json!({}))), None);
    }

    #[test]
    fn lines_that_look_like_headers_are_lines_inside_a_hunk() {
        let text = "--- a\n+++ a\n@@ -1,2 +1 @@\n--- x\n-y\n\\ No newline at end of file\n+++ z\n--- b\n+++ b\n@@ -3 +3 @@\n-p\n+q\n";
        let mut found = FileChange { removed: Some(0), ..FileChange::default() };
        assert!(unified(text, &mut found));
        let lines = [
            Line::Removed("-- x"),
            Line::Removed("y"),
            Line::Added("++ z"),
            Line::Removed("p"),
            Line::Added("q"),
        ];
        assert_eq!(found.lines, lines);
        assert!(!unified("no diff", &mut found));
    }
}
