//! Hooks in a JSON file: a list of groups for each event, and a list of handlers in each group.

use serde_json::{Map, Value, json};

use super::command::{InstallError, Registration, is_ours, program_of_hook};
use crate::edit::EditError;
use crate::edit::jsonc::JsonText;

/// The hooks that we register with an agent.
#[derive(Debug)]
pub(crate) struct HookGroups {
    /// The agent's name. The event comes on standard input, so the command is always the same.
    pub(crate) harness: &'static str,
    /// The events.
    pub(crate) events: &'static [HookEventRequest],
    /// The version field that a new file needs, where the agent requires one.
    pub(crate) version: Option<u32>,
}

/// One event that we register for.
#[derive(Debug)]
pub(crate) struct HookEventRequest {
    event: &'static str,
    /// Restricts the event, where the agent supports that.
    matcher: Option<&'static str>,
    /// Seconds until the agent stops waiting. Far above our own deadline, which ends the process
    /// long before; it only matters on a machine that hangs.
    timeout_s: u32,
}

impl HookEventRequest {
    pub(crate) const fn every(event: &'static str, timeout_s: u32) -> Self {
        Self { event, matcher: None, timeout_s }
    }

    pub(crate) const fn matching(matcher: &'static str, event: &'static str, timeout_s: u32) -> Self {
        Self { event, matcher: Some(matcher), timeout_s }
    }
}

impl HookGroups {
    pub(super) fn with(&self, text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
        let blank = text.is_none_or(|text| text.trim().is_empty());
        let json = self.checked(text)?;
        if self.has(json.value(), who) {
            return Ok(json.into_text());
        }
        let mut json = JsonText::read(Some(&self.remove_hooks(json, who.program)?))?;
        if let (Some(version), true) = (self.version, blank) {
            json.set(&[], "version", &version.into())?;
        }
        for asked in self.events {
            let group = self.group(asked, who);
            let hooks = json.value().get("hooks");
            if hooks.is_none() {
                json.set(&[], "hooks", &json!({ asked.event: [group] }))?;
            } else if hooks.and_then(|hooks| hooks.get(asked.event)).is_none() {
                json.set(&["hooks"], asked.event, &json!([group]))?;
            } else {
                json.push(&["hooks", asked.event], &group)?;
            }
        }
        Ok(json.into_text())
    }

    /// Also removes lists and groups that contained only our hooks.
    pub(super) fn without(&self, text: &str, own: &str) -> Result<String, InstallError> {
        let json = self.checked(Some(text))?;
        if self.ours(json.value(), own).is_empty() {
            Ok(text.to_owned())
        } else {
            self.remove_hooks(json, own)
        }
    }

    pub(super) fn programs(&self, text: &str, own: &str) -> Vec<String> {
        let Ok(json) = self.checked(Some(text)) else { return Vec::new() };
        let found = self.ours(json.value(), own).into_iter();
        let handler = |(event, group, at): (String, usize, usize)| {
            self.program_in(&json.value()["hooks"][&event][group]["hooks"][at])
        };
        found.filter_map(handler).collect()
    }

    /// Parses the text, and rejects it if the hooks have the wrong type.
    fn checked(&self, text: Option<&str>) -> Result<JsonText, InstallError> {
        let json = JsonText::read(text)?;
        let wrong = |place: &str, expected| EditError::WrongKind { place: place.to_owned(), expected }.into();
        match json.value().get("hooks") {
            None => {}
            Some(Value::Object(hooks)) => {
                if let Some((event, _)) = hooks.iter().find(|(event, groups)| {
                    self.events.iter().any(|asked| asked.event == event.as_str()) && !groups.is_array()
                }) {
                    return Err(wrong(&format!("hooks.{event}"), "a list"));
                }
            }
            Some(_) => return Err(wrong("hooks", "an object")),
        }
        Ok(json)
    }

    /// Whether exactly our hooks are there: one per event, as we would write it, and no others of
    /// ours.
    fn has(&self, value: &Value, who: &Registration<'_>) -> bool {
        let ours = self.ours(value, who.program);
        ours.len() == self.events.len()
            && self.events.iter().all(|asked| {
                let groups = value["hooks"][asked.event].as_array();
                groups.is_some_and(|groups| groups.contains(&self.group(asked, who)))
            })
    }

    fn group(&self, asked: &HookEventRequest, who: &Registration<'_>) -> Value {
        let mut group = Map::new();
        if let Some(matcher) = asked.matcher {
            group.insert("matcher".into(), matcher.into());
        }
        // One shell line, which every version supports. A version without `args` would start the
        // program without a command, and treat its exit status as a veto.
        let line = who.hook_shell_line(self.harness);
        group.insert(
            "hooks".into(),
            json!([{"type": "command", "command": line, "timeout": asked.timeout_s}]),
        );
        group.into()
    }

    /// The event, group and handler of each of our hooks.
    fn ours(&self, value: &Value, own: &str) -> Vec<(String, usize, usize)> {
        let mut found = Vec::new();
        for (event, groups) in value.get("hooks").and_then(Value::as_object).into_iter().flatten() {
            for (group_at, group) in groups.as_array().into_iter().flatten().enumerate() {
                let handlers = group.get("hooks").and_then(Value::as_array);
                for (at, handler) in handlers.into_iter().flatten().enumerate() {
                    if self.program_in(handler).is_some_and(|program| is_ours(&program, own)) {
                        found.push((event.clone(), group_at, at));
                    }
                }
            }
        }
        found
    }

    /// Removes our hooks, last first, each with its containers if they then contain nothing, not
    /// even a comment.
    fn remove_hooks(&self, mut json: JsonText, own: &str) -> Result<String, InstallError> {
        for (event, group_at, at) in self.ours(json.value(), own).into_iter().rev() {
            let hooks = &json.value()["hooks"];
            let groups = hooks[&event].as_array().map_or(0, Vec::len);
            let handlers = hooks[&event][group_at]["hooks"].as_array().map_or(0, Vec::len);
            let (events, group) = (hooks.as_object().map_or(0, Map::len), group_at.to_string());
            match (handlers, groups, events) {
                (1, 1, 1) if !json.has_comments(&["hooks"]) => json.remove_key(&[], "hooks")?,
                (1, 1, _) if !json.has_comments(&["hooks", &event]) => json.remove_key(&["hooks"], &event)?,
                (1, _, _) if !json.has_comments(&["hooks", &event, &group]) => {
                    json.remove(&["hooks", &event], group_at)?;
                }
                _ => json.remove(&["hooks", &event, &group, "hooks"], at)?,
            }
        }
        Ok(json.into_text())
    }

    /// The program that a handler calls as our hook, in any form.
    fn program_in(&self, handler: &Value) -> Option<String> {
        let command = handler.get("command").and_then(Value::as_str)?;
        match handler.get("args").and_then(Value::as_array) {
            // Written by hand.
            Some(args) => {
                let args: Vec<&str> = args.iter().filter_map(serde_json::Value::as_str).collect();
                let calls = match args.as_slice() {
                    ["hook", agent] | ["hook", agent, "--home", _] | ["--home", _, "hook", agent] => {
                        *agent == self.harness
                    }
                    _ => false,
                };
                calls.then(|| command.to_owned())
            }
            None => program_of_hook(command, self.harness),
        }
    }
}
