//! The MCP server in a TOML file: a separate table at the end.

use std::ops::Range;

use toml::Value;
use toml::de::{DeTable, DeValue};

use super::command::{InstallError, Registration, is_ours, is_token_line};
use crate::edit::EditError;

/// The server's name.
const NAME: &str = "nudge";

/// Where an agent lists its servers, and how ours is written there.
#[derive(Debug)]
pub(crate) struct TomlServer {
    /// The table of servers.
    pub(crate) servers: &'static str,
    /// The keys and values for a registration.
    pub(crate) entry: fn(&Registration<'_>) -> Vec<(&'static str, Value)>,
}

impl TomlServer {
    /// Does not replace another server with our name.
    pub(super) fn with(&self, text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
        let text = text.unwrap_or_default();
        let wanted = self.table(who);
        match self.present(text)? {
            // Other keys, such as an approval, are the user's.
            Some(present) if wanted.iter().all(|(key, value)| present.get(key) == Some(value)) => {
                return Ok(text.to_owned());
            }
            Some(present) if !self.is_ours(&present, who.program) => {
                return Err(InstallError::Taken(format!("{}.{NAME}", self.servers).into()));
            }
            _ => {}
        }
        let rest = self.without(text, who.program)?;
        let newline = if rest.contains("\r\n") { "\r\n" } else { "\n" };
        let mut whole = rest;
        if !whole.is_empty() && !whole.ends_with('\n') {
            whole.push_str(newline);
        }
        if !whole.is_empty() {
            whole.push_str(newline);
        }
        whole.push_str(&format!("[{}.{NAME}]{newline}", self.servers));
        for (key, value) in (self.entry)(who) {
            whole.push_str(&format!("{key} = {value}{newline}"));
        }
        // An inline table of servers, in braces, cannot be extended.
        match self.present(&whole) {
            Ok(Some(present)) if present == wanted => Ok(whole),
            _ => {
                let place = self.servers.to_owned();
                Err(EditError::WrongKind { place, expected: "a table that can be added to" }.into())
            }
        }
    }

    /// Also removes the blank line before it.
    pub(super) fn without(&self, text: &str, own: &str) -> Result<String, InstallError> {
        if !self.present(text)?.is_some_and(|present| self.is_ours(&present, own)) {
            return Ok(text.to_owned());
        }
        let mut rest = text.to_owned();
        // Tables below ours are ours too, wherever they are. Last to first, so that positions stay
        // valid.
        for place in self.places(text).into_iter().rev() {
            rest.replace_range(place, "");
        }
        Ok(rest)
    }

    pub(super) fn programs(&self, text: &str, own: &str) -> Vec<String> {
        let present = self.present(text).ok().flatten();
        let program = present.as_ref().and_then(|table| table.get("command")).and_then(Value::as_str);
        program.filter(|program| is_ours(program, own)).map(str::to_owned).into_iter().collect()
    }

    fn table(&self, who: &Registration<'_>) -> toml::Table {
        (self.entry)(who).into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }

    fn present(&self, text: &str) -> Result<Option<toml::Table>, InstallError> {
        let whole: toml::Table = text.parse().map_err(|error| not_toml(text, &error))?;
        match whole.get(self.servers) {
            None => Ok(None),
            Some(Value::Table(servers)) => Ok(servers.get(NAME).and_then(Value::as_table).cloned()),
            Some(_) => {
                Err(EditError::WrongKind { place: self.servers.to_owned(), expected: "a table" }.into())
            }
        }
    }

    /// Identified by what it starts: an entry that a user gave other arguments belongs to the user.
    fn is_ours(&self, present: &toml::Table, own: &str) -> bool {
        let url = present.get("url").and_then(Value::as_str);
        if url.is_some_and(|url| url.starts_with("http://127.0.0.1:")) {
            let helper = present.get("http_headers_helper").and_then(Value::as_str);
            return helper.is_some_and(|line| is_token_line(line, own));
        }
        let program = present.get("command").and_then(Value::as_str);
        let Some(program) = program.filter(|program| is_ours(program, own)) else { return false };
        let args = present.get("args").and_then(Value::as_array);
        let home = args.and_then(|args| args.get(2)).and_then(Value::as_str);
        let plain = self.table(&Registration { program, home, ..Registration::default() });
        ["command", "args"].iter().all(|key| present.get(*key) == plain.get(*key))
    }

    /// The lines of our table and of those below it.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let Ok(whole) = DeTable::parse(text) else { return Vec::new() };
        let servers = whole.get_ref().get(self.servers).and_then(|servers| servers.get_ref().as_table());
        let ours = servers.and_then(|servers| servers.iter().find(|(name, _)| name.get_ref() == NAME));
        let mut places = Vec::new();
        if let Some((name, table)) = ours {
            collect(text, name.span(), table.get_ref(), &mut places);
        }
        places.sort_by_key(|place| place.start);
        // A table that is named only in the header of a table below it has the same lines.
        let mut merged: Vec<Range<usize>> = Vec::new();
        for place in places {
            match merged.last_mut() {
                Some(last) if place.start < last.end => last.end = last.end.max(place.end),
                _ => merged.push(place),
            }
        }
        merged
    }
}

/// Collects the lines of a table with its own header: from a blank line before the header to its
/// last value; and those of the tables below it.
fn collect(text: &str, name: Range<usize>, table: &DeValue<'_>, places: &mut Vec<Range<usize>>) {
    let DeValue::Table(table) = table else { return };
    let header = text[..name.start].rfind('\n').map_or(0, |at| at + 1);
    if !text[header..].trim_start().starts_with('[') {
        return;
    }
    let mut last = name.end;
    for (key, value) in table {
        let line = text[..key.span().start].rfind('\n').map_or(0, |at| at + 1);
        let has_header = text[line..].trim_start().starts_with('[');
        if has_header && matches!(value.get_ref(), DeValue::Table(_)) {
            collect(text, key.span(), value.get_ref(), places);
        } else {
            last = last.max(value.span().end);
        }
    }
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at + 1);
    let blank = ["\r\n\r\n", "\n\n"].iter().find(|blank| text[..header].ends_with(**blank));
    places.push(header - blank.map_or(0, |blank| blank.len() / 2)..end);
}

fn not_toml(text: &str, error: &toml::de::Error) -> InstallError {
    let at = error.span().map_or(0, |span| span.start.min(text.len()));
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    EditError::NotToml { line, column }.into()
}
