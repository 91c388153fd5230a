//! Checks that every file is as it was before Nudge, except for the agents' own changes since then.

use super::super::files::{Files, HomeSnapshots};

/// The file that Codex writes its own settings to.
const SETTINGS: &str = ".codex/config.toml";

/// The result of the check.
pub(super) struct Restored {
    pub(super) wrong: Vec<String>,
    /// The summary for the viewer.
    pub(super) said: String,
}

/// Compares the home before Nudge, after `install`, after use, and after `uninstall`.
pub(super) fn check(mut captured_events: HomeSnapshots) -> Restored {
    let said = said(&captured_events.fresh, &captured_events.uninstalled);
    if captured_events.installed.get(SETTINGS) == captured_events.used.get(SETTINGS) {
        return Restored { wrong: captured_events.violations(), said };
    }
    let all = [
        &mut captured_events.fresh,
        &mut captured_events.installed,
        &mut captured_events.used,
        &mut captured_events.uninstalled,
    ];
    let read = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let settings = all.map(|files| files.remove(SETTINGS).map(read));
    let mut wrong = captured_events.violations();
    match settings {
        [Some(fresh), Some(installed), Some(used), Some(left)] => {
            let ours = lines(&installed).into_iter().filter(|line| !lines(&fresh).contains(line));
            let ours: Vec<&str> = ours.collect();
            let wanted: Vec<&str> = lines(&used).into_iter().filter(|line| !ours.contains(line)).collect();
            if ours.is_empty() || lines(&left) != wanted {
                wrong.push(format!("{SETTINGS} differs in more than our server: {left}"));
            }
        }
        _ => wrong.push(format!("{SETTINGS} is missing")),
    }
    Restored { wrong, said }
}

/// The lines that are not empty.
fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.trim().is_empty()).collect()
}

fn said(fresh: &Files, after: &Files) -> String {
    let hash = |files: &Files, name: &str| files.get(name).map(|bytes| blake3::hash(bytes));
    let (same, other): (Vec<&String>, Vec<&String>) =
        fresh.keys().partition(|name| hash(fresh, name) == hash(after, name));
    let other: Vec<String> = other.into_iter().map(|name| format!("~/{name}")).collect();
    let mut said =
        format!("{} of {} files have the hash that they had before the install", same.len(), fresh.len());
    if !other.is_empty() {
        said.push_str(&format!("; the agents wrote into {}", other.join(" and ")));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_settings(texts: [&str; 4]) -> Vec<String> {
        let [fresh, installed, used, uninstalled] =
            texts.map(|text| Files::from([(SETTINGS.to_owned(), text.as_bytes().to_vec())]));
        check(HomeSnapshots { fresh, installed, used, uninstalled }).wrong
    }

    #[test]
    fn only_what_is_ours_may_be_missing() {
        let (with, used) = ("a = 1\n\n[nudge]\nb = 2\n", "a = 1\n\n[nudge]\nb = 2\n\n[own]\nc = 3\n");
        assert!(check_settings(["a = 1\n", with, used, "a = 1\n\n[own]\nc = 3\n"]).is_empty());
        assert_eq!(check_settings(["a = 1\n", with, used, "a = 1\n"]).len(), 1);
        assert_eq!(check_settings(["a = 1\n", with, used, used]).len(), 1);
        assert_eq!(check_settings(["a = 1\n", with, with, "\na = 1\n"]).len(), 1, "not the same bytes");
    }
}
