//! The user's default lifetime of hints.
//!
//! A session of an agent ends with the machine, but a user who installs Nudge wants its memory to
//! last longer. The line goes into the user's own configuration, where they can see and change it,
//! and only if the configuration does not set the key yet.

use std::path::Path;

use nudge_core::Fault;
use nudge_home::settings::{Layers, Origin, resolve};

/// Our lines for the top of the file, before any table. The comment marks them as ours.
const LINES: &str = "# Hints stay until they are deleted. Set by `nudge install`; change it as you like.\n\
                     default_ttl = \"forever\"\n";

const KEY: &str = "default_ttl";

/// The configuration with our default. Unchanged if the user has set the key or the file cannot be
/// parsed.
pub(super) fn with(text: Option<&str>, path: &Path) -> String {
    let text = text.unwrap_or_default();
    let lines = format!("{LINES}{}", if text.is_empty() { "" } else { "\n" });
    let (head, rest) = text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 });
    let wanted = format!("{head}{lines}{rest}");
    // A file that already sets the key, even to a bad value, or that is not TOML, stays unchanged.
    let takes_it = !text.contains(KEY) || !mentions(text);
    if takes_it && sets_key(&wanted, path) { wanted } else { text.to_owned() }
}

/// The configuration without our lines. The user's own lines stay.
pub(super) fn without(text: &str) -> String {
    let with_blank = format!("{LINES}\n");
    let lines = if text.contains(&with_blank) { with_blank.as_str() } else { LINES };
    text.replacen(lines, "", 1)
}

/// Whether a line of the file sets the key.
fn mentions(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().trim_start_matches(['"', '\'']).starts_with(KEY))
}

/// Whether the file sets the key, when read as settings.
fn sets_key(text: &str, path: &Path) -> bool {
    let file = Some((path.to_owned(), text.to_owned()));
    let resolved: Result<_, Fault> = resolve(&Layers { file, ..Layers::none() });
    resolved.is_ok_and(|resolved| {
        resolved.keys.iter().any(|key| key.key == KEY && matches!(key.source, Origin::File(_)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, after: &str) {
        let path = Path::new("/home/ada/.config/nudge/config.toml");
        let text = with(Some(before), path);
        assert_eq!(text, after);
        assert_eq!(with(Some(&text), path), text, "a second time changes nothing");
        assert_eq!(without(&text), before);
    }

    #[test]
    fn the_default_goes_in_once_and_comes_out_again() {
        check("", LINES);
        check("port = 9000\n", &format!("{LINES}\nport = 9000\n"));
        check("# mine\n\n[later]\nx = 1\n", &format!("{LINES}\n# mine\n\n[later]\nx = 1\n"));
    }

    #[test]
    fn what_the_person_said_stays() {
        check("default_ttl = \"session\"\n", "default_ttl = \"session\"\n");
        check("default_ttl = \"banana\"\n", "default_ttl = \"banana\"\n");
        check("\"default_ttl\" = \"P7D\"", "\"default_ttl\" = \"P7D\"");
        check("port = = 1\n", "port = = 1\n");
        let changed = LINES.replace("forever", "P30D");
        assert_eq!(without(&changed), changed);
    }
}
