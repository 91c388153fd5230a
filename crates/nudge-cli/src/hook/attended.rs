//! Whether a person watches the agent that runs us.

use std::ffi::OsString;

use nudge_harness::Harness;

/// Whether nobody watches, as far as the agent tells the processes it starts; `None` when it does not.
pub(super) fn is_headless(harness: Harness, env: &dyn Fn(&str) -> Option<OsString>) -> Option<bool> {
    if harness != Harness::Claude {
        return None;
    }
    match env("CLAUDE_CODE_SESSION_ATTENDED").as_deref().and_then(|said| said.to_str()) {
        Some("0") => return Some(true),
        Some("1") => return Some(false),
        _ => {}
    }
    entry_point(env("CLAUDE_CODE_ENTRYPOINT")?.to_str()?)
}

/// `cli` is the terminal; `sdk-cli` (`claude -p`), `sdk-ts` and `sdk-py` are programs.
fn entry_point(name: &str) -> Option<bool> {
    match name {
        "cli" => Some(false),
        name if name.starts_with("sdk-") => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headless(harness: Harness, attended: Option<&str>, entry: Option<&str>) -> Option<bool> {
        is_headless(harness, &|name| {
            let value = if name.ends_with("ATTENDED") { attended } else { entry };
            value.map(OsString::from)
        })
    }

    #[test]
    fn claude_tells_and_nobody_is_guessed_for() {
        let claude = Harness::Claude;
        assert_eq!(headless(claude, Some("0"), Some("sdk-cli")), Some(true));
        assert_eq!(headless(claude, Some("1"), Some("sdk-ts")), Some(false));
        assert_eq!(headless(claude, None, Some("sdk-cli")), Some(true));
        assert_eq!(headless(claude, None, Some("cli")), Some(false));
        assert_eq!(headless(claude, None, Some("vscode")), None);
        assert_eq!(headless(claude, None, None), None);
        assert_eq!(headless(Harness::Codex, Some("0"), Some("sdk-cli")), None);
    }
}
