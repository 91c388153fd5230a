//! Claude Code: hooks in `settings.json`, the MCP server in `.claude.json`.

use serde_json::{Map, Value, json};

use crate::edit::EditError;
use crate::edit::jsonc::JsonText;
use crate::install::{InstallError, Installer, Part, Registration, SettingsFile, is_ours};

/// What the hooks call. The event comes on standard input, so this never changes.
const HOOK: [&str; 2] = ["hook", "claude"];

/// What the server is called with.
const SERVE: [&str; 1] = ["serve"];

/// The name of the server.
const SERVER: &str = "nudge";

/// One event we ask for.
struct Asked {
    event: &'static str,
    /// Which of its occasions, where it can be told.
    matcher: Option<&'static str>,
    /// When Claude gives up waiting. Far over our own deadline, which ends the process long before: it is there for
    /// machines that stand still.
    timeout_s: u32,
}

const fn asked(event: &'static str, timeout_s: u32) -> Asked {
    Asked { event, matcher: None, timeout_s }
}

/// Everything that is kept of a session, and where something may be said. Before a call only commands are asked about: what
/// follows a call tells the same and how it ended.
const EVENTS: [Asked; 10] = [
    Asked { matcher: Some("startup|resume|clear|compact|fork"), ..asked("SessionStart", 5) },
    asked("UserPromptSubmit", 5),
    Asked { matcher: Some("Bash"), ..asked("PreToolUse", 5) },
    Asked { matcher: Some("*"), ..asked("PostToolUse", 5) },
    Asked { matcher: Some("*"), ..asked("PostToolUseFailure", 5) },
    asked("Stop", 5),
    asked("SubagentStop", 5),
    asked("PreCompact", 5),
    asked("PostCompact", 5),
    // All hooks of this event together have about 1.5 seconds, whatever is said here.
    asked("SessionEnd", 2),
];

pub(super) const INSTALLER: Installer = Installer {
    directory_variable: "CLAUDE_CONFIG_DIR",
    files: &[
        SettingsFile {
            part: Part::Hooks,
            in_directory: "settings.json",
            in_home: ".claude/settings.json",
            entries: EVENTS.len(),
            when_taken: "",
            with: with_hooks,
            without: without_hooks,
        },
        SettingsFile {
            part: Part::Server,
            in_directory: ".claude.json",
            in_home: ".claude.json",
            entries: 1,
            when_taken: "pass --no-mcp to keep it, or remove it: `claude mcp remove --scope user nudge`",
            with: with_server,
            without: without_server,
        },
    ],
};

