//! What we register with an agent: the shell lines that it runs, and whether lines are ours.

use std::borrow::Cow;

use crate::edit::EditError;

/// The program that a shell line calls as an agent's hook, if the line does nothing else: in any
/// form that was ever registered, or as a user writes it by hand.
pub(crate) fn program_of_hook(line: &str, harness: &str) -> Option<String> {
    let words = words(line);
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    if let ["[", "!", "-x", program, "]", "||", rest @ ..] = words.as_slice() {
        if rest.first() != Some(program) {
            return None;
        }
        words = rest.to_vec();
    }
    for end in [&["||", ":"][..], &["2>/dev/null"]] {
        words.truncate(words.strip_suffix(end).map_or(words.len(), <[_]>::len));
    }
    match words.as_slice() {
        [program, "hook", agent] | [program, "hook", agent, "--home", _] if *agent == harness => {
            Some((*program).to_owned())
        }
        _ => None,
    }
}

/// Whether a shell line asks our program for the header with the token.
pub(crate) fn is_token_line(line: &str, own: &str) -> bool {
    let words = words(line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    matches!(words.as_slice(), [program, "token", "header", ..] if is_ours(program, own))
}

/// The address of a server on this machine, in a file that registers ours over HTTP.
pub fn local_url(text: &str) -> Option<String> {
    let is_ours = text.contains("token header") || text.contains("/run/token}");
    let at = text.find("http://127.0.0.1:").filter(|_| is_ours)?;
    let end = text[at..].find("/mcp\"")?;
    Some(text[at..at + end + "/mcp".len()].to_owned())
}

/// Quotes a word for a POSIX shell, if needed.
pub fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%:,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(format!("'{}'", word.replace('\'', "'\\''")))
}

/// Whether a program is ours: the one being registered, or one with our name (`nudge`,
/// `nudge-0.2`).
pub(crate) fn is_ours(program: &str, own: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let rest = name.strip_prefix("nudge").map(|rest| rest.strip_suffix(".exe").unwrap_or(rest));
    let is_version = |rest: &str| {
        rest.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    program == own || rest.is_some_and(|rest| rest.is_empty() || is_version(rest))
}

/// The words of a line, unquoted. A backslash escapes only what a shell would escape, so Windows
/// paths stay intact.
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

/// This program, its data directory, and how its server is reached.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Registration<'a> {
    /// Absolute path of the program.
    pub program: &'a str,
    /// Absolute path of the data directory, if it is not the default.
    pub home: Option<&'a str>,
    /// The HTTP server to register, instead of standard input and output.
    pub http: Option<Http<'a>>,
    /// The root of the project, if the registration is for one project.
    pub project: Option<&'a str>,
}

/// A server that is reached over HTTP.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Http<'a> {
    /// Its address.
    pub url: &'a str,
    /// The file with its token. The token itself is not written anywhere else.
    pub token_file: &'a str,
}

impl Registration<'_> {
    /// The program's arguments: these words, and the data directory.
    pub(crate) fn args(&self, words: &[&str]) -> Vec<String> {
        let mut args: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        if let Some(home) = self.home {
            args.extend(["--home".to_owned(), home.to_owned()]);
        }
        args
    }

    /// The shell line of a hook. It succeeds silently even if the program is missing or cannot run:
    /// otherwise an agent would report an error at every event, and one agent would forbid every
    /// tool.
    pub(crate) fn hook_shell_line(&self, harness: &str) -> String {
        let line = self.line(&["hook", harness]);
        format!("[ ! -x {} ] || {line} 2>/dev/null || :", quoted(self.program))
    }

    /// The same as one shell line.
    pub(crate) fn line(&self, words: &[&str]) -> String {
        let args = self.args(words);
        let all = std::iter::once(self.program).chain(args.iter().map(String::as_str));
        all.map(quoted).collect::<Vec<_>>().join(" ")
    }
}

// Why our entries cannot be added to a settings file.

/// Why a settings file cannot be changed. Never repeats the file's content, which may contain a
/// secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InstallError {
    /// The file cannot be parsed, or a value has the wrong type.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// Our name is used for something else.
    #[error("`{0}` is there already and is not what Nudge writes")]
    Taken(Cow<'static, str>),
}

#[cfg(test)]
mod tests {
    use super::Registration;
    use super::*;

    #[test]
    fn the_program_of_a_hook_is_found_in_every_form_we_write() {
        for program in ["/opt/nudge/bin/nudge", "/home/a b/it's/nudge", "/opt/\"x\"/nudge", "/o/a\\b/nudge"] {
            for home in [None, Some("/m m/x")] {
                let who = Registration { program, home, ..Registration::default() };
                for line in [who.hook_shell_line("codex"), who.line(&["hook", "codex"])] {
                    assert_eq!(program_of_hook(&line, "codex").as_deref(), Some(program), "{line}");
                    assert_eq!(program_of_hook(&line, "claude"), None, "{line}");
                }
            }
        }
        assert_eq!(
            program_of_hook("/opt/nudge hook codex --home /m", "codex").as_deref(),
            Some("/opt/nudge")
        );
        for foreign in [
            "echo do not run nudge hook codex today >> /tmp/log",
            "/usr/bin/nudge hook codex && ~/bin/notify-me",
            "[ ! -x /a/nudge ] || /b/nudge hook codex || :",
            "/opt/acme/nudge hook codex --loud",
        ] {
            assert_eq!(program_of_hook(foreign, "codex"), None, "{foreign}");
        }
        assert_eq!(program_of_hook("hook codex", "codex"), None);
        assert_eq!(program_of_hook("", "codex"), None);
        assert_eq!(
            program_of_hook("C:\\nudge-0.2.exe hook claude", "claude").as_deref(),
            Some("C:\\nudge-0.2.exe")
        );
    }
}
