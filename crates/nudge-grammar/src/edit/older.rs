//! Edits in older forms: conflict markers, unified diffs, JSON, tags, sed expressions.

use serde_json::Value;

use super::error::EditError;
use super::step::EditStep;
use crate::pattern::Pattern;

/// Reads an older form; `None` when the body is none of them.
pub(super) fn parse(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    if let Some(steps) = conflicts(body)? {
        return Ok(Some(steps));
    }
    if is_diff(body) {
        return Ok(Some(vec![EditStep::Patch(body.to_owned())]));
    }
    if let Some(steps) = json(body).or_else(|| tagged(body)) {
        return Ok(Some(steps));
    }
    sed_chain(body)
}

/// Blocks `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`, with 3 to 12 signs.
fn conflicts(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    let mut steps = Vec::new();
    let mut lines = body.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if !is_fence(line, '<', &["SEARCH"]) {
            continue;
        }
        let unclosed = |closer: &str| EditError::Unclosed {
            marker: line.trim_end().to_owned(),
            closer: closer.to_owned(),
        };
        let search = until(&mut lines, '=', &[""]).ok_or_else(|| unclosed("======="))?;
        let replace = until(&mut lines, '>', &["REPLACE", ""]).ok_or_else(|| unclosed(">>>>>>> REPLACE"))?;
        steps.push(EditStep::SearchReplace { search, replace });
    }
    Ok((!steps.is_empty()).then_some(steps))
}

/// Whether a line is 3 to 12 of `sign` and then one of the labels.
fn is_fence(line: &str, sign: char, labels: &[&str]) -> bool {
    let line = line.trim_end();
    let label = line.trim_start_matches(sign);
    let signs = line.len() - label.len();
    (3..=12).contains(&signs) && labels.contains(&label.trim())
}

/// The lines before the next fence, without the last line end.
fn until<'a>(lines: &mut impl Iterator<Item = &'a str>, sign: char, labels: &[&str]) -> Option<String> {
    let mut text = String::new();
    for line in lines {
        if is_fence(line, sign, labels) {
            return Some(super::lines::without_end(&text).to_owned());
        }
        text.push_str(line);
    }
    None
}

/// Whether the body begins as a diff does and has a hunk.
fn is_diff(body: &str) -> bool {
    let start = body.trim_start();
    let begins =
        ["--- ", "diff --git ", "Index: ", "@@ ", "@@\n", "@@\r\n", "*** Begin Patch", "*** Update File"];
    begins.iter().any(|word| start.starts_with(word)) && super::patch::has_hunk(body)
}

/// `{"search": …, "replace": …}`, or a list of them, and nothing else.
fn json(body: &str) -> Option<Vec<EditStep>> {
    if !body.trim_start().starts_with(['{', '[']) || !body.contains("\"search\"") {
        return None;
    }
    match serde_json::from_str(body).ok()? {
        Value::Array(items) if !items.is_empty() => items.iter().map(pair).collect(),
        value => Some(vec![pair(&value)?]),
    }
}

fn pair(value: &Value) -> Option<EditStep> {
    let fields = value.as_object().filter(|fields| fields.len() == 2)?;
    let text = |name: &str| fields.get(name)?.as_str().map(str::to_owned);
    Some(EditStep::SearchReplace { search: text("search")?, replace: text("replace")? })
}

/// `<old_text>…</old_text>` and `<new_text>…</new_text>`, and nothing else.
fn tagged(body: &str) -> Option<Vec<EditStep>> {
    let mut steps = Vec::new();
    let mut rest = body.trim();
    while !rest.is_empty() {
        let (search, after) = rest.strip_prefix("<old_text>")?.split_once("</old_text>")?;
        let (replace, after) = after.trim_start().strip_prefix("<new_text>")?.split_once("</new_text>")?;
        steps.push(EditStep::SearchReplace { search: inside(search), replace: inside(replace) });
        rest = after.trim_start();
    }
    (!steps.is_empty()).then_some(steps)
}

/// The content without the line ends next to its tags.
fn inside(text: &str) -> String {
    let text = &text[super::lines::end_at(text, 0)..];
    super::lines::without_end(text).to_owned()
}

/// Lines that are all sed expressions; several on a line are separated by `;`.
fn sed_chain(body: &str) -> Result<Option<Vec<EditStep>>, EditError> {
    let mut found = Vec::new();
    for line in body.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let Some(parts) = expressions(line) else {
            if is_broken_sed(body) {
                return Err(EditError::BrokenSed(line.chars().take(60).collect()));
            }
            return Ok(None);
        };
        found.extend(parts);
    }
    if found.is_empty() {
        return Ok(None);
    }
    let steps = found.into_iter().map(|text| Ok(EditStep::Substitute(Pattern::parse(text)?)));
    steps.collect::<Result<_, EditError>>().map(Some)
}

/// Whether a body is one line such as `s/old` or `s/old/new`: an expression that lacks its end. As
/// the new body it would lose all that is there.
fn is_broken_sed(body: &str) -> bool {
    let line = body.trim();
    let rest = line.strip_prefix("s/").unwrap_or_default();
    !rest.is_empty() && !line.contains('\n') && rest.matches('/').count() < 2
}

/// The expressions of a line; `None` when a part of it is something else.
fn expressions(line: &str) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let (first, after) = rest.split_at(Pattern::leading_sed(rest)?);
        found.push(first);
        let after = after.trim_start();
        rest = if after.is_empty() { after } else { after.strip_prefix(';')?.trim_start() };
    }
    Some(found)
}
