//! The files in a home, and what happened to them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Every file by its path below the home.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

/// The file that Claude rewrites at every start.
const STATE: &str = ".claude.json";

/// The file in which Codex records which projects are trusted.
const CONFIG: &str = ".codex/config.toml";

/// All files of a home except the memory itself.
pub(super) fn snapshot(home: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    let mut dirs = vec![home.to_owned()];
    while let Some(dir) = dirs.pop() {
        for item in fs::read_dir(&dir)? {
            let path = item?.path();
            let name = path.strip_prefix(home)?.to_string_lossy().into_owned();
            if path.is_dir() {
                dirs.push(path);
            } else if !is_memory(&name) {
                files.insert(name, fs::read(&path).unwrap_or_default());
            }
        }
    }
    Ok(files)
}

/// Whether this is a file that `install` recorded its changes in.
fn is_ledger(name: &str) -> bool {
    name.starts_with(".local/share/nudge/install/")
}

/// Whether this is part of the memory, which stays. The records of `install` next to it do not.
fn is_memory(name: &str) -> bool {
    name.strip_prefix(".local/share/nudge/").is_some_and(|below| !below.starts_with("install/"))
}

/// The files of the home at four points in time.
pub(super) struct HomeSnapshots {
    pub(super) fresh: Files,
    pub(super) installed: Files,
    pub(super) used: Files,
    pub(super) uninstalled: Files,
}

impl HomeSnapshots {
    /// What uninstalling left wrong.
    pub(super) fn violations(&self) -> Vec<String> {
        let mut violations = Vec::new();
        let all = [&self.fresh, &self.installed, &self.used, &self.uninstalled];
        let mut names: Vec<&String> = all.into_iter().flat_map(BTreeMap::keys).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let [fresh, installed, used, uninstalled] = all.map(|files| files.get(name));
            if is_ledger(name) {
                if uninstalled.is_some() {
                    violations.push(format!("{name} is still there"));
                }
                continue;
            }
            if installed == used {
                // The agent did not touch it: it must be as it was before Nudge, or absent.
                if uninstalled != fresh {
                    violations.push(format!("{name} is not what it was before Nudge"));
                }
            } else if name == STATE {
                violations.extend(state_violations(used, uninstalled));
            } else if name == CONFIG {
                violations.extend(config_violations(used, uninstalled));
            } else if uninstalled != used {
                violations.push(format!("{name} belongs to the agent and was changed"));
            }
        }
        violations
    }
}

/// Nudge's part must be gone from the agent's own file, and nothing else.
fn state_violations(used: Option<&Vec<u8>>, uninstalled: Option<&Vec<u8>>) -> Vec<String> {
    let read = |bytes: Option<&Vec<u8>>| serde_json::from_slice::<Value>(bytes?).ok();
    let (Some(mut used), Some(left)) = (read(used), read(uninstalled)) else {
        return vec![format!("{STATE} is missing or no JSON")];
    };
    let mut violations = Vec::new();
    if used["mcpServers"]["nudge"].is_null() {
        violations.push(format!("{STATE}: the agent lost the server while it ran"));
    }
    if let Some(servers) = used["mcpServers"].as_object_mut() {
        servers.shift_remove("nudge");
        if servers.is_empty()
            && let Some(all) = used.as_object_mut()
        {
            all.shift_remove("mcpServers");
        }
    }
    if used != left {
        violations.push(format!("{STATE} differs in more than our server"));
    }
    violations
}

/// The same check for a TOML file.
fn config_violations(used: Option<&Vec<u8>>, uninstalled: Option<&Vec<u8>>) -> Vec<String> {
    let read = |bytes: Option<&Vec<u8>>| std::str::from_utf8(bytes?).ok()?.parse::<toml::Table>().ok();
    let (Some(mut used), Some(left)) = (read(used), read(uninstalled)) else {
        return vec![format!("{CONFIG} is missing or no TOML")];
    };
    if let Some(servers) = used.get_mut("mcp_servers").and_then(toml::Value::as_table_mut) {
        servers.remove("nudge");
        if servers.is_empty() {
            used.remove("mcp_servers");
        }
    }
    if used == left { Vec::new() } else { vec![format!("{CONFIG} differs in more than our server")] }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(pairs: &[(&str, &str)]) -> Files {
        pairs.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn check(captured_events: [&[(&str, &str)]; 4], violations: &[&str]) {
        let [fresh, installed, used, uninstalled] = captured_events.map(files);
        assert_eq!(HomeSnapshots { fresh, installed, used, uninstalled }.violations(), violations);
    }

    #[test]
    fn what_is_left_behind_or_lost_is_found() {
        let (with, without) = (r#"{"a":1,"mcpServers":{"nudge":{}}}"#, r#"{"a":1}"#);
        check([&[("s", "x")], &[("s", "y")], &[("s", "y"), ("t", "z")], &[("s", "x"), ("t", "z")]], &[]);
        check([&[], &[("s", "y")], &[("s", "y")], &[("s", "y")]], &["s is not what it was before Nudge"]);
        check([&[], &[], &[("t", "z")], &[]], &["t belongs to the agent and was changed"]);
        check([&[], &[(STATE, "{}")], &[(STATE, with)], &[(STATE, without)]], &[]);
        check(
            [&[], &[(STATE, "{}")], &[(STATE, with)], &[(STATE, "{}")]],
            &[".claude.json differs in more than our server"],
        );
    }
}
