//! Edits given as an old and a new text.

use serde_json::Value;

use super::lines::FileChange;

const OLD: &[&str] = &["old_string", "oldString", "old_str", "oldText"];
const NEW: &[&str] = &["new_string", "newString", "new_str", "newText", "new_source", "insert_text"];
/// A block that replaces nothing.
const EMPTY_SEARCH_BLOCK: &str = " SEARCH\n=======\n";
const LISTS: &[&str] = &["edits", "changes", "replacements"];

/// Reads old and new texts: a single pair, a list, or SEARCH and REPLACE blocks. Returns whether
/// there were any.
pub(super) fn read<'a>(input: &'a Value, found: &mut FileChange<'a>) -> bool {
    let mut any = false;
    for edit in edits(input) {
        any |= pair(edit, found);
    }
    any || input.get("diff").and_then(Value::as_str).is_some_and(|text| blocks(text, found))
}

/// Whether an edit has nothing to replace.
pub(super) fn replaces_nothing(input: &Value) -> bool {
    let empty = |edit: &Value| {
        OLD.iter().find_map(|key| edit.get(*key)).is_some_and(|old| old.as_str().is_some_and(str::is_empty))
    };
    edits(input).any(empty)
        || input.get("diff").and_then(Value::as_str).is_some_and(|text| text.contains(EMPTY_SEARCH_BLOCK))
}

/// The input itself, and the edits it lists.
fn edits(input: &Value) -> impl Iterator<Item = &Value> {
    let lists = LISTS.iter().filter_map(|key| input.get(*key)?.as_array()).flatten();
    std::iter::once(input).chain(lists)
}

fn pair<'a>(edit: &'a Value, found: &mut FileChange<'a>) -> bool {
    let text = |keys: &[&str]| keys.iter().find_map(|key| edit.get(*key)?.as_str());
    let (old, new) = (text(OLD), text(NEW));
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
