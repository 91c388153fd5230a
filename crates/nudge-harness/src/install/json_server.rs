//! The MCP server in a JSON file: a member of an object of servers.

use serde_json::{Map, Value, json};

use super::command::{InstallError, Registration, is_ours, is_token_line};
use crate::edit::EditError;
use crate::edit::jsonc::{Commas, JsonText};

/// The server's name.
const NAME: &str = "nudge";

/// Where an agent lists its servers, and how ours is written there.
#[derive(Debug)]
pub(crate) struct JsonServer {
    /// The keys of the object of servers.
    pub(crate) servers: &'static [&'static str],
    /// Whether a project's servers are below `projects` and the project's root.
    pub(crate) below_project: bool,
    /// Where the agent's parser allows commas.
    pub(crate) commas: Commas,
    /// The entry for a registration.
    pub(crate) entry: fn(&Registration<'_>) -> Value,
    /// The program that such an entry starts.
    pub(crate) program: fn(&Value) -> Option<&str>,
}

impl JsonServer {
    /// Does not replace another server with our name.
    pub(super) fn with(&self, text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
        let path = self.path(who);
        let mut json = JsonText::read_with(text, self.commas)?;
        let wanted = (self.entry)(who);
        let present = servers(json.value(), &path)?.and_then(|servers| servers.get(NAME));
        match present {
            // Other members, such as an approval, are the user's.
            Some(present) if contains_members(present, &wanted) => {}
            Some(present) if !self.is_ours(present, who) => {
                return Err(InstallError::Taken(format!("{}.{NAME}", path.join(".")).into()));
            }
            _ => insert_entry(&mut json, &path, &wanted)?,
        }
        Ok(json.into_text())
    }

    /// Also removes objects that contained only our server.
    pub(super) fn without(&self, text: &str, who: &Registration<'_>) -> Result<String, InstallError> {
        let path = self.path(who);
        let mut json = JsonText::read_with(Some(text), self.commas)?;
        let present = servers(json.value(), &path)?.and_then(|servers| servers.get(NAME));
        if !present.is_some_and(|present| self.is_ours(present, who)) {
            return Ok(text.to_owned());
        }
        // The outermost object that contains only our server.
        let outermost = (0..path.len()).find(|depth| {
            let first = path[..=*depth].iter().fold(json.value(), |value, key| &value[*key]);
            let alone = path[*depth + 1..].iter().try_fold(first, |value, key| {
                value.as_object().filter(|object| object.len() == 1).and_then(|object| object.get(*key))
            });
            alone.and_then(Value::as_object).is_some_and(|servers| servers.len() == 1)
                && !json.has_comments(&path[..=*depth])
        });
        match outermost {
            Some(depth) => json.remove_key(&path[..depth], path[depth])?,
            None => json.remove_key(&path, NAME)?,
        }
        Ok(json.into_text())
    }

    pub(super) fn programs(&self, text: &str, own: &str) -> Vec<String> {
        let who = Registration { program: own, ..Registration::default() };
        let Ok(json) = JsonText::read_with(Some(text), self.commas) else { return Vec::new() };
        let servers = servers(json.value(), &self.path(&who)).ok().flatten();
        let program = servers.and_then(|servers| servers.get(NAME)).and_then(self.program);
        program.filter(|program| is_ours(program, own)).map(str::to_owned).into_iter().collect()
    }

    fn path<'a>(&self, who: &Registration<'a>) -> Vec<&'a str> {
        let below = who.project.filter(|_| self.below_project).map(|root| ["projects", root]);
        below.into_iter().flatten().chain(self.servers.iter().copied()).collect()
    }

    /// Identified by what it starts: an entry that a user gave other arguments belongs to the user.
    fn is_ours(&self, present: &Value, who: &Registration<'_>) -> bool {
        let Some(program) = (self.program)(present).filter(|program| is_ours(program, who.program)) else {
            return is_our_http(present, who.program);
        };
        let plain =
            (self.entry)(&Registration { program, home: home_in(present), http: None, project: None });
        ["command", "args"].iter().all(|key| present.get(*key) == plain.get(*key))
    }
}

/// The program of an entry that names it as `command`.
pub(crate) fn command_of(entry: &Value) -> Option<&str> {
    entry.get("command")?.as_str()
}

/// Whether one object contains all members of another.
fn contains_members(present: &Value, wanted: &Value) -> bool {
    let (Some(present), Some(wanted)) = (present.as_object(), wanted.as_object()) else { return false };
    wanted.iter().all(|(key, value)| present.get(key) == Some(value))
}

/// An HTTP entry is ours if its address is on this machine and its token comes from us.
fn is_our_http(present: &Value, own: &str) -> bool {
    let url = present.get("url").and_then(Value::as_str).unwrap_or_default();
    let is_local = url.starts_with("http://127.0.0.1:") && url.ends_with("/mcp");
    let helper = present.get("headersHelper").and_then(Value::as_str);
    let header =
        present.get("headers").and_then(|headers| headers.get("Authorization")).and_then(Value::as_str);
    let is_from_us = helper.is_some_and(|line| is_token_line(line, own))
        || header.is_some_and(|text| text.starts_with("Bearer {file:") && text.ends_with("/run/token}"));
    is_local && is_from_us
}

/// The data directory that an entry names, wherever its arguments are.
fn home_in(present: &Value) -> Option<&str> {
    let lists = present.as_object()?.values().filter_map(Value::as_array);
    lists.into_iter().find_map(|words| {
        let at = words.iter().position(|word| word == "--home")?;
        words.get(at + 1)?.as_str()
    })
}

fn servers<'a>(value: &'a Value, path: &[&str]) -> Result<Option<&'a Map<String, Value>>, InstallError> {
    let mut here = value;
    for (depth, key) in path.iter().enumerate() {
        match here.get(*key) {
            None => return Ok(None),
            Some(next @ Value::Object(_)) => here = next,
            Some(_) => {
                let place = path[..=depth].join(".");
                return Err(EditError::WrongKind { place, expected: "an object" }.into());
            }
        }
    }
    Ok(here.as_object())
}

/// Adds our entry, and any objects missing on the path to it.
fn insert_entry(json: &mut JsonText, path: &[&str], entry: &Value) -> Result<(), InstallError> {
    let there = (0..=path.len())
        .rev()
        .find(|depth| path[..*depth].iter().try_fold(json.value(), |value, key| value.get(*key)).is_some())
        .unwrap_or(0);
    match path[there..] {
        [] => json.set(path, NAME, entry)?,
        [first, ref rest @ ..] => {
            let whole = rest.iter().rev().fold(json!({ NAME: entry }), |inner, key| json!({ *key: inner }));
            json.set(&path[..there], first, &whole)?;
        }
    }
    Ok(())
}