/// What `settings.json` says once our hooks are in it. Text that has them already is returned as it is.
fn with_hooks(text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
    let json = checked(text)?;
    if has_hooks(json.value(), who) {
        return Ok(json.into_text());
    }
    let mut json = JsonText::read(Some(&without(json, who.program)?))?;
    for asked in &EVENTS {
        let group = group(asked, who);
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

/// What `settings.json` says once our hooks are out of it, whichever program `own` or of our name they call. Lists
/// and groups that held nothing else go with them.
fn without_hooks(text: &str, own: &str) -> Result<String, InstallError> {
    let json = checked(Some(text))?;
    if our_hooks(json.value(), own).is_empty() { Ok(text.to_owned()) } else { without(json, own) }
}

/// What `.claude.json` says once our server is in it. Another server of that name is not replaced.
fn with_server(text: Option<&str>, who: &Registration<'_>) -> Result<String, InstallError> {
    let mut json = JsonText::read(text)?;
    let wanted = server(who);
    match servers(json.value())?.map(|servers| servers.get(SERVER)) {
        Some(Some(present)) if *present == wanted => {}
        Some(Some(present)) if !is_our_server(present, who.program) => {
            return Err(InstallError::Taken("mcpServers.nudge".into()));
        }
        Some(_) => json.set(&["mcpServers"], SERVER, &wanted)?,
        None => json.set(&[], "mcpServers", &json!({ SERVER: wanted }))?,
    }
    Ok(json.into_text())
}

/// What `.claude.json` says once our server is out of it.
fn without_server(text: &str, own: &str) -> Result<String, InstallError> {
    let mut json = JsonText::read(Some(text))?;
    match servers(json.value())? {
        Some(servers) if servers.get(SERVER).is_some_and(|present| is_our_server(present, own)) => {
            if servers.len() == 1 && !json.has_comments(&["mcpServers"]) {
                json.remove_key(&[], "mcpServers")?;
            } else {
                json.remove_key(&["mcpServers"], SERVER)?;
            }
            Ok(json.into_text())
        }
        _ => Ok(text.to_owned()),
    }
}

/// Reads the text and refuses one whose hooks are not where they belong.
fn checked(text: Option<&str>) -> Result<JsonText, InstallError> {
    let json = JsonText::read(text)?;
    let wrong = |place: &str, expected| EditError::WrongKind { place: place.to_owned(), expected }.into();
    match json.value().get("hooks") {
        None => {}
        Some(Value::Object(hooks)) => {
            if let Some((event, _)) = hooks.iter().find(|(event, groups)| {
                EVENTS.iter().any(|asked| asked.event == event.as_str()) && !groups.is_array()
            }) {
                return Err(wrong(&format!("hooks.{event}"), "a list"));
            }
        }
        Some(_) => return Err(wrong("hooks", "an object")),
    }
    Ok(json)
}

/// Whether exactly our hooks are there: one for each event, as we would write it, and no other of ours.
fn has_hooks(value: &Value, who: &Registration<'_>) -> bool {
    let ours = our_hooks(value, who.program);
    ours.len() == EVENTS.len()
        && EVENTS.iter().all(|asked| {
            let groups = value["hooks"][asked.event].as_array();
            groups.is_some_and(|groups| groups.contains(&group(asked, who)))
        })
}

fn group(asked: &Asked, who: &Registration<'_>) -> Value {
    let mut group = Map::new();
    if let Some(matcher) = asked.matcher {
        group.insert("matcher".into(), matcher.into());
    }
    // One line for a shell, which every version knows. One that does not know `args` would start the program without a
    // command, and take its exit status for a veto.
    let handler = json!({"type": "command", "command": who.line(&HOOK), "timeout": asked.timeout_s});
    group.insert("hooks".into(), json!([handler]));
    group.into()
}

fn server(who: &Registration<'_>) -> Value {
    // The tools are few and meant to be seen without a search for them.
    json!({"type": "stdio", "command": who.program, "args": who.args(&SERVE), "env": {}, "alwaysLoad": true})
}

/// Event, group and handler of each hook of ours.
fn our_hooks(value: &Value, own: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    for (event, groups) in value.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        for (group_at, group) in groups.as_array().into_iter().flatten().enumerate() {
            let handlers = group.get("hooks").and_then(Value::as_array);
            for (at, handler) in handlers.into_iter().flatten().enumerate() {
                if is_our_hook(handler, own) {
                    found.push((event.clone(), group_at, at));
                }
            }
        }
    }
    found
}

/// Takes our hooks out, last first, each with what held nothing else, not even a comment.
fn without(mut json: JsonText, own: &str) -> Result<String, InstallError> {
    for (event, group_at, at) in our_hooks(json.value(), own).into_iter().rev() {
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

/// Known by what it calls, whichever place it calls it from.
fn is_our_hook(handler: &Value, own: &str) -> bool {
    let Some(command) = handler.get("command").and_then(Value::as_str) else { return false };
    match handler.get("args").and_then(Value::as_array) {
        // Written by hand.
        Some(args) => {
            is_ours(command, own) && args.windows(2).any(|two| two[0] == HOOK[0] && two[1] == HOOK[1])
        }
        None => command.split_once(" hook claude").is_some_and(|(program, rest)| {
            let program = program.trim_matches(['"', '\'']);
            is_ours(program, own) && (rest.is_empty() || rest.starts_with(' '))
        }),
    }
}

fn servers(value: &Value) -> Result<Option<&Map<String, Value>>, InstallError> {
    match value.get("mcpServers") {
        None => Ok(None),
        Some(Value::Object(servers)) => Ok(Some(servers)),
        Some(_) => Err(EditError::WrongKind { place: "mcpServers".into(), expected: "an object" }.into()),
    }
}

/// Known by its whole form: one that a person gave other arguments or variables is that person's.
fn is_our_server(present: &Value, own: &str) -> bool {
    let Some(command) = present["command"].as_str().filter(|command| is_ours(command, own)) else {
        return false;
    };
    let home = present["args"].get(2).and_then(Value::as_str);
    *present == server(&Registration { program: command, home })
}

#[cfg(test)]
mod tests;
