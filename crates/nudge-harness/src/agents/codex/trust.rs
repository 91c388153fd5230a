//! Which hooks of a file Codex runs: those that the user has trusted and that have not changed
//! since.
//!
//! Codex stores a hash of each trusted hook in its configuration, keyed by the file, the event and
//! the position.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toml::Table;

use super::spec::SPEC;
use crate::install::{Trust, program_of_hook};

/// Seconds that Codex waits for a hook without a timeout.
const DEFAULT_TIMEOUT: u64 = 600;

/// Events without a matcher; Codex ignores one that is given.
const WITHOUT_MATCHER: [&str; 2] = ["UserPromptSubmit", "Stop"];

/// How many of our hooks in a file are trusted, according to `config.toml`.
pub(super) fn trust(hooks_file: &str, hooks: &str, config: &str) -> Trust {
    let mut trust = Trust::default();
    let hooks: Value = serde_json::from_str(hooks).unwrap_or_default();
    let config: Table = config.parse().unwrap_or_default();
    let states = config.get("hooks").and_then(|hooks| hooks.get("state")).and_then(toml::Value::as_table);
    for (event, groups) in hooks["hooks"].as_object().into_iter().flatten() {
        for (at, group) in groups.as_array().into_iter().flatten().enumerate() {
            for (place, handler) in group["hooks"].as_array().into_iter().flatten().enumerate() {
                let line = handler["command"].as_str().unwrap_or_default();
                if program_of_hook(line, SPEC.name).is_none() {
                    continue;
                }
                let key = format!("{hooks_file}:{}:{at}:{place}", snake(event));
                let state = states.and_then(|states| states.get(&key));
                let text = |name: &str| state.and_then(|state| state.get(name));
                match text("trusted_hash").and_then(toml::Value::as_str) {
                    _ if text("enabled").and_then(toml::Value::as_bool) == Some(false) => trust.disabled += 1,
                    Some(kept) if kept == hash(event, group, handler) => trust.trusted += 1,
                    Some(_) => trust.changed += 1,
                    None => trust.untrusted += 1,
                }
            }
        }
    }
    trust
}

/// The hash Codex computes of a hook, after it normalises the hook. The map's keys are in
/// alphabetical order here.
pub fn hash(event: &str, group: &Value, handler: &Value) -> String {
    let given = handler["timeout"].as_u64();
    let timeout = match event {
        "SessionEnd" => given.unwrap_or(1).clamp(1, 3),
        _ => given.unwrap_or(DEFAULT_TIMEOUT).max(1),
    };
    let is_async = handler["async"].as_bool().unwrap_or(false);
    let hook =
        json!({"async": is_async, "command": handler["command"], "timeout": timeout, "type": "command"});
    let mut whole = Map::new();
    whole.insert("event_name".into(), snake(event).into());
    whole.insert("hooks".into(), json!([hook]));
    if let Some(matcher) = group["matcher"].as_str().filter(|_| !WITHOUT_MATCHER.contains(&event)) {
        whole.insert("matcher".into(), matcher.into());
    }
    let digest = Sha256::digest(Value::Object(whole).to_string());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

fn snake(event: &str) -> String {
    let mut name = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_trusted_as_long_as_it_stays_the_same() {
        let hooks = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nudge hook codex", "timeout": 5}]}]}});
        let file = "/home/ada/.codex/hooks.json";
        let group = &hooks["hooks"]["Stop"][0];
        let kept = hash("Stop", group, &group["hooks"][0]);
        let config =
            |rest: &str| format!("[hooks.state.\"{file}:stop:0:0\"]\ntrusted_hash = \"{kept}\"\n{rest}");
        let of = |hooks: &Value, config: &str| trust(file, &hooks.to_string(), config);
        assert_eq!(of(&hooks, &config("")), Trust { trusted: 1, ..Trust::default() });
        assert_eq!(of(&hooks, &config("enabled = false\n")), Trust { disabled: 1, ..Trust::default() });
        assert_eq!(of(&hooks, ""), Trust { untrusted: 1, ..Trust::default() });
        let other = json!({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "nudge hook codex", "timeout": 6}]}]}});
        assert_eq!(of(&other, &config("")), Trust { changed: 1, ..Trust::default() });
    }

    #[test]
    fn the_hash_is_the_one_that_codex_keeps() {
        let group =
            json!({"matcher": "startup", "hooks": [{"type": "command", "command": "true", "timeout": 9}]});
        let text = "{\"event_name\":\"session_end\",\"hooks\":[{\"async\":false,\"command\":\"true\",\"timeout\":3,\"type\":\"command\"}],\"matcher\":\"startup\"}";
        let digest = Sha256::digest(text);
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash("SessionEnd", &group, &group["hooks"][0]), format!("sha256:{hex}"));
    }
}
