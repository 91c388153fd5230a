//! The lines that agents give to a shell, and whose they are.

use std::borrow::Cow;

/// The program that a line for a shell calls as the hook of an agent.
pub(crate) fn program_of_hook(line: &str, harness: &str) -> Option<String> {
    let words = words(line);
    let at = words.windows(2).position(|two| two[0] == "hook" && two[1] == harness)?;
    words.get(at.checked_sub(1)?).cloned()
}

/// A word that a POSIX shell reads as it stands.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Whether a program is ours: the one that is being registered, or one that is called like it (`nudge`, `nudge-0.2`).
pub(crate) fn is_ours(program: &str, own: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let rest = name.strip_prefix("nudge").map(|rest| rest.strip_suffix(".exe").unwrap_or(rest));
    program == own || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The words of a line, quotes resolved. A backslash counts only before what a shell would escape, so
/// that paths of Windows stay whole.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') => {
                let escaped = chars.next_if(|next| matches!(next, '\'' | '"' | '\\' | ' ' | '$' | '`'));
                word.get_or_insert_default().push(escaped.unwrap_or('\\'));
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::super::registration::Registration;
    use super::*;

    #[test]
    fn the_program_of_a_hook_is_found_in_every_form_we_write() {
        for program in ["/opt/nudge/bin/nudge", "/home/a b/it's/nudge", "/opt/\"x\"/nudge", "/o/a\\b/nudge"] {
            for home in [None, Some("/m m/x")] {
                let who = Registration { program, home, ..Registration::default() };
                for line in [who.guarded("codex"), who.line(&["hook", "codex"])] {
                    assert_eq!(program_of_hook(&line, "codex").as_deref(), Some(program), "{line}");
                    assert_eq!(program_of_hook(&line, "claude"), None, "{line}");
                }
            }
        }
        assert_eq!(program_of_hook("hook codex", "codex"), None);
        assert_eq!(program_of_hook("", "codex"), None);
        assert_eq!(
            program_of_hook("C:\\nudge-0.2.exe hook claude", "claude").as_deref(),
            Some("C:\\nudge-0.2.exe")
        );
    }
}
