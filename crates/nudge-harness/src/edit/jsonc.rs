//! JSON text with comments that is changed in place: what is not touched keeps its bytes.

mod page;
mod tree;

use serde_json::Value;

use super::EditError;
use page::{Page, Splice};
use tree::Tree;

/// A file of settings: an object and its text.
#[derive(Debug)]
pub(crate) struct JsonText {
    text: String,
    value: Value,
}

impl JsonText {
    /// Reads a file. One that is missing or blank counts as an empty object.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, EditError> {
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
        Self::of(text.to_owned())
    }

    fn of(text: String) -> Result<Self, EditError> {
        let value = Tree::of(&text)?.value()?;
        if !value.is_object() {
            return Err(EditError::WrongKind { place: "the file".into(), expected: "an object" });
        }
        Ok(Self { text, value })
    }

    /// What the file says.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The text as it is now.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Whether a comment stands in the value at `path`.
    pub(crate) fn has_comments(&self, path: &[&str]) -> bool {
        Tree::of(&self.text).is_ok_and(|tree| !tree.comments_in(tree.find(path).span()).is_empty())
    }

    /// Puts a member at the end of the object at `path`, or another value in its place.
    pub(crate) fn set(&mut self, path: &[&str], key: &str, value: &Value) -> Result<(), EditError> {
        let page = Page::of(&self.text)?;
        let node = page.find(path);
        let splices = match node.member(key) {
            Some(place) => {
                let text = page.written(value, &page.line_indent(place.start), page.is_spread(&node));
                vec![(place, text)]
            }
            None => page.appended(&node, |indent, spread| {
                let between = if spread { ": " } else { ":" };
                format!("{}{between}{}", Value::from(key), page.written(value, indent, spread))
            }),
        };
        self.splice(splices)
    }

    /// Puts a value at the end of the list at `path`.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let page = Page::of(&self.text)?;
        let node = page.find(path);
        let splices = page.appended(&node, |indent, spread| page.written(value, indent, spread));
        self.splice(splices)
    }

    /// Takes the `index`-th thing out of the object or list at `path`, with the comma that goes with
    /// it. Comments beside it stay.
    pub(crate) fn remove(&mut self, path: &[&str], index: usize) -> Result<(), EditError> {
        let page = Page::of(&self.text)?;
        let splices = page.removed(&page.find(path), index);
        self.splice(splices)
    }

    /// Takes a member out of the object at `path`.
    pub(crate) fn remove_key(&mut self, path: &[&str], key: &str) -> Result<(), EditError> {
        let index = Tree::of(&self.text)?.find(path).index(key);
        index.map_or(Ok(()), |index| self.remove(path, index))
    }

    fn splice(&mut self, mut splices: Vec<Splice>) -> Result<(), EditError> {
        splices.sort_by_key(|(place, _)| place.start);
        let mut whole = self.text.clone();
        for (place, text) in splices.into_iter().rev() {
            whole.replace_range(place, &text);
        }
        *self = Self::of(whole)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
