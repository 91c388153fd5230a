//! JSON text that is changed in place: what is not touched keeps its bytes.

mod scan;

use std::ops::Range;

use serde_json::Value;

use crate::install::InstallError;
use scan::{Node, Shape, scan};

/// What people and programs indent by most often, for files that do not show a habit of their own.
const INDENT: &str = "  ";

/// A file of settings: an object, its text, and where in the text everything stands.
#[derive(Debug)]
pub(crate) struct JsonText {
    text: String,
    value: Value,
    root: Node,
}

impl JsonText {
    /// Reads a file. One that is missing or blank counts as an empty object.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, InstallError> {
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
        Self::of(text.to_owned())
    }

    fn of(text: String) -> Result<Self, InstallError> {
        let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let value: Value = serde_json::from_str(&text[start..])
            .map_err(|error| InstallError::NotJson { line: error.line(), column: error.column() })?;
        if !value.is_object() {
            return Err(InstallError::WrongKind { place: "the file".into(), expected: "an object" });
        }
        let root = scan(&text, start);
        Ok(Self { text, value, root })
    }

    /// What the file says.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The text as it is now.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Puts a member at the end of the object at `path`, or another value in its place.
    pub(crate) fn set(&mut self, path: &[&str], key: &str, value: &Value) -> Result<(), InstallError> {
        let node = self.find(path);
        if let Shape::Object(members) = &node.shape
            && let Some(member) = members.iter().rev().find(|member| member.key == key)
        {
            let place = member.value.span.clone();
            let text = self.written(value, &self.line_indent(place.start), self.is_spread(node));
            return self.splice(place, &text);
        }
        let value = |indent: &str, spread| self.written(value, indent, spread);
        let (place, text) = self.appended(node, |indent, spread| {
            let between = if spread { ": " } else { ":" };
            format!("{}{between}{}", Value::from(key), value(indent, spread))
        });
        self.splice(place, &text)
    }

    /// Puts a value at the end of the list at `path`.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), InstallError> {
        let node = self.find(path);
        let (place, text) = self.appended(node, |indent, spread| self.written(value, indent, spread));
        self.splice(place, &text)
    }

    /// Takes the `index`-th thing out of the object or list at `path`, with the comma that goes with it.
    pub(crate) fn remove(&mut self, path: &[&str], index: usize) -> Result<(), InstallError> {
        let node = self.find(path);
        let items = node.items();
        let place = match (index.checked_sub(1), items.get(index + 1)) {
            (_, Some(next)) => items[index].start..next.start,
            (Some(before), None) => items[before].end..items[index].end,
            (None, None) => node.inside(),
        };
        self.splice(place, "")
    }

    /// Takes a member out of the object at `path`.
    pub(crate) fn remove_key(&mut self, path: &[&str], key: &str) -> Result<(), InstallError> {
        let index = match &self.find(path).shape {
            Shape::Object(members) => members.iter().rposition(|member| member.key == key),
            _ => None,
        };
        index.map_or(Ok(()), |index| self.remove(path, index))
    }

    /// The node that keys and indices lead to; the last that exists, if they lead nowhere.
    fn find(&self, path: &[&str]) -> &Node {
        path.iter().fold(&self.root, |node, step| match &node.shape {
            Shape::Object(members) => {
                members.iter().rev().find(|member| member.key == *step).map_or(node, |member| &member.value)
            }
            Shape::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)).unwrap_or(node),
            Shape::Plain => node,
        })
    }

    /// Where a further item of a node goes, and the text that puts it there.
    fn appended(&self, node: &Node, item: impl Fn(&str, bool) -> String) -> (Range<usize>, String) {
        let spread = self.is_spread(node);
        let newline = self.newline();
        match node.items().last() {
            Some(last) if spread => {
                let indent = self.line_indent(node.items()[0].start);
                (last.end..last.end, format!(",{newline}{indent}{}", item(&indent, true)))
            }
            Some(last) => (last.end..last.end, format!(",{}", item("", false))),
            None if spread => {
                let outer = self.line_indent(node.span.start);
                let indent = format!("{outer}{}", self.indent());
                (node.inside(), format!("{newline}{indent}{}{newline}{outer}", item(&indent, true)))
            }
            None => (node.inside(), item("", false)),
        }
    }

    /// A value as text: over several lines as its surroundings are, or in one.
    fn written(&self, value: &Value, indent: &str, spread: bool) -> String {
        if !spread {
            return value.to_string();
        }
        let unit = self.indent();
        let pretty = format!("{value:#}");
        let mut lines = pretty.lines();
        let mut text = lines.next().unwrap_or_default().to_owned();
        for line in lines {
            let content = line.trim_start();
            let depth = (line.len() - content.len()) / 2;
            text.push_str(&format!("{}{indent}{}{content}", self.newline(), unit.repeat(depth)));
        }
        text
    }

    /// Whether items of a node stand on lines of their own; an empty one goes by the whole file.
    fn is_spread(&self, node: &Node) -> bool {
        let first = |node: &Node| node.items().first().map(|item| node.span.start..item.start);
        let has_newline = |place: Range<usize>| self.text[place].contains('\n');
        first(node).or_else(|| first(&self.root)).is_none_or(has_newline)
    }

    /// What one level is indented by.
    fn indent(&self) -> String {
        let first = self.root.items().first().map(|item| self.line_indent(item.start));
        first.filter(|indent| !indent.is_empty()).unwrap_or_else(|| INDENT.to_owned())
    }

    /// The blanks at the start of the line that holds this place.
    fn line_indent(&self, place: usize) -> String {
        let line = self.text[..place].rfind('\n').map_or(0, |newline| newline + 1);
        self.text[line..place].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
    }

    fn newline(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    fn splice(&mut self, place: Range<usize>, text: &str) -> Result<(), InstallError> {
        let mut whole = std::mem::take(&mut self.text);
        whole.replace_range(place, text);
        *self = Self::of(whole)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
