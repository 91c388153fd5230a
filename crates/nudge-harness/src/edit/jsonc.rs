//! Edits JSON with comments in place: bytes that need not change stay as they are.

mod page;
mod tree;

use serde_json::Value;

use super::EditError;
use page::{EditContext, Splice};
use tree::Tree;

/// Where commas are allowed.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Commas {
    /// Between two items, as in standard JSON.
    Between,
    /// Also after the last item.
    AlsoTrailing,
}

/// A settings file: an object and its text.
#[derive(Debug)]
pub(crate) struct JsonText {
    text: String,
    value: Value,
    commas: Commas,
}

impl JsonText {
    /// Reads a file. A missing or blank one counts as an empty object.
    pub(crate) fn read(text: Option<&str>) -> Result<Self, EditError> {
        Self::read_with(text, Commas::Between)
    }

    /// The same, for an agent that allows other commas.
    pub(crate) fn read_with(text: Option<&str>, commas: Commas) -> Result<Self, EditError> {
        let text = text.filter(|text| !text.trim().is_empty()).unwrap_or("{}\n");
        Self::of(text.to_owned(), commas)
    }

    fn of(text: String, commas: Commas) -> Result<Self, EditError> {
        let value = Tree::of(&text, commas)?.value()?;
        if !value.is_object() {
            return Err(EditError::WrongKind { place: "the file".into(), expected: "an object" });
        }
        Ok(Self { text, value, commas })
    }

    /// The parsed content.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The edited text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// Whether the value at `path` contains a comment.
    pub(crate) fn has_comments(&self, path: &[&str]) -> bool {
        Tree::of(&self.text, self.commas)
            .is_ok_and(|tree| !tree.comments_in(tree.find(path).span()).is_empty())
    }

    /// Sets a member of the object at `path`: replaces its value, or adds it at the end.
    pub(crate) fn set(&mut self, path: &[&str], key: &str, value: &Value) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
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

    /// Adds a value to the end of the list at `path`.
    pub(crate) fn push(&mut self, path: &[&str], value: &Value) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
        let node = page.find(path);
        let splices = page.appended(&node, |indent, spread| page.written(value, indent, spread));
        self.splice(splices)
    }

    /// Removes the `index`-th item of the object or list at `path`, with its comma. Comments next
    /// to it stay.
    pub(crate) fn remove(&mut self, path: &[&str], index: usize) -> Result<(), EditError> {
        let page = EditContext::of(&self.text, self.commas)?;
        let splices = page.removed(&page.find(path), index);
        self.splice(splices)
    }

    /// Removes a member of the object at `path`.
    pub(crate) fn remove_key(&mut self, path: &[&str], key: &str) -> Result<(), EditError> {
        let index = Tree::of(&self.text, self.commas)?.find(path).index(key);
        index.map_or(Ok(()), |index| self.remove(path, index))
    }

    fn splice(&mut self, mut splices: Vec<Splice>) -> Result<(), EditError> {
        splices.sort_by_key(|(place, _)| place.start);
        let mut whole = self.text.clone();
        for (place, text) in splices.into_iter().rev() {
            whole.replace_range(place, &text);
        }
        *self = Self::of(whole, self.commas)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
