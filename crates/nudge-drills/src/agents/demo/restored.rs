//! Whether every file is what it was before Nudge, but for what the agents themselves wrote meanwhile.

use super::super::files::{Files, Moments};

/// What Codex writes its own settings into.
const SETTINGS: &str = ".codex/config.toml";

/// What came of it.
pub(super) struct Restored {
    pub(super) wrong: Vec<String>,
    /// For the person who watches.
    pub(super) said: String,
}

/// Compares the home before, in between and after.
pub(super) fn check(mut moments: Moments) -> Restored {
    let said = said(&moments.fresh, &moments.uninstalled);
    if moments.installed.get(SETTINGS) == moments.used.get(SETTINGS) {
        return Restored { wrong: moments.violations(), said };
    }
    let all = [&mut moments.fresh, &mut moments.installed, &mut moments.used, &mut moments.uninstalled];
    let read = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let settings = all.map(|files| files.remove(SETTINGS).map(read));
    let mut wrong = moments.violations();
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

/// The lines that say something.
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
        check(Moments { fresh, installed, used, uninstalled }).wrong
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
