//! One memory.

use nudge_core::{EntryPath, Fault, Scope, Timestamp};
use nudge_store::Reader;
use serde_json::{Map, Value, json};

use super::ImportResult;
use crate::capture;

/// The longest text of a memory, in bytes. Longer ones are documents.
const TEXT_MOST: usize = 256 * 1024;

/// A memory, checked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Known {
    pub(super) project: String,
    pub(super) path: EntryPath,
    pub(super) text: String,
    date: Option<String>,
    files: Vec<String>,
}

impl Known {
    /// Parses a line, or says what is wrong with it. The error does not quote the line, which may
    /// contain a secret.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(line)
            .map_err(|error| format!("not JSON, at column {}", error.column()))?;
        let Value::Object(mut fields) = value else { return Err("not a JSON object".to_owned()) };
        let id = match fields.remove("id") {
            Some(Value::Number(id)) => id.to_string(),
            id => required("id", id)?,
        };
        let project = required("project", fields.remove("project"))?;
        let text = required("text", fields.remove("text"))?;
        let text = capture::without_private(&text).into_owned();
        if text.trim().is_empty() {
            return Err("all of `text` is private".to_owned());
        }
        if text.len() > TEXT_MOST {
            return Err(format!("`text` is longer than {TEXT_MOST} bytes"));
        }
        let path = EntryPath::from_parts("known", &[&project, &id], None)
            .map_err(|error| format!("`project` and `id` do not make a path: {error}"))?;
        Ok(Self {
            project,
            path,
            text,
            date: date(fields.remove("date"))?,
            files: files(fields.remove("files"))?,
        })
    }

    /// The project key that belongs to the given project name.
    pub(super) fn project_key(&self) -> String {
        capture::project::key_of_name(&self.project)
    }

    /// What is stored with the text.
    pub(super) fn attributes(&self) -> Map<String, Value> {
        let mut attributes = Map::new();
        if let Some(date) = &self.date {
            attributes.insert("date".to_owned(), date.clone().into());
        }
        if !self.files.is_empty() {
            attributes.insert("files".to_owned(), self.files.clone().into());
        }
        attributes
    }

    /// How importing it changes the store.
    pub(super) fn import_result(&self, reader: &Reader<'_>) -> Result<ImportResult, Fault> {
        let Some(entry) = reader.entry(&Scope::Project(self.project_key()), &self.path)? else {
            return Ok(ImportResult::New);
        };
        let before = |key: &str| entry.attributes.get(key).cloned();
        // The stored text is without credentials.
        let clean = |text: &str| nudge_secrets::redact(text).into_owned();
        let files = before("files").unwrap_or_else(|| json!([]));
        let cleaned = || self.files.iter().map(|file| clean(file)).collect::<Vec<_>>();
        let same = (entry.body == self.text || entry.body == clean(&self.text))
            && before("date") == self.date.clone().map(Value::from)
            && (files == json!(self.files) || files == json!(cleaned()));
        Ok(if same { ImportResult::Same } else { ImportResult::Changed })
    }
}

fn required(name: &str, value: Option<Value>) -> Result<String, String> {
    match value {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text),
        Some(Value::String(_)) => Err(format!("`{name}` is empty")),
        None | Some(Value::Null) => Err(format!("`{name}` is missing")),
        Some(_) => Err(format!("`{name}` is not a string")),
    }
}

/// A day, or a time with an offset.
fn date(value: Option<Value>) -> Result<Option<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => {
            let is_time =
                Timestamp::parse(&text).is_some() || Timestamp::parse(&format!("{text}T00:00:00Z")).is_some();
            if is_time { Ok(Some(text)) } else { Err("`date` is not an ISO date".to_owned()) }
        }
        Some(_) => Err("`date` is not a string".to_owned()),
    }
}

fn files(value: Option<Value>) -> Result<Vec<String>, String> {
    match value {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(files)) => {
            let file = |file: Value| match file {
                Value::String(file) => Ok(file),
                _ => Err("`files` contains an item that is not a string".to_owned()),
            };
            files.into_iter().map(file).collect()
        }
        Some(_) => Err("`files` is not a list".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_memory_or_says_why_not() {
        let read = |line: &str| Known::read(line.as_bytes()).map(|known| known.path.to_string());
        assert_eq!(read(r#"{"id":"a/b","project":"p q","text":"x"}"#), Ok("known://p%20q/a%2Fb".into()));
        assert_eq!(
            read(r#"{"id":7,"project":"p","text":"x","date":"2026-01-02","files":["a"]}"#),
            Ok("known://p/7".into())
        );
        for (line, why) in [
            ("{", "not JSON, at column 1"),
            ("[]", "not a JSON object"),
            (r#"{"project":"p","text":"x"}"#, "`id` is missing"),
            (r#"{"id":"a","project":" ","text":"x"}"#, "`project` is empty"),
            (r#"{"id":"a","project":"p","text":5}"#, "`text` is not a string"),
            (r#"{"id":"a","project":"p","text":"<private>x</private>"}"#, "all of `text` is private"),
            (r#"{"id":"a","project":"p","text":"x","date":"soon"}"#, "`date` is not an ISO date"),
            (r#"{"id":"a","project":"p","text":"x","files":"f"}"#, "`files` is not a list"),
        ] {
            assert_eq!(read(line), Err(why.to_owned()), "{line}");
        }
    }
}
